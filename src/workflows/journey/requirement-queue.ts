import type { ProposedAnswer } from '../../messages/claims.js';
import type { TimelineEvent } from '../../messages/codes.js';
import { rejection } from '../../messages/rejections.js';
import {
  type Answer,
  type Claim,
  DEFAULT_DUE_IN_HOURS,
  type Requirement,
  type RequirementKind,
  type Resolution,
} from '../../messages/requirements.js';
import { LONGEST, shortened } from '../../partners/bounds.js';
import { masked } from '../../platform/privacy/masked.js';
import type { OutboundEvents } from './outbound-events.js';
import type { Timeline } from './published-state.js';
import { inShort } from './resolutions.js';

/**
 * A requirement about to be raised. The queue adds its dates and its id. With `about`, what the partner may ask again, the id is
 * that text the first time, and has a number after it later: `note-1a2b-2`. Without it the queue numbers its requirements.
 */
export type Question = Omit<Requirement, 'id' | 'raisedAt' | 'dueAt' | 'claim' | 'proposal'>;

/** A requirement with an answer that the workflow has not processed yet. */
export interface Answered {
  readonly requirement: Requirement;
  readonly resolution: Resolution;
}

/** Thrown after an operator abandoned the onboarding. */
export class Abandoned extends Error {
  override readonly name = 'Abandoned';
}

type State =
  | { readonly is: 'open'; readonly claim?: Claim; readonly proposed?: ProposedAnswer }
  | { readonly is: 'answered'; readonly resolution: Resolution }
  /** Steps with these IDs take the answer to the partner, so nobody can take it back. */
  | { readonly is: 'on its way'; readonly resolution: Resolution; readonly writes: readonly string[] };

/** A requirement that has not ended. It ends when it is withdrawn, or when its answer is processed or dropped. */
interface Entry {
  readonly requirement: Requirement;
  readonly isOverdue?: true;
  readonly isUnclaimed?: true;
  readonly state: State;
}

export interface RequirementRecords {
  readonly entries: readonly Entry[];
  readonly raised: number;
  /** The number of times that each `about` was raised. */
  readonly asked: Readonly<Record<string, number>>;
}

/** When a requirement is late. */
export interface Deadline {
  readonly requirement: Requirement;
  readonly what: 'overdue' | 'unclaimed';
  /** In milliseconds since 1970. */
  readonly at: number;
}

export interface RequirementQueueOptions {
  /** Default: {@link DEFAULT_DUE_IN_HOURS}. */
  readonly dueInHours?: number | undefined;
  /** Default: nobody has to claim anything. */
  readonly unclaimedInHours?: number | undefined;
  /** Reports whether the partner has documents of an answer that is not delivered as a whole. Default: never. */
  readonly isPartlySent?: ((answered: Answered) => boolean) | undefined;
  /** Stands before each numbered id. */
  readonly idPrefix?: string | undefined;
  readonly records?: RequirementRecords | undefined;
}

// Keeps F4.
/** The requirements that wait for a person, or whose answers the workflow has not processed yet. */
export class RequirementQueue {
  /** Keyed by id. The one whose state has changed last, except by its own write, comes last. */
  readonly #entries: Map<string, Entry>;
  readonly #asked: Map<string, number>;
  #raised: number;

  constructor(
    private readonly timeline: Pick<Timeline, 'add'>,
    private readonly events: Pick<OutboundEvents, 'requirement'>,
    private readonly options: RequirementQueueOptions,
  ) {
    const { entries = [], asked = {}, raised = 0 } = options.records ?? {};
    this.#entries = new Map(entries.map((entry) => [entry.requirement.id, entry]));
    this.#asked = new Map(Object.entries(asked));
    this.#raised = raised;
  }

