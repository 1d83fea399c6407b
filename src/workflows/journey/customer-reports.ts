import {
  CancellationScope,
  getExternalWorkflowHandle,
  proxyActivities,
  workflowInfo,
} from '@temporalio/workflow';
import type { OnboardingActivities } from '../../messages/activities.js';
import { ONBOARDINGS } from '../../messages/ids.js';
import { isSame } from '../../messages/objects.js';
import { blankState, type OnboardingState } from '../../messages/onboarding-state.js';
import {
  type ChildReport,
  childReport,
  PARTS,
  type Part,
  type PartOutcome,
  type StateChanges,
} from '../../messages/onboardings.js';
import type { Requirement } from '../../messages/requirements.js';
import { REPEATABLE } from './activity-proxies.js';
import { SerialSender } from './tasks.js';

const { cancelOrphan } = proxyActivities<OnboardingActivities>({
  ...REPEATABLE,
  summary: 'Check what became of the customer',
});

/**
 * Reports the state of a child to its customer, in order. Changes that come fast share a report. The server itself reports the
 * outcome, unless the child was reset, or its customer continues in another run. A canceled child reports what it leaves behind.
 */
export class CustomerReports {
  readonly #sender = new SerialSender(
    () => this.#send(),
    () => this.#customerIsGone(),
  );
  #customer: { readonly workflowId: string; readonly part: Part } | undefined;
  /** The last report. Without a state, the next one is whole. */
  #reported: { readonly number: number; readonly state?: OnboardingState } = { number: 0 };
  /** The content of the next report; the outcome once the workflow ends. */
  #present: { readonly state: OnboardingState; readonly outcome?: PartOutcome } | undefined;
  #reportsEnd: boolean;

  constructor(private readonly openRequirements: () => readonly Requirement[]) {
    const { parent, workflowType, runId, firstExecutionRunId } = workflowInfo();
    this.#reportsEnd = runId !== firstExecutionRunId;
    const part = (Object.keys(PARTS) as Part[]).find((name) => PARTS[name] === workflowType);
    const isCustomer = parent?.workflowId.startsWith(`${ONBOARDINGS.customerOnboarding}-`);
    this.#customer = isCustomer && part ? { workflowId: parent?.workflowId ?? '', part } : undefined;
  }

  again(): void {
    this.#reported = { number: this.#reported.number };
    this.#reportsEnd = true;
    if (this.#customer) this.#sender.wake();
  }

  report(published: OnboardingState, outcome?: PartOutcome): void {
    if (!this.#customer) return;
    // A customer does not show who has claimed what: each claim would cost events in both histories.
    const state = { ...published, requirements: this.openRequirements() };
    this.#present = { state, ...(outcome && { outcome }) };
    this.#sender.wake();
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
    if (!this.#present) return undefined;
    const { state, outcome } = this.#present;
    const hasResult = outcome !== undefined && outcome.outcome !== 'cancelled';
    if (hasResult && !this.#reportsEnd) return undefined;
    const { state: before, number } = this.#reported;
    const changes = changesBetween(before, state);
    if (isEmpty(changes)) return undefined;
    this.#reported = { number: number + 1, state };
    const { runId: run, runStartTime } = workflowInfo();
    const of = { part, run, runStartedAt: runStartTime.toISOString(), number: number + 1 };
    return { ...of, isWhole: before === undefined, ...changes, ...(outcome && { outcome }) };
  }

  /** The customer's workflow has ended. If it did not wait for this child, the child ends as well. */
  async #customerIsGone(): Promise<void> {
    const customer = this.#customer?.workflowId;
    this.#customer = undefined;
    if (customer === undefined) return;
    await CancellationScope.nonCancellable(() =>
      cancelOrphan({ workflowId: workflowInfo().workflowId, customer }),
    );
  }

  /** Waits until everything is reported, as long as there is a customer. */
  idle(): Promise<void> {
    return this.#sender.idle();
  }
}

/** A part as its customer knows it from the reports so far. Its timeline stays empty. */
export interface ReportedPart extends Pick<ChildReport, 'run' | 'runStartedAt' | 'number' | 'outcome'> {
  readonly state: OnboardingState;
}

export function changesBetween(before: OnboardingState | undefined, after: OnboardingState): StateChanges {
  const { dba: _, requirements, timeline: __, waiting: ___, ...facts } = after;
  const known: Partial<OnboardingState> = before ?? {};
  const isNew = (name: string, value: unknown) => !isSame(known[name as keyof typeof facts], value);
  const ids = new Set(requirements.map(({ id }) => id));
  return {
    facts: Object.fromEntries(Object.entries(facts).filter(([name, value]) => isNew(name, value))),
    // A requirement never changes. One that is raised again is another object, even under the same id.
    raised: requirements.filter((requirement) => !before?.requirements.includes(requirement)),
    closed: before?.requirements.flatMap(({ id }) => (ids.has(id) ? [] : [id])) ?? [],
  };
}

/** True when a customer shows none of the changes. */
export function isEmpty({ facts, raised, closed }: StateChanges): boolean {
  return Object.keys(facts).length + raised.length + closed.length === 0;
}

export function unreportedPart(part: Part): ReportedPart {
  return { run: '', runStartedAt: new Date(0).toISOString(), number: 0, state: blankState(PARTS[part]) };
}

/** A part after a report, which may be late or repeated: `old` when nothing is new, `gap` when an earlier one is missing. */
export function applyReport(
  known: ReportedPart | undefined,
  report: ChildReport,
): ReportedPart | 'old' | 'gap' {
  const { part, run, runStartedAt, number, isWhole, outcome } = report;
  const isSameRun = run === known?.run;
  if (isSameRun && number <= known.number) return 'old';
  if (known && Date.parse(runStartedAt) < Date.parse(known.runStartedAt)) return 'old';
  if (!isWhole && !(isSameRun && number === known.number + 1)) return 'gap';
  const blank = blankState(PARTS[part]);
  const state = changed(isWhole ? blank : (known?.state ?? blank), report);
  return { run, runStartedAt, number, state, ...(outcome && { outcome }) };
}

function changed(state: OnboardingState, { facts, raised, closed }: StateChanges): OnboardingState {
  const gone = new Set([...closed, ...raised.map(({ id }) => id)]);
  return {
    ...state,
    ...facts,
    requirements: [...state.requirements.filter(({ id }) => !gone.has(id)), ...raised],
  };
}
