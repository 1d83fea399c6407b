import {
  allHandlersFinished,
  CancellationScope,
  condition,
  isCancellation,
  log,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { inputQuery } from '../../messages/activities.js';
import type { CorrectableType } from '../../messages/kinds.js';
import { defined } from '../../messages/objects.js';
import {
  type OutcomeName,
  stateQuery,
  stepWaits,
  type Unfinished,
  type UnfinishedWrite,
} from '../../messages/onboarding-state.js';
import { reportAgain } from '../../messages/onboardings.js';
import {
  DEFAULT_DUE_IN_HOURS,
  RESOLVING,
  type Requirement,
  type RequirementKind,
  resolveRequirement,
} from '../../messages/requirements.js';
import { problemText } from '../../partners/bounds.js';
import type { FieldProblem } from '../../partners/partner-error.js';
import { Answers, answerTo, raise } from './answers.js';
import { Cell } from './cell.js';
import { Claims } from './claims.js';
import { COMMANDS } from './commands.js';
import type { NextSteps } from './current-details.js';
import { CustomerReports } from './customer-reports.js';
import { CorrectableInput } from './input.js';
import { PublishedState } from './published-state.js';
import {
  Abandoned,
  answeredIn,
  closedAtEnd,
  type Deadline,
  deadlinesIn,
  droppedOf,
  onTheirWay,
  openIn,
  openWithClaims,
  reportedLate,
  unsentIn,
} from './requirements.js';
import {
  type Answered,
  all,
  type Facts,
  initialState,
  type Question,
  recorded,
  type State,
  type Transition,
  unknownWrites,
  withMemory,
} from './state.js';
import { unfinishedWrites } from './step.js';
import { StepWaits } from './step-waits.js';
import { unlessCancelled } from './tasks.js';

/** What a run takes over from the run before. Its input comes as that of the workflow. */
export type Carried<Memory> = Omit<State<Memory>, 'input'>;

/** The hours in which people answer, and claim, what is asked. Default: {@link DEFAULT_DUE_IN_HOURS}, and nobody has to claim anything. */
interface Deadlines {
  readonly dueInHours?: number | undefined;
  readonly unclaimedInHours?: number | undefined;
}

export interface JourneyOptions<Memory, Input extends object> {
  readonly input: Input & Deadlines;
  /** Whose fields people may correct. Default: nothing can be corrected. */
  readonly correctable?: CorrectableType;
  readonly memory: Memory;
  readonly carried?: Carried<Memory> | undefined;
  readonly nextSteps: NextSteps;
  readonly dba?: (input: Input) => string;
  /** Describes what exists at the partner, for people who clean up after a cancellation. */
  readonly leftBehind: (facts: Facts) => string;
  /** Stands before each numbered id of a requirement. */
  readonly idPrefix?: string;
  /** Reports whether the partner has documents of an answer that is not delivered as a whole. Default: never. */
  readonly isPartlySent?: (memory: Memory, answered: Answered) => boolean;
}

/** The parts of all workflows that work with a partner, as the context of their steps ({@link runStep}). */
export type Journey<Memory = unknown, Input extends object = object> = ReturnType<
  typeof createJourney<Memory, Input>
>;

export function createJourney<Memory, Input extends object>(options: JourneyOptions<Memory, Input>) {
  const { input: given, memory, carried, nextSteps, dba, leftBehind, idPrefix = '' } = options;
  const { isPartlySent = () => false } = options;
  const { dueInHours = DEFAULT_DUE_IN_HOURS, unclaimedInHours } = given;
  const { workflowType } = workflowInfo();
  const begun = carried
    ? { ...carried, input: { current: given, kept: given } }
    : initialState<Memory, Input>(workflowType, given, memory);
  const dueInMs = dueInHours * 3_600_000;
  const cell = new Cell<Memory, Input>(begun, { workflowType, dueInMs, idPrefix }, COMMANDS);
  const open = () => openIn(cell.state);
  const current = () => ({ ...state.current, requirements: open() });
  // A customer does not show who has claimed what: each claim would cost events in both histories.
  const reports = new CustomerReports(cell, current);
  const others = () => ({ requirements: openWithClaims(cell.state), unsent: unsentIn(cell.state) });
  const name = dba && (() => dba(cell.state.input.current));
  const state = new PublishedState({ cell, reports, others, nextSteps, dba: name });
  if (!carried) cell.update(recorded('started'));
  const input = new CorrectableInput<Input>(options.correctable, cell);
  const answers = new Answers(state, cell, input);
  const waits = new StepWaits(state, answers);
  const left = () => ({
    unknown: unknownWrites(cell.state),
    isPartlySent: (answered: Answered) => isPartlySent(cell.state.memory, answered),
  });
  const unfinished = () => Object.values(cell.state.writes);
  return {
    ...{ cell, state, input, waits, dueInMs, ask: answers.ask, blankFor: answers.blankFor },
    writes: unfinishedWrites({ update: (transition) => cell.update(transition) }),
    timeline: { add: (...event: Parameters<typeof recorded>) => cell.update(recorded(...event)) },
    until: (holds: () => boolean) => condition(holds),
    raise: (question: Question) => raise(cell, question),

    get memory(): Memory {
      return cell.state.memory;
    },

    remember(change: Partial<Memory>): void {
      cell.update(withMemory({ ...cell.state.memory, ...change }));
    },

    get isCancelled(): boolean {
      return CancellationScope.current().consideredCancelled;
    },

    get open(): readonly Requirement[] {
      return open();
    },

    /** Those with an answer, in the order of their answers. They stay until they are removed. */
    get answered(): readonly Answered[] {
      return answeredIn(cell.state);
    },

    isAnswered: (id: string) => answerTo(cell, id) !== undefined,

    update(...transitions: readonly Transition[]): void {
      cell.update(all(...transitions));
    },

    /** Sends answers by the steps with these IDs. Nobody can take them back. If `send` throws, they stay in flight until the end drops them. */
    async whileSending<Result>(
      answers: readonly Answered[],
      writes: readonly string[],
      send: () => Promise<Result>,
    ): Promise<Result> {
      cell.update(onTheirWay(answers, writes));
      const result = await send();
      cell.update(onTheirWay(answers));
      return result;
    },

    /** Drops the answers of these kinds that are left after a decision of the partner. */
    dropUndelivered(kinds: readonly RequirementKind[]): void {
      const concerns = ({ requirement }: Answered) => kinds.includes(requirement.kind);
      cell.update(droppedOf(concerns, { ...left(), why: 'the partner decided' }));
    },

    /** What the next run takes over. What was read last is no evidence there. */
    get carried(): Carried<Memory> {
      const { input: _, ...carried } = cell.state;
      return { ...carried, poll: defined({ pace: carried.poll.pace }) };
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
      if (options.correctable)
        setHandler(inputQuery, () => input.at(state.facts), {
          description: 'The input with all corrections',
        });
      new Claims(state, cell, answers).handle();
      setHandler(reportAgain, () => reports.again());
      setHandler(stepWaits, (wait) => waits.onWait(wait));
      const untilAbandoned = async () => {
        const outcome = await steps().catch((error: unknown) => {
          if (error instanceof Abandoned && abandoned) return abandoned(error.message, state.facts);
          throw error;
        });
        return unfinished().length > 0 ? { ...outcome, unfinished: unfinished() } : outcome;
      };
      watchDeadlines(cell, unclaimedInHours, state).catch(unlessCancelled);
      return runToEnd(untilAbandoned, {
        ...{ cell, state, isContinued: carried !== undefined },
        leftBehind: (facts) => [leftBehind(facts), ...unfinished().map(inWords)],
        close: (outcome) => cell.update(closedAtEnd(left(), outcome === 'abandoned')),
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
async function watchDeadlines(
  cell: Cell,
  unclaimedInHours: number | undefined,
  state: PublishedState,
): Promise<never> {
  const deadlines = () => deadlinesIn(cell.state, unclaimedInHours);
  const earliest = () => Math.min(...deadlines().map(({ at }) => at));
  for (;;) {
    await condition(() => deadlines().length > 0);
    const end = earliest();
    const next = deadlines().findLast(({ at }) => at === end);
    // The requirement may be closed by now, as by the end of the workflow.
    if (!next) continue;
    // A claim that is released may end earlier than all others.
    const hasMoved = () => earliest() !== end;
    const summary = LATE[next.what].awaited;
    if (end > Date.now() && (await condition(hasMoved, end - Date.now(), { summary }))) continue;
    for (const { requirement, what } of deadlines().filter(({ at }) => at <= end)) {
      cell.update(reportedLate(requirement, what));
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
  readonly cell: Cell;
  readonly state: PublishedState;
  readonly isContinued: boolean;
  readonly leftBehind: (facts: Facts) => readonly string[];
  readonly close: (outcome: OutcomeName | 'cancelled') => void;
}

/** Runs a workflow and reports its outcome, or its cancellation with what exists at the partner. Handlers finish first. */
export async function runToEnd<Outcome extends { readonly outcome: OutcomeName }>(
  steps: () => Promise<Outcome>,
  { cell, state, isContinued, leftBehind, close }: Ending,
): Promise<Outcome> {
  const end = async (outcome: Parameters<PublishedState['end']>[0], said: readonly string[]) => {
    const { outcome: stage } = outcome;
    const [event, detail] =
      stage === 'cancelled' ? (['cancelled', said.join('; ')] as const) : (['ended', stage] as const);
    close(stage);
    cell.update(recorded(event, { detail }, { outcome: stage }));
    state.end(outcome, said);
    await CancellationScope.nonCancellable(async () => {
      await condition(allHandlersFinished);
      await state.idle();
    });
  };
  // Current details last for one run, and followers may have missed what the last run knew.
  if (isContinued) state.report();
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