  get records(): RequirementRecords {
    return {
      entries: [...this.#entries.values()],
      raised: this.#raised,
      asked: Object.fromEntries(this.#asked),
    };
  }

  get open(): readonly Requirement[] {
    return this.#openEntries.map(({ requirement }) => requirement);
  }

  get #openEntries(): readonly Entry[] {
    return [...this.#entries.values()].filter(({ state }) => state.is === 'open');
  }

  get openWithClaims(): readonly Requirement[] {
    return this.#openEntries.map(withClaims);
  }

  /** The deadlines of open ones that were not reported as late: when they are overdue, and when unclaimed for too long. */
  get deadlines(): readonly Deadline[] {
    const { unclaimedInHours } = this.options;
    const overdue = ({ requirement, isOverdue }: Entry): Deadline[] =>
      isOverdue ? [] : [{ requirement, what: 'overdue', at: Date.parse(requirement.dueAt) }];
    const unclaimed = ({ requirement, isUnclaimed, state }: Entry): Deadline[] => {
      if (unclaimedInHours === undefined || isUnclaimed || state.is !== 'open') return [];
      const first = Date.parse(requirement.raisedAt) + unclaimedInHours * 3_600_000;
      const at = state.claim ? Math.max(first, Date.parse(state.claim.until)) : first;
      return [{ requirement, what: 'unclaimed', at }];
    };
    return [...this.#openEntries.flatMap(overdue), ...this.#openEntries.flatMap(unclaimed)];
  }

  /** Those with an answer, in the order of their answers. They stay until {@link removeAnswered}. */
  get answered(): readonly Answered[] {
    return [...this.#entries.values()].flatMap(({ requirement, state }) =>
      state.is === 'open' ? [] : [{ requirement, resolution: state.resolution }],
    );
  }

  isAnswered(id: string): boolean {
    return this.answered.some(({ requirement }) => requirement.id === id);
  }

  /** The answer to a requirement of one of these kinds that abandons the onboarding. */
  abandonedOf(kinds: readonly RequirementKind[]): Answered | undefined {
    const isAbandoned = ({ requirement, resolution }: Answered) =>
      kinds.includes(requirement.kind) && resolution.answer.kind === 'abandon';
    return this.answered.find(isAbandoned);
  }

  get unsent(): readonly string[] {
    return [...this.#entries].flatMap(([id, { state }]) => (state.is === 'answered' ? [id] : []));
  }

  get dueInMs(): number {
    const { dueInHours = DEFAULT_DUE_IN_HOURS } = this.options;
    return dueInHours * 3_600_000;
  }

  /** Raises a requirement. The next report of the state shows it. */
  raise(question: Question): string {
    this.#raised += 1;
    const { idPrefix = '' } = this.options;
    const id = this.#idFor(question.about) ?? `${idPrefix}${question.kind}-${this.#raised}`;
    const now = Date.now();
    const raisedAt = new Date(now).toISOString();
    const dueAt = new Date(now + this.dueInMs).toISOString();
    const title = shortened(question.title, LONGEST.line);
    const detail = shortened(question.detail, LONGEST.detail);
    const requirement = { id, ...question, title, detail, raisedAt, dueAt };
    this.#entries.set(id, { requirement, state: { is: 'open' } });
    this.#record('requirement-raised', requirement, title);
    this.events.requirement('requirement.raised.v1', requirement);
    return id;
  }

  #idFor(about: string | undefined): string | undefined {
    if (about === undefined) return undefined;
    const times = (this.#asked.get(about) ?? 0) + 1;
    this.#asked.set(about, times);
    return times === 1 ? about : `${about}-${times}`;
  }

  withdraw(id: string, why: string): void {
    const entry = this.#entries.get(id);
    if (entry?.state.is !== 'open') return;
    this.#entries.delete(id);
    this.#record('requirement-closed', entry.requirement, why);
  }

  /** Removes a requirement whose answer is processed, or is about to be. */
  removeAnswered(id: string): Answered | undefined {
    const answered = this.answered.find(({ requirement }) => requirement.id === id);
    if (answered) this.#entries.delete(id);
    return answered;
  }

  drop(id: string, why: string): void {
    if (this.removeAnswered(id)) this.timeline.add('answer-dropped', { detail: `${id}: ${why}` });
  }

  /** Takes an answer, perhaps the proposed one that was confirmed. */
  accept(resolution: Resolution, isConfirmed = false): void {
    const { requirementId: id, answer, actor, reason } = resolution;
    const entry = this.#entries.get(id);
    if (entry?.state.is !== 'open') throw rejection(`${id} is not open`);
    const { proposed } = entry.state;
    this.#enter(entry, { is: 'answered', resolution });
    this.#record('requirement-resolved', entry.requirement, inShort(answer), {
      actor,
      reason: masked(reason),
    });
    if (proposed && !isConfirmed)
      this.timeline.add('proposal-dropped', { detail: `${id}: it was proposed by ${proposed.actor}` });
  }

  /** @throws {ApplicationFailure} if there is no answer, or it is in flight */
  takeBack({ requirementId, actor, reason }: Resolution): void {
    const entry = this.#entries.get(requirementId);
    if (entry?.state.is !== 'answered') throw rejection(`${requirementId} has no answer to take back`);
    this.#enter(entry, { is: 'open' });
    this.timeline.add('answer-taken-back', { detail: requirementId, actor, reason: masked(reason) });
  }

  #enter(entry: Entry, state: State): void {
    const { id } = entry.requirement;
    this.#entries.delete(id);
    this.#entries.set(id, { ...entry, state });
  }

  /** Sends answers by the steps with these IDs. Nobody can take them back. If `send` throws, they stay in flight until the end drops them. */
  async whileSending<Result>(
    answered: readonly Answered[],
    writes: readonly string[],
    send: () => Promise<Result>,
  ): Promise<Result> {
    const enterAll = (stateOf: (resolution: Resolution) => State) => {
      for (const { requirement } of answered)
        this.#change(requirement.id, (state) => (state.is === 'open' ? state : stateOf(state.resolution)));
    };
    enterAll((resolution) => ({ is: 'on its way', resolution, writes }));
    const result = await send();
    enterAll((resolution) => ({ is: 'answered', resolution }));
    return result;
  }

  #change(id: string, stateAfter: (state: State) => State): void {
    const entry = this.#entries.get(id);
    if (entry) this.#entries.set(id, { ...entry, state: stateAfter(entry.state) });
  }

