/** The paths through the workflows. scripts/record-histories.ts records a history of each for each release. */

import type { TimelineEvent } from '../../../src/messages/codes.js';
import { partnerRecordId, workflowId } from '../../../src/messages/ids.js';
import type {
  BusinessOnboardingInput,
  CustomerOnboardingInput,
  MerchantBoardingInput,
} from '../../../src/messages/inputs.js';
import type { OperationName, OperationRequest } from '../../../src/messages/partner-operations.js';
import type { Answer, RequirementKind } from '../../../src/messages/requirements.js';
import { handOver } from '../../../src/services/batches/batches.js';
import { BUSINESS, MERCHANT } from '../../../src/temporal/kinds/kinds.js';
import { startOperation } from '../../../src/temporal/start.js';
import { existing } from '../commands/existing.js';
import { holder, merchant } from '../inputs.js';
import { Onboarding } from '../onboarding.js';
import type { Rig } from '../rig.js';
import { accountOf, begun } from './partner-account.js';

/** One way through a workflow. */
export interface Path {
  /** A fault that is planned before it starts. */
  readonly fault?: readonly [fault: string, operation: string];
  /** Answers to requirements, by kind. */
  readonly answers?: Readonly<Partial<Record<RequirementKind, Answer>>>;
  /** Requirements are answered only when they are overdue. */
  readonly late?: true;
  /** Canceled at the first requirement. */
  readonly cancel?: true;
  /** Would run on, and is canceled after this. */
  readonly cancelAfter?: TimelineEvent;
  /** Grows until it continues in another run. The recorded runs are the first, and as `<name>-next` the last. */
  readonly continues?: true;
  start(rig: Rig, name: string): Promise<Onboarding>;
}

const text: Answer = { kind: 'text', text: 'Answered.' };
const correction: Answer = { kind: 'correction', patch: { application: { changed: true } } };
const website: Answer = { kind: 'correction', patch: { holder: { website: 'https://www.example.com' } } };
const phone: Answer = { kind: 'correction', patch: { holder: { phone: '5185550199' } } };
const retry: Answer = { kind: 'retry' };
const { doingBusinessAsName: _, ...person } = holder(undefined, { website: 'https://www.example.com' });
const whole: Answer = { kind: 'correction', patch: { holder: person } };

