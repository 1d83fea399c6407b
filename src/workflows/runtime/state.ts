/** The state of a workflow, as one value. The only other mutable objects in a workflow are handles to running work, such as tasks. */
import type { ProposedAnswer } from '../../messages/claims.js';
import { COUNTERS, type TimelineEvent } from '../../messages/codes.js';
import { type StageSeconds, withStage } from '../../messages/list-fields.js';
import {
  blankState,
  type CarriedHistory,
  type OnboardingState,
  type OutcomeName,
  type Pace,
  type Stage,
  type TimelineEntry,
  type UnfinishedWrite,
} from '../../messages/onboarding-state.js';
import type { OutboundEventType } from '../../messages/outbound-events.js';
import type {
  AnswerTo,
  Claim,
  FourEyes,
  IdempotencyKey,
  Requirement,
  RequirementKind,
  Resolution,
} from '../../messages/requirements.js';
import { LONGEST, truncate } from '../../partners/text-limits.js';
import type { LinkState } from './link-rules.js';

/** The published state, without the fields that are stored elsewhere in {@link State}. */
export type PublishedFields = Omit<OnboardingState, 'dba' | 'requirements' | 'unsent' | 'timeline'>;

// Keeps F7.
/**
 * The state of a workflow: plain data, changed only by a {@link Transition}. Continue-as-new passes it on, except the poll's last
 * snapshot and the SSNs of a business, which only a customer passes on, until the business has started. Nothing else survives.
 *
 * @typeParam PartnerState the state of the records at the partner
 */
export interface State<PartnerState = unknown, Input extends object = object> extends CarriedHistory {
  readonly facts: PublishedFields;
  readonly timeline: readonly TimelineEntry[];
  readonly stageSeconds: StageSeconds;
  /** Only for the search attribute. */
  readonly agentProfileId?: number;
  readonly requirements: RequirementsState;
  readonly input: CorrectedInput<Input>;
  /** Writes whose outcome is unknown, and writes canceled in flight, by ID. */
  readonly writes: Readonly<Record<string, UnfinishedWrite>>;
  readonly poll: PollState;
  readonly reports: ReportState;
  readonly events: OutboundEventsState;
  /** Idempotency keys of recent updates, oldest first: see idempotency.ts. */
  readonly keys: readonly AppliedKey[];
  /** The outcome, and the texts that people read about it. */
  readonly ended?: EndState;
  readonly partnerState: PartnerState;
  /** Side effects of the last transition. The {@link Store} runs them at once, so the list is empty between updates. */
  readonly effects: readonly Effect[];
}

/**
 * A requirement to raise. Raising it sets its ID and dates. If the partner can repeat the question, `about` identifies it, for example
 * `note-7`. The requirement's ID is then `note-7`, and later `note-7-2`, `note-7-3`. Other requirements are numbered.
 */
export type Question = {
  readonly [Kind in RequirementKind]: Omit<
    Requirement,
    'id' | 'raisedAt' | 'dueAt' | 'fourEyes' | 'claim' | 'proposal' | 'kind' | 'answers'
  > & { readonly kind: Kind; readonly answers: readonly AnswerTo<Kind>[] };
}[RequirementKind];

/** A requirement with an answer that the workflow has not processed yet. */
export interface PendingAnswer {
  readonly requirement: Requirement;
  readonly resolution: Resolution;
}

export interface RequirementsState {
  /** Open and answered requirements, ordered by last change. Sending an answer is not a change. */
  readonly entries: readonly RequirementEntry[];
  readonly raised: number;
  /** The number of times that each `about` was raised. */
  readonly timesAsked: Readonly<Record<string, number>>;
  /** In milliseconds since 1970. Proposals are identified by their time, so each one gets a later time than the one before. */
  readonly lastProposalAt: number;
}

/** A requirement in the state. It is removed when it is withdrawn, or when its answer is processed or dropped. */
export interface RequirementEntry {
  readonly requirement: Requirement;
  readonly isOverdue?: true;
  readonly isUnclaimed?: true;
  readonly progress: Progress;
}

export type Progress =
  | ({ readonly is: 'open' } & Collaboration)
  | { readonly is: 'answered'; readonly resolution: Resolution }
  /** The writes with these IDs are sending the answer, so it can no longer be taken back. */
  | { readonly is: 'sending'; readonly resolution: Resolution; readonly writes: readonly string[] };