  /** Drops the answers that are left after a decision of the partner. Of some writes, nobody knows whether they took effect. */
  dropUndelivered(kinds: readonly RequirementKind[], unknown: readonly string[]): void {
    this.#dropLeft('the partner decided', unknown, (kind) => kinds.includes(kind));
  }

  /** Closes what is open, and drops undelivered answers, except the one that abandoned the onboarding. */
  end(unknown: readonly string[], isAbandoned: boolean): void {
    for (const { id } of this.open) this.withdraw(id, 'the onboarding has ended');
    const isObeyed = ({ answer }: Resolution) => isAbandoned && answer.kind === 'abandon';
    this.#dropLeft('the onboarding ended', unknown, (_, resolution) => !isObeyed(resolution));
  }

  #dropLeft(
    what: string,
    unknown: readonly string[],
    concerns: (kind: RequirementKind, resolution: Resolution) => boolean,
  ): void {
    for (const { requirement, state } of [...this.#entries.values()]) {
      if (state.is === 'open' || !concerns(requirement.kind, state.resolution)) continue;
      const { resolution } = state;
      const isUnknown = state.is === 'on its way' && state.writes.some((id) => unknown.includes(id));
      const when = isUnknown
        ? 'while it was in flight; whether it arrived is unknown'
        : this.options.isPartlySent?.({ requirement, resolution })
          ? 'after a document was uploaded, but before the review was requested'
          : 'before it was delivered';
      this.drop(requirement.id, `${what} ${when}`);
    }
  }

  claimsOf(id: string): { readonly claim?: Claim; readonly proposed?: ProposedAnswer } {
    const state = this.#entries.get(id)?.state;
    return state?.is === 'open' ? state : {};
  }

  /** Changes it. `undefined` ends a claim or a proposal. */
  setClaims(id: string, changed: { claim?: Claim | undefined; proposed?: ProposedAnswer | undefined }): void {
    this.#change(id, (state) => {
      if (state.is !== 'open') return state;
      const { claim, proposed } = { ...state, ...changed };
      return { is: 'open', ...(claim && { claim }), ...(proposed && { proposed }) };
    });
  }

  /** Records that nobody has answered it, or claimed it, in time. It decides nothing. */
  reportLate(requirement: Requirement, what: Deadline['what']): void {
    const entry = this.#entries.get(requirement.id);
    const flag = what === 'overdue' ? { isOverdue: true as const } : { isUnclaimed: true as const };
    if (entry) this.#entries.set(requirement.id, { ...entry, ...flag });
    this.#record(`requirement-${what}`, requirement, requirement.title);
    this.events.requirement(`requirement.${what}.v1`, requirement);
  }

  #record(
    event: TimelineEvent & `requirement-${string}`,
    { id, kind }: Requirement,
    what: string,
    who = {},
  ): void {
    this.timeline.add(event, { detail: `${id}: ${what}`, ...who }, { kind });
  }
}

/** A requirement with its claim and its proposal; without them the same object. */
function withClaims({ requirement, state }: Entry): Requirement {
  if (state.is !== 'open' || (!state.claim && !state.proposed)) return requirement;
  const { claim, proposed } = state;
  return {
    ...requirement,
    ...(claim && { claim }),
    ...(proposed && {
      proposal: {
        ...{ actor: proposed.actor, at: proposed.at, reason: masked(proposed.reason) },
        answer: inShort(proposed.answer),
      },
    }),
  };
}

/** @throws {Abandoned} when the answer is to abandon */
export function unlessAbandoned({ answer, reason }: Resolution): Exclude<Answer, { kind: 'abandon' }> {
  if (answer.kind === 'abandon') throw new Abandoned(masked(reason));
  return answer;
}
