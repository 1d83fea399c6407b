import { z } from 'zod';
import type { HttpResponse } from '../http.js';
import type { Unwrapped } from '../responses.js';
import { type accountHolder, beneficialOwner, type businessAccountHolder } from './requests.js';

/** The holder's own fields of E7, as people write them. `annualBusinessRevenue` is in whole US dollars. */
export type AccountHolder = z.input<typeof accountHolder>;
export type BeneficialOwner = z.input<typeof beneficialOwner>;
export type HolderSubmission = z.input<typeof businessAccountHolder>;

/** The owners as people write them: one list. The partner accepts at most four. */
export const beneficialOwners = z.array(beneficialOwner).max(4, 'at most four beneficial owners');

export const OWNER_FIELDS = ['owner', 'owner2', 'owner3', 'owner4'] as const;

/**
 * Converts a holder and its list of beneficial owners to the form of E7, with the owners as `owner`, `owner2`, `owner3` and
 * `owner4`. Omits fields of absent owners.
 *
 * @throws {RangeError} if there are more than four. Check input with {@link beneficialOwners} first.
 */
export function submissionOf(
  holder: AccountHolder,
  owners: readonly BeneficialOwner[] = [],
): HolderSubmission {
  if (owners.length > OWNER_FIELDS.length) throw new RangeError('at most four beneficial owners');
  const fields = owners.map((owner, index) => [OWNER_FIELDS[index], owner]);
  return { ...holder, ...Object.fromEntries(fields) };
}

/** Returns the yearly revenue of a submission in cents; the submission has it in dollars. null if absent. */
export function submittedRevenueInCents({
  annualBusinessRevenue: dollars,
}: Pick<AccountHolder, 'annualBusinessRevenue'>): bigint | null {
  return dollars === undefined || dollars === null ? null : BigInt(dollars) * 100n;
}

const SPEAKS_OF_A_LOCK = /lock|suspend|disabled|deactivat/i;
const SPEAKS_OF_A_FACTOR =
  /multi-?factor|mfa|2fa|two-?factor|one-?time|smscode|typeoperation|(?<![a-z])otp(?![a-z])/i;

/**
 * Reports whether E1 failed because a one-time code is missing or wrong. The contract says 401 or 403, as for other failures, and
 * not how to tell them apart. Assumption: a 403 is about the code unless its message mentions a lock or a suspension; a 401 is
 * about the code if its message mentions codes or factors.
 */
export function asksForCode({ status, body }: HttpResponse, opened: Unwrapped | undefined): boolean {
  if (status !== 401 && status !== 403) return false;
  const said = body.toString('utf8');
  if (SPEAKS_OF_A_LOCK.test(said)) return false;
  const messages = (opened?.fields ?? []).map(({ message }) => message).join('\n');
  return status === 403 || SPEAKS_OF_A_FACTOR.test(said) || /\bcode\b/i.test(messages);
}