export interface Collaboration {
  readonly claim?: Claim | undefined;
  readonly proposed?: ProposedAnswer | undefined;
  readonly mentioned?: readonly string[] | undefined;
  readonly link?: LinkState | undefined;
}

export interface EndState {
  readonly outcome: { readonly outcome: OutcomeName | 'cancelled' };
  readonly texts: readonly string[];
}

export interface CorrectedInput<Input extends object = object> {
  readonly current: Input;
  /** The input before the corrections whose write is not confirmed yet. */
  readonly base: Input;
}

/** @typeParam Snapshot the result of a read at the partner */
export interface PollState<Snapshot = unknown> {
  /** Delays the next read if each recent read showed a change. Absent before the first read. */
  readonly pace?: Pace;
  /** A change that the workflow has not handled yet. */
  readonly change?: Snapshot;
  /** The last change that the workflow handled. Removed before a write, because an earlier read is no evidence of it. */
  readonly latest?: Snapshot;
}

/** A child workflow's reports to its customer workflow. */
export interface ReportState {
  /** The number of the last report, and the run that sent it. */
  readonly number: number;
  readonly run: string;
  /** The state as of the last report. Absent if the next report must contain the whole state. */
  readonly state?: OnboardingState;
  /** The customer asked for the outcome, because Temporal does not deliver a child's result after the customer continues as new. */
  readonly isOutcomeRequested?: true;
  /** The customer's workflow has ended. */
  readonly isCustomerGone?: true;
}

export interface OutboundEventsState {
  readonly sequence: number;
  /** The ID of the last event. */
  readonly last: string;
  readonly stage?: Stage;
  /** Events that are not published yet. */
  readonly pending: readonly PendingEvent[];
}

interface PendingEvent {
  readonly id: string;
  readonly sequence: number;
  readonly type: OutboundEventType;
  readonly time: string;
  readonly data: object;
}

/** An applied update. `receipt` is absent until the update finishes. */
export interface AppliedKey extends IdempotencyKey {
  readonly receipt?: object;
}

type Effect = MetricIncrement | { readonly publish: 'events' };

/** Adds one to the counter of a timeline event. */
export interface MetricIncrement {
  readonly count: keyof typeof COUNTERS;
  readonly labels: Readonly<Record<string, string>>;
}

/** The values that a transition can read besides the state. */
export interface Context {
  /** In milliseconds since 1970. */
  readonly now: number;
  /** Returns a new UUID at each call. A replay returns the same UUIDs. */
  readonly random: () => string;
  readonly workflowType: string;
  /** The first run of the workflow. */
  readonly firstRunId: string;
  /** The time that a person has to answer, in milliseconds. */
  readonly dueInMs: number;
  /** The prefix of each numbered requirement ID. */
  readonly idPrefix: string;
  readonly fourEyes: FourEyes;
}

export type Transition = <S extends State>(state: S, context: Context) => S;

export function initialState<PartnerState, Input extends object>(
  workflowType: string,
  input: Input,
  partnerState: PartnerState,
): State<PartnerState, Input> {
  const { requirements: _, timeline: __, ...facts } = blankState(workflowType);
  return {
    facts,
    timeline: [],
    stageSeconds: {},
    requirements: { entries: [], raised: 0, timesAsked: {}, lastProposalAt: 0 },
    input: { current: input, base: input },
    writes: {},
    poll: {},
    reports: { number: 0, run: '' },
    events: { sequence: 0, last: '', pending: [] },
    keys: [],
    partnerState,
    effects: [],
  };
}

export const compose =
  (...transitions: readonly Transition[]): Transition =>
  (state, context) =>
    transitions.reduce((now, transition) => transition(now, context), state);

type EventFields = Pick<TimelineEntry, 'detail' | 'actor' | 'reason'>;

/**
 * Appends a timeline event. Pass a summary of an answer as `detail`, never a secret.
 *
 * @param labels labels for the event's metric, if it has one
 */
