import { randomUUID } from 'node:crypto';
import { Client, Connection, WorkflowFailedError } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { expect, inject, it, onTestFinished } from 'vitest';
import type { OutboundEvent } from '../../../../src/messages/outbound-events.js';
import { WORKFLOW_BUNDLES } from '../../../../src/worker/bundles.js';
import { merchant } from '../../../rigs/inputs.js';
import '../../../rigs/runtime.js';
import { eventually } from '../../../rigs/waiting.js';

it('a workflow task is reported after the deliveries of its events have begun, and not before', async () => {
  const address = inject('temporalAddress');
  const [connection, clients] = [
    await NativeConnection.connect({ address }),
    await Connection.connect({ address }),
  ];
  onTestFinished(async () => {
    await connection.close();
    await clients.close();
  });
  const client = new Client({ connection: clients });
  const taskQueue = `publishing-${randomUUID()}`;
  const workflowId = `merchant-boarding-${taskQueue}`;
  const input = merchant();
  const handle = await client.workflow.start('merchantBoarding', { workflowId, taskQueue, args: [input] });
  await handle.cancel();

  const published: string[] = [];
  let begin = () => {};
  const start = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const fn = (_: unknown, events: readonly OutboundEvent[]) => {
    published.push(...events.map(({ type }) => type));
    return start;
  };
  const worker = await Worker.create({
    connection,
    taskQueue,
    workflowBundle: { codePath: WORKFLOW_BUNDLES.plain },
    sinks: { outbound: { publish: { fn } } },
  });
  const running = worker.run();
  onTestFinished(async () => {
    begin();
    worker.shutdown();
    await running;
  });
  await eventually(
    async () => published,
    (types) => types.includes('onboarding.completed.v1'),
    'the last event',
  );
  const { events } = await handle.fetchHistory();
  expect(events?.some((event) => event.workflowTaskCompletedEventAttributes)).toBe(false);
  begin();
  await expect(handle.result()).rejects.toThrow(WorkflowFailedError);
});