/** Paths by the name of the file of their history. */
export const PATHS: Readonly<Record<string, Path>> = {
  straight: { start: board(undefined, { fees: { minimumDiscountAmount: 20 } }) },
  'by-name': { start: board(undefined, { agent: 'Harbor Agents', boardingSettings: 'Standard' }) },
  v1: { start: board(undefined, { createVersion: 'v1' }) },
  notes: {
    start: board('notes', { fees: { minimumDiscountAmount: 20 } }),
    answers: { 'underwriting-note': text },
  },
  'more-notes': { start: board('more-notes'), answers: { 'underwriting-note': text } },
  'superseded-notes': { start: board('superseded-notes') },
  'overdue-notes': {
    start: board('notes', { dueInHours: 1 / 7_200 }),
    answers: { 'underwriting-note': text },
    late: true,
  },
  'changes-requested': { start: board('changes-requested'), answers: { 'changes-requested': correction } },
  declined: { start: board('declined') },
  withdrawn: { start: board('withdrawn') },
  closed: { start: board('closed') },
  'uw-level-1': { start: board('uw-level-1'), answers: { 'underwriting-note': text } },
  'temporary-mid': { start: board('temporary-mid') },
  'unclear-mid': { start: board('unclear-mid') },
  'unknown-status': { start: board('unknown-status') },
  'rejected-input': {
    start: board(undefined, { agentProfileId: 999 }),
    answers: { 'rejected-input': { kind: 'correction', patch: { agentProfileId: 101 } } },
  },
  'uncertain-create': {
    start: board(),
    fault: ['drop-before-commit', 'create-merchant'],
    answers: { 'uncertain-write': retry },
  },
  'uncertain-submit': { start: board(), fault: ['drop-after-commit', 'submit-merchant'] },
  'rate-limited': { start: board(), fault: ['429', 'create-merchant'] },
  abandoned: { start: board('notes'), answers: { 'underwriting-note': { kind: 'abandon' } } },
  cancelled: { start: board('notes'), cancel: true },
  continued: { start: board('notes'), answers: { 'underwriting-note': text }, continues: true },

  followed: { start: follow, answers: { 'not-submitted': retry } },
  'followed-new': { start: followBusiness('correction'), answers: { 'not-submitted': whole } },
  'followed-ticket': { start: followBusiness('ticket'), answers: { ticket: text } },

  'business-straight': { start: onboardBusiness() },
  'business-with-account': { start: onboardBusiness('account-on-request', { openFinancialAccount: true }) },
  'business-denied': { start: onboardBusiness('denied') },
  'business-ticket-replied': { start: onboardBusiness('ticket'), answers: { ticket: text } },
  'business-ticket-corrected': { start: onboardBusiness('ticket'), answers: { ticket: phone } },
  'business-tickets': { start: onboardBusiness('tickets'), answers: { ticket: text } },
  'business-superseded-ticket': { start: onboardBusiness('superseded-ticket') },
  'business-correction': { start: onboardBusiness('correction'), answers: { 'rejected-input': website } },
  'business-uncertain-found': {
    start: onboardBusiness(),
    fault: ['drop-after-commit', 'submit-business-account-holder'],
  },
  'business-uncertain-asked': {
    start: onboardBusiness(),
    fault: ['drop-before-commit', 'submit-business-account-holder'],
    answers: { 'uncertain-write': retry },
  },
  'business-cancelled': { start: onboardBusiness('ticket'), cancel: true },
  'business-continued': { start: onboardBusiness('ticket'), answers: { ticket: text }, continues: true },

  'customer-straight': { start: onboard() },
  'customer-asked': {
    start: onboard('notes', 'ticket'),
    answers: { 'underwriting-note': text, ticket: text },
  },
  'customer-partly': { start: onboard('declined') },
  'customer-cancel-other': { start: onboard('declined', 'waiting', { onDecline: 'cancel-other' }) },
  'customer-cancelled': { start: onboard('notes', 'waiting'), cancel: true },

  'account-refused': { start: refusedAccount, answers: { credentials: retry } },

  'record-new-status': {
    start: recordOfNewStatus,
    answers: { 'new-status': { kind: 'choice', choice: 'under-review' } },
    cancelAfter: 'status-explained',
  },

  'operation-close-card': {
    start: operation('close-card', 'card-1001', { paymentCardId: 'card-1001', last4: '1001' }),
    fault: ['drop-after-commit', 'close-card'],
  },
  'operation-change-address': {
    start: operation('change-address', 'recorded', {
      streetAddress: '2 Main Street',
      postalCode: '12207',
      city: 'Albany',
      state: 33,
      secureOperationType: 'ShortMessageCode',
    }),
    answers: { 'one-time-code': { kind: 'code', code: '000000' } },
  },
  'operation-statement': {
    start: operation('statement', 'recorded', {
      period: '2026-01',
      financialAccountIds: ['fa-501-1'],
      fileFormat: 'CSV',
      email: 'books@example.com',
    }),
  },
  'operation-card-nickname': {
    start: operation('card-nickname', 'card-1002', { paymentCardId: 'card-1002', nickName: 'Till' }),
  },
  'operation-restore-sub-user': { start: operation('restore-sub-user', '71', { subUserId: 71 }) },
  'operation-ensure-webhooks': {
    start: operation('ensure-webhooks', 'recorded', {
      webhooks: [{ name: 'recorded', url: 'https://www.example.com/hook', notificationType: 'Fee' }],
    }),
  },
  batch: { start: startBatch },
};

function called(name: string, scenario: string | undefined): string {
  return scenario ? `Recorded ${name} [${scenario}]` : `Recorded ${name}`;
}

function merchantOf(name: string, scenario: string | undefined): MerchantBoardingInput['merchant'] {
  const dba = called(name, scenario);
  return { dba, firstName: 'Ada', lastName: 'Example', cashDiscount: 'No', pos: 'None' };
}

