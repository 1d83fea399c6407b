import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { expect, it, onTestFinished } from 'vitest';
import { startDevServer } from '../../../src/temporal/dev-server.js';
import { registerSearchAttributes } from '../../../src/temporal/search-attributes.js';
import { flood } from '../../rigs/receiver/flood.js';
import { clientOf, runReceiver } from '../../rigs/receiver/running-receiver.js';
import { eventually } from '../../rigs/waiting.js';

const EVENTS = 1_500;

/** The server is killed when this many workflows exist. */
const KILLED_AT = [60, 200];

it('each accepted event has one workflow although Temporal is killed twice during a flood', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gangway-test-'));
  const databaseFile = join(folder, 'temporal.db');
  let server = await startDevServer({ databaseFile });
  const connection = await Connection.connect({ address: server.address });
  onTestFinished(async () => {
    await connection.close();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const { address } = server;
  const client = new Client({ connection });
  await registerSearchAttributes(client);
  const taskQueue = `killed-${randomUUID()}`;
  // As the process has it: it reconnects by itself.
  const { url } = await runReceiver(
    { client: clientOf(address), taskQueue },
    { requestsPerMinute: 9_999_999 },
  );
  let isOver = false;
  const flooding = flood(client, taskQueue, `${url}/events`, EVENTS).finally(() => {
    isOver = true;
  });

  const started = async () => (await client.workflow.count(`TaskQueue = '${taskQueue}'`)).count;
  for (const count of KILLED_AT) {
    await eventually(started, (seen) => seen >= count, `${count} workflows`);
    expect(isOver).toBe(false);
    process.kill(server.pid, 'SIGKILL');
    await server.stop();
    server = await startDevServer({ port: Number(address.split(':')[1]), databaseFile });
    expect(server.address).toBe(address);
  }

  const { seconds: _, sentAgain: _1, ...figures } = await flooding;
  const [forged, repeated] = [EVENTS / 100, EVENTS / 10];
  const distinct = EVENTS - forged - repeated;
  expect(figures).toEqual({
    ...{ sent: EVENTS, repeated, forged },
    responses: { 202: EVENTS - forged, 401: forged },
    ...{ accepted: distinct, started: distinct, lost: 0, doubled: 0 },
  });
}, 300_000);
