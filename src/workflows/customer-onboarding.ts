import { ChildWorkflowFailure, TerminatedFailure } from '@temporalio/common';
import {
  CancellationScope,
  CancelledFailure,
  condition,
  isCancellation,
  startChild,
} from '@temporalio/workflow';
import type { BusinessOnboardingOutcome } from '../messages/business-onboarding.js';
import type { CustomerOnboardingOutcome, Part, Unfinished } from '../messages/customer-onboarding.js';
import type { CustomerOnboardingInput } from '../messages/customer-onboarding-input.js';
import type { MerchantBoardingOutcome } from '../messages/merchant-boarding.js';
import type { TerminalProvisioningOutcome } from '../messages/terminal-provisioning.js';
import type { businessOnboarding } from './business-onboarding.js';
import { Children } from './customer/children.js';
import { Customer } from './customer/customer.js';
import { requireMembers } from './journey/input.js';
import type { merchantBoarding } from './merchant-boarding.js';
import type { terminalProvisioning } from './terminal-provisioning.js';

type BoardingEnd = MerchantBoardingOutcome | Unfinished;
type BusinessEnd = BusinessOnboardingOutcome | Unfinished;
type TerminalEnd = TerminalProvisioningOutcome | Unfinished;

export interface CustomerOptions {
  /** Board and onboard anew, although earlier ones of this `externalId` have ended. */
  readonly again?: boolean;
}

/**
 * Takes a customer aboard at both partners, each in a child workflow of its own: the business starts as soon as the
 * merchant exists, and does not wait for its `mid`. When both have ended, the merchant gets its terminal, if the input asks
 * for one and the merchant is boarded: it is the merchant's, however the business ended. Started as
 * `customer-onboarding-<externalId>`, in a named account with `@<account>` after it, as each of its parts.
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
  if (input.provisionTerminal !== undefined) {
    requireMembers(input.provisionTerminal, { account: 'object', terminal: 'object' });
  }
  const { externalId } = input;
  const customer = new Customer(externalId);
  const children = new Children(customer, again);
  const scopes = { boarding: new CancellationScope(), business: new CancellationScope() };
  const ended: Part[] = [];

  return customer.live(async () => {
    customer.enter('onboarding');
    const parts = [
      scopes.boarding.run(() => toItsEnd('boarding', board)),
      scopes.business.run(() => toItsEnd('business', onboardBusiness)),
    ] as const;
    // A part that failed is a bug; the other one is seen to its end first.
    await Promise.allSettled(parts);
    const [boarding, business] = await Promise.all(parts);
    refuseCancelled();
    const terminal = await provideTerminal(boarding);
    refuseCancelled();
    const ends = { boarding, business, ...(terminal && { terminal }) };
    return { outcome: outcomeOf(ends, ended), ...ends };
  });

  async function board(): Promise<BoardingEnd> {
    const child = () =>
      startChild<typeof merchantBoarding>('merchantBoarding', {
        ...children.options('boarding', input.boarding.merchant.dba),
        args: [{ externalId, ...input.boarding }],
      });
    return (await children.live('boarding', child)) as BoardingEnd;
  }

  async function onboardBusiness(): Promise<BusinessEnd> {
    await condition(() => knownMerchant() !== undefined || ended.includes('boarding'));
    const merchant = knownMerchant();
    if (merchant === undefined) return { outcome: 'not-started' };
    const child = () =>
      startChild<typeof businessOnboarding>('businessOnboarding', {
        ...children.options('business', input.business.holder.doingBusinessAsName),
        args: [{ externalId, ...input.business, merchantProfileId: merchant }],
      });
    return (await children.live('business', child)) as BusinessEnd;
  }

  function knownMerchant(): number | undefined {
    return customer.state.merchantProfileId;
  }

  async function provideTerminal(boarding: BoardingEnd): Promise<TerminalEnd | undefined> {
    const { provisionTerminal } = input;
    if (provisionTerminal === undefined) return undefined;
    if (boarding.outcome !== 'boarded') return { outcome: 'not-started' };
    const { mid } = boarding;
    const { dba } = input.boarding.merchant;
    const account = { name: dba, ...provisionTerminal.account };
    const child = () =>
      startChild<typeof terminalProvisioning>('terminalProvisioning', {
        ...children.options('terminal', dba),
        args: [{ externalId, mid, provisionTerminal: { ...provisionTerminal, account } }],
      });
    return toItsEnd('terminal', async () => (await children.live('terminal', child)) as TerminalEnd);
  }

  /** Sees a part to its end, and does with the other of the two what the input says. */
  async function toItsEnd<End extends BoardingEnd | BusinessEnd | TerminalEnd>(
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
      customer.learn({ merchantProfileId: end.merchantProfileId });
    }
    customer.timeline.add(`${part}-ended`, { detail: end.outcome });
    if (part !== 'terminal' && !isSuccess(end) && input.onDecline === 'cancel-other') cancelOther(part);
    return end;
  }

  function cancelOther(part: 'boarding' | 'business'): void {
    const other = part === 'boarding' ? 'business' : 'boarding';
    // A business without a merchant has not begun, and ends as such by itself.
    const hasBegun = other === 'boarding' || knownMerchant() !== undefined;
    if (hasBegun && !ended.includes(other) && !children.attached.has(other)) scopes[other].cancel();
  }
}

function isSuccess({ outcome }: BoardingEnd | BusinessEnd | TerminalEnd): boolean {
  return outcome === 'boarded' || outcome === 'onboarded' || outcome === 'provisioned';
}

/** @throws {CancelledFailure} when the customer as a whole is, and not just a part of it */
function refuseCancelled(): void {
  if (CancellationScope.current().consideredCancelled) {
    throw new CancelledFailure('the customer was cancelled');
  }
}

/** Cancelled with the customer or by itself, or terminated. */
function wasStopped(error: unknown): boolean {
  if (isCancellation(error)) return true;
  return error instanceof ChildWorkflowFailure && error.cause instanceof TerminatedFailure;
}

function outcomeOf(
  ends: Omit<CustomerOnboardingOutcome, 'outcome'>,
  ended: readonly Part[],
): CustomerOnboardingOutcome['outcome'] {
  const all = Object.values(ends);
  if (all.every(isSuccess)) return 'onboarded';
  if (all.some(isSuccess)) return 'partly-onboarded';
  const outcomes = ended.map((part) => ends[part]?.outcome);
  const reason = outcomes.find((outcome) => outcome !== 'cancelled' && outcome !== 'not-started');
  return (reason as CustomerOnboardingOutcome['outcome'] | undefined) ?? 'abandoned';
}
