import { AsyncLocalStorage } from 'node:async_hooks';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { describe, expect, it, vi } from 'vitest';
import { PartnerWaits } from '../../../src/activities/interceptors.js';
import { adoptionCheck, ownersAt } from '../../../src/activities/owners.js';
import { stoppedAt } from '../../rigs/clock.js';
import { answering, execution, type Facts, known } from '../../rigs/temporal/answering-service.js';

const INDEXED = { MerchantProfileId: '1001' };
const listed = (workflowId: string, more: Partial<Facts> = {}): Facts => ({
  ...{ workflowId, runId: `run-of-${workflowId}`, indexed: INDEXED },
  ...more,
});
const OWN = listed('own');

const PLACE = { system: 'boarding', account: 'acme', taskQueue: 'gangway' } as const;
const { interceptors } = new PartnerWaits(PLACE, { stepMs: 3_600_000, unreadableMs: 3_600_000 });

/** The check by a boarding of what it has adopted, with the lists that Temporal returns one after the other. */
async function check(
  lists: readonly (readonly Facts[])[],
  knownOwners: readonly string[],
  { scheduledTimestampMs = 0, listsInMs = 0 } = {},
) {
  stoppedAt(0, ['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval']);
  const { setInterval: stopped } = globalThis;
  // As real timers do, it calls back in the context of the activity.
  vi.spyOn(globalThis, 'setInterval').mockImplementation((call, ms) =>
    stopped(AsyncLocalStorage.bind(call), ms),
  );
  const rest = [...lists];
  const last = lists.at(-1) ?? [];
  const { client, sent } = answering({
    ...known(...last),
    listWorkflowExecutions: () => {
      vi.advanceTimersByTime(listsInMs);
      return { executions: (rest.shift() ?? last).map(execution) };
    },
    signalWorkflowExecution: () => ({}),
  });
  const info = {
    workflowExecution: { workflowId: 'own', runId: 'run-of-own' },
    ...{ taskQueue: 'gangway-boarding-acme', activityType: 'checkAdoptedMerchant' },
    ...{ scheduledTimestampMs, heartbeatTimeoutMs: 10_000 },
  };
  const environment = new MockActivityEnvironment(info, {
    ...{ client, logger: new DefaultLogger('ERROR'), interceptors: [interceptors] },
  });
  const beats: number[] = [];
  environment.on('heartbeat', () => beats.push(Date.now()));
  const run = adoptionCheck(ownersAt('boarding', 'acme'));
  const end = environment
    .run(run, { id: 1001, knownOwners })
    .then(() => 'goes on')
    .catch((error: unknown) => error);
  for (let turn = 0; turn < 200; turn++) {
    await new Promise(setImmediate);
    vi.advanceTimersByTime(100);
  }
  const queries = sent.flatMap(([name, { query }]) => (name === 'listWorkflowExecutions' ? [query] : []));
  const signals = sent.filter(([name]) => name === 'signalWorkflowExecution');
  return { end: await end, queries, signals, beats };
}

describe('an onboarding that has adopted a merchant', () => {
  const other = listed('other');

  it.each<[string, (readonly Facts[])[], readonly string[], looks: number]>([
    ['goes on when nobody else has it', [[OWN]], [], 1],
    ['looks again until it is listed itself', [[], [listed('own', { runId: 'run-before' })], [OWN]], [], 3],
    ['goes on when the other one has ended', [[OWN, listed('other', { status: 'COMPLETED' })]], [], 1],
    ['goes on when a person knows of the other one', [[OWN, other]], ['other'], 1],
  ])('%s', async (_, lists, knownOwners, looks) => {
    const { end, queries } = await check(lists, knownOwners);
    expect(end).toBe('goes on');
    const query =
      "WorkflowType = 'merchantBoarding' AND MerchantProfileId IN ('1001') AND TaskQueue = 'gangway' " +
      "AND PartnerAccount = 'acme'";
    expect(queries).toEqual(Array.from({ length: looks }, () => query));
  });

  it.each([
    ['listed before', [[other], [other, OWN]]],
    ['listed after', [[], [OWN, other]]],
  ])('is rejected when another one that runs has it, %s', async (_, lists) => {
    const { end } = await check(lists, ['somebody']);
    const message = 'workflow other has 1001 as well; abandon one of the two, then retry the other';
    expect(end).toMatchObject({
      ...{ type: 'PartnerError', nonRetryable: true },
      details: [
        {
          system: 'gangway',
          operation: 'checkAdoptedMerchant',
          kind: 'Rejected',
          fields: [{ field: '', message }],
        },
      ],
    });
  });

  it('is retried while it stays unlisted', async () => {
    const { end, queries } = await check([[other]], []);
    expect(end).toMatchObject({ type: 'NotListed', nonRetryable: false });
    expect(queries).toHaveLength(20);
  });

  it.each([
    ['not before an hour', 0, 0],
    ['once after an hour', -3_600_000, 1],
  ])('tells a person that it is not listed, %s', async (_, scheduledTimestampMs, times) => {
    const { signals } = await check([[other]], [], { scheduledTimestampMs });
    expect(signals).toHaveLength(times);
  });

  it('shows that it is alive while Temporal lists slowly', async () => {
    const { beats } = await check([[other]], [], { listsInMs: 500 });
    const [first = Number.POSITIVE_INFINITY] = beats;
    expect(first).toBeLessThan(10_000);
    expect(Math.max(...beats.map((at, index) => at - (beats[index - 1] ?? 0)))).toBeLessThan(10_000);
  });
});
