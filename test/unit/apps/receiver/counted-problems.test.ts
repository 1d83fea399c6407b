import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { PROBLEMS } from '../../../../src/apps/receiver/problems.js';
import { OTHER_SECRET, runReceiver, STRUCTURED } from '../../../rigs/receiver/running-receiver.js';
import { answering } from '../../../rigs/temporal/answering-service.js';

it('a request that fails counts for its problem each time, and every other problem stays at zero', async () => {
  const registry = new Registry();
  const { client } = answering({});
  const { call } = await runReceiver({ client, taskQueue: 'gangway' }, { registry, secrets: [OTHER_SECRET] });
  const expected: Record<string, number> = Object.fromEntries(Object.keys(PROBLEMS).map((name) => [name, 0]));
  const counted = async () => {
    const { values = [] } = (await registry.getSingleMetric('gangway_receiver_problems_total')?.get()) ?? {};
    return Object.fromEntries(values.map(({ labels, value }) => [labels['problem'], value]));
  };
  expect(await counted()).toEqual(expected);
  const requests = [
    ['unknown-path', 'GET /nowhere'],
    ['wrong-method', 'GET /events'],
    ['unknown-path', 'GET /elsewhere'],
    ['bad-signature', 'POST /events', '{}'],
    ['bad-token', 'PUT /v1/onboardings/m-1', '{}'],
    ['bad-signature', 'POST /events', '{}'],
  ] as const;
  for (const [problem, line, body] of requests) {
    await call(line, body, body === undefined ? {} : { 'content-type': STRUCTURED });
    expected[problem] = (expected[problem] ?? 0) + 1;
    expect(await counted()).toEqual(expected);
  }
});
