import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../src/apps/demo/dev-server.js';
import { CLEAR, ENCRYPTED, KEY } from '../rigs/codec-server/running-codec-server.js';
import { runProvider } from '../rigs/console/provider.js';
import { SESSION_KEY, signIn, userOf, wayBack } from '../rigs/console/running-console.js';
import { merchant } from '../rigs/inputs.js';
import { LINK, TOKEN as LINK_TOKEN } from '../rigs/link/stand-in-api.js';
import { endOf, interruptedWorker } from '../rigs/process/interrupted-worker.js';
import { ELSEWHERE, PARTNER, type Settings, SOMEBODY, settingsOf } from '../rigs/process/settings.js';
import { launch, run } from '../rigs/processes.js';
import {
  CRM,
  clientsFile,
  event,
  SECRET,
  STRUCTURED,
  signed,
  TOKEN,
} from '../rigs/receiver/running-receiver.js';
import { createRig } from '../rigs/rig.js';
import { eventually } from '../rigs/waiting.js';

type Name = 'receiver' | 'console' | 'codec-server' | 'link';

async function start(name: Name, more: Settings = {}) {
  const process = await launch(name, settingsOf(name, more), `${name.replace('-', ' ')} is ready`);
  onTestFinished(() => void process.child.kill('SIGKILL'));
  return { ...process, ready: process.addresses() };
}

/** A request that a server gets, and what must not be in its log afterwards. */
interface Served {
  readonly settings: Settings;
  readonly request: readonly string[];
  readonly body: string;
  readonly response: RegExp;
  readonly secrets: readonly string[];
  /** What it does before. @returns more secrets */
  readonly first?: (url: string) => Promise<readonly string[]>;
}

const SERVED: Readonly<Record<Name, () => Promise<Served>>> = {
  async receiver() {
    const input = merchant();
    const body = JSON.stringify(event('merchant.boarding.requested.v1', input));
    const headers = { 'content-type': STRUCTURED, ...signed(body) };
    const ways = { API_CLIENTS_FILE: clientsFile([CRM]), RECEIVER_BANKING_AUTH: `path:${TOKEN}` };
    return {
      settings: { RECEIVER_SECRETS: SECRET, ...ways },
      request: ['POST /events HTTP/1.1', ...Object.entries(headers).map((header) => header.join(': '))],
      body,
      response: new RegExp(
        `HTTP/1\\.1 202 .*\\{"workflowId":"merchant-boarding-${input.externalId}"\\}`,
        's',
      ),
      secrets: [SECRET, TOKEN, 'Ada', 'unsigned events are accepted', 'from anyone'],
      async first(url) {
        const json = { 'content-type': 'application/json' };
        const webhook = { method: 'POST', headers: json, body: '{"profileId": 3001}' };
        const response = await fetch(`${url}/webhooks/banking/${TOKEN}`, webhook);
        expect([response.status, await response.text()]).toEqual([202, '{"workflows":0}']);
        return [];
      },
    };
  },
  async console() {
    const provider = await runProvider();
    provider.add({ sub: 'p-1', name: 'Ada Park', roles: ['operator'] });
    return {
      settings: { ...provider.env, CONSOLE_SESSION_KEYS: SESSION_KEY },
      request: ['POST /sign-out HTTP/1.1', 'content-type: application/x-www-form-urlencoded'],
      body: 'csrf=none',
      response: /HTTP\/1\.1 303 .*location: \/signed-out/s,
      secrets: [SESSION_KEY, provider.env['OIDC_CLIENT_SECRET'] ?? '', 'anyone on this machine'],
      async first(url) {
        const browser = userOf(url);
        const back = await wayBack(browser, 'p-1');
        const page = await signIn(browser, 'p-1');
        expect([page.status, page.text]).toEqual([200, expect.stringContaining('Ada Park, operator')]);
        const assets = [...page.text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)];
        expect(assets).toHaveLength(4);
        for (const [, path = ''] of assets) {
          const { status, headers } = await browser.open(path);
          const stored = 'public, max-age=31536000, immutable';
          expect([path, status, headers.get('cache-control')]).toEqual([path, 200, stored]);
        }
        return [browser.cookies.get('gangway-session') ?? '', back.searchParams.get('code') ?? ''];
      },
    };
  },
  async 'codec-server'() {
    return {
      settings: {},
      request: [
        'POST /decode HTTP/1.1',
        `authorization: Bearer ${TOKEN}`,
        'x-namespace: default',
        'content-type: application/json',
      ],
      body: `{"payloads":[${ENCRYPTED}]}`,
      response: new RegExp(`HTTP/1\\.1 200 .*${CLEAR.replaceAll(/[{}[\]+]/g, '\\$&')}`, 's'),
      secrets: [TOKEN],
    };
  },
  async link() {
    const address = `127.0.0.1:${await freePort()}`;
    return {
      settings: { LINK_ADDRESS: address, LINK_URL: `http://${address}` },
      request: [`POST ${LINK}/begin HTTP/1.1`, 'content-type: application/x-www-form-urlencoded'],
      body: 'text=typed',
      // Nothing listens at LINK_API_URL.
      response: /HTTP\/1\.1 503 .*We do not know whether this arrived/s,
      secrets: [TOKEN, LINK_TOKEN, 'typed'],
    };
  },
};

