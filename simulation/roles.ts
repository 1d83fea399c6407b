import { DANGLING_SSN, REFUSED_SSN, UNVERIFIED_SSN } from '../src/apps/sandbox/banking/scenarios.js';
import type { Part } from '../src/messages/onboardings.js';

/** How often each write takes effect, by operation: exactly so often, or `some` if a repetition changes nothing. */
export type Writes = Readonly<Record<string, number | 'some'>>;

/** The outcome and the writes of each scenario in `GET /sandbox/scenarios`: those of merchants and businesses. */
export interface Role {
  readonly scenario: string;
  readonly outcome: string;
  readonly writes: Writes;
  /** Stays in its status until somebody at the partner moves it. */
  readonly moved?: true;
}

const REVIEW = 'request-underwriting-review';
const UPLOAD = 'upload-attachment';
const CORRECT = 'update-business-account-holder';
const REPLY = 'create-ticket';

const merchant = (scenario: string, writes: Writes = {}, outcome = 'boarded'): Role => ({
  scenario,
  outcome,
  writes: { 'create-merchant': 1, 'submit-merchant': 1, ...writes },
});

/** A note that asks for a document is answered by an upload, any other note by a text. */
export const MERCHANTS: readonly Role[] = [
  merchant('straight'),
  merchant('notes', { [UPLOAD]: 1, [REVIEW]: 1 }),
  merchant('more-notes', { [UPLOAD]: 1, [REVIEW]: 2 }),
  merchant('superseded-notes'),
  merchant('same-note', { [REVIEW]: 2 }),
  merchant('notes-on-hold', { [REVIEW]: 1 }),
  merchant('approved-by-mistake', { [REVIEW]: 1 }),
  merchant('changes-requested', { 'submit-merchant': 2 }),
  merchant('declined', {}, 'declined'),
  merchant('withdrawn', {}, 'withdrawn'),
  merchant('closed', {}, 'closed'),
  merchant('uw-level-1', { [UPLOAD]: 1, [REVIEW]: 1 }),
  merchant('temporary-mid'),
  merchant('unclear-mid'),
  merchant('conditionally-approved'),
  merchant('unknown-status'),
  { ...merchant('volatile-date'), moved: true },
  { ...merchant('waiting'), moved: true },
];

const business = (scenario: string, writes: Writes = {}, outcome = 'onboarded'): Role => ({
  scenario,
  outcome,
  writes: { 'submit-business-account-holder': 1, ...writes },
});

/** A ticket that names a field is answered by a correction, any other by a reply. */
export const BUSINESSES: readonly Role[] = [
  business('straight'),
  business('account-at-once'),
  business('account-on-request', { 'submit-business-customer': 1 }),
  business('auto-approved'),
  business('approved-uw'),
  business('pending-review'),
  business('denied', {}, 'declined'),
  business('closed', {}, 'closed'),
  business('cancelled', {}, 'withdrawn'),
  business('unknown-status'),
  business('ticket', { [CORRECT]: 'some' }),
  business('tickets', { [CORRECT]: 'some', [REPLY]: 1 }),
  business('more-tickets', { [CORRECT]: 'some', [REPLY]: 1 }),
  business('reopened-ticket', { [REPLY]: 2 }),
  business('superseded-ticket'),
  business('correction', { [CORRECT]: 'some' }),
  { ...business('waiting'), moved: true },
  business(`ssn ${UNVERIFIED_SSN}`, { [CORRECT]: 'some' }),
  business(`ssn ${REFUSED_SSN}`),
  business(`ssn ${DANGLING_SSN}`),
];

/** The outcome of a whole onboarding, and the role of each part. */
export interface OnboardingRole extends Pick<Role, 'scenario' | 'outcome'> {
  readonly parts: Readonly<Partial<Record<Part, Role>>>;
}

function customer(boarding: string, bank: string): OnboardingRole {
  const parts = { boarding: roleIn(MERCHANTS, boarding), business: roleIn(BUSINESSES, bank) };
  const isIn = [parts.boarding.outcome === 'boarded', parts.business.outcome === 'onboarded'];
  const outcome = isIn.every(Boolean) ? 'onboarded' : isIn.some(Boolean) ? 'partly-onboarded' : 'declined';
  return { scenario: `${boarding} + ${bank}`, outcome, parts };
}

function roleIn(roles: readonly Role[], scenario: string): Role {
  const role = roles.find((one) => one.scenario === scenario);
  if (!role) throw new Error(`there is no scenario ${scenario}`);
  return role;
}

export const CUSTOMERS: readonly OnboardingRole[] = [
  customer('straight', 'straight'),
  customer('notes', 'tickets'),
  customer('changes-requested', 'more-tickets'),
  customer('declined', 'straight'),
  customer('declined', 'denied'),
  customer('more-notes', 'denied'),
  customer('uw-level-1', 'account-on-request'),
  customer('waiting', 'ticket'),
  customer('temporary-mid', 'denied'),
];

/** Two of one dba play each. They differ in legal name, EIN and, if they have one, merchant. */
export const FRANCHISES: readonly OnboardingRole[] = [
  { scenario: 'straight', outcome: 'onboarded', parts: { business: roleIn(BUSINESSES, 'straight') } },
  customer('straight', 'straight'),
];
