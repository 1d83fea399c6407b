import { CancellationScope, condition, setHandler } from '@temporalio/workflow';
import { inputQuery } from '../../messages/activities.js';
import type { CorrectableType } from '../../messages/kinds.js';
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
  type Resolved,
  receiptQuery,
  resolveRequirement,
} from '../../messages/requirements.js';
import { Answers, answerTo, raise } from './answers.js';
import type { Cell } from './cell.js';
import { Claims } from './claims.js';
import type { NextSteps } from './current-details.js';
import { CustomerReports } from './customer-reports.js';
import { inWords, runToEnd, watchDeadlines } from './ending.js';
import { CorrectableInput } from './input.js';
import { once, receiptOf, unlessKnown } from './keys.js';
import { PublishedState } from './published-state.js';
import {
  Abandoned,
  answeredIn,
  closedAtEnd,
  droppedOf,
  type Left,
  onTheirWay,
  openIn,
  openWithClaims,
  unsentIn,
} from './requirements.js';
import { type Answered, type Facts, type Question, recorded, unknownWrites } from './state.js';
import { type Beginning, Stateful } from './stateful.js';
import { type StepContext, type Timeline, type UnfinishedWrites, unfinishedWrites } from './step.js';
import { StepWaits } from './step-waits.js';
import { unlessCancelled } from './tasks.js';

interface Deadlines {
  /** In which people have to answer. Default: {@link DEFAULT_DUE_IN_HOURS}. */
  readonly dueInHours?: number | undefined;
  /** In which they have to claim a question. Default: they need not. */
  readonly unclaimedInHours?: number | undefined;
}

export interface JourneyOptions<Memory, Input extends object>
  extends Omit<Beginning<Memory, Input>, 'dueInMs'> {
  readonly input: Input & Deadlines & Resolved;
  /** Whose fields people may correct. Default: nothing can be corrected. */
  readonly correctable?: CorrectableType;
  readonly nextSteps: NextSteps;
  dba?(input: Input): string;
  /** Describes what exists at the partner, for people who clean up after a cancellation. */
  leftBehind(facts: Facts): string;
  /** Reports whether the partner has documents of an answer that is not delivered as a whole. Default: never. */
  isPartlySent?(memory: Memory, answered: Answered): boolean;
}