/** Sends half of a request and then a signal, and waits until the server has closed its port. */
async function interrupted(
  { child, ready: { url } }: Awaited<ReturnType<typeof start>>,
  { request, body }: Served,
  signal: NodeJS.Signals,
) {
  const { host, port } = new URL(url);
  const socket = await open(Number(port));
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
  });
  // The server confirms that it has read the headers. Without a request it would close the connection at once.
  const headers = [
    `host: ${host}`,
    'connection: close',
    `content-length: ${body.length}`,
    'expect: 100-continue',
  ];
  socket.write(`${[...request, ...headers].join('\r\n')}\r\n\r\n`);
  await eventually(
    async () => received,
    (text) => text.includes('100 Continue'),
    'the begin of the request',
  );
  child.kill(signal);
  const isOpen = () =>
    open(Number(port)).then(
      (other) => Boolean(other.destroy()),
      () => false,
    );
  await eventually(isOpen, (answer) => !answer, 'the end of new connections');
  const response = async () => {
    if (!socket.closed) await once(socket, 'close');
    return received;
  };
  return { finish: () => socket.write(body), response };
}

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  // A process that ends resets its connections.
  socket.on('error', () => undefined);
  return socket;
}

it.each(['receiver', 'console', 'codec-server', 'link'] as const)(
  'the %s serves, after SIGTERM finishes the requests under way and accepts no new ones, ends with 0, and logs no secret',
  async (name) => {
    const served = await SERVED[name]();
    const server = await start(name, served.settings);
    expect(server.ready.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const secrets = [KEY, ...served.secrets, ...((await served.first?.(server.ready.url)) ?? [])];
    const { finish, response } = await interrupted(server, served, 'SIGTERM');
    finish();
    expect(await response()).toMatch(served.response);
    expect(await endOf(server)).toEqual({ code: 0, signal: null });
    expect(server.stderr()).toContain(`${name.replace('-', ' ')} has stopped`);
    for (const secret of secrets) {
      expect(secret).not.toBe('');
      expect(server.stderr()).not.toContain(secret);
    }
  },
);

it('the receiver starts without Temporal, alive and not ready, warns that it accepts requests from anyone, and ends at once after a second signal', async () => {
  const settings = { TEMPORAL_ADDRESS: '127.0.0.1:9', RECEIVER_BANKING_AUTH: 'none' };
  const server = await start('receiver', settings);
  const { stderr, ready } = server;
  expect(stderr()).toContain('RECEIVER_SECRETS is not set: unsigned events are accepted');
  expect(stderr()).toContain('RECEIVER_BANKING_AUTH is none: webhooks from anyone are accepted');
  expect(ready).toMatchObject({ webhooks: ['banking'] });
  expect((await fetch(`${ready.url}/healthz`)).status).toBe(200);
  const response = await fetch(`${ready.url}/readyz`);
  expect([response.status, await response.json()]).toEqual([503, { temporal: 'unavailable' }]);

  const { response: rest } = await interrupted(server, await SERVED.receiver(), 'SIGINT');
  server.child.kill('SIGINT');
  expect(await endOf(server)).toEqual({ code: null, signal: 'SIGINT' });
  expect(await rest()).toBe('HTTP/1.1 100 Continue\r\n\r\n');
});

/** test/nightly/processes.test.ts has more. */
it.each<[command: string, Settings, code: number, line: RegExp]>([
  ['receiver', ELSEWHERE, 2, /^PAYLOAD_KEYS: is not set/],
  [
    'worker',
    { TEMPORAL_ADDRESS: '127.0.0.1:1' },
    1,
    /^cannot reach Temporal at 127.0.0.1:1 \(TEMPORAL_ADDRESS\)$/,
  ],
  ['starter call boarding list-agent-profiles', PARTNER, 2, SOMEBODY],
])('%s with %o ends at once with one line that has the reason', async (command, settings, code, line) => {
  const [name = '', ...args] = command.split(' ');
  const ended = await run(process.execPath, [`dist/${name}.js`, ...args], settingsOf(name, settings));
  expect([ended.code, ended.stdout]).toEqual([code, '']);
  expect(ended.stderr.split('\n')).toEqual([expect.stringMatching(line), '']);
});

/** Makes this Node an older one, which has no Zstandard either. */
const NODE_20 = `import zlib from 'node:zlib';
  Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } });
  Object.defineProperty(zlib, "createZstdDecompress", { value: undefined });`;

it.each(['starter', 'worker', 'receiver', 'codec-server', 'console', 'link', 'sandbox', 'demo'])(
  'ends %s on an old Node naming both versions, and how to use a later one',
  async (name) => {
    const preload = `data:text/javascript,${encodeURIComponent(NODE_20)}`;
    expect(await run(process.execPath, ['--import', preload, `dist/${name}.js`], {})).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'Gangway needs Node 22.19 or later, and this is Node 20.20.2. Install a later one, or, in a checkout, use the one ' +
        'that "npm ci" installed: export PATH="$PWD/node_modules/.bin:$PATH"\n',
    });
  },
);

it('the worker reports the write under way after SIGINT, begins no other, and ends with 0', async () => {
  const rig = await createRig({ worker: false });
  onTestFinished(() => rig.close());
  const { worker, input, boarding, held } = await interruptedWorker(rig, 'SIGINT');
  await held.letGo();
  expect(await endOf(worker)).toEqual({ code: 0, signal: null });
  expect(worker.stderr()).toContain('worker has stopped');
  expect(await rig.sandbox.writes(input.externalId)).toEqual(['create-merchant']);

  await rig.startWorker();
  expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });
  expect(await boarding.events()).not.toContain('write-uncertain');
});
