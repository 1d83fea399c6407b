import {
  ChildWorkflowFailure,
  TerminatedFailure,
  TimeoutFailure,
  WorkflowExecutionAlreadyStartedError,
} from '@temporalio/common';
import {
  CancellationScope,
  type ChildWorkflowHandle,
  type ChildWorkflowOptions,
  condition,
  getExternalWorkflowHandle,
  isCancellation,
  proxyActivities,
  type Workflow,
} from '@temporalio/workflow';
import type { OnboardingActivities } from '../../messages/activities.js';
import { PARTS, type Part, type PartEnd, type PartOutcome } from '../../messages/onboardings.js';
import { initialVisibility } from '../../messages/search-attributes.js';
import { accountName } from '../journey/partner-activities.js';
import { unlessEnded } from '../journey/tasks.js';
import type { Customer } from './customer.js';

const { awaitOnboarding } = proxyActivities<OnboardingActivities>({
  startToCloseTimeout: '1m',
  summary: 'Wait for an existing onboarding',
});

/** How a part began: as a child of this customer, or separately. */
export type Beginning = 'started' | 'attached';

type Child = ChildWorkflowHandle<Workflow>;

/**
 * The workflows of a customer's parts. A part that exists is not started twice.
 *
 * The server reports a child's end only to the run that started it. A run that continues another one waits for the last report
 * of the child. It also asks the server, because a terminated child reports nothing.
 */
export class Children {
  readonly #begun: Map<Part, Beginning>;
  #starting = 0;

  /**
   * @param again start again what has ended before
   * @param begun in the runs before this one
   */
  constructor(
    private readonly customer: Customer,
    private readonly again: boolean,
    begun: readonly (readonly [Part, Beginning])[] = [],
  ) {
    this.#begun = new Map(begun);
  }

  get begun(): readonly (readonly [Part, Beginning])[] {
    return [...this.#begun];
  }

  /** While a child starts, this run must not end: the next run would not know whether the child is its own. */
  get isStarting(): boolean {
    return this.#starting > 0;
  }

  hasBegun(part: Part): boolean {
    return this.#begun.has(part);
  }

  /** True when someone started the part separately: a cancellation of the customer does not cancel it. */
  isAttached(part: Part): boolean {
    return this.#begun.get(part) === 'attached';
  }

  options(part: Part, dba: string) {
    const account = accountName();
    return {
      workflowId: this.customer.workflowIdOf(part),
      workflowIdReusePolicy: this.again ? 'ALLOW_DUPLICATE' : 'REJECT_DUPLICATE',
      // The server applies the policy also when a customer continues as new. CustomerReports ends a child without a customer.
      parentClosePolicy: 'ABANDON',
      ...initialVisibility(PARTS[part], { dba, account, dbaForm: this.customer.state.dbaForm }),
    } as const satisfies ChildWorkflowOptions;
  }

  /**
   * Starts a child, unless the part has begun, and waits for its end. A cancellation of the current scope cancels the child,
   * and the wait goes on until the child has ended.
   *
   * @throws {CancelledFailure} when cancelled before the start, or while waiting for an attached part
   */
  async runToEnd(part: Part, start: () => Promise<Child>): Promise<PartEnd> {
    const scope = CancellationScope.current();
    if (scope.consideredCancelled && !this.hasBegun(part)) await scope.cancelRequested;
    // A start is never cancelled: the server cannot cancel a child before its start, and would start it afterwards.
    const begun = CancellationScope.nonCancellable(() => this.#begin(part, start));
    const end = CancellationScope.nonCancellable(async () => this.#endOf(part, await begun));
    try {
      return await Promise.race([end, scope.cancelRequested]);
    } catch (error) {
      if (!scope.consideredCancelled) throw error;
      return CancellationScope.nonCancellable(async () => {
        await begun;
        if (this.isAttached(part)) throw error;
        // A child that has ended meanwhile cannot be cancelled.
        const child = getExternalWorkflowHandle(this.customer.workflowIdOf(part));
        await child.cancel().catch(() => this.customer.doubt(part));
        return end;
      });
    }
  }

  /** @returns undefined when this run did not start the child */
  async #begin(part: Part, start: () => Promise<Child>): Promise<Child | undefined> {
    if (this.#begun.has(part)) return undefined;
    this.#starting += 1;
    try {
      const child = await start();
      this.#begun.set(part, 'started');
      this.customer.begin(part);
      return child;
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      this.#begun.set(part, 'attached');
      const detail = `${this.customer.workflowIdOf(part)} exists already`;
      this.customer.state.timeline.add(`${part}-attached`, { detail });
      return undefined;
    } finally {
      this.#starting -= 1;
    }
  }

  async #endOf(part: Part, child: Child | undefined): Promise<PartEnd> {
    if (child) return resultOf(child);
    const { customer } = this;
    if (!this.isAttached(part)) customer.askAgain(part);
    const workflowId = customer.workflowIdOf(part);
    if (
      part === 'boarding' &&
      this.isAttached(part) &&
      customer.state.facts.merchantProfileId === undefined
    ) {
      customer.learn((await awaitOnboarding({ workflowId, until: 'merchant' })).facts);
    }
    for (;;) {
      const progress = await unlessEnded(
        () => awaitOnboarding({ workflowId, until: 'end' }),
        () => customer.outcomeOf(part) !== undefined || customer.takeDoubt(part),
      );
      const outcome = customer.outcomeOf(part);
      if (outcome)
        return outcome.outcome === 'cancelled' ? { how: 'cancelled' } : { how: 'completed', outcome };
      if (!progress?.end) continue;
      customer.learn(progress.facts);
      // The part had failed before this customer began.
      const { end } = progress;
      return end.how === 'failed' && this.isAttached(part) ? { how: 'cancelled' } : end;
    }
  }

  /**
   * Waits until an ended part runs again, because an operator reset its workflow.
   *
   * @returns false when `isOver` comes first
   */
  async isResumed(part: Part, { how }: PartEnd, isOver: () => boolean): Promise<boolean> {
    if (isOver()) return false;
    const { customer } = this;
    const hasChanged = () => isOver() || customer.isResumed(part);
    // One that had ended before a restore is not there to be reset.
    const cannotFollow = how === 'completed' || how === 'cancelled' || !this.hasBegun(part);
    if (cannotFollow) await condition(hasChanged);
    else {
      // After the reset of a terminated workflow, its first report may take a long time.
      const request = { workflowId: customer.workflowIdOf(part), until: 'reset' } as const;
      await unlessEnded(() => awaitOnboarding(request), hasChanged);
    }
    return !isOver();
  }
}

async function resultOf(child: Child): Promise<PartEnd> {
  try {
    return { how: 'completed', outcome: (await child.result()) as PartOutcome };
  } catch (error) {
    if (!(error instanceof ChildWorkflowFailure)) throw error;
    if (isCancellation(error)) return { how: 'cancelled' };
    if (error.cause instanceof TerminatedFailure) return { how: 'terminated' };
    return { how: error.cause instanceof TimeoutFailure ? 'timed out' : 'failed' };
  }
}
