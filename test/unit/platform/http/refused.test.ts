import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { runCodecServer } from '../../../rigs/codec-server/running-codec-server.js';
import { clientOfCalls } from '../../../rigs/console/console-of-calls.js';
import { listeningConsole } from '../../../rigs/console/listening-console.js';
import { runReceiver } from '../../../rigs/receiver/running-receiver.js';

const MANY = { requestsPerMinute: 100_000 };
const portOf = ({ url }: { url: string }) => Number(new URL(url).port);

/** Starts each server, and returns its port. */
const SERVERS = {
  console: () => listeningConsole(),
  receiver: async () =>
    portOf(await runReceiver({ client: clientOfCalls({}).client, taskQueue: 'gangway' }, MANY)),
  'codec server': async () => portOf(await runCodecServer(MANY)),
} as const;

/** How many timers and connections keep the process alive. */
const held = () =>
  process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout' || kind === 'TCPSocketWrap').length;

it.each<[keyof typeof SERVERS, line: string, status: number]>([
  ['console', 'POST /onboardings/x/private', 401],
  ['console', 'POST /onboardings/x/requirements/y/documents', 401],
  ['console', 'GET /', 303],
  ['receiver', 'PUT /v1/onboardings/x', 401],
  ['codec server', 'POST /decode', 401],
])('200 requests that the %s refuses leave nothing behind: %s', async (server, line, status) => {
  const port = await SERVERS[server]();
  const before = held();
  const head = `${line} HTTP/1.1\r\nhost: console.example.com\r\ncontent-length: 250000\r\n`;
  const refused = Array.from({ length: 200 }, async () => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    socket.write(`${head}content-type: application/json\r\n\r\nxy`);
    const [reply] = await once(socket, 'data');
    socket.destroy();
    return String(reply).slice(0, 12);
  });
  expect([...new Set(await Promise.all(refused))]).toEqual([`HTTP/1.1 ${status}`]);
  await expect.poll(held).toBeLessThanOrEqual(before);
});
