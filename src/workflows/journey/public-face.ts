import type { SearchAttributeUpdatePair } from '@temporalio/common';
import {
  allHandlersFinished,
  CancellationScope,
  condition,
  isCancellation,
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
} from '../../messages/onboarding-state.js';
import type { Requirement } from '../../messages/requirements.js';
import { SEARCH_ATTRIBUTES } from '../../messages/search-attributes.js';
import { LONGEST, shortened } from '../../partners/bounds.js';
import { Announcer, type AnnouncerRecords } from './announcer.js';
import { count } from './count.js';
import { currentDetails, type NextSteps } from './current-details.js';
import { Timeline } from './timeline.js';

/** What is known, requirements and timeline aside. */
export type Facts = Omit<OnboardingState, 'requirements' | 'unsent' | 'timeline'>;

export interface PublicFaceOptions {
  /** What comes next in each stage, for people. */
  readonly nextSteps: NextSteps;
  /** What exists at the partner, for whoever cleans up after a cancellation. */
  readonly leftBehind: (facts: Facts) => string;
  /** Of the run before this one. */
  readonly state?: OnboardingState | undefined;
  readonly news?: AnnouncerRecords | undefined;
}

/** What the outside sees of a workflow: query `state`, search attributes, the details in the Web UI, and news for others. */
export abstract class PublicFace {
  readonly timeline: Timeline;
  protected readonly announcer: Announcer;
  /** There once the workflow ends. */
  protected outcome: { readonly outcome: OutcomeName | 'cancelled' } | undefined;
  #facts: Facts;
  readonly #options: PublicFaceOptions;
  #agentProfileId: number | undefined;

  constructor(options: PublicFaceOptions) {
    this.#options = options;
    this.timeline = new Timeline(options.state?.timeline);
    this.announcer = new Announcer(options.news);
    const { requirements: _, unsent: __, timeline: ___, ...facts } = options.state ?? BLANK;
    this.#facts = facts;
    setHandler(stateQuery, () => this.state);
    if (options.state) return;
    this.timeline.add('started');
    count('started');
  }

  /** The open ones. */
  abstract get requirements(): readonly Requirement[];

  /** Lets go of whatever waits for a person, for the workflow has ended. */
  protected abstract close(): void;

  /** Tells whoever else follows this workflow. */
  protected tell(): void {}

  /** Waits until they all know. */
  protected async told(): Promise<void> {}

  get state(): OnboardingState {
    return { ...this.#facts, requirements: this.requirements, timeline: this.timeline.entries };
  }

  /** Changes what is known. The outside sees it with the next {@link publish}. */
  know(facts: Partial<Facts>): void {
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

  /** Shows the present state to the Web UI and to searches. Writes history only for attributes that changed. */
  publish(): void {
    const { stage, partnerStatus, merchantProfileId, profileId, mid } = this.#facts;
    const agentProfileId = this.#agentProfileId?.toString();
    const dueDates = this.requirements.map(({ dueAt }) => Date.parse(dueAt));
    upsertChanged([
      ...(agentProfileId ? [{ key: SEARCH_ATTRIBUTES.agentProfileId, value: agentProfileId }] : []),
      { key: SEARCH_ATTRIBUTES.stage, value: stage },
      { key: SEARCH_ATTRIBUTES.partnerStatus, value: partnerStatus },
      { key: SEARCH_ATTRIBUTES.merchantProfileId, value: merchantProfileId?.toString() ?? null },
      { key: SEARCH_ATTRIBUTES.bankingProfileId, value: profileId?.toString() ?? null },
      { key: SEARCH_ATTRIBUTES.mid, value: mid ?? null },
      { key: SEARCH_ATTRIBUTES.actionRequired, value: dueDates.length > 0 },
      {
        key: SEARCH_ATTRIBUTES.actionDueAt,
        value: dueDates.length > 0 ? new Date(Math.min(...dueDates)) : null,
      },
    ]);
    setCurrentDetails(currentDetails(workflowInfo().workflowId, this.state, this.#options.nextSteps));
    this.announcer.stage(this.#facts);
    this.tell();
  }

  /**
   * Lives through `story` and tells how it ended: as the outcome it returns, or as cancelled, after saying what exists
   * at the partner by then. Handlers finish first.
   */
  async live<Outcome extends { readonly outcome: OutcomeName }>(
    story: () => Promise<Outcome>,
  ): Promise<Outcome> {
    // Current details last for a run only, and who follows this workflow may have missed what the last run knew.
    if (this.#options.state) this.publish();
    try {
      const outcome = await story();
      this.know({ outcome: outcome.outcome });
      await this.#end(outcome, outcome.outcome);
      return outcome;
    } catch (error) {
      if (isCancellation(error))
        await this.#end({ outcome: 'cancelled' }, this.#options.leftBehind(this.#facts));
      throw error;
    }
  }

  async #end(outcome: NonNullable<typeof this.outcome>, detail: string): Promise<void> {
    const { outcome: stage } = outcome;
    this.outcome = outcome;
    this.close();
    count('ended', { outcome: stage });
    this.timeline.add(stage === 'cancelled' ? 'cancelled' : 'ended', { detail });
    this.enter(stage);
    this.announcer.ended(stage, this.#facts);
    await CancellationScope.nonCancellable(async () => {
      await condition(allHandlersFinished);
      await Promise.all([this.told(), this.announcer.settled()]);
    });
  }
}

const BLANK: OnboardingState = {
  stage: 'preparing',
  partnerStatus: null,
  requirements: [],
  timeline: [],
  polls: 0,
};

/** One history event for all attributes that differ from what the server has; none when none do. */
function upsertChanged(pairs: SearchAttributeUpdatePair[]): void {
  const present = workflowInfo().typedSearchAttributes;
  const comparable = (value: unknown) => (value instanceof Date ? value.getTime() : (value ?? null));
  const changed = pairs
    .map((pair) => ({ ...pair, value: indexable(pair.value) }) as SearchAttributeUpdatePair)
    .filter(({ key, value }) => comparable(present.get(key)) !== comparable(value));
  if (changed.length > 0) upsertSearchAttributes(changed);
}

/** Databases of visibility refuse some control characters, and the server terminates a workflow for more than 2 kB. */
function indexable(value: unknown): unknown {
  return typeof value === 'string' ? shortened(value.replace(/\p{Cc}+/gu, ' '), LONGEST.line) : value;
}
