import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import type { ChildWorkflowHandle, ChildWorkflowOptions } from '@temporalio/workflow';
import type { Part } from '../../messages/customer-onboarding.js';
import { SEARCH_ATTRIBUTES } from '../../messages/search-attributes.js';
import { partnerAccount } from '../journey/partner-account.js';
import { awaitOnboarding } from './activities.js';
import type { Customer } from './customer.js';

/** The workflows of a customer's parts. One that was there before is waited for instead of started twice. */
export class Children {
  /** Parts that were there before. They are nobody's to cancel. */
  readonly attached = new Set<Part>();

  /** @param again start anew what has ended before */
  constructor(
    private readonly customer: Customer,
    private readonly again: boolean,
  ) {}

  /** @param name one line for the Web UI */
  options(part: Part, name: string) {
    const account = partnerAccount();
    return {
      workflowId: this.customer.workflowIdOf(part),
      workflowIdReusePolicy: this.again ? 'ALLOW_DUPLICATE' : 'REJECT_DUPLICATE',
      parentClosePolicy: 'REQUEST_CANCEL',
      staticSummary: name,
      typedSearchAttributes: [
        { key: SEARCH_ATTRIBUTES.stage, value: 'preparing' },
        { key: SEARCH_ATTRIBUTES.actionRequired, value: false },
        ...(account === undefined ? [] : [{ key: SEARCH_ATTRIBUTES.partnerAccount, value: account }]),
      ],
    } as const satisfies ChildWorkflowOptions;
  }

  /** Starts a child and answers its outcome, or that of the one that was there before. */
  async live(part: Part, start: () => Promise<ChildWorkflowHandle<never>>): Promise<unknown> {
    try {
      const child = await start();
      return await child.result();
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      return this.#waitFor(part);
    }
  }

  async #waitFor(part: Part): Promise<unknown> {
    const { customer } = this;
    const workflowId = customer.workflowIdOf(part);
    customer.timeline.add(`${part}-attached`, { detail: `${workflowId} was there before` });
    this.attached.add(part);
    if (part === 'boarding') {
      customer.learn((await awaitOnboarding({ workflowId, until: 'merchant' })).facts);
    }
    const { facts, outcome } = await awaitOnboarding({ workflowId, until: 'end' });
    customer.learn(facts);
    return outcome;
  }
}
