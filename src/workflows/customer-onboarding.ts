import {
  ChildWorkflowFailure,
  TerminatedFailure,
  WorkflowExecutionAlreadyStartedError,
} from '@temporalio/common';
import {
  CancellationScope,
  CancelledFailure,
  type ChildWorkflowHandle,
  condition,
  isCancellation,
  startChild,
} from '@temporalio/workflow';
import type { BusinessOnboardingOutcome } from '../messages/business-onboarding.js';
import type { CustomerOnboardingOutcome, Part, Unfinished } from '../messages/customer-onboarding.js';
import type { CustomerOnboardingInput } from '../messages/customer-onboarding-input.js';
import type { MerchantBoardingOutcome } from '../messages/merchant-boarding.js';
import type { Progress } from '../messages/onboarding-activities.js';
import { SEARCH_ATTRIBUTES } from '../messages/search-attributes.js';
import type { businessOnboarding } from './business-onboarding.js';
import { awaitOnboarding } from './customer/activities.js';
import { Customer } from './customer/customer.js';
import { requireMembers } from './journey/input.js';
import type { merchantBoarding } from './merchant-boarding.js';

type BoardingEnd = MerchantBoardingOutcome | Unfinished;
type BusinessEnd = BusinessOnboardingOutcome | Unfinished;

export interface CustomerOptions {
  /** Board and onboard anew, although earlier ones of this `externalId` have ended. */
  readonly again?: boolean;
}

/**
 * Takes a customer aboard at both partners, each in a child workflow of its own: the business starts as soon as the
 * merchant exists, and does not wait for its `mid`. Started as `customer-onboarding-<externalId>`.
 *
 * A child that someone started before, by itself, is waited for instead of started twice; it answers to whoever started
 * it, so its requirements are answered there and it is not cancelled with the customer.
 */
export async function customerOnboarding(
  input: CustomerOnboardingInput,
  { again = false }: CustomerOptions = {},
): Promise<CustomerOnboardingOutcome> {
  requireMembers(input, { externalId: 'string', boarding: 'object', business: 'object' });
  requireMembers(input.boarding, { merchant: 'object' });
  requireMembers(input.business, { holder: 'object' });
  const { externalId } = input;
  const customer = new Customer(externalId);
  const scopes = { boarding: new CancellationScope(), business: new CancellationScope() };
  const ended: Part[] = [];
  /** Parts that were there before. They are nobody's to cancel. */
  const attached = new Set<Part>();

  return customer.live(async () => {
    customer.enter('onboarding');
    const parts = [
      scopes.boarding.run(() => toItsEnd('boarding', board)),
      scopes.business.run(() => toItsEnd('business', onboardBusiness)),
    ] as const;
    // A part that failed is a bug; the other one is seen to its end first.
    await Promise.allSettled(parts);
    const [boarding, business] = await Promise.all(parts);
    if (CancellationScope.current().consideredCancelled)
      throw new CancelledFailure('the customer was cancelled');
    return { outcome: outcomeOf(boarding, business, ended), boarding, business };
  });

  async function board(): Promise<BoardingEnd> {
    const child = () =>
      startChild<typeof merchantBoarding>('merchantBoarding', {
        ...childOptions('boarding', input.boarding.merchant.dba),
        args: [{ externalId, ...input.boarding }],
      });
    return (await lived('boarding', child)) as BoardingEnd;
  }

  async function onboardBusiness(): Promise<BusinessEnd> {
    await condition(() => knownMerchant() !== undefined || ended.includes('boarding'));
    const merchant = knownMerchant();
    if (merchant === undefined) return { outcome: 'not-started' };
    const child = () =>
      startChild<typeof businessOnboarding>('businessOnboarding', {
        ...childOptions('business', input.business.holder.doingBusinessAsName),
        args: [{ externalId, ...input.business, merchantProfileId: merchant }],
      });
    return (await lived('business', child)) as BusinessEnd;
  }

  function knownMerchant(): number | undefined {
    return customer.state.merchantProfileId;
  }

  function childOptions(part: Part, name: string) {
    return {
      workflowId: customer.workflowIdOf(part),
      workflowIdReusePolicy: again ? ('ALLOW_DUPLICATE' as const) : ('REJECT_DUPLICATE' as const),
      parentClosePolicy: 'REQUEST_CANCEL' as const,
      staticSummary: name,
      typedSearchAttributes: [
        { key: SEARCH_ATTRIBUTES.stage, value: 'preparing' },
        { key: SEARCH_ATTRIBUTES.actionRequired, value: false },
      ],
    };
  }

  /** Starts a child and answers its outcome, or that of the one that was there before. */
  async function lived(part: Part, start: () => Promise<ChildWorkflowHandle<never>>): Promise<unknown> {
    try {
      const child = await start();
      return await child.result();
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      return waitedFor(part);
    }
  }

  async function waitedFor(part: Part): Promise<unknown> {
    const workflowId = customer.workflowIdOf(part);
    customer.timeline.add(`${part}-attached`, { detail: `${workflowId} was there before` });
    attached.add(part);
    if (part === 'boarding') learn((await awaitOnboarding({ workflowId, until: 'merchant' })).facts);
    const { facts, outcome } = await awaitOnboarding({ workflowId, until: 'end' });
    learn(facts);
    return outcome;
  }

  function learn(facts: Progress['facts']): void {
    customer.know(facts);
    customer.publish();
  }

  /** Sees a part to its end, and does with the other one what the input says. */
  async function toItsEnd<End extends BoardingEnd | BusinessEnd>(
    part: Part,
    live: () => Promise<End | Unfinished>,
  ): Promise<End | Unfinished> {
    const end = await live().catch((error: unknown): Unfinished => {
      if (!wasStopped(error)) {
        customer.timeline.add(`${part}-failed`, { detail: 'see the child workflow' });
        ended.push(part);
        throw error;
      }
      return { outcome: 'cancelled' };
    });
    ended.push(part);
    if ('merchantProfileId' in end && end.merchantProfileId !== undefined) {
      learn({ merchantProfileId: end.merchantProfileId });
    }
    customer.timeline.add(`${part}-ended`, { detail: end.outcome });
    const isSuccess = end.outcome === 'boarded' || end.outcome === 'onboarded';
    const other = part === 'boarding' ? 'business' : 'boarding';
    // A business without a merchant has not begun, and ends as such by itself.
    const hasBegun = other === 'boarding' || knownMerchant() !== undefined;
    const isUnderWay = hasBegun && !ended.includes(other) && !attached.has(other);
    if (!isSuccess && input.onDecline === 'cancel-other' && isUnderWay) scopes[other].cancel();
    return end;
  }
}

/** Cancelled with the customer or by itself, or terminated. */
function wasStopped(error: unknown): boolean {
  if (isCancellation(error)) return true;
  return error instanceof ChildWorkflowFailure && error.cause instanceof TerminatedFailure;
}

function outcomeOf(
  boarding: BoardingEnd,
  business: BusinessEnd,
  ended: readonly Part[],
): CustomerOnboardingOutcome['outcome'] {
  const isBoarded = boarding.outcome === 'boarded';
  const isOnboarded = business.outcome === 'onboarded';
  if (isBoarded && isOnboarded) return 'onboarded';
  if (isBoarded || isOnboarded) return 'partly-onboarded';
  const outcomes = ended.map((part) => (part === 'boarding' ? boarding : business).outcome);
  const reason = outcomes.find((outcome) => outcome !== 'cancelled' && outcome !== 'not-started');
  return (reason as CustomerOnboardingOutcome['outcome'] | undefined) ?? 'abandoned';
}
