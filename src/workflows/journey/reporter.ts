import {
  CancellationScope,
  condition,
  getExternalWorkflowHandle,
  proxyActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { OnboardingActivities } from '../../messages/activities.js';
import { ONBOARDINGS } from '../../messages/ids.js';
import type { OnboardingState } from '../../messages/onboarding-state.js';
import {
  type ChildReport,
  childReport,
  PARTS,
  type Part,
  type PartOutcome,
  reportAgain,
} from '../../messages/onboardings.js';
import { REPEATABLE } from './activity-options.js';
import { changesBetween, isEmpty } from './reports.js';

const { cancelOrphan } = proxyActivities<OnboardingActivities>({
  ...REPEATABLE,
  summary: 'See what became of the customer',
});

/** What there is to report. */
export interface Reportable {
  readonly state: OnboardingState;
  /** There once the workflow ends. */
  readonly outcome: PartOutcome | undefined;
}

/**
 * Reports to the customer's workflow, where there is one, how its child gets on: one signal at a time, so that they arrive
 * in order, with several changes in one where they come fast.
 */
export class Reporter {
  #customer: { readonly workflowId: string; readonly part: Part } | undefined;
  #reported: OnboardingState | undefined;
  #number = 0;
  #isDue = false;
  #isBusy = false;

  constructor(private readonly present: () => Reportable) {
    const { parent, workflowType } = workflowInfo();
    const part = (Object.keys(PARTS) as Part[]).find((name) => PARTS[name] === workflowType);
    const isCustomer = parent?.workflowId.startsWith(`${ONBOARDINGS.customerOnboarding}-`);
    this.#customer = isCustomer && part ? { workflowId: parent?.workflowId ?? '', part } : undefined;
    setHandler(reportAgain, () => {
      this.#reported = undefined;
      this.report();
    });
  }

  report(): void {
    if (!this.#customer) return;
    this.#isDue = true;
    if (this.#isBusy) return;
    this.#isBusy = true;
    // What a cancelled child leaves behind must be reported as well.
    CancellationScope.nonCancellable(() => this.#send())
      .catch(() => this.#orphaned())
      .finally(() => {
        this.#isBusy = false;
      });
  }

  async #send(): Promise<void> {
    while (this.#customer && this.#isDue) {
      const { workflowId, part } = this.#customer;
      this.#isDue = false;
      const report = this.#next(part);
      if (report) await getExternalWorkflowHandle(workflowId).signal(childReport, report);
    }
  }

  #next(part: Part): ChildReport | undefined {
    const { state, outcome } = this.present();
    const changes = changesBetween(this.#reported, state);
    const isWhole = this.#reported === undefined;
    if (isEmpty(changes)) return undefined;
    // The timeline grows on.
    this.#reported = { ...state, timeline: [...state.timeline] };
    this.#number += 1;
    const { runId: run, runStartTime } = workflowInfo();
    const of = { part, run, runStartedAt: runStartTime.toISOString(), number: this.#number };
    return { ...of, isWhole, ...changes, ...(outcome && { outcome }) };
  }

  /** The customer's workflow has ended. A child whose customer ended without waiting for it ends as well. */
  async #orphaned(): Promise<void> {
    const customer = this.#customer?.workflowId;
    this.#customer = undefined;
    if (customer === undefined) return;
    await CancellationScope.nonCancellable(() =>
      cancelOrphan({ workflowId: workflowInfo().workflowId, customer }),
    );
  }

  /** Waits until all is reported, as far as there is someone to report to. */
  async settled(): Promise<void> {
    await condition(() => !this.#isBusy);
  }
}
