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
import type { FollowedCustomerInput } from '../messages/followed-inputs.js';
import type { CustomerOnboardingInput } from '../messages/inputs.js';
import type {
  CustomerOnboardingOutcome,
  EndedParts,
  Part,
  PartEnd,
  PartOutcome,
} from '../messages/onboardings.js';
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
  /** Start the parts again, although earlier ones with this `externalId` have ended. */
  readonly again?: boolean;
  /** The parts that had ended before a restore. They stay ended. */
  readonly ended?: EndedParts;
}

/** What a run hands to the next one when its history has grown long. */
export interface CarriedCustomer {
  readonly customer: CustomerRecords;
  readonly begun: readonly (readonly [Part, Beginning])[];
}

/**
 * Onboards a customer with both partners, each in a child workflow of its own. The business starts as soon as the merchant
 * exists, before it has a `mid`. When both have ended, a boarded merchant gets its terminal if the input asks for one, however
 * the business ended. Started as `customer-onboarding-<externalId>`, in a named account with `@<account>` after it, as each of
 * its parts.
 *
 * A part that someone started separately is not started twice: the customer waits for it. Its requirements are answered there,
 * and a cancellation of the customer does not cancel it. When an operator resets a part, the customer follows its new run.
 */
export async function customerOnboarding(
  input: CustomerOnboardingInput | FollowedCustomerInput,
  options: CustomerOptions = {},
  carried?: CarriedCustomer,
): Promise<CustomerOnboardingOutcome> {
  requireFields(input, { externalId: 'string', boarding: 'object', business: 'object' });
  requireFields(input.boarding, { merchant: 'object' });
  requireFields(input.business, { holder: 'object' });
  if (input.provisionTerminal !== undefined) {
    requireFields(input.provisionTerminal, { account: 'object', terminal: 'object' });
  }
  const { externalId } = input;
  const { again = false, ended = {} } = options;
  const customer = new Customer(externalId, String(input.boarding.merchant.dba), carried?.customer);
  const children = new Children(customer, again, carried?.begun);
  const scopes: Partial<Record<Part, CancellationScope>> = {};

  return customer.run(async () => {
    // A cancelled customer waits until its children have ended.
    const tooLong = CancellationScope.nonCancellable(() => condition(historyIsLong));
    return Promise.race([runAllParts(), tooLong.then(continueInNewRun)]);
  });

  async function runAllParts(): Promise<CustomerOnboardingOutcome> {
    const parts = [runPart('boarding', board), runPart('business', onboardBusiness)];
    // When one of them ends early, as by a cancellation, the other one still runs to its end.
    await Promise.allSettled(parts);
    await Promise.all(parts);
    if (!children.hasBegun('terminal')) checkCancelled();
    checkFailed(customer);
    if (input.provisionTerminal && !customer.endOf('terminal')) {
      customer.close('terminal', await inScopeOf('terminal', provideTerminal));
    }
    checkCancelled();
    checkFailed(customer);
    return outcomeOf(customer);
  }

  async function board(): Promise<PartEnd> {
    return children.runToEnd('boarding', () =>
      startChild<typeof merchantBoarding>('merchantBoarding', {
        ...children.options('boarding', input.boarding.merchant.dba),
        args: [{ externalId, ...input.boarding }],
      }),
    );
  }

  async function onboardBusiness(): Promise<PartEnd> {
    // A run may be cancelled at its start, and must still cancel its children.
    if (!children.hasBegun('business')) {
      await condition(() => knownMerchant() !== undefined || customer.endOf('boarding') !== undefined);
    }
    const merchant = knownMerchant();
    if (merchant === undefined) return NOT_STARTED;
    return children.runToEnd('business', () =>
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
    return children.runToEnd('terminal', () =>
      startChild<typeof terminalProvisioning>('terminalProvisioning', {
        ...children.options('terminal', dba),
        args: [{ externalId, mid, provisionTerminal: { ...provisionTerminal, account } }],
      }),
    );
  }

  function knownMerchant(): number | undefined {
    return customer.state.facts.merchantProfileId;
  }

  /** Runs a part to its end, also after a reset. If it does not succeed, the input decides about the other part. */
  async function runPart(part: MainPart, run: () => Promise<PartEnd>): Promise<void> {
    const isOver = () => ['boarding', 'business'].every((each) => customer.endOf(each as MainPart));
    for (;;) {
      const end = customer.endOf(part) ?? (await inScopeOf(part, run));
      if (!customer.endOf(part)) {
        customer.close(part, end);
        if (!isSuccess(outcomeOfPart(end)) && input.onDecline === 'cancel-other') cancelOther(part);
      }
      if (!(await children.isResumed(part, end, isOver))) return;
      customer.reopen(part);
    }
  }

  /** A part that is cancelled before its child starts has ended as well. */
  async function inScopeOf(part: Part, run: () => Promise<PartEnd>): Promise<PartEnd> {
    const { [part]: former } = ended;
    if (former && !children.hasBegun(part)) {
      customer.learn(former.facts);
      return former.end;
    }
    const scope = new CancellationScope();
    scopes[part] = scope;
    try {
      return await scope.run(run);
    } catch (error) {
      if (!isCancellation(error)) throw error;
      return { how: 'cancelled' };
    }
  }

  function cancelOther(part: MainPart): void {
    const other = part === 'boarding' ? 'business' : 'boarding';
    // Without a merchant the business has not begun, and ends as `not-started`.
    const hasBegun = other === 'boarding' || knownMerchant() !== undefined;
    if (hasBegun && !customer.endOf(other) && !children.isAttached(other)) scopes[other]?.cancel();
  }

  /** False while something is in flight that the next run could not resume. */
  function historyIsLong(): boolean {
    const isStopping = Object.entries(scopes).some(
      ([part, scope]) => scope.consideredCancelled && !customer.endOf(part as Part),
    );
    const isBusy = isStopping || children.isStarting || !allHandlersFinished();
    return workflowInfo().continueAsNewSuggested && !isBusy;
  }

  function continueInNewRun(): Promise<never> {
    const records = { customer: customer.records, begun: children.begun };
    return continueAsNew<typeof customerOnboarding>(input, options, records);
  }
}

function outcomeOfPart(end: PartEnd | undefined): PartOutcome | undefined {
  if (end === undefined) return undefined;
  return end.how === 'completed' ? end.outcome : { outcome: 'cancelled' };
}

function isSuccess(outcome: PartOutcome | undefined): boolean {
  return ['boarded', 'onboarded', 'provisioned'].includes(outcome?.outcome ?? '');
}

/** @throws {CancelledFailure} when the whole customer is cancelled, and not only a part */
function checkCancelled(): void {
  if (CancellationScope.current().consideredCancelled) {
    throw new CancelledFailure('the customer was cancelled');
  }
}

/** @throws {ApplicationFailure} when a part failed, which is a bug */
function checkFailed(customer: Customer): void {
  const failed = customer.ended.find((part) => customer.endOf(part)?.how === 'failed');
  if (failed === undefined) return;
  throw ApplicationFailure.nonRetryable(`${customer.workflowIdOf(failed)} failed`, 'PartFailed');
}

/** When no part succeeded: the outcome of the first part that ended with a reason. */
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
