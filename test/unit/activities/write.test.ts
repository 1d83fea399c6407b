import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import { status } from '@grpc/grpc-js';
import { CompleteAsyncError } from '@temporalio/activity';
import {
  ActivityCancelledError,
  ActivityCompletionError,
  ActivityNotFoundError,
  ActivityPausedError,
  ActivityResetError,
  type Client,
} from '@temporalio/client';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { sendOnce, sendOnceThenRead, sendRepeatably } from '../../../src/activities/write.js';
import {
  type RepeatableSendOptions,
  reportsOutcomes,
  type SendOptions,
  watched,
} from '../../../src/at-most-once/activity.js';
import type { Intent } from '../../../src/at-most-once/intent.js';
import {
  PartnerError,
  type PartnerErrorDetails,
  type PartnerErrorKind,
} from '../../../src/partners/partner-error.js';

/** Attempts that fail by design are not reported. */
const QUIET = new DefaultLogger('ERROR');
/** When an earlier attempt sent its request, and now. */
const SENT_AT = '2026-01-01T00:00:00.000Z';
const NOW = '2026-01-01T06:00:00.000Z';

/** The pauses before a request to Temporal is repeated, in milliseconds. No test waits for them. */
const pauses: unknown[] = [];
beforeEach(() => {
  pauses.length = 0;
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: Date.parse(NOW) });
  vi.spyOn(timers, 'setTimeout').mockImplementation(async (ms) => void pauses.push(ms) as never);
  syncBuiltinESMExports();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

function failed(kind: PartnerErrorKind, more: object = {}): PartnerError {
  return new PartnerError({ system: 'boarding', operation: 'create', kind, fields: [], reason: '', ...more });
}

type Baseline = Pick<PartnerErrorDetails, 'baseline' | 'phase'>;
type Options = SendOptions<Baseline>;

interface Reported {
  readonly name: string;
  readonly nonRetryable: boolean;
  readonly details?: readonly PartnerErrorDetails[];
}

const at = (sentAt: string | undefined) => (sentAt ? ` at ${sentAt}` : '');
const from = (baseline: readonly number[] | undefined) => (baseline ? ` from ${baseline}` : '');

interface Course {
  readonly info?: ConstructorParameters<typeof MockActivityEnvironment>[0];
  readonly answers?: (Error | undefined)[];
  /** The responses of Temporal before the mark. */
  readonly connects?: Error[];
  readonly mayRepeat?: boolean;
  /** Collects the failures that the attempt reports itself. */
  readonly reported?: unknown[];
  readonly read?: () => Promise<unknown>;
}

/** One attempt of a write, with a Temporal service whose responses to each request are given: an error is thrown. */
async function attempt(
  call: (options: Options & RepeatableSendOptions) => Promise<unknown>,
  { info = {}, answers = [], connects = [], mayRepeat = false, reported = [], read }: Course = {},
) {
  const log: string[] = [];
  const limits = new Set<number>();
  const signals: AbortSignal[] = [];
  const next = async (entry: string) => {
    const answer = answers.shift();
    log.push(answer ? `${entry} refused` : entry);
    if (answer) throw answer;
  };
  const service = {
    workflowService: {
      getSystemInfo: async () => {
        const error = connects.shift();
        if (!error) return {};
        log.push(error.message);
        throw error;
      },
    },
    withDeadline: (deadline: number, request: () => Promise<void>) => {
      limits.add(deadline - Date.now());
      return request();
    },
    withAbortSignal: ({ aborted }: AbortSignal, request: () => Promise<void>) =>
      aborted ? Promise.reject(new Error('aborted')) : request(),
    activity: {
      heartbeat: (_: unknown, { sending, baseline, response }: Intent<Baseline>) =>
        next(
          response ? `record ${JSON.stringify(response)}` : `${sending ? 'mark' : 'clear'}${from(baseline)}`,
        ),
      complete: (_: unknown, result: unknown) => next(`complete ${JSON.stringify(result)}`),
      fail: (_: unknown, failure: Reported) => {
        reported.push(failure);
        const [details] = failure.details ?? [];
        const kind = `${details?.kind ?? failure.name}${failure.nonRetryable ? ' for good' : ''}`;
        return next(`fail ${kind}${at(details?.sentAt)}${from(details?.baseline)}`);
      },
    },
  };
  const environment = new MockActivityEnvironment(info, {
    logger: QUIET,
    client: service as unknown as Client,
    interceptors: [reportsOutcomes],
  });
  const send = async (options: Options & RepeatableSendOptions) => {
    const result = await call(options);
    log.push('sent');
    return result;
  };
  const outcome: unknown = await environment
    .run(() => {
      if (!read) return mayRepeat ? sendRepeatably(send as never) : watched(sendOnce(send as never));
      const sent = sendOnceThenRead(send as () => Promise<object>, (_, { signal }) => {
        signals.push(signal);
        log.push('read');
        return read();
      });
      return watched(sent);
    })
    .catch((error: unknown) => error);
  return { log, outcome, limits: [...limits], signals };
}

