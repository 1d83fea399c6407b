import { CancellationScope, condition, setHandler } from '@temporalio/workflow';
import { inputQuery } from '../../messages/activities.js';
import type { MerchantBoardingInput } from '../../messages/inputs.js';
import {
  type OutcomeName,
  stalledCallSignal,
  stateQuery,
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
import type { CorrectableType } from '../../messages/workflow-types.js';
import { Answers, pendingAnswerTo, raiseQuestion } from './answers.js';
import { Claims } from './claims.js';
import type { NextSteps } from './current-details.js';
import { CustomerReports } from './customer-reports.js';
import { applyOnce, receiptOf, validateUnlessApplied } from './idempotency.js';
import { CorrectableInput } from './input.js';
import { Links } from './links.js';
import { PublishedState } from './published-state.js';
import {
  Abandoned,
  answeredRequirements,
  closeRequirements,
  dropAnswers,
  markSending,
  openRequirements,
  openWithClaims,
  unsentIds,
} from './requirements.js';
import { describeUnfinished, runToEnd, watchDeadlines } from './run-to-end.js';
import { StalledCalls } from './stalled-calls.js';
import type { PendingAnswer, PublishedFields, Question, Store } from './state.js';
import { type StatefulOptions, StatefulWorkflow } from './stateful.js';
import { type StepContext, unfinishedWrites } from './step.js';
import { ignoreCancellation } from './tasks.js';

export interface RuntimeOptions<PartnerState, Input extends object>
  extends Omit<StatefulOptions<PartnerState, Input>, 'dueInMs'> {
  readonly input: Input & Resolved & Partial<Pick<MerchantBoardingInput, 'dueInHours' | 'unclaimedInHours'>>;
  /** The type of input that people may correct. Default: none. */
  readonly correctable?: CorrectableType;
  readonly nextSteps: NextSteps;
  dba?(input: Input): string;
  /** Describes what exists at the partner, for the person who cleans up after a cancellation. */
  leftBehind(facts: PublishedFields): string;
  /** Reports whether the partner has some documents of an answer, but not the complete answer. Default: false. */
  isPartlySent?(partnerState: PartnerState, answered: PendingAnswer): boolean;
}

/** Shared by all workflows that work with a partner: the state, and the context of steps (run-step.ts). */
export class OnboardingRuntime<PartnerState = unknown, Input extends object = object>
  extends StatefulWorkflow<PartnerState, Input>
  implements StepContext
{
  readonly published: PublishedState;
  readonly input: CorrectableInput<Input>;
  readonly stalledCalls: StalledCalls;
  readonly writes = unfinishedWrites(this.store);
  readonly ask: Answers['ask'];
  readonly blankFor: CorrectableInput['blankFor'];
  readonly dueInMs: number;
  readonly #answers: Answers;
  readonly #reports: CustomerReports;

  constructor(private readonly options: RuntimeOptions<PartnerState, Input>) {
    const { nextSteps, input } = options;
    const dueInMs = (input.dueInHours ?? DEFAULT_DUE_IN_HOURS) * 3_600_000;
    super({ ...options, dueInMs });
    this.dueInMs = dueInMs;
    const { store } = this;
    // Reports leave out claims, because each claim would cost events in both histories.
    this.#reports = new CustomerReports(store, () => ({
      ...this.published.current,
      requirements: this.open,
    }));
    this.published = new PublishedState({
      store,
      nextSteps,
      reports: this.#reports,
      dba: options.dba && (() => options.dba?.(store.state.input.current) ?? ''),
      others: () => ({ requirements: openWithClaims(store.state), unsent: unsentIds(store.state) }),
    });
    this.input = new CorrectableInput<Input>(options.correctable, store);
    this.#answers = new Answers(this.published, store, this.input);
    this.stalledCalls = new StalledCalls(this.published, this.#answers);
    this.ask = this.#answers.ask;
    this.blankFor = this.input.blankFor;
  }

  readonly until = (holds: () => boolean): Promise<void> => condition(holds);

  get isCancelled(): boolean {
    return CancellationScope.current().consideredCancelled;
  }

  get open(): readonly Requirement[] {
    return openRequirements(this.store.state);
  }

  /** Requirements with an answer, oldest answer first. A transition removes them. */
  get answered(): readonly PendingAnswer[] {
    return answeredRequirements(this.store.state);
  }

  isAnswered(id: string): boolean {
    return pendingAnswerTo(this.store, id) !== undefined;
  }

  /** @returns the ID of the new requirement */
  raise(question: Question): string {
    return raiseQuestion(this.store, question);
  }

  /**
   * Calls `send` with the answers marked as being sent by the steps with these IDs, so nobody can take them back. If `send` throws,
   * the answers stay marked, and the end of the workflow records which ones may have arrived.
   */
  async whileSending<Result>(
    answers: readonly PendingAnswer[],
    writes: readonly string[],
    send: () => Promise<Result>,
  ): Promise<Result> {
    this.update(markSending(answers, writes));
    const result = await send();
    this.update(markSending(answers));
    return result;
  }

  /** Drops undelivered answers to requirements of these kinds, because the partner has decided. */
  dropUndelivered(kinds: readonly RequirementKind[]): void {
    const concerns = ({ requirement }: PendingAnswer) => kinds.includes(requirement.kind);
    this.update(dropAnswers(concerns, 'the partner decided', this.#isPartlySent));
  }

  readonly #isPartlySent = (partnerState: unknown, answered: PendingAnswer): boolean =>
    this.options.isPartlySent?.(partnerState as PartnerState, answered) === true;

  get #unfinished(): readonly UnfinishedWrite[] {
    return Object.values(this.store.state.writes);
  }

  /**
   * Runs the workflow to its end, and handles messages from people, the customer and waiting activities. Without `abandoned`, the
   * workflow cannot be abandoned.
   */
  run<Outcome extends { readonly outcome: OutcomeName }>(
    steps: () => Promise<Outcome>,
    abandoned?: (comment: string, facts: PublishedFields) => Outcome,
  ): Promise<Outcome & Unfinished> {
    const { store, published, options, isContinued } = this;
    this.#handle();
    watchDeadlines(store, options.input.unclaimedInHours, published).catch(ignoreCancellation);
    const untilAbandoned = async () => {
      const outcome = await steps().catch((error: unknown) => {
        if (error instanceof Abandoned && abandoned) return abandoned(error.message, published.facts);
        throw error;
      });
      return this.#unfinished.length > 0 ? { ...outcome, unfinished: this.#unfinished } : outcome;
    };
    return runToEnd(untilAbandoned, {
      store,
      published,
      isContinued,
      leftBehind: (facts) => [options.leftBehind(facts), ...this.#unfinished.map(describeUnfinished)],
      close: (outcome) => this.update(closeRequirements(outcome === 'abandoned', this.#isPartlySent)),
    });
  }

  #handle(): void {
    handleState(this.published);
    handleAnswers(this.store, this.#answers);
    if (this.options.correctable)
      setHandler(inputQuery, () => this.input.progress, {
        description: 'The input with all corrections',
      });
    new Claims(this.published, this.store, this.#answers).handle();
    new Links(this.published, this.store, this.#answers).handle();
    setHandler(reportAgain, () => this.#reports.reportAgain());
    setHandler(stalledCallSignal, (wait) => this.stalledCalls.onStalled(wait));
  }
}

export function handleState(published: PublishedState): void {
  setHandler(stateQuery, () => published.current, {
    description: 'The state, with everything that has happened',
  });
}

export function handleAnswers(
  store: Store,
  { resolve, validate }: Pick<Answers, 'resolve' | 'validate'>,
): void {
  const validator = validateUnlessApplied(store, validate);
  setHandler(receiptQuery, (key) => receiptOf(store, key));
  setHandler(resolveRequirement, applyOnce(store, resolve), { validator, description: RESOLVING });
}
