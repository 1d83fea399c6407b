import { CompleteAsyncError } from '@temporalio/activity';
import {
  ActivityCancelledError,
  ActivityCompletionError,
  ActivityNotFoundError,
  type Client,
} from '@temporalio/client';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { describe, expect, it } from 'vitest';
import { reportsWrites, type WriteOptions, write, writeThenRead } from '../../../src/activities/write.js';
import type { Mark } from '../../../src/messages/activities.js';
import {
  PartnerError,
  type PartnerErrorDetails,
  type PartnerErrorKind,
} from '../../../src/partners/partner-error.js';

/** Attempts that fail by design are not reported. */
const QUIET = new DefaultLogger('ERROR');
const SENT_AT = '2026-01-01T00:00:00.000Z';

function failed(kind: PartnerErrorKind, more: object = {}): PartnerError {
  return new PartnerError({ system: 'boarding', operation: 'create', kind, fields: [], reason: '', ...more });
}

interface Reported {
  readonly nonRetryable: boolean;
  readonly details: readonly PartnerErrorDetails[];
}

const from = (baseline: readonly number[] | undefined) => (baseline ? ` from ${baseline}` : '');

type Info = ConstructorParameters<typeof MockActivityEnvironment>[0];

/** One attempt of a write, with a Temporal service whose responses to each request are given: an error is thrown. */
async function attempt(
  call: (options: WriteOptions) => Promise<unknown>,
  {
    info = {},
    answers = [],
    mayRepeat = false,
    read,
  }: {
    info?: Info;
    answers?: (Error | undefined)[];
    mayRepeat?: boolean;
    read?: () => Promise<unknown>;
  } = {},
) {
  const log: string[] = [];
  const next = async (entry: string) => {
    const answer = answers.shift();
    log.push(answer ? `${entry} refused` : entry);
    if (answer) throw answer;
  };
  const service = {
    workflowService: { getSystemInfo: async () => ({}) },
    withDeadline: (_: unknown, request: () => Promise<void>) => request(),
    withAbortSignal: (_: unknown, request: () => Promise<void>) => request(),
    activity: {
      heartbeat: (_: unknown, { sending, baseline, response }: Mark) =>
        next(
          response ? `record ${JSON.stringify(response)}` : `${sending ? 'mark' : 'clear'}${from(baseline)}`,
        ),
      complete: (_: unknown, result: unknown) => next(`complete ${JSON.stringify(result)}`),
      fail: (_: unknown, { nonRetryable, details: [details] }: Reported) =>
        next(`fail ${details?.kind}${nonRetryable ? ' for good' : ''}${from(details?.baseline)}`),
    },
  };
  const environment = new MockActivityEnvironment(info, {
    logger: QUIET,
    client: service as unknown as Client,
    interceptors: [reportsWrites],
  });
  const send = async (options: WriteOptions) => {
    const result = await call(options);
    log.push('sent');
    return result;
  };
  const outcome: unknown = await environment
    .run(() => {
      if (!read) return write(send, { mayRepeat });
      return writeThenRead(send as () => Promise<object>, () => {
        log.push('read');
        return read();
      });
    })
    .catch((error: unknown) => error);
  return { log, outcome };
}

const sending =
  (becomes: unknown = 'ok') =>
  async ({ beforeSending }: WriteOptions) => {
    await beforeSending();
    if (becomes instanceof Error) throw becomes;
    return becomes;
  };
const notSending = (error: Error) => async () => {
  throw error;
};
const retryable = (kind: string) => ({ type: 'PartnerError', nonRetryable: false, details: [{ kind }] });

