import { allHandlersFinished, CancellationScope, condition, isCancellation } from '@temporalio/workflow';
import type { OperationOutcome } from '../../messages/banking-activities.js';
import type {
  OnboardingState,
  OutcomeName,
  Unfinished,
  UnfinishedWrite,
} from '../../messages/onboarding-state.js';
import type { PartOutcome } from '../../messages/onboardings.js';
import { DEFAULT_DUE_IN_HOURS } from '../../messages/requirements.js';
import { problemText } from '../../partners/bounds.js';
import type { FieldProblem } from '../../partners/partner-error.js';
import type { NextSteps } from './current-details.js';
import { CustomerReports } from './customer-reports.js';
import { handleMessages } from './handlers.js';
import { type OutboundEventRecords, OutboundEvents } from './outbound-events.js';
import { type Facts, PublishedState } from './published-state.js';
import {
  Abandoned,
  RequirementQueue,
  type RequirementQueueOptions,
  type RequirementRecords,
} from './requirement-queue.js';
import { RejectedByPartner } from './run-step.js';
import { UnfinishedWrites } from './step.js';
import { StepWaits } from './step-waits.js';

/** What a journey hands to the next run of the same workflow. */
export interface JourneyRecords {
  readonly state: OnboardingState;
  readonly requirements: RequirementRecords;
  readonly events: OutboundEventRecords;
}

export interface JourneyOptions extends Omit<RequirementQueueOptions, 'records'> {
  /** What comes next in each stage, for people. */
  readonly nextSteps: NextSteps;
  /** The dba as it stands. */
  readonly dba?: () => string;
  /** What exists at the partner, for those who clean up after a cancellation. */
  readonly leftBehind: (facts: Facts) => string;
  readonly records?: JourneyRecords | undefined;
}

/** What all workflows that work with a partner are composed of. It is the context of their steps ({@link runStep}). */
export class Journey {
  readonly events: OutboundEvents;
  readonly state: PublishedState;
  readonly requirements: RequirementQueue;
  readonly waits: StepWaits;
  readonly writes: UnfinishedWrites;
  readonly reports: CustomerReports;
  readonly #leftBehind: (facts: Facts) => string;
  #outcome: { readonly outcome: OutcomeName | 'cancelled' } | undefined;

  constructor({ nextSteps, dba, leftBehind, records, ...options }: JourneyOptions) {
    this.#leftBehind = leftBehind;
    this.events = new OutboundEvents(records?.events);
    this.state = new PublishedState({
      nextSteps,
      dba,
      before: records?.state,
      others: () => ({ requirements: this.requirements.shown, unsent: this.requirements.unsent }),
      onShow: () => this.events.stage(this.state.facts),
      onPublish: () => {
        this.events.send();
        this.reports.report();
      },
    });
    this.requirements = new RequirementQueue(this.state, this.events, {
      ...options,
      records: records?.requirements,
    });
    this.reports = new CustomerReports(() => ({
      // A customer does not show who handles the requirements of its parts: each claim would cost events in both histories.
      state: { ...this.state.current, requirements: this.requirements.open },
      outcome: this.#outcome as PartOutcome | undefined,
    }));
    this.waits = new StepWaits(this.state, this.requirements);
    this.writes = new UnfinishedWrites(this.timeline);
  }

  get timeline(): PublishedState['timeline'] {
    return this.state.timeline;
  }

  get isCancelled(): boolean {
    return CancellationScope.current().consideredCancelled;
  }

  get records(): JourneyRecords {
    return {
      state: this.state.records,
      requirements: this.requirements.records,
      events: this.events.records,
    };
  }

