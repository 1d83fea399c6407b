import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { expect, it } from 'vitest';
import { codecServer } from '../../../src/codec-server/server.js';
import { createLogger } from '../../../src/process/logging.js';
import { startReceiver } from '../../../src/receiver/server.js';
import { parsePayloadKeys } from '../../../src/temporal/payload-codec.js';
import { clientOfCalls } from '../../rigs/console/console-of-calls.js';
import { listeningConsole } from '../../rigs/console/listening-console.js';
import { testEnds } from '../../rigs/shared.js';

const logger = createLogger('silent');
const MANY = 100_000;
const [SECRET, KEY] = ['c0ffee00c0ffee00c0ffee00c0ffee00', 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='];

/** Starts each server, and returns its port. */
const SERVERS = {
  console: () => listeningConsole(),
  async receiver() {
    const off = { senders: [], idFields: [] };
    const server = await startReceiver({
      ...{ host: '127.0.0.1', port: 0, secrets: [], tokens: [SECRET], requestsPerMinute: MANY },
      ...{ trustedProxies: [], webhooks: { banking: off, boarding: off, processor: off } },
      ...{ client: clientOfCalls({}).client, taskQueue: 'gangway', dbaForm: 'shown' },
      ...{ posNames: [], accounts: {}, logger },
    });
    testEnds(() => server.close());
    return Number(new URL(server.url).port);
  },
  async 'codec server'() {
    const server = await codecServer({
      ...{ host: '127.0.0.1', port: 0, keys: parsePayloadKeys(`k1:${KEY}`), uiOrigin: undefined, logger },
      ...{ bearer: { tokens: [SECRET], jwt: undefined }, namespaces: ['default'], tokenInPath: false },
      requestsPerMinute: MANY,
    });
    testEnds(() => server.close());
    await server.listen({ host: '127.0.0.1', port: 0 });
    return (server.server.address() as AddressInfo).port;
  },
} as const;

/** How many timers and connections keep the process alive. */
const held = () =>
  process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout' || kind === 'TCPSocketWrap').length;

it.each<[keyof typeof SERVERS, line: string, status: number]>([
  ['console', 'POST /onboardings/x/private', 401],
  ['console', 'POST /onboardings/x/requirements/y/documents', 401],
  ['console', 'GET /', 303],
  ['receiver', 'PUT /onboardings/x', 401],
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
