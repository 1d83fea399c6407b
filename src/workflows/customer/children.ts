import {
  ChildWorkflowFailure,
  TerminatedFailure,
  TimeoutFailure,
  WorkflowExecutionAlreadyStartedError,
} from '@temporalio/common';
import {
  CancellationScope,
  type ChildWorkflowHandle,
  condition,
  getExternalWorkflowHandle,
  isCancellation,
  proxyActivities,
  startChild,
  type Workflow,
} from '@temporalio/workflow';
import type { OnboardingActivities } from '../../messages/activities.js';
import { PARTS, type Part, type PartEnd, type PartOutcome } from '../../messages/onboardings.js';
import { initialVisibility } from '../../messages/search-attributes.js';
import { accountName } from '../runtime/activity-proxies.js';
import { initialPart } from '../runtime/customer-reports.js';
import { runUnlessEnded } from '../runtime/tasks.js';
import type { Customer, PartRun } from './customer.js';
import { type Child, isOver, isResumed, reduceStart } from './decisions.js';

const { awaitOnboarding } = proxyActivities<OnboardingActivities>({
  startToCloseTimeout: '1m',
  summary: 'Wait for an existing onboarding',
});

/**
 * Starts the child of a part and waits for its end. A cancellation of the scope cancels it, and the wait goes on until its end.
 */
export async function runChild(customer: Customer, part: Part, child: Child, run: PartRun): Promise<PartEnd> {
  const { scope } = run;
  if (scope.consideredCancelled && !customer.partnerState.starts[part]) await scope.cancelRequested;
  // A start is never canceled: the server cannot cancel a child before its start, and would start it afterwards.
  const handle = CancellationScope.nonCancellable(() => startPart(customer, part, child, run));
  const end = CancellationScope.nonCancellable(async () => endOf(customer, part, await handle));
  try {
    return await Promise.race([end, scope.cancelRequested]);
  } catch (error) {
    if (!scope.consideredCancelled) throw error;
    return CancellationScope.nonCancellable(async () => {
      await handle;
      if (isAttached(customer, part)) throw error;
      // A child that has ended meanwhile cannot be canceled.
      const running = getExternalWorkflowHandle(customer.workflowIdOf(part));
      await running.cancel().catch(() => customer.suspectEnd(part));
      return end;
    });
  }
}

/** True when someone started the part separately: a cancellation of the customer does not cancel it. */
export function isAttached({ partnerState }: Customer, part: Part): boolean {
  return partnerState.starts[part] === 'attached';
}

/** A part that exists is not started twice. Undefined when this run did not start the child. */
async function startPart(
  customer: Customer,
  part: Part,
  { dba, input }: Child,
  run: PartRun,
): Promise<ChildWorkflowHandle<Workflow> | undefined> {
  const { partnerState, published, options } = customer;
  if (partnerState.starts[part]) return undefined;
  const workflowId = customer.workflowIdOf(part);
  run.isStarting = true;
  try {
    const child = await startChild(PARTS[part], {
      workflowId,
      workflowIdReusePolicy: options.again ? 'ALLOW_DUPLICATE' : 'REJECT_DUPLICATE',
      // The server applies the policy also when a customer continues as new. CustomerReports ends a child without a customer.
      parentClosePolicy: 'ABANDON',
      ...initialVisibility(PARTS[part], { dba, account: accountName(), dbaForm: published.dbaForm }),
      args: options.restored ? [input, undefined, options.restored] : [input],
    });
    customer.patchState(reduceStart(customer.partnerState, part, initialPart(part)));
    published.refresh();
    return child;
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    customer.patchState({ starts: { ...customer.partnerState.starts, [part]: 'attached' } });
    customer.record(`${part}-attached`, { detail: `${workflowId} exists already` });
    return undefined;
  } finally {
    run.isStarting = false;
  }
}

/** The server reports a child's end only to the run that started it. Another run waits for its report, and asks the server. */
async function endOf(
  customer: Customer,
  part: Part,
  child: ChildWorkflowHandle<Workflow> | undefined,
): Promise<PartEnd> {
  if (child) return resultOf(child);
  const isOther = isAttached(customer, part);
  if (!isOther) customer.askAgain(part);
  const workflowId = customer.workflowIdOf(part);
  if (part === 'boarding' && isOther && customer.merchantProfileId === undefined)
    customer.learn((await awaitOnboarding({ workflowId, until: 'merchant' })).facts);
  const outcome = () => customer.partnerState.reports[part]?.outcome;
  for (;;) {
    const progress = await runUnlessEnded(
      () => awaitOnboarding({ workflowId, until: 'end' }),
      () => outcome() !== undefined || customer.takeSuspicion(part),
    );
    const reported = outcome();
    if (reported)
      return reported.outcome === 'cancelled'
        ? { how: 'cancelled' }
        : { how: 'completed', outcome: reported };
    if (!progress?.end) continue;
    customer.learn(progress.facts);
    // The part had failed before this customer began.
    const { end } = progress;
    return end.how === 'failed' && isOther ? { how: 'cancelled' } : end;
  }
}

async function resultOf(child: ChildWorkflowHandle<Workflow>): Promise<PartEnd> {
  try {
    return { how: 'completed', outcome: (await child.result()) as PartOutcome };
  } catch (error) {
    if (!(error instanceof ChildWorkflowFailure)) throw error;
    if (isCancellation(error)) return { how: 'cancelled' };
    if (error.cause instanceof TerminatedFailure) return { how: 'terminated' };
    return { how: error.cause instanceof TimeoutFailure ? 'timed out' : 'failed' };
  }
}

/**
 * Waits until an operator resets the workflow of an ended part. False when the merchant and the business have both ended first.
 */
export async function runsAgain(customer: Customer, part: Part, { how }: PartEnd): Promise<boolean> {
  const hasEnded = () => isOver(customer.partnerState);
  if (hasEnded()) return false;
  const hasChanged = () => hasEnded() || isResumed(customer.partnerState, part);
  // One that had ended before a restore is not there to be reset.
  const cannotFollow = how === 'completed' || how === 'cancelled' || !customer.partnerState.starts[part];
  if (cannotFollow) await condition(hasChanged);
  else {
    // After the reset of a terminated workflow, its first report may take a long time.
    const request = { workflowId: customer.workflowIdOf(part), until: 'reset' } as const;
    await runUnlessEnded(() => awaitOnboarding(request), hasChanged);
  }
  return !hasEnded();
}