const holderOf = (name: string, scenario: string | undefined) =>
  holder(undefined, { doingBusinessAsName: called(name, scenario) });

const SETTINGS = { agentProfileId: 101, boardingSettingsId: 11, dueInHours: 48 };

function board(scenario?: string, more: Partial<MerchantBoardingInput> = {}): Path['start'] {
  return ({ board: start }, name) =>
    start({
      externalId: name,
      merchant: merchantOf(name, scenario),
      ...(!more.agent && { agentProfileId: 101 }),
      ...(!more.boardingSettings && { boardingSettingsId: 11 }),
      dueInHours: 48,
      ...more,
    });
}

/** A merchant that exists, and that nobody has submitted. */
async function follow(rig: Rig, externalId: string): Promise<Onboarding> {
  const { merchantProfileId, dba } = await existing(rig).merchant(
    {},
    called(externalId, undefined),
    'straight',
  );
  const input = { externalId, follow: true, merchantProfileId, merchant: { dba }, dueInHours: 48 } as const;
  const { client, taskQueue } = rig;
  const { workflowId } = await MERCHANT.start(client, input, { fourEyes: [], taskQueue, dbaForm: 'shown' });
  return new Onboarding(client, workflowId);
}

/** A profile that exists. */
function followBusiness(scenario: string): Path['start'] {
  return async (rig, externalId) => {
    const dba = called(externalId, undefined);
    const { profileId, holder: own } = await existing(rig).profile({}, dba, scenario);
    const { doingBusinessAsName, legalBusinessName, employerIdentificationNumber } = own;
    const compared = { doingBusinessAsName, legalBusinessName, employerIdentificationNumber };
    const input = { externalId, follow: true, profileId, holder: compared, dueInHours: 48 } as const;
    const { client, taskQueue } = rig;
    const { workflowId } = await BUSINESS.start(client, input, { fourEyes: [], taskQueue, dbaForm: 'shown' });
    return new Onboarding(client, workflowId);
  };
}

/** The workflow of an account: a call is refused, and the read that tries the credentials, too. */
async function refusedAccount(rig: Rig, name: string): Promise<Onboarding> {
  await rig.sandbox.plan('expired-token', 'create-merchant');
  await rig.sandbox.plan('expired-token', 'list-agent-profiles');
  await board()(rig, name);
  return begun(accountOf(rig, 'boarding'));
}

async function recordOfNewStatus(rig: Rig, name: string): Promise<Onboarding> {
  await board('unknown-status')(rig, name);
  return begun(new Onboarding(rig.client, partnerRecordId('boarding', rig.taskQueue)));
}

function onboardBusiness(scenario?: string, more: Partial<BusinessOnboardingInput> = {}): Path['start'] {
  return ({ onboardBusiness: start }, name) =>
    start({
      externalId: name,
      holder: holderOf(name, scenario),
      dueInHours: 48,
      ...more,
    });
}

function onboard(
  boarding?: string,
  business?: string,
  more: Partial<CustomerOnboardingInput> = {},
): Path['start'] {
  return ({ onboard: start }, name) =>
    start({
      externalId: name,
      boarding: { ...SETTINGS, merchant: merchantOf(name, boarding) },
      business: { holder: holderOf(name, business), dueInHours: 48 },
      onDecline: 'continue',
      ...more,
    });
}

function operation<Name extends OperationName>(
  name: Name,
  key: string,
  request: OperationRequest<Name>,
): Path['start'] {
  return async ({ client, taskQueue }) => {
    const { workflowId } = await startOperation(
      client,
      { operation: name, key, request },
      { fourEyes: [], taskQueue },
    );
    return new Onboarding(client, workflowId);
  };
}

async function startBatch({ client, taskQueue }: Rig, name: string): Promise<Onboarding> {
  const input = { ...merchant('waiting'), externalId: name };
  const id = workflowId('merchantBoarding', name);
  const type = 'merchantBoarding';
  const row = { line: 1, externalId: name, unique: {}, type, workflowId: id, input } as const;
  const about = { name: 'rows.csv', actor: 'olga', limits: { concurrency: 1 } };
  return new Onboarding(client, await handOver(client, taskQueue, [row], about));
}
