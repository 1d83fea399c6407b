import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { afterEach, beforeEach, vi } from 'vitest';
import {
  type atMostOnce,
  awaitResponse,
  type RepeatableSendOptions,
  reportOutcomes,
  type SendOptions,
} from '../../../src/at-most-once/activity.js';
import type { Intent } from '../../../src/at-most-once/intent.js';

/** Attempts that fail by design are not reported. */
const QUIET = new DefaultLogger('ERROR');
/** When an earlier attempt sent its request, and now. */
export const SENT_AT = '2026-01-01T00:00:00.000Z';
export const NOW = '2026-01-01T06:00:00.000Z';

/** The pauses before a request to Temporal is repeated, in milliseconds. No test waits for them. */
export const pauses: unknown[] = [];
/** For each test of the file: no attempt waits. */
export function onVirtualTime(): void {
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
}

export interface Baseline {
  readonly baseline?: readonly number[];
}
export type Options = SendOptions<Baseline>;

interface Reported {
  readonly name: string;
  readonly nonRetryable: boolean;
  readonly details?: readonly ({ readonly kind: string; readonly sentAt?: string } & Baseline)[];
}

const at = (sentAt: string | undefined) => (sentAt ? ` at ${sentAt}` : '');
const from = (baseline: readonly number[] | undefined) => (baseline ? ` from ${baseline}` : '');

interface Course {
  readonly info?: ConstructorParameters<typeof MockActivityEnvironment>[0];
  readonly answers?: (Error | undefined)[];
  /** The responses of Temporal before the intent. */
  readonly connects?: Error[];
  readonly mayRepeat?: boolean;
  /** Collects the failures that the attempt reports itself. */
  readonly reported?: unknown[];
  readonly read?: () => Promise<unknown>;
}

/** Runs one attempt of a write, with a Temporal service whose responses to each request are given: an error is thrown. */
export async function attemptOf(
  { sendOnce, sendOnceThenRead, sendRepeatably }: ReturnType<typeof atMostOnce<Baseline>>,
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
          response && sending
            ? `record ${JSON.stringify(response)}`
            : `${sending ? 'intent' : 'withdraw'}${from(baseline)}`,
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
    interceptors: [reportOutcomes],
  });
  const send = async (options: Options & RepeatableSendOptions) => {
    const result = await call(options);
    log.push('sent');
    return result;
  };
  const outcome: unknown = await environment
    .run(() => {
      if (!read) return mayRepeat ? sendRepeatably(send as never) : awaitResponse(sendOnce(send as never));
      const sent = sendOnceThenRead(send as () => Promise<object>, (_, { signal }) => {
        signals.push(signal);
        log.push('read');
        return read();
      });
      return awaitResponse(sent);
    })
    .catch((error: unknown) => error);
  return { log, outcome, limits: [...limits], signals };
}

export const sending =
  (becomes: unknown = 'ok') =>
  async ({ beforeSending }: Options) => {
    await beforeSending();
    if (becomes instanceof Error) throw becomes;
    return becomes;
  };
export const notSending = (error: Error) => async () => {
  throw error;
};
