import { userProfileIdOf } from '../src/apps/sandbox/banking/profile.js';
import { APPLICATION_NUMBERS } from '../src/apps/sandbox/habits/identity.js';
import type { LedgerEntry } from '../src/apps/sandbox/ledger.js';
import { boardingWritesOf, type Party } from './cast.js';
import type { Plan } from './plan.js';
import type { Writes } from './roles.js';

const HOLDER = 'submit-business-account-holder';

/** The records of the partners, which are compared with what was requested. */
export interface PartnerRecords {
  readonly ledger: Ledger;
  /** Those of the bank, and their owners. */
  readonly tickets: readonly { readonly ticketId: number; readonly userProfileId: number | null }[];
}

type Ledger = readonly LedgerEntry[];

/** The create of the merchant of a party. */
export function createOf({ externalId }: Pick<Party, 'externalId'>, ledger: Ledger): LedgerEntry | undefined {
  return ledger.find(({ operation, guid }) => /^create-merchant/.test(operation) && guid === externalId);
}

/** The submission of the business of a party. */
export function holderOf(
  { businessName, legalName }: Pick<Party, 'businessName' | 'legalName'>,
  ledger: Ledger,
): LedgerEntry | undefined {
  return ledger.find(
    ({ operation, name, of }) => operation === HOLDER && name === businessName && of === legalName,
  );
}

/** The replies to a ticket. */
export function repliesTo(ticket: string, ledger: Ledger): LedgerEntry[] {
  return ledger.filter(({ operation, of }) => operation === 'create-ticket' && String(of) === ticket);
}

/** The `mid` that the sandbox gives a merchant. */
export function finalMid(merchantProfileId: number): string {
  return `5180${String(merchantProfileId).padStart(11, '0')}`;
}

/**
 * The submission of a merchant or a business, and how people at its partner approve it. Undefined before the submission has
 * arrived.
 */
export function approvalOf(party: Party, part: 'boarding' | 'business', ledger: Ledger) {
  const isBoarding = part === 'boarding';
  const isIts = ({ operation, guid }: LedgerEntry) =>
    /^submit-merchant/.test(operation) && guid === party.externalId;
  const submission = isBoarding ? ledger.find(isIts) : holderOf(party, ledger);
  if (!submission) return undefined;
  const id = Number(submission.id);
  const path = `/sandbox/${isBoarding ? 'merchants' : 'profiles'}/${id}/transition`;
  const change = isBoarding ? { status: 'Approved', mid: finalMid(id) } : { bankingStatus: 'Approved' };
  return { submission, path, change };
}

/**
 * Problems with the writes of each party, and writes that belong to no party.
 *
 * @param isUnderWay whether writes of a party may still be missing; none may be doubled
 */
export function auditOf(
  { ledger, tickets }: PartnerRecords,
  cast: readonly Party[],
  isUnderWay: (party: Party) => boolean,
): { readonly wrong: ReadonlyMap<Party, readonly string[]>; readonly unowned: readonly string[] } {
  const claims = cast.map((party) => ({ party, entries: entriesOf(party, { ledger, tickets }) }));
  const claimed = new Set(claims.flatMap(({ entries }) => entries));
  const problems = claims.map(({ party, entries }) => {
    const wanted = { ...boardingWritesOf(party), ...party.parts.business?.writes };
    return [party, differences(wanted, entries, isUnderWay(party))] as const;
  });
  return {
    wrong: new Map(problems.filter(([, those]) => those.length > 0)),
    unowned: ledger
      .filter((entry) => !claimed.has(entry))
      .map(({ seq, operation, id }) => `entry ${seq}, ${operation} ${id}, belongs to no party`),
  };
}

/** The effects that belong to a party, which each partner identifies in its own way. */
export function entriesOf(
  { externalId, parts, businessName, legalName }: Party,
  { ledger, tickets }: PartnerRecords,
): LedgerEntry[] {
  const boarding = ledger.filter(({ system, guid }) => system === 'boarding' && guid === externalId);
  const banking = ledger.filter(({ system }) => system === 'banking');
  const holders = banking.filter(
    ({ name, of }) => parts.business && name === businessName && of === legalName,
  );
  const profiles = holders.map(({ id }) => id);
  const users = profiles.map((id) => userProfileIdOf(Number(id)));
  const isAsked = (ticket: LedgerEntry['of']) =>
    tickets.some(
      ({ ticketId, userProfileId }) => ticketId === Number(ticket) && users.includes(userProfileId ?? 0),
    );
  const own = banking.filter((entry) => {
    if (entry.operation === 'create-ticket') return isAsked(entry.of);
    return holders.includes(entry) || (profiles.includes(entry.id) && entry.operation !== HOLDER);
  });
  return [...boarding, ...own];
}

export function differences(wanted: Writes, entries: readonly LedgerEntry[], isUnderWay: boolean): string[] {
  const operations = new Set([...Object.keys(wanted), ...entries.map(({ operation }) => operation)]);
  return [...operations].flatMap((operation) => {
    const count = entries.filter((entry) => entry.operation === operation).length;
    const due = wanted[operation] ?? 0;
    const isRight = due === 'some' ? count > 0 : count === due;
    const mayStillBe = isUnderWay && (due === 'some' || count < due);
    return isRight || mayStillBe ? [] : [`${operation} took effect ${count} times, not ${due}`];
  });
}

/** The ledger, with each create also under the number with which a partner that counts twice has responded to it. */
export function asNumbered(ledger: Ledger, { habits }: Plan): Ledger {
  if (!habits.includes('numbers-of-v1')) return ledger;
  const creates = ledger.filter(({ operation }) => operation === 'create-merchant-v1');
  return [...ledger, ...creates.map((entry) => ({ ...entry, id: Number(entry.id) + APPLICATION_NUMBERS }))];
}