/** What all workflows that work with a partner share: their state, and the context of their steps (run-step.ts). */
export class Journey<Memory = unknown, Input extends object = object>
  extends Stateful<Memory, Input>
  implements StepContext
{
  readonly state: PublishedState;
  readonly input: CorrectableInput<Input>;
  readonly waits: StepWaits;
  readonly writes: UnfinishedWrites;
  readonly ask: Answers['ask'];
  readonly blankFor: Answers['blankFor'];
  readonly dueInMs: number;
  readonly #answers: Answers;
  readonly #reports: CustomerReports;

  constructor(private readonly options: JourneyOptions<Memory, Input>) {
    const { nextSteps, input } = options;
    const dueInMs = (input.dueInHours ?? DEFAULT_DUE_IN_HOURS) * 3_600_000;
    super({ ...options, dueInMs });
    this.dueInMs = dueInMs;
    const { cell } = this;
    // A customer does not show who has claimed what: each claim would cost events in both histories.
    this.#reports = new CustomerReports(cell, () => ({ ...this.state.current, requirements: this.open }));
    this.state = new PublishedState({
      ...{ cell, nextSteps, reports: this.#reports },
      dba: options.dba && (() => options.dba?.(cell.state.input.current) ?? ''),
      others: () => ({ requirements: openWithClaims(cell.state), unsent: unsentIn(cell.state) }),
    });
    this.input = new CorrectableInput<Input>(options.correctable, cell);
    this.#answers = new Answers(this.state, cell, this.input);
    this.waits = new StepWaits(this.state, this.#answers);
    this.writes = unfinishedWrites(cell);
    ({ ask: this.ask, blankFor: this.blankFor } = this.#answers);
  }

  readonly timeline: Timeline = { add: (...event) => this.update(recorded(...event)) };

  readonly until = (holds: () => boolean): Promise<void> => condition(holds);

  get isCancelled(): boolean {
    return CancellationScope.current().consideredCancelled;
  }

  get open(): readonly Requirement[] {
    return openIn(this.cell.state);
  }

  /** Those with an answer, in the order of their answers. They stay until they are removed. */
  get answered(): readonly Answered[] {
    return answeredIn(this.cell.state);
  }

  isAnswered(id: string): boolean {
    return answerTo(this.cell, id) !== undefined;
  }

  /** @returns the id of the new requirement */
  raise(question: Question): string {
    return raise(this.cell, question);
  }

  /** Sends answers by the steps with these IDs. Nobody can take them back. If `send` throws, they stay so, and the end tells what may have arrived. */
  async whileSending<Result>(
    answers: readonly Answered[],
    writes: readonly string[],
    send: () => Promise<Result>,
  ): Promise<Result> {
    this.update(onTheirWay(answers, writes));
    const result = await send();
    this.update(onTheirWay(answers));
    return result;
  }

  /** Drops the answers of these kinds that are left after a decision of the partner. */
  dropUndelivered(kinds: readonly RequirementKind[]): void {
    const concerns = ({ requirement }: Answered) => kinds.includes(requirement.kind);
    this.update(droppedOf(concerns, { ...this.#left, why: 'the partner decided' }));
  }

  get #left(): Omit<Left, 'why'> {
    const { isPartlySent = () => false } = this.options;
    return {
      unknown: unknownWrites(this.cell.state),
      isPartlySent: (answered) => isPartlySent(this.memory, answered),
    };
  }

  get #unfinished(): readonly UnfinishedWrite[] {
    return Object.values(this.cell.state.writes);
  }

  /**
   * Runs the workflow to its end, and takes messages of people, of the customer, and of the activities that wait. Without
   * `abandoned`, nothing can be abandoned.
   */
  run<Outcome extends { readonly outcome: OutcomeName }>(
    steps: () => Promise<Outcome>,
    abandoned?: (comment: string, facts: Facts) => Outcome,
  ): Promise<Outcome & Unfinished> {
    const { cell, state, options, isContinued } = this;
    this.#handle();
    watchDeadlines(cell, options.input.unclaimedInHours, state).catch(unlessCancelled);
    const untilAbandoned = async () => {
      const outcome = await steps().catch((error: unknown) => {
        if (error instanceof Abandoned && abandoned) return abandoned(error.message, state.facts);
        throw error;
      });
      return this.#unfinished.length > 0 ? { ...outcome, unfinished: this.#unfinished } : outcome;
    };
    return runToEnd(untilAbandoned, {
      ...{ cell, state, isContinued },
      leftBehind: (facts) => [options.leftBehind(facts), ...this.#unfinished.map(inWords)],
      close: (outcome) => this.update(closedAtEnd(this.#left, outcome === 'abandoned')),
    });
  }

  #handle(): void {
    handleState(this.state);
    handleAnswers(this.cell, this.#answers);
    if (this.options.correctable)
      setHandler(inputQuery, () => this.input.at(this.state.facts), {
        description: 'The input with all corrections',
      });
    new Claims(this.state, this.cell, this.#answers).handle();
    setHandler(reportAgain, () => this.#reports.again());
    setHandler(stepWaits, (wait) => this.waits.onWait(wait));
  }
}

export function handleState(state: PublishedState): void {
  setHandler(stateQuery, () => state.current, {
    description: 'The state, with everything that has happened',
  });
}

export function handleAnswers(
  cell: Cell,
  { resolve, validate }: Pick<Answers, 'resolve' | 'validate'>,
): void {
  const validator = unlessKnown(cell, validate);
  setHandler(receiptQuery, (key) => receiptOf(cell, key));
  setHandler(resolveRequirement, once(cell, resolve), { validator, description: RESOLVING });
}
