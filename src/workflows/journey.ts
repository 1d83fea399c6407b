import type { SearchAttributeUpdatePair } from '@temporalio/common';
import {
  allHandlersFinished,
  CancellationScope,
  condition,
  isCancellation,
  log,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import {
  type OnboardingState,
  type OutcomeName,
  type Stage,
  stateQuery,
} from '../messages/onboarding-state.js';
import { type Answer, type Resolution, resolveRequirement } from '../messages/requirements.js';
import { SEARCH_ATTRIBUTES } from '../messages/search-attributes.js';
import { currentDetails } from './current-details.js';
import { type DeskRecords, type Question, RequirementDesk } from './requirement-desk.js';
import { Timeline } from './timeline.js';

/** What a journey hands to the next run of the same workflow. */
export interface JourneyRecords {
  readonly state: OnboardingState;
  readonly desk: DeskRecords;
}

export interface JourneyOptions {
  readonly dueInHours: number;
  /** Which members of the input a correction may change. */
  readonly correctable: readonly string[];
  readonly records?: JourneyRecords;
}

/** Thrown where an operator gave the onboarding up. */
export class Abandoned extends Error {
  override readonly name = 'Abandoned';
}

/** The public face of an onboarding: its state, its requirements, and what the Web UI shows of both. */
export class Journey {
  readonly timeline: Timeline;
  readonly desk: RequirementDesk;
  #facts: Omit<OnboardingState, 'requirements' | 'timeline'>;
  /** Writes of which nobody knows yet whether they took effect. */
  readonly doubts = new Set<string>();
  #agentProfileId: number | undefined;

  constructor({ dueInHours, correctable, records }: JourneyOptions) {
    this.timeline = new Timeline(records?.state.timeline);
    this.desk = new RequirementDesk(this.timeline, dueInHours, correctable, records?.desk);
    const { requirements: _, timeline: __, ...facts } = records?.state ?? this.#blank();
    this.#facts = facts;
    setHandler(stateQuery, () => this.state);
    setHandler(resolveRequirement, this.#resolve, { validator: this.desk.validate });
    if (!records) this.timeline.add('started');
    this.#watchDueDates();
  }

  get state(): OnboardingState {
    return { ...this.#facts, requirements: this.desk.open, timeline: this.timeline.entries };
  }

  get records(): JourneyRecords {
    return { state: this.state, desk: this.desk.records };
  }

  /** Changes what is known. The outside sees it with the next {@link publish}. */
  know(facts: Partial<Omit<OnboardingState, 'requirements' | 'timeline'>>): void {
    this.#facts = { ...this.#facts, ...facts };
  }

  /** Only searched by, never shown in the state. */
  knowAgentProfile(agentProfileId: number): void {
    this.#agentProfileId = agentProfileId;
  }

  enter(stage: Stage): void {
    this.know({ stage });
    this.publish();
  }

  /**
   * Raises a requirement and waits for its answer.
   *
   * @param moot ends the wait without an answer, when the world has moved on
   * @returns undefined when it became moot
   * @throws {Abandoned} when the answer is to give up
   */
  async ask(question: Question, moot: () => boolean = () => false): Promise<Answer | undefined> {
    const id = this.desk.raise(question);
    this.publish();
    await condition(() => this.desk.isAnswered(id) || moot());
    const answered = this.desk.take(id);
    if (!answered) {
      this.desk.withdraw(id, 'the partner moved on by itself');
      this.publish();
      return undefined;
    }
    return notAbandoned(answered.resolution);
  }

  /** Shows the present state to the Web UI and to searches. Writes history only for attributes that changed. */
  publish(): void {
    const { stage, partnerStatus, merchantProfileId, profileId, mid } = this.#facts;
    const agentProfileId = this.#agentProfileId?.toString();
    upsertChanged([
      ...(agentProfileId ? [{ key: SEARCH_ATTRIBUTES.agentProfileId, value: agentProfileId }] : []),
      { key: SEARCH_ATTRIBUTES.stage, value: stage },
      { key: SEARCH_ATTRIBUTES.partnerStatus, value: partnerStatus },
      { key: SEARCH_ATTRIBUTES.merchantProfileId, value: merchantProfileId?.toString() ?? null },
      { key: SEARCH_ATTRIBUTES.bankingProfileId, value: profileId?.toString() ?? null },
      { key: SEARCH_ATTRIBUTES.mid, value: mid ?? null },
      { key: SEARCH_ATTRIBUTES.actionRequired, value: this.desk.open.length > 0 },
      { key: SEARCH_ATTRIBUTES.actionDueAt, value: this.desk.nextDueAt ?? null },
    ]);
    const { workflowId } = workflowInfo();
    setCurrentDetails(currentDetails(workflowId, this.state, (id) => this.desk.isOverdue(id)));
  }

  /**
   * Lives through `story` and tells how it ended: as the outcome it returns, as abandoned, or as cancelled, after
   * saying what exists at the partner by then. Handlers finish first.
   */
  async live<Outcome extends { readonly outcome: OutcomeName }>(
    story: () => Promise<Outcome>,
    abandoned: (comment: string) => Outcome,
  ): Promise<Outcome> {
    try {
      const outcome = await story().catch((error: unknown) => {
        if (error instanceof Abandoned) return abandoned(error.message);
        throw error;
      });
      this.know({ outcome: outcome.outcome });
      this.#end(outcome.outcome, outcome.outcome);
      await condition(allHandlersFinished);
      return outcome;
    } catch (error) {
      if (isCancellation(error)) {
        this.#end('cancelled', this.#leftBehind());
        await CancellationScope.nonCancellable(() => condition(allHandlersFinished));
      }
      throw error;
    }
  }

  /** What exists at the partner, for whoever cleans up. */
  #leftBehind(): string {
    const { merchantProfileId, partnerStatus } = this.#facts;
    const known = merchantProfileId
      ? `merchant ${merchantProfileId} stays at the partner, last seen as ${partnerStatus ?? 'not submitted'}`
      : 'no merchant is known at the partner';
    if (this.doubts.size === 0) return known;
    return `${known}, but nobody knows whether this took effect: ${[...this.doubts].join(', ')}`;
  }

  #end(stage: OutcomeName | 'cancelled', detail: string): void {
    for (const { id } of this.desk.open) this.desk.withdraw(id, 'the onboarding has ended');
    this.timeline.add(stage === 'cancelled' ? 'cancelled' : 'ended', { detail });
    this.enter(stage);
  }

  readonly #resolve: (typeof this.desk)['resolve'] = (resolution) => {
    const receipt = this.desk.resolve(resolution);
    this.publish();
    return receipt;
  };

  #watchDueDates(): void {
    this.desk
      .watchDueDates(() => {
        log.warn('a requirement is overdue');
        this.publish();
      })
      .catch((error: unknown) => {
        if (!isCancellation(error)) throw error;
      });
  }

  #blank(): OnboardingState {
    return { stage: 'preparing', partnerStatus: null, requirements: [], timeline: [], polls: 0 };
  }
}

/** @throws {Abandoned} when the answer is to give up */
export function notAbandoned({ answer, reason }: Resolution): Exclude<Answer, { kind: 'abandon' }> {
  if (answer.kind === 'abandon') throw new Abandoned(reason);
  return answer;
}

/** One history event for all attributes that differ from what the server has; none when none do. */
function upsertChanged(pairs: SearchAttributeUpdatePair[]): void {
  const present = workflowInfo().typedSearchAttributes;
  const comparable = (value: unknown) => (value instanceof Date ? value.getTime() : (value ?? null));
  const changed = pairs.filter(({ key, value }) => comparable(present.get(key)) !== comparable(value));
  if (changed.length > 0) upsertSearchAttributes(changed);
}
