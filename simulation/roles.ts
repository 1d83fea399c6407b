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
const OPEN_ACCOUNT = 'submit-business-customer';

const submitted = { 'create-merchant': 1, 'submit-merchant': 1 } as const;
const boarded = (scenario: string, writes: Writes = {}): Role => ({
  scenario,
  outcome: 'boarded',
  writes: { ...submitted, ...writes },
});
const ended = (scenario: string, outcome = scenario): Role => ({ scenario, outcome, writes: submitted });

/** A note that asks for a document is answered by an upload, any other note by a text. */
export const MERCHANTS: readonly Role[] = [
  boarded('straight'),
  boarded('notes', { [UPLOAD]: 1, [REVIEW]: 1 }),
  boarded('more-notes', { [UPLOAD]: 1, [REVIEW]: 2 }),
  boarded('superseded-notes'),
  boarded('same-note', { [REVIEW]: 2 }),
  boarded('notes-on-hold', { [REVIEW]: 1 }),
  boarded('approved-by-mistake', { [REVIEW]: 1 }),
  boarded('changes-requested', { 'submit-merchant': 2 }),
  ended('declined'),
  ended('withdrawn'),
  ended('closed'),
  boarded('uw-level-1', { [UPLOAD]: 1, [REVIEW]: 1 }),
  boarded('temporary-mid'),
  boarded('unclear-mid'),
  boarded('conditionally-approved'),
  boarded('unknown-status'),
  { ...boarded('volatile-date'), moved: true },
  { ...boarded('waiting'), moved: true },
];

const holder = { 'submit-business-account-holder': 1 } as const;
const onboarded = (scenario: string, writes: Writes = {}): Role => ({
  scenario,
  outcome: 'onboarded',
  writes: { ...holder, ...writes },
});
const refused = (scenario: string, outcome: string): Role => ({ scenario, outcome, writes: holder });

/** A ticket that names a field is answered by a correction, any other by a reply. */
export const BUSINESSES: readonly Role[] = [
  onboarded('straight'),
  onboarded('account-at-once'),
  onboarded('account-on-request', { [OPEN_ACCOUNT]: 1 }),
  onboarded('auto-approved'),
  onboarded('approved-uw'),
  onboarded('pending-review'),
  refused('denied', 'declined'),
  refused('closed', 'closed'),
  refused('cancelled', 'withdrawn'),
  onboarded('unknown-status'),
  onboarded('ticket', { [CORRECT]: 'some' }),
  onboarded('tickets', { [CORRECT]: 'some', [REPLY]: 1 }),
  onboarded('more-tickets', { [CORRECT]: 'some', [REPLY]: 1 }),
  onboarded('reopened-ticket', { [REPLY]: 2 }),
  onboarded('superseded-ticket'),
  onboarded('correction', { [CORRECT]: 'some' }),
  { ...onboarded('waiting'), moved: true },
  onboarded(`ssn ${UNVERIFIED_SSN}`, { [CORRECT]: 'some' }),
  onboarded(`ssn ${REFUSED_SSN}`),
  onboarded(`ssn ${DANGLING_SSN}`),
];

/** The scenarios that request a financial account, which the bank or Gangway opens. */
export const WITH_ACCOUNT: readonly string[] = ['account-at-once', 'account-on-request'];

/** A customer is a merchant and a business. The others of a cast are one of these. */
export interface CustomerRole {
  readonly scenario: string;
  readonly outcome: string;
  readonly parts: Readonly<Partial<Record<Part, Role>>>;
}

const together = (boarding: string, business: string): CustomerRole => {
  const parts = { boarding: roleIn(MERCHANTS, boarding), business: roleIn(BUSINESSES, business) };
  const isIn = [parts.boarding.outcome === 'boarded', parts.business.outcome === 'onboarded'];
  const outcome = isIn.every(Boolean) ? 'onboarded' : isIn.some(Boolean) ? 'partly-onboarded' : 'declined';
  return { scenario: `${boarding} + ${business}`, outcome, parts };
};

export const CUSTOMERS: readonly CustomerRole[] = [
  together('straight', 'straight'),
  together('notes', 'tickets'),
  together('changes-requested', 'more-tickets'),
  together('declined', 'straight'),
  together('declined', 'denied'),
  together('more-notes', 'denied'),
  together('uw-level-1', 'account-on-request'),
  together('waiting', 'ticket'),
  together('temporary-mid', 'denied'),
];

/** Two of one dba play each. They differ in legal name, EIN and, if they have one, merchant. */
export const FRANCHISES: readonly CustomerRole[] = [
  { scenario: 'straight', outcome: 'onboarded', parts: { business: roleIn(BUSINESSES, 'straight') } },
  together('straight', 'straight'),
];

function roleIn(roles: readonly Role[], scenario: string): Role {
  const role = roles.find((one) => one.scenario === scenario);
  if (!role) throw new Error(`there is no scenario ${scenario}`);
  return role;
}
