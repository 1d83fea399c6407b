import { z } from 'zod';
import type { Opened } from '../client.js';
import type { HttpResponse } from '../http.js';
import { type accountHolder, beneficialOwner, type businessAccountHolder } from './requests.js';
import type { BusinessHolderRecord } from './responses.js';

/** The holder's own fields of E7, as people write them. `annualBusinessRevenue` is in whole US dollars. */
export type AccountHolder = z.input<typeof accountHolder>;
export type BeneficialOwner = z.input<typeof beneficialOwner>;
/** E7 as it travels. */
export type HolderSubmission = z.input<typeof businessAccountHolder>;

/** The owners as people write them: one list. The partner takes four at most. */
export const beneficialOwners = z.array(beneficialOwner).max(4, 'at most four beneficial owners');

/** The owners' members in E7, in their order. */
export const OWNER_FIELDS = ['owner', 'owner2', 'owner3', 'owner4'] as const;

/**
 * The holder and the list of its beneficial owners in the form that E7 takes: the owners, in their order, as
 * `owner`, `owner2`, `owner3` and `owner4`. Members of owners that are not there are left out.
 *
 * @throws {RangeError} when there are more than four. Input from outside is checked with {@link beneficialOwners}.
 */
export function submissionOf(
  holder: AccountHolder,
  owners: readonly BeneficialOwner[] = [],
): HolderSubmission {
  if (owners.length > OWNER_FIELDS.length) throw new RangeError('at most four beneficial owners');
  const members = owners.map((owner, index) => [OWNER_FIELDS[index], owner]);
  return { ...holder, ...Object.fromEntries(members) };
}

/** Yearly revenue in cents, of a submission, which has it in dollars. Null when it was not given. */
export function submittedRevenueInCents({
  annualBusinessRevenue: dollars,
}: Pick<AccountHolder, 'annualBusinessRevenue'>): bigint | null {
  return dollars === undefined || dollars === null ? null : BigInt(dollars) * 100n;
}

/** Yearly revenue in cents, of a profile that was read, which has it in cents already. */
export function recordedRevenueInCents({
  annualBusinessRevenue: cents,
}: Pick<BusinessHolderRecord, 'annualBusinessRevenue'>): bigint | null {
  return cents === null ? null : BigInt(cents);
}

const SPEAKS_OF_A_LOCK = /lock|suspend|disabled|deactivat/i;
const SPEAKS_OF_A_FACTOR =
  /multi-?factor|mfa|2fa|two-?factor|one-?time|smscode|typeoperation|(?<![a-z])otp(?![a-z])/i;

/**
 * Whether E1 refused because a one-time code is missing or wrong. The contract says that this gives 401 or 403, as
 * other refusals do, and not how they differ. Assumed: a 403 that does not speak of a lock or a suspension is about
 * the code, and a 401 is when it speaks of codes or factors.
 */
export function asksForCode({ status, body }: HttpResponse, opened: Opened | undefined): boolean {
  if (status !== 401 && status !== 403) return false;
  const said = body.toString('utf8');
  if (SPEAKS_OF_A_LOCK.test(said)) return false;
  const messages = (opened?.fields ?? []).map(({ message }) => message).join('\n');
  return status === 403 || SPEAKS_OF_A_FACTOR.test(said) || /\bcode\b/i.test(messages);
}
