import { status } from '@grpc/grpc-js';
import { CompleteAsyncError } from '@temporalio/activity';
import {
  ActivityCancelledError,
  ActivityCompletionError,
  ActivityNotFoundError,
  ActivityPausedError,
  ActivityResetError,
  ServiceError,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { describe, expect, it, vi } from 'vitest';
import { atMostOnce, awaitResponse, type RepeatableSendOptions } from '../../../src/at-most-once/activity.js';
import type { Intent } from '../../../src/at-most-once/intent.js';
import {
  attemptOf,
  type Baseline,
  NOW,
  notSending,
  type Options,
  onVirtualTime,
  pauses,
  SENT_AT,
  sending,
} from '../../rigs/activities/attempts.js';
import { takesIntents } from '../../rigs/activities/takes-intents.js';

onVirtualTime();

type Kind = 'NotSent' | 'Rejected' | 'Uncertain';

/** The error of a client that knows what became of its request. */
class ClientError extends Error {
  constructor(readonly kind: Kind) {
    super(kind);
  }
}

const OUTCOMES = {
  NotSent: 'none',
  Rejected: 'rejected',
  Uncertain: 'uncertain',
} as const;
const kindOf = (error: unknown) => (error instanceof ClientError ? error.kind : 'Uncertain');
const failureOf = (error: unknown, retryable: boolean, sent: object = {}) => {
  const details = [{ kind: kindOf(error), reason: (error as Error).message, ...sent }];
  return ApplicationFailure.create({ type: 'ClientError', details, nonRetryable: !retryable });
};
const senders = atMostOnce<Baseline>({
  toFailure: failureOf,
  classify: (error) => OUTCOMES[kindOf(error)],
  toUnsentFailure: (error) =>
    error instanceof ClientError ? failureOf(error, error.kind !== 'Rejected') : error,
});

type Course = Parameters<typeof attemptOf>[2];
const attempt = (call: Parameters<typeof attemptOf>[1], course?: Course) => attemptOf(senders, call, course);

const failed = (kind: Kind) => new ClientError(kind);
const retryable = (kind: Kind) => ({ type: 'ClientError', nonRetryable: false, details: [{ kind }] });

const [cancelled, paused] = [new ActivityCancelledError('cancelled'), new ActivityPausedError('paused')];
const stops = [cancelled, paused, new ActivityResetError('reset')];

describe('a write', () => {
  // Proves A1.
  it('is sent after its intent, and reports its response itself', async () => {
    const { log, outcome } = await attempt(sending({ id: 7 }));
    expect(log).toEqual(['intent', 'sent', 'complete {"id":7}']);
    expect(outcome).toBeInstanceOf(CompleteAsyncError);
  });

  // Alone catches a worker without the interceptor: nothing would report an outcome until Temporal has it, or stop a late attempt.
  it('is not sent by a worker that does not report outcomes', async () => {
    const send = vi.fn(sending());
    const withoutInterceptor = new MockActivityEnvironment(
      {},
      { client: takesIntents, logger: new DefaultLogger('ERROR') },
    );
    const sent = withoutInterceptor.run(() => awaitResponse(senders.sendOnce(send)));
    await expect(sent).rejects.toThrow('nothing was sent: add the interceptor reportOutcomes to');
    await expect(send.mock.results[0]?.value).rejects.toThrow('reportOutcomes');
  });

  // Proves A2.
  it('is not sent when the attempt before it left an intent: that request may have taken effect', async () => {
    const heartbeatDetails = { sending: true, sentAt: SENT_AT, response: { id: 7 } };
    const info = { attempt: 2, heartbeatDetails };
    const { log, outcome } = await attempt(sending(), { info });
    expect(log).toEqual([]);
    const reason = 'its worker stopped before the response was recorded';
    const details = [{ kind: 'Uncertain', reason, sentAt: SENT_AT }];
    const lost = { type: 'ClientError', nonRetryable: true, details };
    expect(outcome).toMatchObject(lost);
    expect(outcome).not.toHaveProperty('details.0.response');
    expect(outcome).not.toHaveProperty('details.0.sending');
  });

  it('keeps the baseline in its intent and in its failure', async () => {
    const call = async ({ compareWith, beforeSending }: Options) => {
      compareWith({ baseline: [3, 4] });
      await beforeSending();
      throw failed('Uncertain');
    };
    const fails = `fail Uncertain for good at ${NOW} from 3,4`;
    expect((await attempt(call)).log).toEqual(['intent from 3,4', fails]);
    const heartbeatDetails = { sending: true, sentAt: SENT_AT, baseline: [3, 4] };
    const { outcome } = await attempt(sending(), { info: { attempt: 2, heartbeatDetails } });
    expect(outcome).toMatchObject({ details: [{ kind: 'Uncertain', baseline: [3, 4] }] });
  });

  const scheduledTimestampMs = Date.UTC(2026, 0, 1);
  const startToCloseTimeoutMs = 120_000;
  const scheduledLater = (laterMs: number) => ({
    attempt: 1,
    scheduledTimestampMs,
    startToCloseTimeoutMs,
    currentAttemptScheduledTimestampMs: scheduledTimestampMs + laterMs,
  });
  // By then an attempt can have timed out.
  const RESET = scheduledLater(startToCloseTimeoutMs);
  const WITHDRAWN = { heartbeatDetails: { sending: false, sentAt: SENT_AT } };

  it.each([
    ['a timeout after it was scheduled', RESET],
    ['as early as the timer of the timeout may fire', scheduledLater(119_000)],
  ])('is not sent after a reset that removed the intent: %s', async (_, info) => {
    const { log, outcome } = await attempt(sending(), { info });
    // What the reset has removed, for the next attempt.
    expect(log).toEqual(['intent']);
    const details = [{ kind: 'Uncertain', reason: 'it was reset together with its intent' }];
    expect(outcome).toMatchObject({ nonRetryable: true, details });
    expect(outcome).not.toHaveProperty('details.0.sentAt');
  });

  it.each([
    ['a first attempt that the server moved to another build', scheduledLater(118_999)],
    ['a first attempt whose timeout is shorter than a timer is exact', { startToCloseTimeoutMs: 1_000 }],
    ['an attempt after one that left no intent', { ...RESET, attempt: 2 }],
    ['an attempt after one that withdrew its intent', { attempt: 2, ...WITHDRAWN }],
    ['an attempt after a reset that left a withdrawn intent', { ...RESET, ...WITHDRAWN }],
  ])('is sent by %s', async (_, info) => {
    expect((await attempt(sending(), { info })).log).toEqual(['intent', 'sent', 'complete "ok"']);
  });

  const gone = new ActivityNotFoundError('gone');
  const hiding = async ({ beforeSending }: Options) => {
    await beforeSending().catch(() => undefined);
    throw failed('Uncertain');
  };

  // Proves A4.
  it.each<readonly [Error, log: readonly string[], type: string]>([
    ...stops.map((stop) => [stop, ['intent refused', 'withdraw'], 'NotSent'] as const),
    // By an attempt that the server has given up on.
    [gone, ['intent refused'], 'GivenUp'],
  ])('is not sent when its intent meets %s, even if the call hides that', async (stop, expected, type) => {
    for (const call of [sending(), hiding]) {
      const { log, outcome } = await attempt(call, { answers: [stop] });
      expect(log).toEqual(expected);
      expect(outcome).toMatchObject({ type, nonRetryable: false });
    }
  });

  it.each([
    [new TypeError('a bug'), 'TypeError: a bug'],
    ['no error' as never, 'Error: no error'],
  ])('is not sent when its intent fails with %s', async (problem, message) => {
    const { log, outcome } = await attempt(sending(), { answers: [problem] });
    expect([log[0], log.includes('sent'), String(outcome)]).toEqual(['intent refused', false, message]);
  });

  it.each([...stops, gone])(
    'that had no effect is retried although withdrawing its intent met %s',
    async (problem) => {
      const { log, outcome } = await attempt(sending(failed('NotSent')), { answers: [undefined, problem] });
      expect(log).toEqual(['intent', 'withdraw refused']);
      expect(outcome).toMatchObject(retryable('NotSent'));
    },
  );

  // Proves A3.
  it('that cannot withdraw its intent reports its failure itself', async () => {
    const answers = [undefined, new TypeError('a bug')];
    const { log, outcome } = await attempt(sending(failed('NotSent')), { answers });
    expect(log).toEqual(['intent', 'withdraw refused', 'fail TypeError']);
    expect(outcome).toBeInstanceOf(CompleteAsyncError);
  });

  it('records its intent only once Temporal responds, even if it rejects the question', async () => {
    const grpc = (code: status) =>
      Object.assign(new Error(status[code]), { code, details: '', metadata: {} });
    const { UNAVAILABLE, CANCELLED, UNIMPLEMENTED, PERMISSION_DENIED, UNAUTHENTICATED } = status;
    const connects = [UNAVAILABLE, CANCELLED].map(grpc);
    const { log, limits } = await attempt(sending(), { connects });
    expect(log).toEqual(['UNAVAILABLE', 'CANCELLED', 'intent', 'sent', 'complete "ok"']);
    expect(pauses).toEqual([200, 200]);
    expect(limits, 'each request may take this long').toEqual([5_000]);
    const describeEach = new Error('status: PermissionDenied, message: it does not have permission');
    const rejections = [...[UNIMPLEMENTED, PERMISSION_DENIED, UNAUTHENTICATED].map(grpc), describeEach];
    for (const rejection of [...rejections, new ServiceError('raw', { cause: grpc(UNIMPLEMENTED) })])
      expect((await attempt(sending(), { connects: [rejection] })).log).toContain('sent');
    expect(pauses).toHaveLength(2);
  });

  it('waits for its intent while Temporal is unavailable, and is reported as long as that takes', async () => {
    const unavailable = () => new ActivityCompletionError('unavailable');
    const answers = [unavailable(), undefined, unavailable(), unavailable()];
    const { log } = await attempt(sending(), { answers });
    const reports = ['complete "ok" refused', 'complete "ok" refused', 'complete "ok"'];
    expect(log).toEqual(['intent refused', 'intent', 'sent', ...reports]);
  });

  it('whose intent comes after its call gave up leaves no intent of a sent request', async () => {
    const unavailable = () => new ActivityCompletionError('unavailable');
    const call = async ({ beforeSending }: Options) => {
      beforeSending().catch(() => undefined);
      throw failed('NotSent');
    };
    const { log, outcome } = await attempt(call, { answers: [unavailable(), unavailable()] });
    expect(log).toEqual(['intent refused', 'intent refused', 'intent', 'withdraw']);
    expect(outcome).toMatchObject(retryable('NotSent'));
  });

  // Catches an attempt that fails early, and leaves an intent that a reset can remove without a trace.
  it('reports its response again, whatever error its report meets', async () => {
    const { log, outcome } = await attempt(sending(), { answers: [undefined, new TypeError('a bug')] });
    expect(log).toEqual(['intent', 'sent', 'complete "ok" refused', 'complete "ok"']);
    expect(outcome).toBeInstanceOf(CompleteAsyncError);
  });

  it('is no longer reported once the server has given up on the attempt', async () => {
    const { log, outcome } = await attempt(sending(), { answers: [undefined, gone] });
    expect(log).toEqual(['intent', 'sent', 'complete "ok" refused']);
    expect(outcome).toBeInstanceOf(CompleteAsyncError);
  });

  // Proves A6. Catches an attempt that outlives its time, and that the server takes for a newer one after a reset.
  it.each([
    ['its intent', [], ['intent refused', 'intent refused']],
    [
      'the withdrawal of its intent',
      [undefined],
      ['intent', 'withdraw refused', 'withdraw refused', 'fail NotSent refused'],
    ],
  ] as const)('is silent about %s once its time is over', async (_, before, expected) => {
    let now = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    const answers: (Error | undefined)[] = [...before];
    /** Temporal cannot be reached until the time is over. */
    const unreachable = () => {
      now += 54_000;
      return new ActivityCompletionError('unavailable');
    };
    answers.shift = () => (answers.length > 0 ? answers.pop() : unreachable());
    const info = { startToCloseTimeoutMs: 120_000 };
    const { log, outcome } = await attempt(sending(failed('NotSent')), { info, answers });
    expect(log).toEqual(expected.slice(0, log.length));
    expect([log.length >= 2, now]).toEqual([true, 108_000]);
    expect(outcome).toBeInstanceOf(CompleteAsyncError);
  });

  it('that met an internal error before it was sent is retried, and never uncertain', async () => {
    const { log, outcome } = await attempt(notSending(new TypeError('a bug')));
    expect(log).toEqual(['withdraw']);
    expect(outcome).toMatchObject({ name: 'TypeError' });
  });

  it('that fails before it is sent leaves alone what an earlier attempt recorded', async () => {
    const info = { attempt: 2, ...WITHDRAWN };
    expect((await attempt(notSending(failed('NotSent')), { info })).log).toEqual([]);
  });

  it('ends after three quarters of its timeout, to report its result in time', async () => {
    const aborted: unknown[] = [];
    const call = async ({ signal }: Options) => {
      for (const ms of [89_999, 1]) {
        vi.advanceTimersByTime(ms);
        aborted.push(signal.aborted && signal.reason.name);
      }
    };
    await attempt(call, { info: { startToCloseTimeoutMs: 120_000 } });
    expect(aborted).toEqual([false, 'TimeoutError']);
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

  it('records its response in place of its intent before the read, and reports both', async () => {
    const { log } = await attempt(create, { read });
    expect(log).toEqual(['intent', 'sent', 'record {"id":7}', 'read', 'complete {"id":7,"now":"Pending"}']);
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
    expect(log).toEqual(['intent', 'sent', 'record {"id":7} refused', 'complete {"id":7}']);
  });

  it.each(stops)('reads it back although the server asks the attempt to end: %s', async (stop) => {
    const { log } = await attempt(create, { read, answers: [undefined, stop] });
    expect(log.slice(2)).toEqual(['record {"id":7} refused', 'read', 'complete {"id":7,"now":"Pending"}']);
  });

  it('reads nothing when it sent nothing', async () => {
    const { log, outcome } = await attempt(async () => ({ submitted: false }), { read });
    expect(log).toEqual(['sent']);
    expect(outcome).toEqual({ submitted: false });
  });

  it('whose outcome is unknown fails, and reads nothing', async () => {
    const { log } = await attempt(sending(failed('Uncertain')), { read });
    expect(log).toEqual(['intent', `fail Uncertain for good at ${NOW}`]);
  });
});

describe('a write that may be repeated', () => {
  const lost = { attempt: 2, heartbeatDetails: { sending: true, sentAt: SENT_AT } };
  // At the end of a timeout of one second.
  const reset = { attempt: 1, scheduledTimestampMs: 1, currentAttemptScheduledTimestampMs: 1_001 };
  const options = { mayRepeat: true };

  it.each([
    ['a first attempt', {}, false],
    ['an attempt after one without an intent', { attempt: 2 }, false],
    ['an attempt after an unknown result', lost, true],
    ['an attempt after a reset that removed the intent', reset, true],
  ])('is sent by %s, and learns whether it may have been sent before', async (_, info, expected) => {
    let mayHaveBeenSent: boolean | undefined;
    const call = async (input: RepeatableSendOptions) => {
      ({ mayHaveBeenSent } = input);
      await input.beforeSending();
    };
    const { log } = await attempt(call, { info, ...options });
    expect(log).toEqual(['intent', 'sent', 'complete undefined']);
    expect(mayHaveBeenSent).toBe(expected);
  });

  it('is retried when its own result is unknown', async () => {
    const { log } = await attempt(sending(failed('Uncertain')), options);
    expect(log).toEqual(['intent', `fail Uncertain at ${NOW}`]);
  });

  it('keeps the intent of an earlier attempt when this one sent nothing', async () => {
    const { log } = await attempt(sending(failed('NotSent')), { info: lost, ...options });
    expect(log).toEqual(['intent', 'fail NotSent']);
    expect((await attempt(notSending(failed('NotSent')), { info: lost, ...options })).log).toEqual([]);
  });

  it.each([
    ['it is paused', lost, sending(), ['intent refused', 'intent'], [new ActivityPausedError('paused')]],
    ['a read before it fails after a reset', reset, notSending(failed('NotSent')), ['intent'], []],
  ])('leaves open whether an earlier attempt sent it when %s', async (_, info, call, expected, answers) => {
    const { log } = await attempt(call, { info, answers, ...options });
    expect(log).toEqual(expected);
  });
});
