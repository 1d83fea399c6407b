import { activityInfo, cancellationSignal, getClient, heartbeat } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { z } from 'zod';
import { PARTNER_ERROR, SOFTWARE_ERROR } from '../messages/activities.js';
import { ONBOARDINGS } from '../messages/workflow-types.js';
import type { CallOptions } from '../partners/client.js';
import {
  failsForAccount,
  isForbidden,
  isUnauthenticated,
  PartnerError,
  type PartnerErrorDetails,
} from '../partners/partner-error.js';
import { fieldProblems } from '../partners/schema-messages.js';
import { OPEN_MS } from './circuit-breaker.js';

/** The interval between heartbeats of a running call, in milliseconds, and the minimum number of heartbeats per timeout. */
const HEARTBEAT_MS = 3_000;
const HEARTBEATS_PER_TIMEOUT = 3;

/** The number of attempts in which a 404 may mean that a new record is not visible yet. */
const NOT_FOUND_ATTEMPTS = 6;

/** The time limit for a report from an activity to Temporal, in milliseconds. */
const REPORT_TIMEOUT_MS = 5_000;

/** Makes a request to Temporal that must not delay an activity. */
export function callWithDeadline<T>(
  request: (client: Client) => Promise<T>,
  client = getClient(),
): Promise<T> {
  return client.withDeadline(Date.now() + REPORT_TIMEOUT_MS, () => request(client));
}

export interface Repetition {
  /** The minimum wait before the next attempt, in milliseconds. Default: the retry policy's. */
  readonly pauseMs?: number;
  /** The record may be new, so a 404 is retried a few times. Default: a 404 is final. */
  readonly mayBeNew?: boolean;
  /** The record was seen before, so a 404 is retried like any other failure, and people see the wait. */
  readonly existed?: boolean;
  /** It may be a record of another organization, so a 403 is final. */
  readonly mayBeForeign?: boolean;
  /** The details of each heartbeat, for later attempts. */
  readonly progress?: unknown;
}

/**
 * Makes a read or an idempotent write, and decides whether the server retries its failure. It does if the partner was not reached
 * or gave no clear response, or, soon after a create, if the new record is not visible yet.
 */
export async function withRetries<T>(call: () => Promise<T>, repetition: Repetition = {}): Promise<T> {
  const { pauseMs = 0, mayBeNew = false, existed = false, mayBeForeign = false, progress } = repetition;
  try {
    return await withHeartbeat(call, progress);
  } catch (error) {
    if (!(error instanceof PartnerError)) throw error;
    const isRetried =
      isRetryable(error, activityInfo().attempt, mayBeNew) || (existed && error.status === 404);
    throw toFailure(error, isRetried && !(mayBeForeign && isForbidden(error.details)), { pauseMs });
  }
}

export function isRetryable(error: PartnerError, attempt: number, mayBeNew: boolean): boolean {
  switch (error.kind) {
    case 'NotSent':
    case 'RateLimited':
    case 'Uncertain':
    case 'Unauthorized':
      return true;
    case 'Rejected':
      return mayBeNew && error.status === 404 && attempt < NOT_FOUND_ATTEMPTS;
    case 'Forbidden':
      return isUnauthenticated(error.details) || awaitsPermission(error);
  }
}

/**
 * Reports whether the call waits for a permission, for which the account asks once for all onboardings. An operation asks for
 * itself, because its record may belong to another organization.
 */
export function awaitsPermission(error: PartnerError): boolean {
  return isForbidden(error.details) && (activityInfo().workflowType ?? '') in ONBOARDINGS;
}

export function callOptions(): CallOptions {
  return { signal: cancellationSignal() };
}

/** Makes a call that may take long, and sends heartbeats until it ends. */
export async function withHeartbeat<T>(call: () => Promise<T>, progress?: unknown): Promise<T> {
  const { heartbeatTimeoutMs: timeoutMs = Number.POSITIVE_INFINITY } = activityInfo();
  const beat = setInterval(heartbeat, Math.min(HEARTBEAT_MS, timeoutMs / HEARTBEATS_PER_TIMEOUT), progress);
  try {
    return await call();
  } finally {
    clearInterval(beat);
  }
}

