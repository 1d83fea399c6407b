import { activityInfo, heartbeat } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { PARTNER_ERROR } from '../messages/boarding-activities.js';
import { PartnerError, type PartnerErrorDetails } from '../partners/partner-error.js';

/** How often a running write tells the server that its worker lives; a third of its heartbeat time-out. */
const HEARTBEAT_MS = 3_000;

/** Attempts in which a 404 may just mean that the partner has not caught up with its own create yet. */
const NOT_FOUND_ATTEMPTS = 6;

/**
 * The one place that decides which failures are worth another try by themselves. A read (or a write that leaves the
 * same state however often it runs) may be repeated when the partner was not reached or gave no clear answer, and
 * soon after a create when it does not find the merchant yet.
 *
 * @param paceMs the least wait before another try, in place of what the retry policy says; 0 leaves it to the policy
 */
export async function repeatable<T>(call: () => Promise<T>, paceMs = 0): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof PartnerError)) throw error;
    throw asFailure(error, isWorthRepeating(error, activityInfo().attempt), paceMs);
  }
}

export function isWorthRepeating(error: PartnerError, attempt: number): boolean {
  switch (error.kind) {
    case 'NotSent':
    case 'RateLimited':
    case 'Uncertain':
      return true;
    case 'Rejected':
      return error.status === 404 && attempt < NOT_FOUND_ATTEMPTS;
    default:
      return false;
  }
}

/** For a write without an idempotency key: never retried here, the workflow decides. */
export async function once<T>(call: () => Promise<T>): Promise<T> {
  const beat = setInterval(heartbeat, HEARTBEAT_MS);
  try {
    return await call();
  } catch (error) {
    throw error instanceof PartnerError ? asFailure(error, false) : error;
  } finally {
    clearInterval(beat);
  }
}

function asFailure(error: PartnerError, retryable: boolean, paceMs = 0): ApplicationFailure {
  const { retryAfterMs } = error.details;
  const paced = paceMs > 0 || retryAfterMs !== undefined;
  return ApplicationFailure.create({
    type: PARTNER_ERROR,
    message: error.message,
    details: [error.details satisfies PartnerErrorDetails],
    nonRetryable: !retryable,
    ...(retryable && paced && { nextRetryDelay: Math.max(paceMs, retryAfterMs ?? 0) }),
  });
}
