import { Client } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { examineKeys } from '../../../../src/apps/command/system/doctor/temporal.js';
import {
  dataConverter,
  generatePayloadKey,
  parsePayloadKeys,
  payloadCodec,
} from '../../../../src/temporal/payload-codec.js';
import { workerIdentity } from '../../../../src/temporal/workers.js';
import { answering, execution, payloads } from '../../../rigs/temporal/answering-service.js';

const OURS = generatePayloadKey(new Date('2026-01-31'));
const [ID = ''] = OURS.split(':');
const keys = parsePayloadKeys(OURS);
const others = parsePayloadKeys(`${ID}:${generatePayloadKey().split(':')[1]}`);

const encrypted = async (by: typeof keys) => (await payloadCodec(by).encode(payloads('a value')))[0];

/**
 * The findings about one onboarding, whose memo our key encrypted.
 *
 * @param failedBy the key of the worker whose attempt of an activity failed
 * @param shownAt the task queues at which the server already shows a worker with another key
 */
async function findings({ failedBy = keys, shownAt = [] as readonly string[] }) {
  const facts = execution({ memo: { dba: (await encrypted(keys)) as never } });
  const lastFailure = { encodedAttributes: await encrypted(failedBy) };
  const {
    client: { connection },
  } = answering({
    listWorkflowExecutions: () => ({ executions: [facts] }),
    describeWorkflowExecution: () => ({
      workflowExecutionInfo: facts,
      pendingActivities: [{ activityId: '5', lastFailure }],
    }),
    getWorkflowExecutionHistoryReverse: () => ({ history: { events: [] } }),
    describeTaskQueue: ({ taskQueue: { name } }) => ({
      pollers: shownAt.includes(name)
        ? [
            {
              identity: workerIdentity(others, '7@b'),
              lastAccessTime: { seconds: Math.ceil(Date.now() / 1_000) },
            },
          ]
        : [],
    }),
  });
  const client = new Client({ connection, dataConverter: dataConverter(keys) });
  const matches = await examineKeys(client, { taskQueue: 'gangway', payloadKeys: keys });
  return matches.map(({ state, detail }) => [state, detail]);
}

describe('a worker with another value under the same key ID', () => {
  it('is named as soon as the server shows it at any of its task queues', async () => {
    const [[state, detail] = []] = await findings({ shownAt: ['gangway-boarding'] });
    expect([state, detail]).toEqual([
      'wrong',
      `worker 7@b lacks key ${ID} of this command, or has another value for it; the value of this command reads 1 running workflows`,
    ]);
  });

  it('is found by what it has written, when the server does not show it', async () => {
    expect(await findings({ failedBy: others })).toEqual([
      ['wrong', `another key with the id ${ID} encrypted something of merchant-boarding-m-1`],
    ]);
  });

  it('is not found where there is none', async () => {
    expect(await findings({})).toEqual([
      ['ok', 'running workflows checked: 1, keys in use: 1, all can be decrypted'],
    ]);
  });
});
