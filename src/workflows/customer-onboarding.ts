import { ApplicationFailure } from '@temporalio/common';
import {
  allHandlersFinished,
  CancellationScope,
  CancelledFailure,
  condition,
  continueAsNew,
  isCancellation,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import {
  type CustomerOnboardingOutcome,
  childReport,
  type Part,
  type PartEnd,
} from '../messages/onboardings.js';
import { isAttached, runChild, runsAgain } from './customer/children.js';
import { Customer, type CustomerOptions } from './customer/customer.js';
import {
  type CustomerInput,
  type CustomerState,
  childOf,
  failedPart,
  isSuccess,
  NOT_STARTED,
  outcomeIn,
  outcomeOf,
  reduceEnd,
  reduceReset,
} from './customer/decisions.js';
import { requireFields } from './runtime/input.js';
import { handleAnswers, handleState } from './runtime/onboarding-runtime.js';
import type { CarriedState } from './runtime/stateful.js';

/**
 * Onboards a customer with both partners, each in a child workflow of its own. The business starts as soon as the merchant
 * exists, before it has a `mid`. Started as `customer-onboarding-<externalId>`, in a named account with `@<account>` after it, as each of
 * its parts. The customer waits for a part that someone started separately: its requirements are answered there, and a
 * cancellation of the customer does not cancel it. When an operator resets a part, the customer follows its new run.
 */
export async function customerOnboarding(
  input: CustomerInput,
  options: CustomerOptions = {},
  carriedState?: CarriedState<CustomerState>,
): Promise<CustomerOnboardingOutcome> {
  requireFields(input, { externalId: 'string', boarding: 'object', business: 'object' });
  requireFields(input.boarding, { merchant: 'object' });
  requireFields(input.business, { holder: 'object' });
  const customer = new Customer(input, options, carriedState);
  handleState(customer.published);
  setHandler(childReport, customer.onReport);
  handleAnswers(customer.store, customer);
  return customer.run(() => {
    // A canceled customer waits until its children have ended.
    const tooLong = CancellationScope.nonCancellable(() => condition(() => shouldContinueAsNew(customer)));
    return Promise.race([
      runAllParts(customer),
      tooLong.then(() => continueAsNew<typeof customerOnboarding>(input, options, customer.carriedState)),
    ]);
  });
}

async function runAllParts(customer: Customer): Promise<CustomerOnboardingOutcome> {
  const parts = [onboardPart(customer, 'boarding'), onboardPart(customer, 'business')];
  // When one of them ends early, as by a cancellation, the other one still runs to its end.
  await Promise.allSettled(parts);
  await Promise.all(parts);
  checkCancelled();
  checkFailed(customer);
  return outcomeOf(customer.partnerState);
}

/** Runs a part to its end, also after a reset. If it does not succeed, the input decides about the other part. */
async function onboardPart(customer: Customer, part: Part): Promise<void> {
  for (;;) {
    const { [part]: record } = customer.partnerState.ends;
    const end = record?.end ?? (await runPart(customer, part));
    if (!customer.hasEnded(part)) {
      customer.apply(reduceEnd(customer.partnerState, part, end));
      if (!isSuccess(outcomeIn(end)) && customer.input.onDecline === 'cancel-other')
        cancel(customer, part === 'boarding' ? 'business' : 'boarding');
    }
    if (!(await runsAgain(customer, part, end))) return;
    customer.apply(reduceReset(customer.partnerState, part));
  }
}

/** Runs a part in a scope of its own. A part that is canceled before its child starts has ended as well. */
async function runPart(customer: Customer, part: Part): Promise<PartEnd> {
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

async function untilMerchantIsKnown(customer: Customer): Promise<void> {
  // A run may be canceled at its start, and must still cancel its children.
  if (customer.partnerState.starts.business) return;
  await condition(() => customer.merchantProfileId !== undefined || customer.hasEnded('boarding'));
}

function cancel(customer: Customer, part: Part): void {
  // Without a merchant the business has not begun, and ends as `not-started`.
  const hasBegun = part === 'boarding' || customer.merchantProfileId !== undefined;
  if (hasBegun && !customer.hasEnded(part) && !isAttached(customer, part))
    customer.runs.get(part)?.scope.cancel();
}

/** @throws {CancelledFailure} when the whole customer is canceled, and not only a part */
function checkCancelled(): void {
  if (CancellationScope.current().consideredCancelled) {
    throw new CancelledFailure('the customer was canceled');
  }
}

/** @throws {ApplicationFailure} when a part failed, which is a bug */
function checkFailed(customer: Customer): void {
  const failed = failedPart(customer.partnerState);
  if (failed === undefined) return;
  throw ApplicationFailure.nonRetryable(`${customer.workflowIdOf(failed)} failed`, 'PartFailed');
}

/** False while something is in flight that the next run could not resume. */
function shouldContinueAsNew(customer: Customer): boolean {
  const isBusy = [...customer.runs].some(
    ([part, { scope, isStarting }]) => isStarting || (scope.consideredCancelled && !customer.hasEnded(part)),
  );
  return workflowInfo().continueAsNewSuggested && !isBusy && allHandlersFinished();
}
