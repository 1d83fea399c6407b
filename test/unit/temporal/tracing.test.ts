import { SpanStatusCode, trace } from '@opentelemetry/api';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { ApplicationFailure } from '@temporalio/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pollAgain } from '../../../src/activities/poll.js';
import { tracedActivities } from '../../../src/temporal/tracing.js';
import { environment } from '../../rigs/activities/environment.js';

const exporter = new InMemorySpanExporter();
const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
beforeAll(() => trace.setGlobalTracerProvider(provider));
afterAll(async () => {
  trace.disable();
  await provider.shutdown();
});

/** The span of one attempt of an activity. */
async function spanOf(attempt: () => Promise<void>) {
  exporter.reset();
  const info = { activityType: 'awaitStatusChange' };
  await environment(info, { interceptors: [tracedActivities] })
    .run(attempt)
    .catch(() => undefined);
  const [span, ...more] = exporter.getFinishedSpans();
  expect([span?.name, more]).toEqual(['RunActivity:awaitStatusChange', []]);
  return { code: span?.status.code, type: span?.attributes['error.type'] };
}

describe('the span of an attempt', () => {
  it('has no status when the attempt succeeds', async () => {
    expect(await spanOf(async () => undefined)).toEqual({ code: SpanStatusCode.UNSET });
  });

  it('has failed when the attempt failed, with the type of the failure and no message', async () => {
    const failure = ApplicationFailure.create({ type: 'PartnerError', message: 'ada@example.com' });
    const failed = { code: SpanStatusCode.ERROR, type: 'PartnerError' };
    expect(await spanOf(() => Promise.reject(failure))).toEqual(failed);
  });

  it('has not failed when a poll found no status change', async () => {
    const unchanged = pollAgain('StatusUnchanged', 'the status has not changed yet', 1_000);
    expect(await spanOf(() => Promise.reject(unchanged))).toEqual({ code: SpanStatusCode.UNSET });
  });
});
