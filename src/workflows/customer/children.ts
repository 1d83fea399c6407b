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
  type Workflow,
} from '@temporalio/workflow';
import type { Part, PartEnd, PartOutcome } from '../../messages/onboardings.js';
import { SEARCH_ATTRIBUTES } from '../../messages/search-attributes.js';
import { LONGEST, shortened } from '../../partners/bounds.js';
import { partnerAccount } from '../journey/partner-account.js';
import { awaitOnboarding } from './activities.js';
import type { Customer } from './customer.js';

/** How a part began: in a child of this customer, or before the customer by itself. */
export type Beginning = 'started' | 'attached';

type Child = ChildWorkflowHandle<Workflow>;

/**
 * The workflows of a customer's parts. One that was there before is waited for instead of started twice.
 *
 * The server reports a child's end to the run that started it, and to no later one. A run that has continued as new waits for
 * the last report of the child, and beside it for the server's word, because a child that is terminated reports nothing.
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

  /** While it is true, this run must not end: the next one would not know whether the child is its own. */
  get isStarting(): boolean {
    return this.#starting > 0;
  }

  hasBegun(part: Part): boolean {
    return this.#begun.has(part);
  }

  /** True when the part belongs to whoever started it, so that it is not cancelled with the customer. */
  isAttached(part: Part): boolean {
    return this.#begun.get(part) === 'attached';
  }

  /** @param name one line for the Web UI */
  options(part: Part, name: string) {
    const account = partnerAccount();
    return {
      workflowId: this.customer.workflowIdOf(part),
      workflowIdReusePolicy: this.again ? 'ALLOW_DUPLICATE' : 'REJECT_DUPLICATE',
      // The server applies the policy also when the customer continues as new. Reporter ends a child without a customer.
      parentClosePolicy: 'ABANDON',
      staticSummary: shortened(name, LONGEST.summary),
      typedSearchAttributes: [
        { key: SEARCH_ATTRIBUTES.stage, value: 'preparing' },
        { key: SEARCH_ATTRIBUTES.actionRequired, value: false },
        ...(account === undefined ? [] : [{ key: SEARCH_ATTRIBUTES.partnerAccount, value: account }]),
      ],
    } as const satisfies ChildWorkflowOptions;
  }

  /**
   * Starts a child unless the part has begun, and waits for its end. A cancellation of the present scope reaches the child,
   * and its end is waited for all the same.
   *
   * @throws {CancelledFailure} when cancelled before the start, or while it waits for a part that is attached
   */
  async live(part: Part, start: () => Promise<Child>): Promise<PartEnd> {
    const scope = CancellationScope.current();
    if (scope.consideredCancelled && !this.hasBegun(part)) await scope.cancelRequested;
    // A start is never cancelled: the server cannot cancel a child that has not started yet, and starts it afterwards.
    const begun = CancellationScope.nonCancellable(() => this.#begin(part, start));
    const end = CancellationScope.nonCancellable(async () => this.#endOf(part, await begun));
    try {
      return await Promise.race([end, scope.cancelRequested]);
    } catch (error) {
      if (!scope.consideredCancelled) throw error;
      return CancellationScope.nonCancellable(async () => {
        await begun;
        if (this.isAttached(part)) throw error;
        // A child that has ended meanwhile cannot be cancelled, and need not be.
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
      return child;
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      this.#begun.set(part, 'attached');
      const detail = `${this.customer.workflowIdOf(part)} was there before`;
      this.customer.timeline.add(`${part}-attached`, { detail });
      return undefined;
    } finally {
      this.#starting -= 1;
    }
  }

  async #endOf(part: Part, child: Child | undefined): Promise<PartEnd> {
    if (child) return resultOf(child);
    const { customer } = this;
    const workflowId = customer.workflowIdOf(part);
    if (part === 'boarding' && this.isAttached(part) && customer.state.merchantProfileId === undefined) {
      customer.learn((await awaitOnboarding({ workflowId, until: 'merchant' })).facts);
    }
    for (;;) {
      const looking = new CancellationScope();
      const found = looking.run(() => awaitOnboarding({ workflowId, until: 'end' }));
      const heard = condition(() => customer.outcomeOf(part) !== undefined || customer.takeDoubt(part));
      const progress = await Promise.race([found, heard]);
      looking.cancel();
      const outcome = customer.outcomeOf(part);
      if (outcome)
        return outcome.outcome === 'cancelled' ? { how: 'cancelled' } : { how: 'completed', outcome };
      if (!progress?.end) continue;
      customer.learn(progress.facts);
      // That it failed was known before this customer began.
      const { end } = progress;
      return end.how === 'failed' && this.isAttached(part) ? { how: 'cancelled' } : end;
    }
  }

  /**
   * Waits until a part that has ended goes on, because an operator reset its workflow.
   *
   * @returns false when `isOver` before that
   */
  async goesOn(part: Part, { how }: PartEnd, isOver: () => boolean): Promise<boolean> {
    if (isOver()) return false;
    const { customer } = this;
    const changed = () => condition(() => isOver() || customer.isBack(part));
    if (how === 'completed' || how === 'cancelled') await changed();
    else {
      // Reset, a workflow that was stopped may have nothing to report for a long time.
      const looking = new CancellationScope();
      const request = { workflowId: customer.workflowIdOf(part), until: 'reset' } as const;
      await Promise.race([changed(), looking.run(() => awaitOnboarding(request))]);
      looking.cancel();
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