/** @param more details to add to the client's */
export function toFailure(
  error: PartnerError,
  retryable: boolean,
  {
    pauseMs = 0,
    ...more
  }: { pauseMs?: number } & Pick<PartnerErrorDetails, 'sentAt' | 'baseline' | 'phase'> = {},
): ApplicationFailure {
  const { retryAfterMs = 0 } = error.details;
  const isDenied = error.kind === 'Unauthorized' || error.kind === 'Forbidden';
  const nextRetryDelay = Math.max(pauseMs, retryAfterMs, isDenied ? OPEN_MS : 0);
  return ApplicationFailure.create({
    type: PARTNER_ERROR,
    message: error.message,
    details: [{ ...error.details, ...more } satisfies PartnerErrorDetails],
    nonRetryable: !retryable,
    ...(retryable && nextRetryDelay > 0 && { nextRetryDelay }),
  });
}

/** Makes a call. Renames fields of the request in its problems to fields of the input. */
export async function withFieldNames<T>(
  inInput: (field: string) => string,
  call: () => Promise<T>,
): Promise<T> {
  try {
    return await call();
  } catch (error) {
    // The problems of an unreadable response name response fields, not request fields.
    if (!(error instanceof PartnerError) || error.details.unreadable !== undefined) throw error;
    const fields = error.fields.map(({ field, message }) => ({ field: inInput(field), message }));
    throw new PartnerError({ ...error.details, fields }, { cause: error });
  }
}

/** Checks a request before it is sent, because a correction may have put anything into it. Problems name fields of the schema. */
export function parseRequest<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  call: Pick<PartnerErrorDetails, 'system' | 'operation'>,
): z.output<Schema> {
  const { success, data, error } = schema.safeParse(input);
  if (success) return data;
  const fields = fieldProblems(error);
  throw new PartnerError({ ...call, kind: 'Rejected', fields, reason: 'not sent: invalid request' });
}

/** Returns the failed partner call or our own error in an activity's failure; undefined for any other failure. */
export function partnerErrorOfActivity(error: unknown): PartnerErrorDetails | undefined {
  if (!(error instanceof ApplicationFailure)) return undefined;
  if (error.type !== PARTNER_ERROR && error.type !== SOFTWARE_ERROR) return undefined;
  return error.details?.[0] as PartnerErrorDetails;
}

/**
 * Reads a record a second time. If the read fails for the whole account, the first result may be enough. The partner has just
 * accepted the credentials, so a 401 means a missing permission.
 */
export async function readAgain<T>(read: () => Promise<T>, first: T, isEnough: (now: T) => boolean) {
  return read().catch((error: unknown) => {
    if (!(error instanceof PartnerError)) throw error;
    const { kind, atSignIn, needs } = error.details;
    const isDenied = kind === 'Unauthorized' && !atSignIn && !needs;
    const failure = isDenied ? new PartnerError({ ...error.details, kind: 'Forbidden' }) : error;
    if (failsForAccount(failure.details) === undefined || !isEnough(first)) throw failure;
    return first;
  });
}

/** Returns the failure of a call that the partner does not permit although it accepts our credentials. */
export function asForbidden({ atSignIn: _, needs: __, ...details }: PartnerErrorDetails): ApplicationFailure {
  const error = new PartnerError({ ...details, kind: 'Forbidden' });
  return toFailure(error, awaitsPermission(error));
}

/** Reports whether the partner rejected this request, and not the sign-in or the credentials, which a person can fix. */
function isRejected({ kind, details: { needs, atSignIn } }: PartnerError): boolean {
  return !needs && !atSignIn && (kind === 'Rejected' || kind === 'Forbidden');
}

/** Returns the result of a call, or `otherwise` for a failure of the partner that matches. */
const unlessFailed =
  (matches: (error: PartnerError) => boolean) =>
  <T, Otherwise>(call: Promise<T>, otherwise: Otherwise): Promise<T | Otherwise> =>
    call.catch((error: unknown) => {
      if (error instanceof PartnerError && matches(error)) return otherwise;
      throw error;
    });

/** Returns the result of a call, or `otherwise` if the partner rejects this request. */
export const ifNotRejected = unlessFailed(isRejected);

/** Returns the result of a read, or `otherwise` if this account sees no such record. */
export const ifVisible = unlessFailed(
  (error) => isRejected(error) && (error.status === 404 || error.kind === 'Forbidden'),
);

/** Returns the result of a read, or `otherwise` if the record does not exist (404). */
export const ifFound = unlessFailed(({ kind, status }) => kind === 'Rejected' && status === 404);
