import type { Info } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import type { MetricMeter } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { type ActivityInterceptorsFactory, DefaultLogger } from '@temporalio/worker';
import { takesIntents } from './takes-intents.js';

/** Parts of a client and a meter that a test makes up, and the interceptors of the worker. */
interface Around {
  readonly client?: object;
  readonly metricMeter?: object;
  readonly interceptors?: ActivityInterceptorsFactory[];
}

/** The time of an attempt. The SDK's default of a second is over before a busy machine has sent a request. */
const ATTEMPT_MS = 120_000;

/** Runs attempts of activities without a worker, and logs errors only, because some attempts fail by design. */
export const environment = (
  info: Partial<Info> = {},
  { client, interceptors = [], metricMeter }: Around = {},
) =>
  new MockActivityEnvironment(
    { startToCloseTimeoutMs: ATTEMPT_MS, ...info },
    {
      logger: new DefaultLogger('ERROR'),
      client: { ...takesIntents, ...client } as Client,
      interceptors,
      ...(metricMeter && { metricMeter: metricMeter as MetricMeter }),
    },
  );