  /**
   * Runs the workflow to its end.
   *
   * @param abandoned the outcome when an operator abandons it; absent where nothing can be abandoned
   */
  run<Outcome extends { readonly outcome: OutcomeName }>(
    steps: () => Promise<Outcome>,
    abandoned?: (comment: string) => Outcome,
  ): Promise<Outcome & Unfinished> {
    const untilAbandoned = async () => {
      const outcome = await steps().catch((error: unknown) => {
        if (error instanceof Abandoned && abandoned) return abandoned(error.message);
        throw error;
      });
      const { all: unfinished } = this.writes;
      return unfinished.length > 0 ? { ...outcome, unfinished } : outcome;
    };
    this.events.send();
    this.requirements.dueDates.watch();
    return runToEnd(untilAbandoned, {
      state: this.state,
      events: this.events,
      leftBehind: (facts) => [this.#leftBehind(facts), ...this.writes.all.map(inWords)],
      close: (outcome) => {
        this.#outcome = outcome;
        for (const { id } of this.requirements.open)
          this.requirements.withdraw(id, 'the onboarding has ended');
      },
      reported: () => this.reports.idle(),
    });
  }
}

/** The parts of a workflow that its end concerns. */
export interface Ending {
  readonly state: PublishedState;
  readonly events: OutboundEvents;
  readonly leftBehind: (facts: Facts) => readonly string[];
  /** Closes the open requirements. */
  readonly close: (outcome: { readonly outcome: OutcomeName | 'cancelled' }) => void;
  /** Waits until those who follow the workflow know its end. */
  readonly reported: () => Promise<void>;
}

/**
 * Runs a workflow and publishes its end: the outcome that it returns, or the cancellation, with what exists at the partner by
 * then. Handlers finish first.
 */
export async function runToEnd<Outcome extends { readonly outcome: OutcomeName }>(
  steps: () => Promise<Outcome>,
  { state, events, leftBehind, close, reported }: Ending,
): Promise<Outcome> {
  const end = async (outcome: Parameters<Ending['close']>[0], said: readonly string[]) => {
    const { outcome: stage } = outcome;
    const isCancelled = stage === 'cancelled';
    close(outcome);
    state.timeline.add(
      isCancelled ? 'cancelled' : 'ended',
      { detail: isCancelled ? said.join('; ') : stage },
      { outcome: stage },
    );
    state.end(stage, said);
    events.ended(stage, state.facts);
    await CancellationScope.nonCancellable(async () => {
      await condition(allHandlersFinished);
      await reported();
    });
  };
  // Current details last for one run, and followers may have missed what the last run knew.
  if (state.isContinued) state.report();
  else state.refresh();
  try {
    const outcome = await steps();
    state.know({ outcome: outcome.outcome });
    await end(outcome, saidOf(outcome));
    return outcome;
  } catch (error) {
    if (isCancellation(error)) await end({ outcome: 'cancelled' }, leftBehind(state.facts));
    throw error;
  }
}

/**
 * Runs a single operation that a person asked for, with the same care as an onboarding. A rejection by the partner ends it:
 * whoever asked can ask again.
 *
 * @param purpose what is being done, for people: `close card card-1001 for good`
 */
export function runOperation<Result extends object>(
  purpose: string,
  steps: (journey: Journey) => Promise<Result>,
): Promise<OperationOutcome<Result>> {
  const journey = new Journey({
    dueInHours: DEFAULT_DUE_IN_HOURS,
    nextSteps: {
      working: purpose,
      done: 'It is done.',
    },
    leftBehind: () => 'what was done by then stays done',
  });
  handleMessages(journey);
  return journey.run<OperationOutcome<Result>>(
    async () => {
      try {
        return { outcome: 'done', ...(await steps(journey)) };
      } catch (error) {
        if (!(error instanceof RejectedByPartner)) throw error;
        return { outcome: 'rejected', problems: error.problems };
      }
    },
    (comment) => ({ outcome: 'abandoned', comment }),
  );
}

/** What an outcome has beside its name and the ids, for people. */
function saidOf({ comment, problems = [], unfinished = [] }: Said): readonly string[] {
  return [
    ...(comment ? [`Comment: ${comment}`] : []),
    ...problems.map(problemText),
    ...unfinished.map(inWords),
  ];
}

interface Said extends Unfinished {
  readonly outcome: OutcomeName;
  readonly comment?: string | null;
  readonly problems?: readonly FieldProblem[];
}

function inWords({ write, became }: UnfinishedWrite): string {
  return `${write}: ${IN_WORDS[became]}`;
}

const IN_WORDS: Readonly<Record<UnfinishedWrite['became'], string>> = {
  done: 'was in flight, and succeeded',
  rejected: 'was in flight, and the partner rejected it',
  'not-sent': 'was not sent',
  unknown: 'whether it took effect is unknown',
};
