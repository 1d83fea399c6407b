import { CompleteAsyncError, type Info } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import type { MetricMeter } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { type ActivityInterceptorsFactory, DefaultLogger } from '@temporalio/worker';
import { reportOutcomes } from '../../../src/at-most-once/activity.js';
import { takesIntents } from './takes-intents.js';

/** Parts of a client and a meter that a test makes up, and the interceptors of the worker. */
interface Around {
  readonly client?: object;
  readonly metricMeter?: object;
  readonly interceptors?: ActivityInterceptorsFactory[];
}

/** The time of an attempt. The SDK's default of a second is over before a busy machine has sent a request. */
const ATTEMPT_MS = 120_000;

/** What a test makes up may have activities. */
type Activities = { readonly activity?: object };

/**
 * Runs attempts of activities without a worker, and logs errors only, because some attempts fail by design. An attempt ends with
 * what it reports itself.
 */
export function environment(
  info: Partial<Info> = {},
  { client, interceptors = [], metricMeter }: Around = {},
): MockActivityEnvironment {
  const reports: (() => unknown)[] = [];
  const activity = {
    ...takesIntents.activity,
    ...(client as Activities | undefined)?.activity,
    complete: async (_: unknown, result: unknown) => void reports.push(() => result),
    fail: async (_: unknown, error: unknown) => void reports.push(() => Promise.reject(error)),
  };
  const attempts = new MockActivityEnvironment(
    { startToCloseTimeoutMs: ATTEMPT_MS, ...info },
    {
      logger: new DefaultLogger('ERROR'),
      client: { ...takesIntents, ...client, activity } as unknown as Client,
      interceptors: [reportOutcomes, ...interceptors],
      ...(metricMeter && { metricMeter: metricMeter as MetricMeter }),
    },
  );
  const run = attempts.run.bind(attempts);
  attempts.run = ((...call: Parameters<typeof run>) =>
    run(...call).catch((error: unknown) => {
      const report = reports.at(-1);
      if (error instanceof CompleteAsyncError && report) return report();
      throw error;
    })) as typeof run;
  return attempts;
}
