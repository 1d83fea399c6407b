import { ApplicationFailure } from '@temporalio/common';
import {
  allHandlersFinished,
  CancellationScope,
  CancelledFailure,
  condition,
  continueAsNew,
  isCancellation,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import type { CustomerOnboardingInput } from '../messages/inputs.js';
import type { CustomerOnboardingOutcome, Part, PartEnd, PartOutcome } from '../messages/onboardings.js';
import type { businessOnboarding } from './business-onboarding.js';
import { type Beginning, Children } from './customer/children.js';
import { Customer, type CustomerRecords } from './customer/customer.js';
import { requireFields } from './journey/input.js';
import type { merchantBoarding } from './merchant-boarding.js';
import type { terminalProvisioning } from './terminal-provisioning.js';

/** The two parts that every customer has. */
type MainPart = 'boarding' | 'business';

const NOT_STARTED: PartEnd = { how: 'completed', outcome: { outcome: 'not-started' } };

export interface CustomerOptions {
  /** Board and onboard anew, although earlier ones of this `externalId` have ended. */
  readonly again?: boolean;
}

/** What a run hands to the next one when its history has grown long. */
export interface CarriedCustomer {
  readonly customer: CustomerRecords;
  readonly begun: readonly (readonly [Part, Beginning])[];
}

/**
 * Onboards a customer with both partners, each in a child workflow of its own: the business starts as soon as the
 * merchant exists, and does not wait for its `mid`. When both have ended, the merchant gets its terminal, if the input asks
 * for one and the merchant is boarded: it is the merchant's, however the business ended. Started as
 * `customer-onboarding-<externalId>`, in a named account with `@<account>` after it, as each of its parts.
 *
 * A child that someone started before, by itself, is waited for instead of started twice. It belongs to whoever started it,
 * so its requirements are answered there and it is not cancelled with the customer. A child that an operator resets is
 * followed into its new run.
 */
export async function customerOnboarding(
  input: CustomerOnboardingInput,
  { again = false }: CustomerOptions = {},
  carried?: CarriedCustomer,
): Promise<CustomerOnboardingOutcome> {
  requireFields(input, { externalId: 'string', boarding: 'object', business: 'object' });
  requireFields(input.boarding, { merchant: 'object' });
  requireFields(input.business, { holder: 'object' });
  if (input.provisionTerminal !== undefined) {
    requireFields(input.provisionTerminal, { account: 'object', terminal: 'object' });
  }
  const { externalId } = input;
  const customer = new Customer(externalId, carried?.customer);
  const children = new Children(customer, again, carried?.begun);
  const scopes: Partial<Record<Part, CancellationScope>> = {};

  return customer.live(async () => {
    if (!carried) customer.enter('onboarding');
    // Until it ends, a customer that was cancelled waits for its children.
    const tooLong = CancellationScope.nonCancellable(() => condition(historyIsLong));
    return Promise.race([seeThroughAll(), tooLong.then(continueInNewRun)]);
  });

  async function seeThroughAll(): Promise<CustomerOnboardingOutcome> {
    const parts = [seeThrough('boarding', board), seeThrough('business', onboardBusiness)];
    // What ends one of them early, such as a cancellation, does not keep the other one from its end.
    await Promise.allSettled(parts);
    await Promise.all(parts);
    if (!children.hasBegun('terminal')) refuseCancelled();
    refuseFailed(customer);
    if (input.provisionTerminal && !customer.endOf('terminal')) {
      customer.ends('terminal', await inScopeOf('terminal', provideTerminal));
    }
    refuseCancelled();
    refuseFailed(customer);
    return outcomeOf(customer);
  }

  async function board(): Promise<PartEnd> {
    return children.live('boarding', () =>
      startChild<typeof merchantBoarding>('merchantBoarding', {
        ...children.options('boarding', input.boarding.merchant.dba),
        args: [{ externalId, ...input.boarding }],
      }),
    );
  }

  async function onboardBusiness(): Promise<PartEnd> {
    // A run may be cancelled before it begins, and its children are cancelled all the same.
    if (!children.hasBegun('business')) {
      await condition(() => knownMerchant() !== undefined || customer.endOf('boarding') !== undefined);
    }
    const merchant = knownMerchant();
    if (merchant === undefined) return NOT_STARTED;
    return children.live('business', () =>
      startChild<typeof businessOnboarding>('businessOnboarding', {
        ...children.options('business', input.business.holder.doingBusinessAsName),
        args: [{ externalId, ...input.business, merchantProfileId: merchant }],
      }),
    );
  }

  async function provideTerminal(): Promise<PartEnd> {
    const { provisionTerminal } = input;
    const boarding = outcomeOfPart(customer.endOf('boarding'));
    if (provisionTerminal === undefined || boarding?.outcome !== 'boarded') return NOT_STARTED;
    const { mid } = boarding;
    const { dba } = input.boarding.merchant;
    const account = { name: dba, ...provisionTerminal.account };
    return children.live('terminal', () =>
      startChild<typeof terminalProvisioning>('terminalProvisioning', {
        ...children.options('terminal', dba),
        args: [{ externalId, mid, provisionTerminal: { ...provisionTerminal, account } }],
      }),
    );
  }

  function knownMerchant(): number | undefined {
    return customer.state.merchantProfileId;
  }

  /** Sees one of the two to its end, also when that is reset, and does with the other one what the input says. */
  async function seeThrough(part: MainPart, live: () => Promise<PartEnd>): Promise<void> {
    const isOver = () => ['boarding', 'business'].every((each) => customer.endOf(each as MainPart));
    for (;;) {
      const end = customer.endOf(part) ?? (await inScopeOf(part, live));
      if (!customer.endOf(part)) {
        customer.ends(part, end);
        if (!isSuccess(outcomeOfPart(end)) && input.onDecline === 'cancel-other') cancelOther(part);
      }
      if (!(await children.goesOn(part, end, isOver))) return;
      customer.goesOn(part);
    }
  }

  /** A part that is cancelled before its child starts has ended, too. */
  async function inScopeOf(part: Part, live: () => Promise<PartEnd>): Promise<PartEnd> {
    const scope = new CancellationScope();
    scopes[part] = scope;
    try {
      return await scope.run(live);
    } catch (error) {
      if (!isCancellation(error)) throw error;
      return { how: 'cancelled' };
    }
  }

  function cancelOther(part: MainPart): void {
    const other = part === 'boarding' ? 'business' : 'boarding';
    // A business without a merchant has not begun, and ends as such by itself.
    const hasBegun = other === 'boarding' || knownMerchant() !== undefined;
    if (hasBegun && !customer.endOf(other) && !children.isAttached(other)) scopes[other]?.cancel();
  }

  /** False while something goes on that the next run could not go on with. */
  function historyIsLong(): boolean {
    const isStopping = Object.entries(scopes).some(
      ([part, scope]) => scope.consideredCancelled && !customer.endOf(part as Part),
    );
    const isBusy = isStopping || children.isStarting || !allHandlersFinished();
    return workflowInfo().continueAsNewSuggested && !isBusy;
  }

  function continueInNewRun(): Promise<never> {
    const records = { customer: customer.records, begun: children.begun };
    return continueAsNew<typeof customerOnboarding>(input, { again }, records);
  }
}

function outcomeOfPart(end: PartEnd | undefined): PartOutcome | undefined {
  if (end === undefined) return undefined;
  return end.how === 'completed' ? end.outcome : { outcome: 'cancelled' };
}

function isSuccess(outcome: PartOutcome | undefined): boolean {
  return ['boarded', 'onboarded', 'provisioned'].includes(outcome?.outcome ?? '');
}

/** @throws {CancelledFailure} when the customer as a whole is, and not just a part of it */
function refuseCancelled(): void {
  if (CancellationScope.current().consideredCancelled) {
    throw new CancelledFailure('the customer was cancelled');
  }
}

/** @throws {ApplicationFailure} when a part failed, which is a bug */
function refuseFailed(customer: Customer): void {
  const failed = customer.ended.find((part) => customer.endOf(part)?.how === 'failed');
  if (failed === undefined) return;
  throw ApplicationFailure.nonRetryable(`${customer.workflowIdOf(failed)} failed`, 'PartFailed');
}

/** As the first part that ended with a reason, where none ended well. */
function outcomeOf(customer: Customer): CustomerOnboardingOutcome {
  const ends = Object.fromEntries(
    customer.ended.map((part) => [part, outcomeOfPart(customer.endOf(part))]),
  ) as unknown as Omit<CustomerOnboardingOutcome, 'outcome'>;
  const all = Object.values(ends);
  if (all.every(isSuccess)) return { outcome: 'onboarded', ...ends };
  if (all.some(isSuccess)) return { outcome: 'partly-onboarded', ...ends };
  const reason = all.find(({ outcome }) => outcome !== 'cancelled' && outcome !== 'not-started');
  const outcome = (reason?.outcome ?? 'abandoned') as CustomerOnboardingOutcome['outcome'];
  return { outcome, ...ends };
}
