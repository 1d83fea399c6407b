import {
  allHandlersFinished,
  CancellationScope,
  condition,
  isCancellation,
  log,
  setHandler,
} from '@temporalio/workflow';
import { inputQuery } from '../../messages/activities.js';
import {
  type OutcomeName,
  stateQuery,
  stepWaits,
  type Unfinished,
  type UnfinishedWrite,
} from '../../messages/onboarding-state.js';
import { reportAgain } from '../../messages/onboardings.js';
import { RESOLVING, resolveRequirement } from '../../messages/requirements.js';
import { problemText } from '../../partners/bounds.js';
import type { FieldProblem } from '../../partners/partner-error.js';
import { Answers } from './answers.js';
import { Claims } from './claims.js';
import type { NextSteps } from './current-details.js';
import { CustomerReports } from './customer-reports.js';
import type { CorrectableInput } from './input.js';
import { type Facts, PublishedState, type PublishedStateRecords } from './published-state.js';
import {
  Abandoned,
  type Deadline,
  RequirementQueue,
  type RequirementQueueOptions,
  type RequirementRecords,
} from './requirement-queue.js';
import { UnfinishedWrites } from './step.js';
import { StepWaits } from './step-waits.js';
import { unlessCancelled } from './tasks.js';

// Keeps F7.
export interface JourneyRecords extends PublishedStateRecords {
  readonly requirements: RequirementRecords;
}

export interface JourneyOptions extends Omit<RequirementQueueOptions, 'records'> {
  /** The input that corrections change. Default: nothing can be corrected. */
  readonly input?: CorrectableInput;
  readonly nextSteps: NextSteps;
  readonly dba?: () => string;
  /** Describes what exists at the partner, for people who clean up after a cancellation. */
  readonly leftBehind: (facts: Facts) => string;
  readonly records?: JourneyRecords | undefined;
}

/** The parts of all workflows that work with a partner, as the context of their steps (run-step.ts). */
export type Journey = ReturnType<typeof createJourney>;

export function createJourney({ nextSteps, dba, leftBehind, input, records, ...options }: JourneyOptions) {
  const reports = new CustomerReports(() => requirements.open);
  const others = () => ({ requirements: requirements.openWithClaims, unsent: requirements.unsent });
  const state = new PublishedState({ reports, others, nextSteps, dba, records });
  const { timeline, events } = state;
  const requirements = new RequirementQueue(timeline, events, { ...options, records: records?.requirements });
  const answers = new Answers(state, requirements, input);
  const waits = new StepWaits(state, answers);
  const writes = new UnfinishedWrites(timeline);
  return {
    ...{ timeline, requirements, state, waits, writes, ask: answers.ask, blankFor: answers.blankFor },
    until: (holds: () => boolean) => condition(holds),

    get isCancelled(): boolean {
      return CancellationScope.current().consideredCancelled;
    },

    get records(): JourneyRecords {
      return { ...state.records, requirements: requirements.records };
    },

    /**
     * Runs the workflow to its end, and takes messages of people, of the customer, and of the activities that wait. Without
     * `abandoned`, nothing can be abandoned.
     */
    run<Outcome extends { readonly outcome: OutcomeName }>(
      steps: () => Promise<Outcome>,
      abandoned?: (comment: string, facts: Facts) => Outcome,
    ): Promise<Outcome & Unfinished> {
      handleState(state);
      handleAnswers(answers);
      if (input)
        setHandler(inputQuery, () => input.at(state.facts), {
          description: 'The input with all corrections',
        });
      new Claims(state, requirements, answers).handle();
      setHandler(reportAgain, () => reports.again());
      setHandler(stepWaits, (wait) => waits.onWait(wait));
      const untilAbandoned = async () => {
        const outcome = await steps().catch((error: unknown) => {
          if (error instanceof Abandoned && abandoned) return abandoned(error.message, state.facts);
          throw error;
        });
        return writes.all.length > 0 ? { ...outcome, unfinished: writes.all } : outcome;
      };
      watchDeadlines(requirements, state).catch(unlessCancelled);
      return runToEnd(untilAbandoned, {
        state,
        leftBehind: (facts) => [leftBehind(facts), ...writes.all.map(inWords)],
        close: (outcome) => requirements.end(writes.unknown, outcome === 'abandoned'),
      });
    },
  };
}

/** Describes what a canceled onboarding leaves at its partner. `unread` stands for a status that was never read. */
export function stays(what: string, idOf: 'merchantProfileId' | 'profileId', unread: string) {
  return ({ [idOf]: id, partnerStatus }: Facts): string =>
    id
      ? `${what} ${id} stays at the partner, last seen as ${partnerStatus ?? unread}`
      : `no ${what} is known at the partner`;
}

export function handleState(state: PublishedState): void {
  setHandler(stateQuery, () => state.current, {
    description: 'The state, with everything that has happened',
  });
}

export function handleAnswers({ resolve, validate }: Pick<Answers, 'resolve' | 'validate'>): void {
  setHandler(resolveRequirement, resolve, { validator: validate, description: RESOLVING });
}

/** Reports each requirement that is overdue, or that nobody has claimed in time, once, while the workflow runs. */
async function watchDeadlines(requirements: RequirementQueue, state: PublishedState): Promise<never> {
  const earliest = () => Math.min(...requirements.deadlines.map(({ at }) => at));
  for (;;) {
    await condition(() => requirements.deadlines.length > 0);
    const end = earliest();
    const next = requirements.deadlines.findLast(({ at }) => at === end);
    // The requirement may be closed by now, as by the end of the workflow.
    if (!next) continue;
    // A claim that is released may end earlier than all others.
    const hasMoved = () => earliest() !== end;
    const summary = LATE[next.what].awaited;
    if (end > Date.now() && (await condition(hasMoved, end - Date.now(), { summary }))) continue;
    for (const { requirement, what } of requirements.deadlines.filter(({ at }) => at <= end)) {
      requirements.reportLate(requirement, what);
      log.warn(LATE[what].warning);
      state.report();
    }
  }
}

const LATE: Readonly<Record<Deadline['what'], Readonly<Record<'awaited' | 'warning', string>>>> = {
  overdue: { awaited: 'Wait until an answer is overdue', warning: 'a requirement is overdue' },
  unclaimed: {
    awaited: 'Wait until a requirement is unclaimed for too long',
    warning: 'nobody has claimed a requirement in time',
  },
};

interface Ending {
  readonly state: PublishedState;
  readonly leftBehind: (facts: Facts) => readonly string[];
  readonly close: (outcome: OutcomeName | 'cancelled') => void;
}

/** Runs a workflow and reports its outcome, or its cancellation with what exists at the partner. Handlers finish first. */
export async function runToEnd<Outcome extends { readonly outcome: OutcomeName }>(
  steps: () => Promise<Outcome>,
  { state, leftBehind, close }: Ending,
): Promise<Outcome> {
  const end = async (outcome: Parameters<PublishedState['end']>[0], said: readonly string[]) => {
    const { outcome: stage } = outcome;
    const [event, detail] =
      stage === 'cancelled' ? (['cancelled', said.join('; ')] as const) : (['ended', stage] as const);
    close(stage);
    state.timeline.add(event, { detail }, { outcome: stage });
    state.end(outcome, said);
    await CancellationScope.nonCancellable(async () => {
      await condition(allHandlersFinished);
      await state.idle();
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

/** The text of an outcome besides its name and the IDs, for people. */
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
