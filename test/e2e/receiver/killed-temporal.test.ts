import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { expect, it, onTestFinished } from 'vitest';
import { startDevServer } from '../../../src/temporal/dev-server.js';
import { registerSearchAttributes } from '../../../src/temporal/search-attributes.js';
import { flood } from '../../rigs/receiver/flood.js';
import { clientOf, runReceiver } from '../../rigs/receiver/running-receiver.js';

/** `FLOOD_EVENTS=10000` sends more. */
const EVENTS = Number(process.env['FLOOD_EVENTS'] ?? 300);

/** The server is killed when this many events are accepted. */
const KILLED_AT = [40, 120];

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
  const { url, log } = await runReceiver(
    { client: clientOf(address), taskQueue },
    { requestsPerMinute: 9_999_999 },
  );
  const accepted = new EventEmitter();
  const moments = KILLED_AT.map((count) => once(accepted, `${count}`));
  const flooding = flood(client, taskQueue, `${url}/events`, EVENTS, (count) => accepted.emit(`${count}`));
  for (const moment of moments) {
    await moment;
    process.kill(server.pid, 'SIGKILL');
    await server.stop();
    server = await startDevServer({ port: Number(address.split(':')[1]), databaseFile });
    expect(server.address).toBe(address);
  }

  const { seconds: _, sentAgain: _1, ...figures } = await flooding;
  const [forged, repeated] = [EVENTS / 100, EVENTS / 10];
  const distinct = EVENTS - forged - repeated;
  expect(log()).not.toContain('The receiver has an internal error');
  expect(figures).toEqual({
    ...{ sent: EVENTS, repeated, forged },
    responses: { 202: EVENTS - forged, 401: forged },
    ...{ accepted: distinct, started: distinct, lost: 0, doubled: 0 },
  });
}, 300_000);
