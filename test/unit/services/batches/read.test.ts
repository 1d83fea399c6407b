import { describe, expect, it } from 'vitest';
import { BATCH_MEMO, type BatchState, type RowResult } from '../../../../src/messages/batches.js';
import { listBatches, readBatch, resultsOf } from '../../../../src/services/batches/batches.js';
import { answering, execution, payloads, valuesOf } from '../../../rigs/temporal/answering-service.js';

const ID = 'onboarding-batch-1';
const row = (line: number, result: RowResult['result'] = 'started'): RowResult => ({
  line,
  result,
  externalId: `m-${line}`,
  workflowId: `merchant-boarding-m-${line}`,
});
const FAILED = row(2, 'failed');
const STATE: BatchState = {
  stage: 'running',
  name: 'rows.csv',
  actor: 'olga',
  rows: 9,
  kinds: {},
  accounts: [''],
  parts: 3,
  counts: { started: 4, attached: 1, failed: 1 },
  failures: [FAILED],
};

/** The results of three parts, which concurrent starts have not left in the order of their lines. */
const PARTS = [
  [row(2, 'failed'), row(1)],
  [row(4), row(3, 'attached')],
  [row(6), row(5)],
];
const RECENT = [row(8, 'failed'), row(7, 'attached')];

function server(states: readonly BatchState[] = [STATE]) {
  const batch = (state: BatchState, place: number) =>
    execution({
      workflowId: `onboarding-batch-${place + 1}`,
      type: 'onboardingBatch',
      memo: { [BATCH_MEMO]: payloads(state)[0] as never },
    });
  return answering({
    describeWorkflowExecution: () => ({
      workflowExecutionInfo: batch(states[0] as BatchState, 0),
      pendingActivities: [
        { activityType: { name: 'forgetRows' } },
        { activityType: { name: 'startRows' }, heartbeatDetails: { payloads: payloads(RECENT) } },
      ],
    }),
    listWorkflowExecutions({ pageSize, nextPageToken }) {
      const first = Number(nextPageToken?.length ? Buffer.from(nextPageToken).toString() : 0);
      const last = first + pageSize;
      return {
        executions: states.map(batch).slice(first, last),
        nextPageToken: last < states.length ? Buffer.from(`${last}`) : Buffer.of(),
      };
    },
    startActivityExecution: ({ input }) => ({ runId: String((valuesOf(input)[0] as { part: number }).part) }),
    pollActivityExecution: ({ runId }) => ({
      runId,
      outcome: { result: { payloads: payloads(PARTS[Number(runId)]) } },
    }),
  });
}

describe('a batch that is read', () => {
  it('counts its parts, and the part that runs', async () => {
    const batch = await readBatch(server().client, ID);
    expect(batch?.state).toMatchObject({ parts: 3, counts: { started: 4, attached: 2, failed: 2 } });
    expect(batch?.state.failures.map(({ line }) => line)).toEqual([2, 8]);
    expect([batch?.recent, batch?.hasEnded]).toEqual([RECENT, false]);
  });

  it('has the results of every part, and of the one that runs, by line', async () => {
    const { client } = server();
    const batch = await readBatch(client, ID);
    if (!batch) throw new Error('unreachable');
    const results = await resultsOf(client, 'gangway', batch);
    expect(results.map(({ line, result }) => `${line} ${result}`)).toEqual([
      '1 started',
      '2 failed',
      '3 attached',
      '4 started',
      '5 started',
      '6 started',
      '7 attached',
      '8 failed',
    ]);
  });
});

it('batches are listed page by page, until there are enough of those that a person may see', async () => {
  const states = Array.from({ length: 7 }, (_, place) => ({
    ...STATE,
    actor: place % 2 === 0 ? 'pete' : 'olga',
  }));
  const { client } = server(states);
  const idsOf = async (most: number) =>
    (await listBatches(client, 'gangway', most, ({ state }) => state.actor === 'olga')).map(({ id }) => id);
  expect(await idsOf(2)).toEqual(['onboarding-batch-2', 'onboarding-batch-4']);
  expect(await idsOf(5)).toEqual(['onboarding-batch-2', 'onboarding-batch-4', 'onboarding-batch-6']);
});
