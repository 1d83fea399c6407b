import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { expect, it } from 'vitest';
import { startDevServer } from '../../../src/temporal/dev-server.js';
import { registerSearchAttributes } from '../../../src/temporal/search-attributes.js';
import { flood } from '../../rigs/receiver/flood.js';
import { runReceiver } from '../../rigs/receiver/running-receiver.js';

/** `FLOOD_EVENTS=10000` sends more: some two minutes on a small machine. */
const EVENTS = Number(process.env['FLOOD_EVENTS'] ?? 200);

it(`of ${EVENTS} events, some repeated and some forged, each valid one is started once`, async () => {
  // A server of its own, because other tests would wait for the flood.
  const server = await startDevServer();
  const connection = await Connection.connect({ address: server.address });
  try {
    const client = new Client({ connection });
    await registerSearchAttributes(client);
    const taskQueue = `flood-${randomUUID()}`;
    const { url } = await runReceiver({ client, taskQueue }, { requestsPerMinute: 9_999_999 });
    const { seconds, ...figures } = await flood(client, taskQueue, `${url}/events`, EVENTS);
    const [forged, repeated] = [EVENTS / 100, EVENTS / 10];
    const distinct = EVENTS - forged - repeated;
    expect(figures).toEqual({
      ...{ sent: EVENTS, repeated, forged },
      responses: { 202: EVENTS - forged, 401: forged },
      sentAgain: expect.any(Number),
      ...{ accepted: distinct, started: distinct, lost: 0, doubled: 0 },
    });
    expect(seconds).toBeGreaterThan(0);
  } finally {
    await connection.close();
    await server.stop();
  }
}, 300_000);
