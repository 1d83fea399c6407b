import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CLEAR, ENCRYPTED, KEY, TOKEN } from '../rigs/codec-server/running-codec-server.js';
import { SESSION_KEY } from '../rigs/console/running-console.js';
import { merchant } from '../rigs/inputs.js';
import { launch, launchNode, type RunningProcess } from '../rigs/processes.js';
import { createRig } from '../rigs/rig.js';
import { eventually } from '../rigs/waiting.js';

/** A server process, and a request that it can serve without Temporal. */
interface Server {
  readonly settings: Readonly<Record<string, string>>;
  readonly request: readonly string[];
  readonly body: string;
  readonly response: RegExp;
}

const SERVERS: Readonly<Record<'receiver' | 'console' | 'codec server', Server>> = {
  receiver: {
    settings: { RECEIVER_ADDRESS: '127.0.0.1:0', TEMPORAL_ADDRESS: '127.0.0.1:9' },
    request: ['POST /events HTTP/1.1', 'content-type: application/cloudevents+json'],
    body: '{"specversion":"1.0"}',
    response: /HTTP\/1\.1 422 .*"urn:gangway:problem:invalid"/s,
  },
  console: {
    settings: {
      ...{ CONSOLE_ADDRESS: '127.0.0.1:0', TEMPORAL_ADDRESS: '127.0.0.1:9' },
      ...{ OIDC_ISSUER: 'http://127.0.0.1:9', OIDC_CLIENT_ID: 'gangway' },
      CONSOLE_SESSION_KEYS: SESSION_KEY,
    },
    request: ['POST /sign-out HTTP/1.1', 'content-type: application/x-www-form-urlencoded'],
    body: 'csrf=none',
    response: /HTTP\/1\.1 303 .*location: \/signed-out/s,
  },
  'codec server': {
    settings: { CODEC_ADDRESS: '127.0.0.1:0', PAYLOAD_KEYS: `k1:${KEY}`, CODEC_TOKENS: TOKEN },
    request: [
      'POST /decode HTTP/1.1',
      `authorization: Bearer ${TOKEN}`,
      'x-namespace: default',
      'content-type: application/json',
    ],
    body: `{"payloads":[${ENCRYPTED}]}`,
    response: new RegExp(`HTTP/1\\.1 200 .*${CLEAR.replaceAll(/[{}[\]+]/g, '\\$&')}`, 's'),
  },
};

/** The server with half a request under way, which has received the signal and closed its port. */
async function interrupted(name: keyof typeof SERVERS, signal: NodeJS.Signals) {
  const { settings, request, body } = SERVERS[name];
  const server = await launchNode([`dist/${name.replace(' ', '-')}.js`], settings, `${name} is ready`);
  onTestFinished(() => void server.child.kill('SIGKILL'));
  const port = Number(/"url":"http:\/\/127\.0\.0\.1:(\d+)"/.exec(server.stderr())?.[1]);
  const socket = await open(port);
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
  });
  // The server confirms that it has read the headers. Without a request it would close the connection at once.
  const headers = [
    ...[`host: 127.0.0.1:${port}`, 'connection: close'],
    ...[`content-length: ${body.length}`, 'expect: 100-continue'],
  ];
  socket.write(`${[...request, ...headers].join('\r\n')}\r\n\r\n`);
  await eventually(
    async () => received,
    (text) => text.includes('100 Continue'),
    'the begin of the request',
  );
  server.child.kill(signal);
  const isOpen = () =>
    open(port).then(
      (other) => Boolean(other.destroy()),
      () => false,
    );
  await eventually(isOpen, (answer) => !answer, 'the end of new connections');
  const response = async () => {
    if (!socket.closed) await once(socket, 'close');
    return received;
  };
  return { server, finish: () => socket.write(body), response };
}

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  // A process that ends resets its connections.
  socket.on('error', () => undefined);
  return socket;
}

async function endOf({ child }: RunningProcess) {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return { code: child.exitCode, signal: child.signalCode };
}

describe.each(['receiver', 'console', 'codec server'] as const)('the %s', (name) => {
  it('finishes the requests under way after SIGTERM, accepts no new ones, and ends with 0', async () => {
    const { server, finish, response } = await interrupted(name, 'SIGTERM');
    finish();
    expect(await response()).toMatch(SERVERS[name].response);
    expect(await endOf(server)).toEqual({ code: 0, signal: null });
    expect(server.stderr()).toContain(`${name} has stopped`);
  });

  it('closes its port after SIGINT as well, and ends at once after a second signal', async () => {
    const { server, response } = await interrupted(name, 'SIGINT');
    server.child.kill('SIGINT');
    expect(await endOf(server)).toEqual({ code: null, signal: 'SIGINT' });
    expect(await response()).toBe('HTTP/1.1 100 Continue\r\n\r\n');
  });
});

describe('the worker', () => {
  /** The worker in the middle of a create, which has received the signal. */
  async function interruptedWorker(signal: NodeJS.Signals) {
    const rig = await createRig({ worker: false });
    onTestFinished(() => rig.close());
    const worker = await launch('worker', rig.env, 'worker is ready');
    onTestFinished(() => void worker.child.kill('SIGKILL'));
    const input = merchant();
    const held = await rig.sandbox.hold('create-merchant', input.externalId, 'delay-after-commit');
    const boarding = await rig.board(input);
    await held.underWay();
    const health = /"health":"([^"]+)"/.exec(worker.stderr())?.[1];
    worker.child.kill(signal);
    const isReady = async () => (await fetch(`${health}/readyz`)).status === 200;
    await eventually(isReady, (answer) => !answer, 'the begin of the shutdown');
    return { rig, worker, input, boarding, held };
  }

  it('reports the write under way after SIGINT, begins no other, and ends with 0', async () => {
    const { rig, worker, input, boarding, held } = await interruptedWorker('SIGINT');
    await held.letGo();
    expect(await endOf(worker)).toEqual({ code: 0, signal: null });
    expect(worker.stderr()).toContain('worker has stopped');
    expect(await rig.sandbox.writes(input.externalId)).toEqual(['create-merchant']);

    const next = await launch('worker', rig.env, 'worker is ready');
    expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });
    expect(await boarding.events()).not.toContain('write-uncertain');
    next.child.kill('SIGTERM');
    expect(await endOf(next)).toEqual({ code: 0, signal: null });
  });

  it('ends at once after a second signal', async () => {
    const { worker, boarding, held } = await interruptedWorker('SIGTERM');
    worker.child.kill('SIGINT');
    expect(await endOf(worker)).toEqual({ code: null, signal: 'SIGINT' });
    await held.letGo();
    await boarding.handle.terminate();
  });
});
