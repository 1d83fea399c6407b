import type { SearchAttributeUpdatePair } from '@temporalio/common';
import {
  metricMeter,
  setCurrentDetails,
  upsertMemo,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { CLAIMS_MEMO, claimsOf } from '../../messages/claims.js';
import { COUNTERS, type TimelineEvent } from '../../messages/codes.js';
import { systemOf } from '../../messages/ids.js';
import {
  type DbaForm,
  listedRequirements,
  listedStages,
  type StageSeconds,
  stagesIn,
  withStage,
} from '../../messages/listed.js';
import {
  blankState,
  type OnboardingState,
  type OutcomeName,
  type Stage,
  type TimelineEntry,
} from '../../messages/onboarding-state.js';
import type { PartOutcome } from '../../messages/onboardings.js';
import type { Requirement } from '../../messages/requirements.js';
import { dbaAttributes, SEARCH_ATTRIBUTES } from '../../messages/search-attributes.js';
import { LONGEST, shortened } from '../../partners/bounds.js';
import { accountName } from './activity-proxies.js';
import { currentDetails, type NextSteps } from './current-details.js';
import type { CustomerReports } from './customer-reports.js';
import { type OutboundEventRecords, OutboundEvents } from './outbound-events.js';

/** The state without what the requirement queue, the timeline and the input hold. */
export type Facts = Omit<OnboardingState, 'dba' | 'requirements' | 'unsent' | 'timeline'>;

export interface PublishedStateRecords {
  readonly state: OnboardingState;
  readonly events: OutboundEventRecords;
}

export interface PublishedStateOptions {
  readonly nextSteps: NextSteps;
  /** Returns the present dba. A correction may change it. */
  readonly dba?: (() => string) | undefined;
  readonly records?: PublishedStateRecords | undefined;
  /** The number of open requirements that the search attribute lists; the others are counted. Default: all. */
  readonly mostListed?: number;
  /** The parts of the state that others hold: the open requirements, and the parts of a customer. */
  readonly others: () => Pick<OnboardingState, 'requirements'> & Partial<OnboardingState>;
  /** Absent where there is no customer to report to. */
  readonly reports?: CustomerReports;
}

/** The published state of a workflow: query `state`, search attributes, and the current details in the Web UI. */
export class PublishedState {
  readonly timeline: Timeline;
  readonly events: OutboundEvents;
  #facts: Facts;
  #stageSeconds: StageSeconds;
  #agentProfileId: number | undefined;
  #said: readonly string[] = [];

  constructor(private readonly options: PublishedStateOptions) {
    const { state = blankState(workflowInfo().workflowType), events } = options.records ?? {};
    const { dba: _, requirements: __, unsent: ___, timeline, ...facts } = state;
    this.timeline = new Timeline(timeline);
    this.events = new OutboundEvents(events);
    this.#facts = facts;
    this.#stageSeconds = stagesIn(
      workflowInfo().typedSearchAttributes.get(SEARCH_ATTRIBUTES.stageTimes) ?? [],
    );
    if (!this.isContinued) this.timeline.add('started');
  }

  /** True when an earlier run began the workflow. */
  get isContinued(): boolean {
    return this.options.records !== undefined;
  }

  get facts(): Facts {
    return this.#facts;
  }

  get current(): OnboardingState {
    const { dba, others } = this.options;
    const { requirements, ...more } = others();
    const name = dba ? { dba: shortened(dba(), LONGEST.line) } : {};
    return { ...name, ...this.#facts, requirements, timeline: this.timeline.entries, ...more };
  }

  get records(): PublishedStateRecords {
    const state = { ...this.#facts, requirements: [], timeline: this.timeline.entries };
    return { state, events: this.events.records };
  }

  /** The form of the dba in the search attribute. A workflow that was started without `gangway` masks it. */
  get dbaForm(): DbaForm {
    const { memo, typedSearchAttributes } = workflowInfo();
    const indexed = typedSearchAttributes.get(SEARCH_ATTRIBUTES.dba);
    return indexed !== undefined && indexed === memo?.['dba'] ? 'shown' : 'masked';
  }

  /** Changes facts. The outside sees them with the next {@link refresh} or {@link report}. */
  know(facts: Partial<Facts>): void {
    const { stage } = this.#facts;
    const [first] = this.timeline.entries;
    if (facts.stage !== undefined && facts.stage !== stage && first)
      this.#stageSeconds = withStage(this.#stageSeconds, stage, (Date.now() - Date.parse(first.at)) / 1_000);
    this.#facts = { ...this.#facts, ...facts };
  }

  /** A search attribute only; the state does not have it. */
  knowAgentProfile(agentProfileId: number): void {
    this.#agentProfileId = agentProfileId;
  }

  enter(stage: Stage): void {
    this.know({ stage });
    this.report();
  }

  /** Enters the last stage, and reports the outcome. The Web UI shows what is said, such as the comment of the partner. */
  end(outcome: { readonly outcome: OutcomeName | 'cancelled' }, said: readonly string[]): void {
    this.#said = said;
    this.know({ stage: outcome.outcome });
    this.report(outcome as PartOutcome);
    this.events.ended(outcome.outcome, this.#facts);
  }

  async idle(): Promise<void> {
    await this.options.reports?.idle();
  }

  /** Shows and reports the state, at the cost of events in two histories: before a wait, and not before each step. */
  report(outcome?: PartOutcome): void {
    this.refresh();
    this.events.send();
    this.options.reports?.report(this.current, outcome);
  }

  /** Shows the state in searches and the Web UI. Writes an event to the history only when a search attribute has changed. */
  refresh(): void {
    const { stage, partnerStatus, merchantProfileId, profileId, mid } = this.#facts;
    const { current } = this;
    const agentProfileId = this.#agentProfileId?.toString();
    const dueDates = current.requirements.map(({ dueAt }) => Date.parse(dueAt));
    if (current.dba !== undefined) this.#showDba(current.dba);
    upsertChanged([
      ...(agentProfileId ? [{ key: SEARCH_ATTRIBUTES.agentProfileId, value: agentProfileId }] : []),
      { key: SEARCH_ATTRIBUTES.stage, value: stage },
      { key: SEARCH_ATTRIBUTES.stageTimes, value: listOrNull(listedStages(this.#stageSeconds)) },
      { key: SEARCH_ATTRIBUTES.partnerStatus, value: partnerStatus },
      { key: SEARCH_ATTRIBUTES.merchantProfileId, value: merchantProfileId?.toString() ?? null },
      { key: SEARCH_ATTRIBUTES.bankingProfileId, value: profileId?.toString() ?? null },
      { key: SEARCH_ATTRIBUTES.mid, value: mid ?? null },
      { key: SEARCH_ATTRIBUTES.actionRequired, value: dueDates.length > 0 },
      {
        key: SEARCH_ATTRIBUTES.actionDueAt,
        value: dueDates.length > 0 ? new Date(Math.min(...dueDates)) : null,
      },
      {
        key: SEARCH_ATTRIBUTES.requirements,
        value: listOrNull(listedRequirements(current.requirements, this.options.mostListed)),
      },
    ]);
    showClaims(current.requirements);
    const { workflowId } = workflowInfo();
    setCurrentDetails(currentDetails(workflowId, current, this.options.nextSteps, this.#said));
    this.events.noteStage(this.#facts);
  }

  /** The start has set both, so this writes events only after a correction of the dba, and after a start without `gangway`. */
  #showDba(dba: string): void {
    if (workflowInfo().memo?.['dba'] === dba) return;
    upsertChanged(dbaAttributes(dba, this.dbaForm));
    upsertMemo({ dba });
  }
}

function listOrNull(values: string[]): string[] | null {
  return values.length > 0 ? values : null;
}

/** Writes a history event only when it differs from what the memo has. */
function showClaims(requirements: readonly Requirement[]): void {
  const claims = claimsOf(requirements) ?? null;
  const present = workflowInfo().memo?.[CLAIMS_MEMO] ?? null;
  if (JSON.stringify(present) !== JSON.stringify(claims)) upsertMemo({ [CLAIMS_MEMO]: claims });
}

/** Writes one history event for all attributes that differ from what the server has; none when none differs. */
function upsertChanged(pairs: SearchAttributeUpdatePair[]): void {
  const present = workflowInfo().typedSearchAttributes;
  const comparable = (value: unknown) => JSON.stringify(value ?? null);
  const changed = pairs
    .map((pair) => (pair.key.type === 'TEXT' ? pair : { ...pair, value: indexable(pair.value) }))
    .map((pair) => pair as SearchAttributeUpdatePair)
    .filter(({ key, value }) => comparable(present.get(key)) !== comparable(value));
  if (changed.length > 0) upsertSearchAttributes(changed);
}

/** Visibility databases reject some control characters, and the server terminates a workflow for more than 2 kB. */
function indexable(value: unknown): unknown {
  return typeof value === 'string' ? shortened(value.replace(/\p{Cc}+/gu, ' '), LONGEST.line) : value;
}

/** The events of a workflow in order, with their actors. Holds a short form of each answer, never a secret. */
export class Timeline {
  readonly #entries: TimelineEntry[];

  constructor(entries: readonly TimelineEntry[] = []) {
    this.#entries = [...entries];
  }

  get entries(): readonly TimelineEntry[] {
    return this.#entries;
  }

  /** @param labels of the counter of the event, where it has one */
  add(
    event: TimelineEvent,
    { detail, ...who }: Omit<TimelineEntry, 'at' | 'event'> = {},
    labels: Readonly<Record<string, string>> = {},
  ): void {
    const about = detail === undefined ? {} : { detail: shortened(detail, LONGEST.text) };
    this.#entries.push({ at: new Date().toISOString(), event, ...about, ...who });
    if (!isCounted(event)) return;
    const [name, help] = COUNTERS[event];
    // Not in a replay. The label '' stands for no partner, or the account without a name.
    metricMeter.createCounter(name, undefined, help).add(1, {
      system: systemOf(workflowInfo().workflowId),
      account: accountName() ?? '',
      ...labels,
    });
  }
}

function isCounted(event: TimelineEvent): event is keyof typeof COUNTERS {
  return event in COUNTERS;
}
