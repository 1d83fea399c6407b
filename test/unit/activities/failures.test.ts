import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import {
  callOptions,
  isRetryable,
  parseRequest,
  partnerErrorOfActivity,
  type Repetition,
  withFieldNames,
  withRetries,
} from '../../../src/activities/failures.js';
import {
  PartnerError,
  type PartnerErrorDetails,
  type PartnerErrorKind,
} from '../../../src/partners/partner-error.js';
import { environment } from '../../rigs/activities/environment.js';

function failed(
  kind: PartnerErrorKind,
  status?: number,
  retryAfterMs?: number,
  more: Partial<PartnerErrorDetails> = {},
): PartnerError {
  return new PartnerError({
    system: 'boarding',
    operation: 'get-status',
    kind,
    fields: [],
    reason: `HTTP ${status}`,
    ...(status !== undefined && { status }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...more,
  });
}

describe('a read is retried', () => {
  it.each<[PartnerErrorKind, number | undefined, number, boolean, isNew?: boolean]>([
    ['NotSent', undefined, 1, true],
    ['NotSent', undefined, 1_000, true],
    ['RateLimited', 429, 1, true],
    ['RateLimited', 429, 1_000, true],
    ['Uncertain', undefined, 1, true],
    ['Uncertain', 500, 1, true],
    ['Uncertain', 503, 1_000, true],
    ['Uncertain', 200, 1, true],
    // Right after a create the partner may not find its own merchant yet.
    ['Rejected', 404, 1, true],
    ['Rejected', 404, 5, true],
    ['Rejected', 404, 6, false],
    ['Rejected', 404, 1_000, false],
    ['Rejected', 400, 1, false],
    ['Rejected', 200, 1, false],
    ['Rejected', undefined, 1, false],
    // The credentials may be corrected; that is asked once for the whole account.
    ['Unauthorized', 401, 1, true],
    ['Forbidden', 403, 1, false],
    // Of a record that is not new.
    ['Uncertain', 503, 1, true, false],
    ['RateLimited', 429, 1, true, false],
    ['Rejected', 404, 1, false, false],
  ])('%s with status %s at attempt %i: %s', async (kind, status, attempt, expected, isNew = true) => {
    const check = async () => isRetryable(failed(kind, status), attempt, isNew);
    expect(await environment({ workflowType: 'partnerOperation' }).run(check)).toBe(expected);
  });

  it('by an onboarding, whose account asks for the permission, unless the record may be of somebody else', async () => {
    const denied = () => Promise.reject(failed('Forbidden', 403));
    const outcome = (repetition: Repetition, workflowType: string) =>
      environment({ workflowType })
        .run(() => withRetries(denied, repetition))
        .catch((error: ApplicationFailure) => error);
    for (const workflowType of ['merchantBoarding', 'businessOnboarding'])
      expect(await outcome({}, workflowType)).toMatchObject({ nonRetryable: false, nextRetryDelay: 60_000 });
    expect(await outcome({ mayBeForeign: true }, 'merchantBoarding')).toMatchObject({ nonRetryable: true });
    expect(await outcome({}, 'partnerOperation')).toMatchObject({ nonRetryable: true });
  });

  it.each([
    ['the sign-in before it was forbidden', { atSignIn: true }],
    ['only a one-time code is missing', { needs: 'one-time-code' }],
  ] as const)('when %s', (_, more) => {
    expect(isRetryable(failed('Forbidden', 403, undefined, more), 1_000, false)).toBe(true);
  });
});

describe('the failure of a call', () => {
  const outcomeOf = (error: unknown, repetition: Repetition = {}) =>
    new MockActivityEnvironment({}, { logger: new DefaultLogger('ERROR') })
      .run(() => withRetries(() => Promise.reject(error), repetition))
      .catch((failure: unknown) => failure);
  const MINUTE = 60_000;

  it.each<[string, PartnerError, Repetition, number | undefined]>([
    ['at the pace of the retry policy', failed('NotSent'), {}, undefined],
    ['at once, when the partner asks for no wait', failed('RateLimited', 429, 0), {}, undefined],
    ['after the wait that the partner asks for', failed('RateLimited', 429, 5_000), {}, 5_000],
    ['after the pause of the call', failed('Uncertain'), { pauseMs: 7_000 }, 7_000],
    ['after the longer of the two', failed('RateLimited', 429, 5_000), { pauseMs: 4_999 }, 5_000],
    ['a minute after refused credentials', failed('Unauthorized', 401), { pauseMs: 7_000 }, MINUTE],
    ['later, when the partner asks for it', failed('Unauthorized', 401, 2 * MINUTE), {}, 2 * MINUTE],
  ])('is retried %s', async (_, error, repetition, nextRetryDelay) => {
    expect(await outcomeOf(error, repetition)).toMatchObject({ nonRetryable: false, nextRetryDelay });
  });

  it.each([
    ['input', failed('Rejected', 400, 5_000)],
    ['a record that it does not have, where none is new', failed('Rejected', 404)],
  ])('is final when the partner rejects %s, and asks for no delay', async (_, error) => {
    const failure = await outcomeOf(error, { pauseMs: 7_000 });
    expect(failure).toMatchObject({ nonRetryable: true, nextRetryDelay: undefined });
  });

  it('holds what the client reports, and any other failure is left alone', async () => {
    const failure = await outcomeOf(failed('Rejected', 400));
    const message = 'boarding get-status: Rejected, HTTP 400';
    expect(failure).toMatchObject({ type: 'PartnerError', message });
    const reported = { system: 'boarding', operation: 'get-status', kind: 'Rejected', fields: [] };
    const details = { ...reported, reason: 'HTTP 400', status: 400 };
    expect(failure).toHaveProperty('details', [details]);
    expect(partnerErrorOfActivity(failure)).toEqual(details);
    const other = ApplicationFailure.create({ type: 'NotDue', details: [details] });
    expect(await outcomeOf(other)).toBe(other);
    expect([other, failed('Rejected')].map(partnerErrorOfActivity)).toEqual([undefined, undefined]);
  });
});

it('a problem of a call names the field of the input, unless the response was unreadable', async () => {
  const named = (error: Error) =>
    withFieldNames(
      (field) => `merchant.${field}`,
      () => Promise.reject(error),
    ).catch((failure: unknown) => failure);
  const dba = { field: 'dba', message: 'is too long' };
  const rejected = failed('Rejected', 400, undefined, { fields: [dba] });
  const fields = [{ ...dba, field: 'merchant.dba' }];
  expect(await named(rejected)).toMatchObject({ details: { ...rejected.details, fields }, cause: rejected });
  const unreadable = failed('Uncertain', 200, undefined, { unreadable: 'get-status', fields: [dba] });
  for (const other of [unreadable, new TypeError('a bug')]) expect(await named(other)).toBe(other);
});

it('what is about to be sent is checked, and rejected without a call', () => {
  const call = { system: 'boarding', operation: 'get-status' } as const;
  const check = (input: object) => parseRequest(z.object({ id: z.literal(7) }), input, call);
  expect(check({ id: 7, more: 1 })).toEqual({ id: 7 });
  const fields = [{ field: 'id', message: expect.any(String) }];
  const details = { ...call, kind: 'Rejected', fields, reason: 'not sent: invalid request' };
  expect(() => check({ id: 8 })).toThrow(expect.objectContaining({ details }));
});

describe('a running call', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
  afterEach(() => void vi.useRealTimers());

  /** The heartbeats of a call that takes this long, in milliseconds, and how many timers are left after it. */
  async function beatsOf(ms: number, info: object, ending: () => unknown) {
    const environment = new MockActivityEnvironment(info, { logger: new DefaultLogger('ERROR') });
    const beats: unknown[] = [];
    environment.on('heartbeat', (details) => beats.push(details));
    const call = async () => {
      vi.advanceTimersByTime(ms);
      return ending();
    };
    const progress = { hasRead: true };
    await environment.run(() => withRetries(call, { progress })).catch(() => undefined);
    return { beats, timers: vi.getTimerCount() };
  }

  it.each([
    [undefined, 3_000],
    [30_000, 3_000],
    [10_000, 3_000],
    [6_000, 2_000],
    [300, 100],
  ])('with a timeout of %s ms sends its progress every %i ms', async (heartbeatTimeoutMs, every) => {
    const info = { heartbeatTimeoutMs };
    const fails = () => Promise.reject(new Error());
    expect(await beatsOf(every - 1, info, fails)).toEqual({ beats: [], timers: 0 });
    const twice = [{ hasRead: true }, { hasRead: true }];
    expect(await beatsOf(2 * every, info, () => undefined)).toEqual({ beats: twice, timers: 0 });
  });

  it('is ended by the cancellation of its activity', async () => {
    const environment = new MockActivityEnvironment();
    const aborted: unknown[] = [];
    await environment.run(async () => {
      const { signal } = callOptions();
      aborted.push(signal?.aborted);
      environment.cancel();
      aborted.push(signal?.aborted);
    });
    expect(aborted).toEqual([false, true]);
  });
});
