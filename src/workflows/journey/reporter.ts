import { CancellationScope, condition, getExternalWorkflowHandle, workflowInfo } from '@temporalio/workflow';
import { childReport, PARTS, type Part } from '../../messages/customer-onboarding.js';
import { ONBOARDINGS } from '../../messages/ids.js';
import type { OnboardingState } from '../../messages/onboarding-state.js';

/**
 * Tells the customer's workflow, where there is one, how its child gets on: one signal at a time, so that they arrive in
 * order, and several changes in one where they come fast.
 */
export class Reporter {
  #reported: number;
  #isDue = false;
  #isBusy = false;
  #customer: { readonly workflowId: string; readonly part: Part } | undefined;

  /** @param reported entries of the timeline that the customer knows from an earlier run */
  constructor(
    private readonly state: () => OnboardingState,
    reported = 0,
  ) {
    this.#reported = reported;
    const { parent, workflowType } = workflowInfo();
    const part = (Object.keys(PARTS) as Part[]).find((name) => PARTS[name] === workflowType);
    const isCustomer = parent?.workflowId.startsWith(`${ONBOARDINGS.customerOnboarding}-`);
    this.#customer = isCustomer && part ? { workflowId: parent?.workflowId ?? '', part } : undefined;
  }

  get reported(): number {
    return this.#reported;
  }

  report(): void {
    if (!this.#customer) return;
    this.#isDue = true;
    if (this.#isBusy) return;
    this.#isBusy = true;
    // What a cancelled child leaves behind must be told as well.
    CancellationScope.nonCancellable(() => this.#send()).then(
      () => {
        this.#isBusy = false;
      },
      () => {
        // The customer's workflow has ended. The child goes on, and reports no more.
        this.#customer = undefined;
        this.#isBusy = false;
      },
    );
  }

  async #send(): Promise<void> {
    while (this.#customer && this.#isDue) {
      const { workflowId, part } = this.#customer;
      this.#isDue = false;
      const { timeline, ...state } = this.state();
      const since = this.#reported;
      // The timeline grows while the signal is on its way.
      const upTo = timeline.length;
      const report = { part, state, since, timeline: timeline.slice(since, upTo) };
      await getExternalWorkflowHandle(workflowId).signal(childReport, report);
      this.#reported = upTo;
    }
  }

  /** Waits until all is told, as far as there is someone to tell. */
  async settled(): Promise<void> {
    await condition(() => !this.#isBusy);
  }
}