describe('a write', () => {
  it('is sent after its mark, and reports its response itself', async () => {
    const { log, outcome } = await attempt(sending({ id: 7 }));
    expect(log).toEqual(['mark', 'sent', 'complete {"id":7}']);
    expect(outcome).toBeInstanceOf(CompleteAsyncError);
  });

  it('is not sent when the attempt before it left a mark: that request may have taken effect', async () => {
    const info = { attempt: 2, heartbeatDetails: { sending: true, sentAt: SENT_AT } };
    const { log, outcome } = await attempt(sending(), { info });
    expect(log).toEqual([]);
    expect(outcome).toMatchObject({
      type: 'PartnerError',
      nonRetryable: true,
      details: [{ kind: 'Uncertain', sentAt: SENT_AT }],
    });
  });

  it('keeps the baseline in its mark and in its failure', async () => {
    const call = async ({ compareWith, beforeSending }: WriteOptions) => {
      compareWith([3, 4]);
      await beforeSending();
      throw failed('Uncertain');
    };
    const { log } = await attempt(call);
    expect(log).toEqual(['mark from 3,4', 'fail Uncertain for good from 3,4']);
    const heartbeatDetails = { sending: true, sentAt: SENT_AT, baseline: [3, 4] };
    const { outcome } = await attempt(sending(), { info: { attempt: 2, heartbeatDetails } });
    expect(outcome).toMatchObject({ details: [{ kind: 'Uncertain', baseline: [3, 4] }] });
  });

  it.each([
    ['left no mark', undefined],
    ['cleared its mark', { sending: false, sentAt: SENT_AT }],
  ])('is sent when the attempt before it %s', async (_, heartbeatDetails) => {
    const { log } = await attempt(sending(), { info: { attempt: 2, heartbeatDetails } });
    expect(log).toEqual(['mark', 'sent', 'complete "ok"']);
  });

  const scheduledTimestampMs = Date.UTC(2026, 0, 1);
  const startToCloseTimeoutMs = 120_000;
  const scheduledLater = (laterMs: number) => ({
    ...{ attempt: 1, scheduledTimestampMs, startToCloseTimeoutMs },
    currentAttemptScheduledTimestampMs: scheduledTimestampMs + laterMs,
  });
  // By then an attempt can have timed out.
  const RESET = scheduledLater(startToCloseTimeoutMs);

  it('is not sent after a reset that removed the marks', async () => {
    const { log, outcome } = await attempt(sending(), { info: RESET });
    expect(log).toEqual([]);
    expect(outcome).toMatchObject({ nonRetryable: true, details: [{ kind: 'Uncertain' }] });
  });

  it('is sent by a first attempt that the server moved to another build', async () => {
    const { log } = await attempt(sending(), { info: scheduledLater(90_000) });
    expect(log).toEqual(['mark', 'sent', 'complete "ok"']);
  });

  it('is sent after a reset that left a cleared mark', async () => {
    const info = { ...RESET, heartbeatDetails: { sending: false, sentAt: SENT_AT } };
    expect((await attempt(sending(), { info })).log).toEqual(['mark', 'sent', 'complete "ok"']);
  });

  it('is not sent by an attempt that the server has given up on', async () => {
    const { log, outcome } = await attempt(sending(), { answers: [new ActivityNotFoundError('gone')] });
    expect(log).toEqual(['mark refused']);
    expect(outcome).toMatchObject({ type: 'GivenUp', nonRetryable: false });
  });

  it('is not sent once its cancellation was requested, and leaves no mark', async () => {
    const { log, outcome } = await attempt(sending(), { answers: [new ActivityCancelledError('cancelled')] });
    expect(log).toEqual(['mark refused', 'clear']);
    expect(outcome).toMatchObject({ type: 'NotSent', nonRetryable: false });
  });

  it('waits for its mark while Temporal is unavailable, and is reported as long as that takes', async () => {
    const unavailable = () => new ActivityCompletionError('unavailable');
    const { log } = await attempt(sending(), {
      answers: [unavailable(), undefined, unavailable(), unavailable()],
    });
    expect(log).toEqual([
      'mark refused',
      'mark',
      'sent',
      'complete "ok" refused',
      'complete "ok" refused',
      'complete "ok"',
    ]);
  });

  it('whose mark comes after its call gave up leaves no mark of a sent request', async () => {
    const unavailable = () => new ActivityCompletionError('unavailable');
    const call = async ({ beforeSending }: WriteOptions) => {
      beforeSending().catch(() => undefined);
      throw failed('NotSent', { reason: 'it took too long' });
    };
    const { log, outcome } = await attempt(call, { answers: [unavailable(), unavailable()] });
    expect(log).toEqual(['mark refused', 'mark refused', 'mark', 'clear']);
    expect(outcome).toMatchObject(retryable('NotSent'));
  });

  it('is no longer reported once the server has given up on the attempt', async () => {
    const { log, outcome } = await attempt(sending(), {
      answers: [undefined, new ActivityNotFoundError('gone')],
    });
    expect(log).toEqual(['mark', 'sent', 'complete "ok" refused']);
    expect(outcome).toBeInstanceOf(CompleteAsyncError);
  });

  it.each<PartnerErrorKind>(['NotSent', 'RateLimited', 'Unauthorized'])(
    'that had no effect (%s) clears its mark before it is retried',
    async (kind) => {
      const { log, outcome } = await attempt(sending(failed(kind)));
      expect(log).toEqual(['mark', 'clear']);
      expect(outcome).toMatchObject(retryable(kind));
    },
  );

  it.each<[PartnerErrorKind, string]>([
    ['Uncertain', 'fail Uncertain for good'],
    ['Rejected', 'fail Rejected for good'],
    ['Forbidden', 'fail Forbidden for good'],
  ])('that was sent and failed as %s is not retried', async (kind, report) => {
    const { log, outcome } = await attempt(sending(failed(kind)));
    expect(log).toEqual(['mark', report]);
    expect(outcome).toBeInstanceOf(CompleteAsyncError);
  });

  it('that was sent and met an internal error is uncertain', async () => {
    const { log } = await attempt(sending(new TypeError('a bug')));
    expect(log).toEqual(['mark', 'fail Uncertain for good']);
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

  it('ends in time to report its result', async () => {
    let signal: AbortSignal | undefined;
    const info = { startToCloseTimeoutMs: 40 };
    await attempt(
      async (options) => {
        ({ signal } = options);
        await new Promise((resolve) => signal?.addEventListener('abort', resolve));
      },
      { info },
    );
    expect(signal?.aborted).toBe(true);
  });
});

describe('a write with a read after it', () => {
  const create = async ({ beforeSending }: WriteOptions) => {
    await beforeSending();
    return { id: 7 };
  };
  const read = async () => 'Pending';

  it('records its response in place of its mark before the read, and reports both', async () => {
    const { log } = await attempt(create, { read });
    expect(log).toEqual([
      ...['mark', 'sent', 'record {"id":7}', 'read', 'complete {"id":7,"now":"Pending"}'],
    ]);
  });

  it('is not sent again when its worker died during the read: the next attempt returns its response', async () => {
    const heartbeatDetails: Mark = { sending: true, sentAt: SENT_AT, response: { id: 7 } };
    const { log, outcome } = await attempt(create, { read, info: { attempt: 2, heartbeatDetails } });
    expect(log).toEqual(['read']);
    expect(outcome).toEqual({ id: 7, now: 'Pending' });
  });

  it('is done although the read fails', async () => {
    const { log } = await attempt(create, { read: () => Promise.reject(failed('Uncertain')) });
    expect(log.at(-1)).toBe('complete {"id":7}');
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
    const call = async ({ beforeSending }: WriteOptions) => {
      await beforeSending();
      throw failed('Uncertain');
    };
    expect((await attempt(call, { read })).log).toEqual(['mark', 'fail Uncertain for good']);
  });
});

describe('a write that may be repeated', () => {
  const lost = { attempt: 2, heartbeatDetails: { sending: true, sentAt: SENT_AT } };

  it('is sent again after an unknown result, with that information', async () => {
    let mayHaveBeenSent: boolean | undefined;
    const call = async (options: WriteOptions) => {
      ({ mayHaveBeenSent } = options);
      await options.beforeSending();
    };
    const { log } = await attempt(call, { info: lost, mayRepeat: true });
    expect(log).toEqual(['mark', 'sent', 'complete undefined']);
    expect(mayHaveBeenSent).toBe(true);
  });

  it('is retried when its own result is unknown', async () => {
    const { log } = await attempt(sending(failed('Uncertain')), { mayRepeat: true });
    expect(log).toEqual(['mark', 'fail Uncertain']);
  });

  it('keeps the mark of an earlier attempt when this one sent nothing', async () => {
    const { log } = await attempt(sending(failed('RateLimited')), { info: lost, mayRepeat: true });
    expect(log).toEqual(['mark', 'fail RateLimited']);
  });
});
