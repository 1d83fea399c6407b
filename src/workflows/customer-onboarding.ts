import {
  ApplicationFailure,
  ChildWorkflowFailure,
  TerminatedFailure,
  TimeoutFailure,
  WorkflowExecutionAlreadyStartedError,
} from '@temporalio/common';
import {
  allHandlersFinished,
  CancellationScope,
  CancelledFailure,
  type ChildWorkflowHandle,
  condition,
  continueAsNew,
  getExternalWorkflowHandle,
  isCancellation,
  proxyActivities,
  setHandler,
  startChild,
  type Workflow,
  workflowInfo,
} from '@temporalio/workflow';
import type { OnboardingActivities } from '../messages/activities.js';
import {
  type CustomerOnboardingOutcome,
  childReport,
  PARTS,
  type Part,
  type PartEnd,
  type PartOutcome,
} from '../messages/onboardings.js';
import { initialVisibility, STARTER_MEMO } from '../messages/search-attributes.js';
import { type CustomerOptions, CustomerRuntime, type PartRun } from './customer/customer.js';
import {
  type Child,
  type CustomerInput,
  type CustomerState,
  childOf,
  customerOutcome,
  failedPart,
  isOver,
  isResumed,
  isSuccessfulOutcome,
  NOT_STARTED,
  outcomeIn,
  reduceEnd,
  reduceReset,
  reduceStart,
} from './customer/decisions.js';
import { currentAccount } from './runtime/activity-proxies.js';
import { initialPart } from './runtime/customer-reports.js';
import { requireFields, withoutSsns } from './runtime/input.js';
import { handleAnswers, handleState } from './runtime/onboarding-runtime.js';
import type { CarriedState } from './runtime/stateful.js';
import { runUnlessEnded } from './runtime/tasks.js';

/**
 * Onboards a customer with both partners, each in a child workflow. The business starts as soon as the merchant exists, before it
 * has a `mid`. The workflow ID is `customer-onboarding-<externalId>`; in a named account, the IDs of the customer and its parts end
 * with `@<account>`. If somebody started a part separately, the customer attaches to it: it waits for the part and never cancels
 * it, and people answer the part directly. When an operator resets a part, the customer follows the new run.
 */
export async function customerOnboarding(
  input: CustomerInput,
  options: CustomerOptions = {},
  carriedState?: CarriedState<CustomerState>,
): Promise<CustomerOnboardingOutcome> {
  requireFields(input, { externalId: 'string', boarding: 'object', business: 'object' });
  requireFields(input.boarding, { merchant: 'object' });
  requireFields(input.business, { holder: 'object' });
  const customer = new CustomerRuntime(input, options, carriedState);
  handleState(customer.published);
  setHandler(childReport, customer.onReport);
  handleAnswers(customer.store, customer);
  return customer.run(() => {
    // A canceled customer still waits until its children have ended.
    const tooLong = CancellationScope.nonCancellable(() => condition(() => shouldContinueAsNew(customer)));
    const parts = runAllParts(customer);
    const scope = CancellationScope.current();
    return Promise.race([
      parts,
      tooLong.then(() =>
        // A cancellation in the same task as the continue-as-new would be lost, because the next run does not see it.
        scope.consideredCancelled
          ? parts
          : continueAsNew<typeof customerOnboarding>(inputToCarry(customer), options, customer.carriedState),
      ),
    ]);
  });
}

/** Removes social security numbers once the business has started or will not start. */
function inputToCarry({ input, partnerState: { starts, ends } }: CustomerRuntime): CustomerInput {
  if (!starts.business && !ends.business) return input;
  return { ...input, business: withoutSsns(input.business) } as CustomerInput;
}

async function runAllParts(customer: CustomerRuntime): Promise<CustomerOnboardingOutcome> {
  const parts = [onboardPart(customer, 'boarding'), onboardPart(customer, 'business')];
  // If one part ends early, for example because it is canceled, the other one still runs to its end.
  await Promise.allSettled(parts);
  await Promise.all(parts);
  checkCancelled();
  checkFailed(customer);
  return customerOutcome(customer.partnerState);
}

/** Runs a part to its end, and again after a reset. If it fails, the input decides whether the other part continues. */
async function onboardPart(customer: CustomerRuntime, part: Part): Promise<void> {
  for (;;) {
    const { [part]: record } = customer.partnerState.ends;
    const end = record?.end ?? (await runPart(customer, part));
    if (!customer.hasEnded(part)) {
      customer.apply(reduceEnd(customer.partnerState, part, end));
      if (!isSuccessfulOutcome(outcomeIn(end)) && customer.input.onDecline === 'cancel-other')
        cancel(customer, part === 'boarding' ? 'business' : 'boarding');
    }
    if (!(await untilReset(customer, part, end))) return;
    customer.apply(reduceReset(customer.partnerState, part));
  }
}

