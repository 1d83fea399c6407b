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

/** The interval between heartbeats of a running call, in milliseconds, and the minimum number of heartbeats within its timeout. */
const HEARTBEAT_MS = 3_000;
const HEARTBEATS_PER_TIMEOUT = 3;

/** The number of attempts in which a 404 may mean that the partner cannot find a new record yet. */
const NOT_FOUND_ATTEMPTS = 6;

/** The time limit for a report from an activity to Temporal, in milliseconds. */
const REPORT_TIMEOUT_MS = 5_000;

/** Makes a request to Temporal that must not hold up an activity. */
export function callWithDeadline<T>(
  request: (client: Client) => Promise<T>,
  client = getClient(),
): Promise<T> {
  return client.withDeadline(Date.now() + REPORT_TIMEOUT_MS, () => request(client));
}

export interface Repetition {
  /** The minimum wait before the next attempt, in milliseconds. Default: the retry policy's. */
  readonly pauseMs?: number;
  /** The record may have been created a moment ago. Otherwise a 404 is final. */
  readonly mayBeNew?: boolean;
  /** The record existed before, so a 404 is retried like any other failure, and people see it as a wait. */
  readonly existed?: boolean;
  /** It may be a record of another organization, so a 403 is final. */
  readonly mayBeForeign?: boolean;
  /** The details of each heartbeat, for later attempts. */
  readonly progress?: unknown;
}

/**
 * Makes a read or an idempotent write, and decides whether the server retries its failure: it does if the partner was not reached or
 * gave no clear response, and, soon after a create, if the partner does not find the new record yet.
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
 * Reports whether the call waits for a permission. The account asks for it once, for all onboardings. An operation asks for itself,
 * because its record may belong to another organization.
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

/** @param more details that the attempt adds to those of the client */
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

/** Makes a call. In its problems, renames fields of the request to fields of the input. */
export async function withFieldNames<T>(
  inInput: (field: string) => string,
  call: () => Promise<T>,
): Promise<T> {
  try {
    return await call();
  } catch (error) {
    // The problems of an unreadable response name fields of the response.
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

/** Returns the failed partner call, or the error of our own code, in an activity's failure; undefined for any other failure. */
export function partnerErrorOfActivity(error: unknown): PartnerErrorDetails | undefined {
  if (!(error instanceof ApplicationFailure)) return undefined;
  if (error.type !== PARTNER_ERROR && error.type !== SOFTWARE_ERROR) return undefined;
  return error.details?.[0] as PartnerErrorDetails;
}

/**
 * Makes the second read of a record. If it fails for the whole account, the result of the first read may be enough. The partner has
 * just accepted the credentials for that one, so a 401 is about a permission.
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

/** The failure of a call that the partner does not permit, although it accepts our credentials. */
export function asForbidden({ atSignIn: _, needs: __, ...details }: PartnerErrorDetails): ApplicationFailure {
  const error = new PartnerError({ ...details, kind: 'Forbidden' });
  return toFailure(error, awaitsPermission(error));
}

/**
 * Reports whether the partner rejected this request itself, and not the sign-in or the credentials, with which a person can help.
 */
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

/** The result of a call, or `otherwise` when the partner rejects the request itself. */
export const ifNotRejected = unlessFailed(isRejected);

/** The result of a read, or `otherwise` when there is no such record that this account may see. */
export const ifVisible = unlessFailed(
  (error) => isRejected(error) && (error.status === 404 || error.kind === 'Forbidden'),
);

/** The result of a read, or `otherwise` when the partner responds with 404: the record that it names does not exist. */
export const ifFound = unlessFailed(({ kind, status }) => kind === 'Rejected' && status === 404);
