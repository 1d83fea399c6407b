import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import proto from '@temporalio/proto';
import { afterAll, expect, it } from 'vitest';
import { partnerTaskQueue } from '../../../src/messages/ids.js';
import { gangway } from '../../rigs/command.js';
import { createRig } from '../../rigs/rig.js';
import { eventually } from '../../rigs/waiting.js';

const { TASK_QUEUE_TYPE_ACTIVITY: ACTIVITIES } = proto.temporal.api.enums.v1.TaskQueueType;

// The server has one partition of each queue, as deploy/temporal/dynamic-config.yaml has it: one order for the whole queue.
const rig = await createRig({ worker: false });
afterAll(() => rig.close());

/** A boarding partner that responds when the test lets it. */
async function slowPartner() {
  const calls: { readonly line: string; readonly response: ServerResponse }[] = [];
  let isSlow = true;
  const server = createServer((request, response) => {
    calls.push({ line: `${request.method} ${request.url}`, response });
    if (!isSlow) response.writeHead(500).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  rig.atClose(() => {
    server.closeAllConnections();
    server.close();
  });
  const failFast = () => {
    isSlow = false;
    for (const { response } of calls) if (!response.writableEnded) response.writeHead(500).end();
  };
  return { calls, failFast, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** How many tasks of the highest priority wait in a task queue. */
async function waiting(name: string): Promise<number> {
  const { workflowService, options } = rig.client;
  const { statsByPriorityKey } = await workflowService.describeTaskQueue({
    namespace: options.namespace,
    taskQueue: { name },
    taskQueueType: ACTIVITIES,
    reportStats: true,
  });
  return Number(statsByPriorityKey?.['1']?.approximateBacklogCount ?? 0);
}

it('a call by hand is the next after 110 status polls that came before it', async () => {
  const { calls, failFast, url } = await slowPartner();
  await rig.startWorker({ boardingUrl: url });
  const taskQueue = partnerTaskQueue(rig.taskQueue, 'boarding');
  const polls = Array.from({ length: 110 }, (_, index) =>
    rig.client.activity.start('awaitStatusChange', {
      id: `poll-${index}`,
      taskQueue,
      args: [{ merchantProfileId: index + 1, seen: { noteIds: [] } }],
      startToCloseTimeout: '1m',
      heartbeatTimeout: '10s',
    }),
  );
  await Promise.all(polls);
  await eventually(
    async () => calls.length,
    (count) => count === 32,
    'as many calls as there are connections',
  );
  const read = gangway(rig.env, ['call', 'boarding', 'list-agent-profiles']);
  await eventually(
    () => waiting(taskQueue),
    (count) => count === 1,
    'the call by hand waits',
  );
  expect(calls).toHaveLength(32);
  calls[0]?.response.writeHead(500).end();
  await eventually(
    async () => calls.length,
    (count) => count === 33,
    'the next call',
  );
  expect(calls[32]?.line).toBe('GET /api/v1/agentProfiles');
  calls[32]?.response.end('{"data":[],"status":"OK","error":null,"validationResults":[]}');
  expect(await read).toMatchObject({ code: 0, stdout: '[]\n' });
  failFast();
});