/** Runs a part in its own cancellation scope. A part that is canceled before its child starts counts as ended. */
async function runPart(customer: CustomerRuntime, part: Part): Promise<PartEnd> {
  const { [part]: former } = customer.options.ended ?? {};
  if (former && !customer.partnerState.starts[part]) {
    customer.learn(former.facts);
    return former.end;
  }
  const run = { scope: new CancellationScope() };
  customer.runs.set(part, run);
  try {
    return await run.scope.run(async () => {
      if (part === 'business') await untilMerchantIsKnown(customer);
      const child = childOf(part, customer.input, customer.merchantProfileId);
      return child ? runChild(customer, part, child, run) : NOT_STARTED;
    });
  } catch (error) {
    if (!isCancellation(error)) throw error;
    return { how: 'cancelled' };
  }
}

async function untilMerchantIsKnown(customer: CustomerRuntime): Promise<void> {
  // A child from an earlier run must not wait here: a cancellation would end the wait without reaching the child.
  if (customer.partnerState.starts.business) return;
  await condition(() => customer.merchantProfileId !== undefined || customer.hasEnded('boarding'));
}

function cancel(customer: CustomerRuntime, part: Part): void {
  // Without a merchant, the business has not begun and ends as `not-started`.
  const hasBegun = part === 'boarding' || customer.merchantProfileId !== undefined;
  if (hasBegun && !customer.hasEnded(part) && !isAttached(customer, part))
    customer.runs.get(part)?.scope.cancel();
}

/** @throws {CancelledFailure} if the whole customer is canceled, and not only a part */
function checkCancelled(): void {
  if (CancellationScope.current().consideredCancelled) {
    throw new CancelledFailure('the customer was canceled');
  }
}

/** @throws {ApplicationFailure} if a part failed, which is a bug */
function checkFailed(customer: CustomerRuntime): void {
  const failed = failedPart(customer.partnerState);
  if (failed === undefined) return;
  throw ApplicationFailure.nonRetryable(`${customer.workflowIdOf(failed)} failed`, 'PartFailed');
}

/** False while work is in flight that the next run could not resume. */
function shouldContinueAsNew(customer: CustomerRuntime): boolean {
  const isBusy = [...customer.runs].some(
    ([part, { scope, isStarting }]) => isStarting || (scope.consideredCancelled && !customer.hasEnded(part)),
  );
  return workflowInfo().continueAsNewSuggested && !isBusy && allHandlersFinished();
}

const { awaitOnboarding } = proxyActivities<OnboardingActivities>({
  startToCloseTimeout: '1m',
  summary: 'Wait for an existing onboarding',
});

/** Starts the child of a part and waits for its end. If the scope is canceled, cancels the child, and still waits for its end. */
async function runChild(customer: CustomerRuntime, part: Part, child: Child, run: PartRun): Promise<PartEnd> {
  const { scope } = run;
  if (scope.consideredCancelled && !customer.partnerState.starts[part]) await scope.cancelRequested;
  // Never cancel a start: the server cannot cancel a child that has not started, and would still start it.
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

/** True if somebody started the part separately. A cancellation of the customer does not cancel it. */
function isAttached({ partnerState }: CustomerRuntime, part: Part): boolean {
  return partnerState.starts[part] === 'attached';
}

/** Starts the child, unless the part already exists. Returns undefined if this run did not start it. */
async function startPart(
  customer: CustomerRuntime,
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
      // The server also applies the policy when a customer continues as new. CustomerReports ends a child whose customer is gone.
      parentClosePolicy: 'ABANDON',
      ...initialVisibility(PARTS[part], {
        dba,
        account: currentAccount(),
        dbaForm: published.dbaForm,
        actor: workflowInfo().memo?.[STARTER_MEMO] as string | undefined,
      }),
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

/**
 * The server reports a child's end only to the run that started it. A later run waits for the child's report, and asks the server.
 */
async function endOf(
  customer: CustomerRuntime,
  part: Part,
  child: ChildWorkflowHandle<Workflow> | undefined,
): Promise<PartEnd> {
  if (child) return resultOf(child);
  const isOther = isAttached(customer, part);
  if (!isOther) customer.requestReport(part);
  const workflowId = customer.workflowIdOf(part);
  if (part === 'boarding' && isOther && customer.merchantProfileId === undefined)
    customer.learn((await awaitOnboarding({ workflowId, until: 'merchant' })).facts);
  const outcome = () => customer.partnerState.reports[part]?.outcome;
  for (;;) {
    const progress = await runUnlessEnded(
      () => awaitOnboarding({ workflowId, until: 'end' }),
      () => outcome() !== undefined || customer.takeSuspectedEnd(part),
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

/** Waits until an operator resets the workflow of an ended part. Returns false once both parts have ended. */
async function untilReset(customer: CustomerRuntime, part: Part, { how }: PartEnd): Promise<boolean> {
  const hasEnded = () => isOver(customer.partnerState);
  if (hasEnded()) return false;
  const hasChanged = () => hasEnded() || isResumed(customer.partnerState, part);
  // A part that ended before a restore has no workflow to reset.
  const cannotFollow = how === 'completed' || how === 'cancelled' || !customer.partnerState.starts[part];
  if (cannotFollow) await condition(hasChanged);
  else {
    // After the reset of a terminated workflow, its first report may take a long time.
    const request = { workflowId: customer.workflowIdOf(part), until: 'reset' } as const;
    await runUnlessEnded(() => awaitOnboarding(request), hasChanged);
  }
  return !hasEnded();
}