export const recordEvent =
  (
    event: TimelineEvent,
    { detail, ...who }: EventFields = {},
    labels: MetricIncrement['labels'] = {},
  ): Transition =>
  (state, { now }) => {
    const about = detail === undefined ? {} : { detail: truncate(detail, LONGEST.text) };
    const timelineEntry = { at: new Date(now).toISOString(), event, ...about, ...who };
    const counted = isCounted(event) ? [{ count: event, labels }] : [];
    const timeline = boundTimeline([...state.timeline, timelineEntry]);
    return { ...state, timeline, effects: [...state.effects, ...counted] };
  };

const MAX_TIMELINE_ENTRIES = 1_000;

/** Events that a person can cause without limit, and that change nothing at the partner. */
const COLLABORATION_EVENTS: readonly TimelineEvent[] = [
  'requirement-claimed',
  'requirement-released',
  'requirement-taken-over',
  'requirement-assigned',
  'requirement-unclaimed',
  'answer-proposed',
  'proposal-withdrawn',
  'proposal-dropped',
  'merchant-asked',
  'merchant-began',
  'answer-sent-back',
  'link-revoked',
];

/** Drops the oldest collaboration event when the timeline is full, so a script that claims all day can't fill the state. */
function boundTimeline(timeline: readonly TimelineEntry[]): readonly TimelineEntry[] {
  if (timeline.length <= MAX_TIMELINE_ENTRIES) return timeline;
  const oldest = timeline.findIndex(({ event }) => COLLABORATION_EVENTS.includes(event));
  return oldest < 0 ? timeline : timeline.toSpliced(oldest, 1);
}

function isCounted(event: TimelineEvent): event is MetricIncrement['count'] {
  return event in COUNTERS;
}

/** Sets fields of the published state. The next report publishes them. */
export const setFacts =
  (facts: Partial<PublishedFields>): Transition =>
  (state, { now }) => {
    const { stage } = state.facts;
    const [first] = state.timeline;
    const hasLeftStage = facts.stage !== undefined && facts.stage !== stage && first !== undefined;
    const stageSeconds = hasLeftStage
      ? withStage(state.stageSeconds, stage, (now - Date.parse(first.at)) / 1_000)
      : state.stageSeconds;
    return { ...state, facts: { ...state.facts, ...facts }, stageSeconds };
  };

export const setEnd =
  (ended: EndState): Transition =>
  (state) => ({ ...state, ended });

export const setAgent =
  (agentProfileId: number): Transition =>
  (state) => ({ ...state, agentProfileId });

export const setPartnerState =
  (partnerState: unknown): Transition =>
  (state) => ({ ...state, partnerState });

export const addUnfinishedWrite =
  (id: string, { write, outcome }: UnfinishedWrite): Transition =>
  (state) => ({ ...state, writes: { ...state.writes, [id]: { write, outcome } } });

export const removeUnfinishedWrite =
  (id: string): Transition =>
  (state) => {
    const { [id]: _, ...writes } = state.writes;
    return { ...state, writes };
  };

/** Returns the IDs of writes that may have taken effect. */
export function unknownWrites({ writes }: State): readonly string[] {
  return Object.keys(writes).filter((id) => writes[id]?.outcome === 'uncertain');
}

/** Runs the side effects of transitions, and generates their UUIDs. */
export interface Effects {
  readonly random: Context['random'];
  count(counted: MetricIncrement): void;
  /** @returns the events state, with nothing pending */
  publish(events: OutboundEventsState): OutboundEventsState;
}

/** Holds the state. It is the only mutable object in a workflow, besides handles to running work. */
export class Store<PartnerState = unknown, Input extends object = object> {
  #state: State<PartnerState, Input>;

  constructor(
    state: State<PartnerState, Input>,
    private readonly constants: Omit<Context, 'now' | 'random'>,
    private readonly effects: Effects,
  ) {
    this.#state = state;
  }

  get state(): State<PartnerState, Input> {
    return this.#state;
  }

  /** Applies a transition, then runs its effects. */
  update(transition: Transition): void {
    const context = { ...this.constants, now: Date.now(), random: this.effects.random };
    const { effects, ...state } = transition(this.#state, context);
    this.#state = { ...state, effects: [] };
    for (const effect of effects)
      if ('count' in effect) this.effects.count(effect);
      else this.#state = { ...this.#state, events: this.effects.publish(this.#state.events) };
  }
}