const sending =
  (becomes: unknown = 'ok') =>
  async ({ beforeSending }: Options) => {
    await beforeSending();
    if (becomes instanceof Error) throw becomes;
    return becomes;
  };
const notSending = (error: Error) => async () => {
  throw error;
};
const retryable = (kind: string) => ({ type: 'PartnerError', nonRetryable: false, details: [{ kind }] });

describe('a write', () => {
  // Proves A1.
  it('is sent after its mark, and reports its response itself', async () => {
    const { log, outcome } = await attempt(sending({ id: 7 }));
    expect(log).toEqual(['mark', 'sent', 'complete {"id":7}']);
    expect(outcome).toBeInstanceOf(CompleteAsyncError);
  });

  // Proves A2.
  it('is not sent when the attempt before it left a mark: that request may have taken effect', async () => {
    const heartbeatDetails = { sending: true, sentAt: SENT_AT, response: { id: 7 } };
    const info = { attempt: 2, activityType: 'createMerchant', heartbeatDetails };
    const { log, outcome } = await attempt(sending(), { info });
    expect(log).toEqual([]);
    const reason = 'its worker stopped before the response was recorded';
    const details = { system: 'gangway', operation: 'createMerchant', kind: 'Uncertain', fields: [], reason };
    const lost = { type: 'PartnerError', nonRetryable: true, details: [{ ...details, sentAt: SENT_AT }] };
    expect(outcome).toMatchObject(lost);
    expect(outcome).not.toHaveProperty('details.0.response');
    expect(outcome).not.toHaveProperty('details.0.sending');
  });

  it('keeps the baseline in its mark and in its failure', async () => {
    const call = async ({ compareWith, beforeSending }: Options) => {
      compareWith({ baseline: [3, 4] });
      await beforeSending();
      throw failed('Uncertain');
    };
    const fails = `fail Uncertain for good at ${NOW} from 3,4`;
    expect((await attempt(call)).log).toEqual(['mark from 3,4', fails]);
    const heartbeatDetails = { sending: true, sentAt: SENT_AT, baseline: [3, 4] };
    const { outcome } = await attempt(sending(), { info: { attempt: 2, heartbeatDetails } });
    expect(outcome).toMatchObject({ details: [{ kind: 'Uncertain', baseline: [3, 4] }] });
  });

  const scheduledTimestampMs = Date.UTC(2026, 0, 1);
  const startToCloseTimeoutMs = 120_000;
  const scheduledLater = (laterMs: number) => ({
    ...{ attempt: 1, scheduledTimestampMs, startToCloseTimeoutMs },
    currentAttemptScheduledTimestampMs: scheduledTimestampMs + laterMs,
  });
  // By then an attempt can have timed out.
  const RESET = scheduledLater(startToCloseTimeoutMs);
  const CLEARED = { heartbeatDetails: { sending: false, sentAt: SENT_AT } };

  it.each([
    ['a timeout after it was scheduled', RESET],
    ['as early as the timer of the timeout may fire', scheduledLater(119_000)],
  ])('is not sent after a reset that removed the marks: %s', async (_, info) => {
    const { log, outcome } = await attempt(sending(), { info });
    expect(log).toEqual([]);
    const details = [{ kind: 'Uncertain', reason: 'it was reset together with its intent' }];
    expect(outcome).toMatchObject({ nonRetryable: true, details });
    expect(outcome).not.toHaveProperty('details.0.sentAt');
  });

  it.each([
    ['a first attempt that the server moved to another build', scheduledLater(118_999)],
    ['a first attempt whose timeout is shorter than a timer is exact', { startToCloseTimeoutMs: 1_000 }],
    ['an attempt after one that left no mark', { ...RESET, attempt: 2 }],
    ['an attempt after one that cleared its mark', { attempt: 2, ...CLEARED }],
    ['an attempt after a reset that left a cleared mark', { ...RESET, ...CLEARED }],
  ])('is sent by %s', async (_, info) => {
    expect((await attempt(sending(), { info })).log).toEqual(['mark', 'sent', 'complete "ok"']);
  });

  const [cancelled, paused] = [new ActivityCancelledError('cancelled'), new ActivityPausedError('paused')];
  const stops = [cancelled, paused, new ActivityResetError('reset')];

  const gone = new ActivityNotFoundError('gone');
  const hiding = async ({ beforeSending }: Options) => {
    await beforeSending().catch(() => undefined);
    throw failed('Uncertain');
  };

  // Proves A4.
  it.each<readonly [Error, log: readonly string[], type: string]>([
    ...stops.map((stop) => [stop, ['mark refused', 'clear'], 'NotSent'] as const),
    // By an attempt that the server has given up on.
    [gone, ['mark refused'], 'GivenUp'],
  ])('is not sent when its mark meets %s, even if the call hides that', async (stop, expected, type) => {
    for (const call of [sending(), hiding]) {
      const { log, outcome } = await attempt(call, { answers: [stop] });
      expect(log).toEqual(expected);
      expect(outcome).toMatchObject({ type, nonRetryable: false });
    }
  });

  it.each([
    [new TypeError('a bug'), 'TypeError: a bug'],
    ['no error' as never, 'Error: no error'],
  ])('is not sent when its mark fails with %s', async (problem, message) => {
    const { log, outcome } = await attempt(sending(), { answers: [problem] });
    expect([log[0], log.includes('sent'), String(outcome)]).toEqual(['mark refused', false, message]);
  });

  it.each([...stops, gone])(
    'that had no effect is retried although clearing its mark met %s',
    async (problem) => {
      const { log, outcome } = await attempt(sending(failed('NotSent')), { answers: [undefined, problem] });
      expect(log).toEqual(['mark', 'clear refused']);
      expect(outcome).toMatchObject(retryable('NotSent'));
    },
  );

  // Proves A3.
  it('that cannot clear its mark reports its failure itself', async () => {
    const answers = [undefined, new TypeError('a bug')];
    const { log, outcome } = await attempt(sending(failed('NotSent')), { answers });
    expect(log).toEqual(['mark', 'clear refused', 'fail TypeError']);
    expect(outcome).toBeInstanceOf(CompleteAsyncError);
  });

  it('is marked only once Temporal responds, even if it rejects the question', async () => {
    const grpc = (code: status) =>
      Object.assign(new Error(status[code]), { code, details: '', metadata: {} });
    const { UNAVAILABLE, CANCELLED, UNIMPLEMENTED, PERMISSION_DENIED } = status;
    const connects = [UNAVAILABLE, CANCELLED].map(grpc);
    const { log, limits } = await attempt(sending(), { connects });
    expect(log).toEqual(['UNAVAILABLE', 'CANCELLED', 'mark', 'sent', 'complete "ok"']);
    expect(pauses).toEqual([200, 200]);
    expect(limits, 'each request may take this long').toEqual([5_000]);
    for (const code of [UNIMPLEMENTED, PERMISSION_DENIED])
      expect((await attempt(sending(), { connects: [grpc(code)] })).log).toContain('sent');
    expect(pauses).toHaveLength(2);
  });

  it('waits for its mark while Temporal is unavailable, and is reported as long as that takes', async () => {
    const unavailable = () => new ActivityCompletionError('unavailable');
    const answers = [unavailable(), undefined, unavailable(), unavailable()];
    const { log } = await attempt(sending(), { answers });
    const reports = ['complete "ok" refused', 'complete "ok" refused', 'complete "ok"'];
    expect(log).toEqual(['mark refused', 'mark', 'sent', ...reports]);
  });

  it('whose mark comes after its call gave up leaves no mark of a sent request', async () => {
    const unavailable = () => new ActivityCompletionError('unavailable');
    const call = async ({ beforeSending }: Options) => {
      beforeSending().catch(() => undefined);
      throw failed('NotSent', { reason: 'it took too long' });
    };
    const { log, outcome } = await attempt(call, { answers: [unavailable(), unavailable()] });
    expect(log).toEqual(['mark refused', 'mark refused', 'mark', 'clear']);
    expect(outcome).toMatchObject(retryable('NotSent'));
  });

  it('is an error of the worker when its report fails in any other way', async () => {
    const { outcome } = await attempt(sending(), { answers: [undefined, new TypeError('a bug')] });
    expect(outcome).toMatchObject({ name: 'TypeError', message: 'a bug' });
  });

  it('is no longer reported once the server has given up on the attempt', async () => {
    const { log, outcome } = await attempt(sending(), { answers: [undefined, gone] });
    expect(log).toEqual(['mark', 'sent', 'complete "ok" refused']);
    expect(outcome).toBeInstanceOf(CompleteAsyncError);
  });

  it.each<[PartnerErrorKind, number | undefined, object?]>([
    ['NotSent', undefined],
    ['RateLimited', 30_000, { retryAfterMs: 30_000 }],
    ['Unauthorized', 60_000],
    // After a 401, the new sign-in needs a one-time code.
    ['Forbidden', 60_000, { atSignIn: true, needs: 'one-time-code' }],
    ['Forbidden', 60_000, { status: 403, needs: 'one-time-code' }],
  ])(
    'that had no effect (%s) clears its mark, and is retried after %s ms',
    async (kind, nextRetryDelay, more) => {
      const { log, outcome } = await attempt(sending(failed(kind, more)));
      expect(log).toEqual(['mark', 'clear']);
      expect(outcome).toMatchObject({ ...retryable(kind), nextRetryDelay });
    },
  );

  it('that an onboarding is not permitted clears its mark, and is sent again a minute later', async () => {
    const info = { workflowType: 'merchantBoarding' };
    const { log, outcome } = await attempt(sending(failed('Forbidden', { status: 403 })), { info });
    expect(log).toEqual(['mark', 'clear']);
    expect(outcome).toMatchObject({ ...retryable('Forbidden'), nextRetryDelay: 60_000 });
  });

  it.each<[PartnerErrorKind, string]>([
    ['Uncertain', `fail Uncertain for good at ${NOW}`],
    ['Rejected', 'fail Rejected for good'],
    ['Forbidden', 'fail Forbidden for good'],
  ])('that was sent and failed as %s is not retried', async (kind, report) => {
    const { log, outcome } = await attempt(sending(failed(kind)));
    expect(log).toEqual(['mark', report]);
    expect(outcome).toBeInstanceOf(CompleteAsyncError);
  });

  it.each([
    [new TypeError('ada@example.com'), 'TypeError'],
    ['ada@example.com', 'unknown'],
  ])('that was sent and met %s is uncertain, and does not show its message', async (thrown, reason) => {
    const reported: unknown[] = [];
    const throwing = async ({ beforeSending }: Options) => {
      await beforeSending();
      throw thrown;
    };
    const { log } = await attempt(throwing, { info: { activityType: 'createMerchant' }, reported });
    expect(log).toEqual(['mark', `fail Uncertain for good at ${NOW}`]);
    const message = `gangway createMerchant: Uncertain, ${reason}`;
    expect(reported).toMatchObject([{ message, details: [{ reason, sentAt: NOW }] }]);
  });

  it('that met an internal error before it was sent is retried, and never uncertain', async () => {
    const { log, outcome } = await attempt(notSending(new TypeError('a bug')));
    expect(log).toEqual(['clear']);
    expect(outcome).toMatchObject({ name: 'TypeError' });
  });

  it.each<[PartnerErrorKind, object, boolean]>([
    ['NotSent', {}, false],
    // The read before it got no clear response.
    ['Uncertain', {}, false],
    ['Unauthorized', { status: 401 }, false],
    ['Forbidden', { status: 403, atSignIn: true }, false],
    ['Forbidden', { status: 403 }, true],
    // Right after a create the partner may not find its own merchant yet.
    ['Rejected', { status: 404 }, false],
    ['Rejected', { status: 400 }, true],
    ['Rejected', {}, true],
  ])('that failed before it was sent (%s %j) is final: %s', async (kind, more, nonRetryable) => {
    const { log, outcome } = await attempt(notSending(failed(kind, more)));
    // What is retried leaves a cleared mark: without it, an attempt after a reset has no information.
    expect(log).toEqual(nonRetryable ? [] : ['clear']);
    expect(outcome).toMatchObject({ ...retryable(kind), nonRetryable });
  });

  it.each<[PartnerErrorKind, number]>([
    ['Rejected', 404],
    ['Rejected', 400],
    ['Forbidden', 403],
  ])(
    'that was not sent because a read was %s (%i) names that read, and no field of it',
    async (kind, status) => {
      const ofId = { field: 'id', message: 'is unknown' };
      const fields = [{ field: '', message: 'no such resource' }, ofId];
      const more = { operation: 'list-agent-profiles', status, fields };
      const { outcome } = await attempt(notSending(failed(kind, more)), { info: { attempt: 6 } });
      const why = `not sent, because the preceding list-agent-profiles failed (HTTP ${status})`;
      const named = [why, 'no such resource', 'id: is unknown'].map((message) => ({ field: '', message }));
      expect(outcome).toMatchObject({ details: [{ operation: 'list-agent-profiles', fields: named }] });
    },
  );

  it('that our own check rejects keeps its fields', async () => {
    const fields = [{ field: 'merchant.email', message: 'must be an e-mail address' }];
    const { outcome } = await attempt(notSending(failed('Rejected', { fields })));
    expect(outcome).toMatchObject({ nonRetryable: true, details: [{ fields }] });
  });

  it('that fails before it is sent leaves alone what an earlier attempt recorded', async () => {
    const info = { attempt: 2, ...CLEARED };
    expect((await attempt(notSending(failed('NotSent')), { info })).log).toEqual([]);
  });

  it('ends after three quarters of its timeout, to report its result in time', async () => {
    const aborted: boolean[] = [];
    const call = async ({ signal }: Options) => {
      for (const ms of [89_999, 1]) {
        vi.advanceTimersByTime(ms);
        aborted.push(signal.aborted);
      }
    };
    await attempt(call, { info: { startToCloseTimeoutMs: 120_000 } });
    expect(aborted).toEqual([false, true]);
  });

  it('leaves no timer', async () => {
    await attempt(sending());
    await attempt(sending(failed('Rejected')));
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a write with a read after it', () => {
  const create = sending({ id: 7 });
  const read = async () => 'Pending';

  it('records its response in place of its mark before the read, and reports both', async () => {
    const { log } = await attempt(create, { read });
    expect(log).toEqual(['mark', 'sent', 'record {"id":7}', 'read', 'complete {"id":7,"now":"Pending"}']);
  });

  it('is not sent again when its worker died during the read: the next attempt returns its response', async () => {
    const info = { attempt: 2, heartbeatDetails: lost };
    const { log, outcome } = await attempt(create, { read, info });
    expect(log).toEqual(['read']);
    expect(outcome).toEqual({ id: 7, now: 'Pending' });
  });

  const lost: Intent = { sending: true, sentAt: SENT_AT, response: { id: 7 } };

  it.each([
    ['fails', () => Promise.reject(failed('Uncertain'))],
    ['has no result', async () => undefined],
  ])('is done although the read %s, by the attempt that sent it and by the next one', async (_, nothing) => {
    const { log } = await attempt(create, { read: nothing });
    expect(log.slice(2)).toEqual(['record {"id":7}', 'read', 'complete {"id":7}']);
    const resumed = await attempt(create, { read: nothing, info: { attempt: 2, heartbeatDetails: lost } });
    expect(resumed).toMatchObject({ log: ['read'], outcome: { id: 7 } });
    expect(resumed.outcome).not.toHaveProperty('now');
  });

  it('limits the read to ten seconds', async () => {
    const timeout = vi.spyOn(AbortSignal, 'timeout');
    const { signals } = await attempt(create, { read });
    expect(timeout.mock.calls).toEqual([[10_000]]);
    expect(signals).toEqual([timeout.mock.results[0]?.value]);
  });

  it('is reported when its response cannot be recorded, without a read', async () => {
    const answers = [undefined, new ActivityNotFoundError('gone')];
    const { log } = await attempt(create, { read, answers });
    expect(log).toEqual(['mark', 'sent', 'record {"id":7} refused', 'complete {"id":7}']);
  });

  it('reads nothing when it sent nothing', async () => {
    const { log, outcome } = await attempt(async () => ({ submitted: false }), { read });
    expect(log).toEqual(['sent']);
    expect(outcome).toEqual({ submitted: false });
  });

  it('whose outcome is unknown fails, and reads nothing', async () => {
    const { log } = await attempt(sending(failed('Uncertain')), { read });
    expect(log).toEqual(['mark', `fail Uncertain for good at ${NOW}`]);
  });
});

describe('a write that may be repeated', () => {
  const lost = { attempt: 2, heartbeatDetails: { sending: true, sentAt: SENT_AT } };
  // At the end of a timeout of one second.
  const reset = { attempt: 1, scheduledTimestampMs: 1, currentAttemptScheduledTimestampMs: 1_001 };
  const options = { mayRepeat: true };

  it.each([
    ['a first attempt', {}, false],
    ['an attempt after one without a mark', { attempt: 2 }, false],
    ['an attempt after an unknown result', lost, true],
    ['an attempt after a reset that removed the marks', reset, true],
  ])('is sent by %s, and learns whether it may have been sent before', async (_, info, expected) => {
    let mayHaveBeenSent: boolean | undefined;
    const call = async (given: RepeatableSendOptions) => {
      ({ mayHaveBeenSent } = given);
      await given.beforeSending();
    };
    const { log } = await attempt(call, { info, ...options });
    expect(log).toEqual(['mark', 'sent', 'complete undefined']);
    expect(mayHaveBeenSent).toBe(expected);
  });

  it('is retried when its own result is unknown', async () => {
    const { log } = await attempt(sending(failed('Uncertain')), options);
    expect(log).toEqual(['mark', `fail Uncertain at ${NOW}`]);
  });

  it('keeps the mark of an earlier attempt when this one sent nothing', async () => {
    const { log } = await attempt(sending(failed('RateLimited')), { info: lost, ...options });
    expect(log).toEqual(['mark', 'fail RateLimited']);
    expect((await attempt(notSending(failed('NotSent')), { info: lost, ...options })).log).toEqual([]);
  });

  it.each([
    ['it is paused', lost, sending(), ['mark refused', 'mark'], [new ActivityPausedError('paused')]],
    ['a read before it fails after a reset', reset, notSending(failed('NotSent')), ['mark'], []],
  ])('leaves open whether an earlier attempt sent it when %s', async (_, info, call, expected, answers) => {
    const { log } = await attempt(call, { info, answers, ...options });
    expect(log).toEqual(expected);
  });
});
