import type { Client } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import {
  type DeliveryFilter,
  GIVEN_UP,
  listDeliveries,
  redeliver,
} from '../../../src/temporal/deliveries.js';

const SUBJECT = 'merchant-boarding-m-1';
const delivery = (subject: string) => ({
  event: { id: '5', type: 'onboarding.ended.v1', subject },
  destination: 'crm-1',
});

/** Temporal with these deliveries, listed with an older state than they are described with. */
function temporal(...entries: readonly { activityId: string; status: string; subject?: string }[]) {
  const calls: unknown[][] = [];
  const activity = {
    async *list(query: string) {
      calls.push(['list', query]);
      yield* entries;
    },
    getHandle: (id: string) => ({
      async describe() {
        const { status, subject = SUBJECT } = entries.find(({ activityId }) => activityId === id) ?? {};
        const getInput = async () => [delivery(subject)];
        return { status, attempt: 2, getInput, getLastFailure: async () => new Error('HTTP 500') };
      },
      terminate: async () => calls.push(['terminate', id]),
    }),
    start: async (name: string, { id, idReusePolicy }: { id: string; idReusePolicy?: string }) =>
      calls.push(['start', name, id, idReusePolicy]),
  };
  return { client: { activity } as unknown as Client, calls };
}

const RUNNING = { activityId: 'event-1', status: 'RUNNING' };
const FAILED = { activityId: 'event-2', status: 'FAILED' };

describe('deliveries', () => {
  const STARTS_WITH = " AND ActivityId STARTS_WITH 'event-merchant-boarding-m-1-'";
  const IN = " AND ExecutionStatus IN ('Failed', 'TimedOut', 'Terminated', 'Canceled')";
  it.each<[string, DeliveryFilter, ids: string[], query: string]>([
    ['all, each once', {}, ['event-1', 'event-2', 'event-3'], ''],
    // And not of one whose id begins alike.
    ['those of a workflow', { workflowId: SUBJECT }, ['event-1', 'event-2'], STARTS_WITH],
    // As Temporal describes them.
    ['those in a state', { statuses: GIVEN_UP }, ['event-2'], IN],
  ])('are listed: %s', async (_, filter, ids, query) => {
    const another = { activityId: 'event-3', status: 'RUNNING', subject: `${SUBJECT}-2` };
    const { client, calls } = temporal(RUNNING, FAILED, RUNNING, another);
    const deliveries = await Array.fromAsync(listDeliveries(client, filter));
    expect(deliveries.map(({ activityId }) => activityId)).toEqual(ids);
    expect(deliveries[0]).toMatchObject({ attempts: 2, problem: 'HTTP 500', destination: 'crm-1' });
    expect(calls).toEqual([['list', `ActivityType = 'deliverEvent'${query}`]]);
  });

  it.each([
    [RUNNING, [['terminate', 'event-1']]],
    [FAILED, []],
  ])('are sent again under the same id: %j', async (one, before) => {
    const { client, calls } = temporal(one);
    const [facts] = await Array.fromAsync(listDeliveries(client, {}));
    if (!facts) throw new Error('not listed');
    await redeliver(client, 'gangway', facts);
    expect(calls.slice(1)).toEqual([...before, ['start', 'deliverEvent', one.activityId, undefined]]);
  });
});
