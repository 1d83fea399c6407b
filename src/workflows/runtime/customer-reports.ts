import {
  CancellationScope,
  getExternalWorkflowHandle,
  proxyActivities,
  type WorkflowInfo,
  workflowInfo,
} from '@temporalio/workflow';
import type { OnboardingActivities } from '../../messages/activities.js';
import { isSame, omitUndefined } from '../../messages/objects.js';
import { blankState, type OnboardingState } from '../../messages/onboarding-state.js';
import {
  type ChildReport,
  childReport,
  PARTS,
  type Part,
  type PartOutcome,
  type StateChanges,
} from '../../messages/onboardings.js';
import { ONBOARDINGS } from '../../messages/workflow-types.js';
import { REPEATABLE } from './activity-proxies.js';
import type { ReportState, Store, Transition } from './state.js';

const { cancelOrphan } = proxyActivities<OnboardingActivities>({
  ...REPEATABLE,
  summary: 'Check what became of the customer',
});

/**
 * Reports a child's state to its customer workflow, in order. Changes in quick succession share a report. The server reports the
 * outcome, unless the child was reset or the customer has continued as new. A canceled child reports what exists at the partner.
 */
export class CustomerReports {
  readonly #sender = new SerialSender(
    () => this.#send(),
    () => this.#customerIsGone(),
  );
  readonly #customer = customerOf(workflowInfo());

  /** @param current returns the state to report */
  constructor(
    private readonly store: Store,
    private readonly current: () => OnboardingState,
  ) {}

  /** Reports the complete state, because the customer asked for it, and later the outcome. */
  reportAgain(): void {
    this.store.update(updateReports({ state: undefined, isOutcomeRequested: true }));
    this.report();
  }

  report(): void {
    if (this.#customer && !this.store.state.reports.isCustomerGone) this.#sender.wake();
  }

  async #send(): Promise<void> {
    if (!this.#customer) return;
    const { workflowId, part } = this.#customer;
    const report = this.#next(part);
    if (!report) return;
    await CancellationScope.nonCancellable(() =>
      getExternalWorkflowHandle(workflowId).signal(childReport, report),
    );
  }

  #next(part: Part): ChildReport | undefined {
    const { reports, ended } = this.store.state;
    const { runId: run, firstExecutionRunId, runStartTime } = workflowInfo();
    const hasResult = ended !== undefined && ended.outcome.outcome !== 'cancelled';
    // The server reports the end of a first run to the parent.
    if (hasResult && run === firstExecutionRunId && !reports.isOutcomeRequested) return undefined;
    const isNext = reports.run === run;
    const before = isNext ? reports.state : undefined;
    const state = this.current();
    const changes = changesBetween(before, state);
    if (isEmpty(changes)) return undefined;
    const number = isNext ? reports.number + 1 : 1;
    this.store.update(updateReports({ run, number, state: { ...state, timeline: [] } }));
    const of = { part, run, runStartedAt: runStartTime.toISOString(), number };
    return {
      ...of,
      isWhole: before === undefined,
      ...changes,
      ...(ended && { outcome: ended.outcome as PartOutcome }),
    };
  }

  /** Handles the end of the customer's workflow. If the customer did not wait for this child, the child ends too. */
  async #customerIsGone(): Promise<void> {
    if (!this.#customer) return;
    const { workflowId: customer } = this.#customer;
    this.store.update(updateReports({ isCustomerGone: true }));
    await CancellationScope.nonCancellable(() =>
      cancelOrphan({ workflowId: workflowInfo().workflowId, customer }),
    );
  }

  /** True if everything is reported, or the customer is gone. */
  get isIdle(): boolean {
    return this.#sender.isIdle;
  }
}

const updateReports =
  (change: { readonly [Name in keyof ReportState]?: ReportState[Name] | undefined }): Transition =>
  (state) => ({ ...state, reports: omitUndefined({ ...state.reports, ...change }) as ReportState });

function customerOf({ parent, workflowType }: WorkflowInfo) {
  const part = (Object.keys(PARTS) as Part[]).find((name) => PARTS[name] === workflowType);
  const isCustomer = parent?.workflowId.startsWith(`${ONBOARDINGS.customerOnboarding.idPrefix}-`);
  return parent && isCustomer && part ? { workflowId: parent.workflowId, part } : undefined;
}

/** A part's state as its customer knows it. The timeline stays empty. */
export interface ReportedPart extends Pick<ChildReport, 'run' | 'runStartedAt' | 'number' | 'outcome'> {
  readonly state: OnboardingState;
}

export function changesBetween(before: OnboardingState | undefined, after: OnboardingState): StateChanges {
  const { dba: _, requirements, timeline: __, waiting: ___, ...facts } = after;
  const previous: Partial<OnboardingState> = before ?? {};
  const isNew = (name: string, value: unknown) => !isSame(previous[name as keyof typeof facts], value);
  const ids = new Set(requirements.map(({ id }) => id));
  return {
    facts: Object.fromEntries(Object.entries(facts).filter(([name, value]) => isNew(name, value))),
    raised: requirements.filter((each) => !before?.requirements.some((one) => isSame(one, each))),
    closed: before?.requirements.flatMap(({ id }) => (ids.has(id) ? [] : [id])) ?? [],
  };
}

/** True if the customer shows none of these changes. */
export function isEmpty({ facts, raised, closed }: StateChanges): boolean {
  return Object.keys(facts).length + raised.length + closed.length === 0;
}

export function initialPart(part: Part): ReportedPart {
  return { run: '', runStartedAt: new Date(0).toISOString(), number: 0, state: blankState(PARTS[part]) };
}

/** Applies a report. Returns `old` for a late or repeated report, and `gap` if an earlier report is missing. */
export function applyReport(
  before: ReportedPart | undefined,
  report: ChildReport,
): ReportedPart | 'old' | 'gap' {
  const { part, run, runStartedAt, number, isWhole, outcome } = report;
  const isSameRun = run === before?.run;
  if (isSameRun && number <= before.number) return 'old';
  if (before && Date.parse(runStartedAt) < Date.parse(before.runStartedAt)) return 'old';
  if (!isWhole && !(isSameRun && number === before.number + 1)) return 'gap';
  const blank = blankState(PARTS[part]);
  const state = applyChanges(isWhole ? blank : (before?.state ?? blank), report);
  return { run, runStartedAt, number, state, ...(outcome && { outcome }) };
}

function applyChanges(state: OnboardingState, { facts, raised, closed }: StateChanges): OnboardingState {
  const gone = new Set([...closed, ...raised.map(({ id }) => id)]);
  return {
    ...state,
    ...facts,
    requirements: [...state.requirements.filter(({ id }) => !gone.has(id)), ...raised],
  };
}

/** Sends one message at a time, so messages arrive in order. */
export class SerialSender {
  #isPending = false;
  #isSending = false;

  /** @param send sends everything that is pending, in one message */
  constructor(
    private readonly send: () => Promise<unknown>,
    private readonly onFailure: (error: unknown) => unknown,
  ) {}

  /** Call this when something is pending. While a message is in flight, later changes wait for the next one. */
  wake(): void {
    this.#isPending = true;
    if (this.#isSending) return;
    this.#isSending = true;
    void this.#sendWhilePending();
  }

  async #sendWhilePending(): Promise<void> {
    try {
      while (this.#isPending) {
        this.#isPending = false;
        await this.send();
      }
    } catch (error) {
      await this.onFailure(error);
    } finally {
      // Keep this in the same step as the check above. A wake between the two would be lost.
      this.#isSending = false;
    }
  }

  get isIdle(): boolean {
    return !this.#isSending;
  }
}
