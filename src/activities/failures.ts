import { activityInfo, cancellationSignal, heartbeat } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { PARTNER_ERROR } from '../messages/activities.js';
import type { CallOptions } from '../partners/client.js';
import { isRefusedAtTheDoor, PartnerError, type PartnerErrorDetails } from '../partners/partner-error.js';

/** How often a running call tells the server that its worker lives, and how often within its heartbeat time-out at least. */
const HEARTBEAT_MS = 3_000;
const HEARTBEATS_PER_TIMEOUT = 3;

/** Attempts in which a 404 may just mean that the partner has not caught up with its own create yet. */
const NOT_FOUND_ATTEMPTS = 6;

/** The least wait after credentials were refused, in milliseconds: more refusals could lock the account. */
export const REFUSED_PACE_MS = 60_000;

/** What is particular about repeating a call. */
export interface Repetition {
  /** The least wait before another try, in milliseconds, in place of what the retry policy says. */
  readonly paceMs?: number;
  /** What is asked for may have been made a moment ago. Otherwise a 404 is the answer, and not repeated. */
  readonly mayBeNew?: boolean;
  /** What each heartbeat carries, for the attempts after this one. */
  readonly progress?: unknown;
}

/**
 * The one place that decides which failures are worth another try by themselves. A read (or a write that leaves the
 * same state however often it runs) may be repeated when the partner was not reached or gave no clear answer, and
 * soon after a create when it does not find yet what was created.
 */
export async function repeatable<T>(call: () => Promise<T>, repetition: Repetition = {}): Promise<T> {
  const { paceMs = 0, mayBeNew = false, progress } = repetition;
  try {
    return await beating(call, progress);
  } catch (error) {
    if (!(error instanceof PartnerError)) throw error;
    throw asFailure(error, isWorthRepeating(error, activityInfo().attempt, mayBeNew), { paceMs });
  }
}

export function isWorthRepeating(error: PartnerError, attempt: number, mayBeNew: boolean): boolean {
  switch (error.kind) {
    case 'NotSent':
    case 'RateLimited':
    case 'Uncertain':
    case 'Unauthorized':
      return true;
    case 'Rejected':
      return mayBeNew && error.status === 404 && attempt < NOT_FOUND_ATTEMPTS;
    case 'Forbidden':
      return isRefusedAtTheDoor(error.details);
  }
}

/** For reads, which end when the activity is cancelled. */
export function untilCancelled(): CallOptions {
  return { signal: cancellationSignal() };
}

/** Makes a call that may take long, and tells the server all the while that its worker lives. */
export async function beating<T>(call: () => Promise<T>, progress?: unknown): Promise<T> {
  const { heartbeatTimeoutMs: timeoutMs = Number.POSITIVE_INFINITY } = activityInfo();
  const beat = setInterval(heartbeat, Math.min(HEARTBEAT_MS, timeoutMs / HEARTBEATS_PER_TIMEOUT), progress);
  try {
    return await call();
  } finally {
    clearInterval(beat);
  }
}

/** @param more what an attempt knows beside what the client does */
export function asFailure(
  error: PartnerError,
  retryable: boolean,
  { paceMs = 0, ...more }: { paceMs?: number } & Pick<PartnerErrorDetails, 'sentAt' | 'baseline'> = {},
): ApplicationFailure {
  const { retryAfterMs = 0 } = error.details;
  const nextRetryDelay = Math.max(
    paceMs,
    retryAfterMs,
    isRefusedAtTheDoor(error.details) ? REFUSED_PACE_MS : 0,
  );
  return ApplicationFailure.create({
    type: PARTNER_ERROR,
    message: error.message,
    details: [{ ...error.details, ...more } satisfies PartnerErrorDetails],
    nonRetryable: !retryable,
    ...(retryable && nextRetryDelay > 0 && { nextRetryDelay }),
  });
}
