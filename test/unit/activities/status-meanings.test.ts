import { defaultPayloadConverter } from '@temporalio/common';
import proto from '@temporalio/proto';
import { beforeEach, expect, it, vi } from 'vitest';
import { StatusMeanings } from '../../../src/activities/status-meanings.js';
import { environment } from '../../rigs/activities/environment.js';
import { stoppedAt } from '../../rigs/clock.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const { WORKFLOW_EXECUTION_STATUS_RUNNING, WORKFLOW_EXECUTION_STATUS_TERMINATED } =
  proto.temporal.api.enums.v1.WorkflowExecutionStatus;

beforeEach(() => stoppedAt(0, ['performance']));

/** A process, and the record of its account: the meaning of each status name that it has; null until a person decides. */
function process() {
  const temporal = { isUp: true, status: WORKFLOW_EXECUTION_STATUS_RUNNING, looks: 0 };
  const record: Record<string, string | null> = {};
  const reported: unknown[] = [];
  const statusOf = ([status, meaning]: [string, string | null]) => ({
    status,
    ...(meaning && { decision: { meaning } }),
  });
  const client = {
    options: {
      namespace: 'default',
      loadedDataConverter: { payloadCodecs: [], payloadConverter: defaultPayloadConverter },
    },
    workflowService: {
      describeWorkflowExecution: async () => {
        temporal.looks += 1;
        if (!temporal.isUp) throw new Error('Temporal is down');
        const statuses = Object.entries(record).map(statusOf);
        const stored = defaultPayloadConverter.toPayload({ differences: [], statuses });
        return { workflowExecutionInfo: { status: temporal.status, memo: { fields: { record: stored } } } };
      },
    },
    workflow: {
      signalWithStart: async (_: string, { signalArgs }: { signalArgs: unknown[] }) =>
        reported.push(...signalArgs),
    },
  };
  const meanings = new StatusMeanings({
    fourEyes: [],
    system: 'boarding',
    account: undefined,
    taskQueue: 'gangway',
  });
  const meaningOf = (status = 'Escalated') =>
    environment({}, { client }).run(() => meanings.meaningOf(status));
  return { meaningOf, temporal, record, reported };
}

const later = (ms: number) => void vi.advanceTimersByTime(ms);

it('a status name that nobody was asked about is reported once an hour', async () => {
  const { meaningOf, reported } = process();
  expect([await meaningOf(), await meaningOf()]).toEqual([undefined, undefined]);
  expect(reported).toEqual([{ status: 'Escalated' }]);
  later(HOUR - 1);
  await meaningOf();
  expect(reported).toHaveLength(1);
  later(1);
  await meaningOf();
  expect(reported).toHaveLength(2);
});

it('a status name that a person was asked about is not reported, and has no meaning until the decision', async () => {
  const { meaningOf, record, reported } = process();
  record['Escalated'] = null;
  expect(await meaningOf()).toBeUndefined();
  record['Escalated'] = 'in-review';
  expect([await meaningOf(), await meaningOf('Parked')]).toEqual(['in-review', undefined]);
  expect(reported).toEqual([{ status: 'Parked' }]);
});

it('a decision is looked up once a minute, and holds while Temporal is down', async () => {
  const { meaningOf, temporal, record } = process();
  record['Escalated'] = 'declined';
  await meaningOf();
  later(MINUTE - 1);
  expect([await meaningOf(), temporal.looks]).toEqual(['declined', 1]);
  later(1);
  temporal.isUp = false;
  expect([await meaningOf(), temporal.looks]).toEqual(['declined', 2]);
  expect(await meaningOf('Parked')).toBeUndefined();
});

it('a record that was ended decides nothing', async () => {
  const { meaningOf, temporal, record, reported } = process();
  record['Escalated'] = 'declined';
  temporal.status = WORKFLOW_EXECUTION_STATUS_TERMINATED;
  expect(await meaningOf()).toBeUndefined();
  expect(reported).toHaveLength(1);
});
