import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { run } from '../../../src/commands/program.js';
import { gangway, type RunningCommand, startGangway } from '../../rigs/command.js';
import { merchantsFile } from '../../rigs/commands/files.js';
import { merchant } from '../../rigs/inputs.js';
import { listening } from '../../rigs/listening.js';
import { jsonLines, run as spawned, startSpawnedGangway } from '../../rigs/processes.js';
import { createRig, type Rig } from '../../rigs/rig.js';

let rig: Rig;
let folder: string;
/** A boarding that waits for a person. */
let waiting: string;
beforeAll(async () => {
  // An inbox reads all onboardings of a server.
  rig = await createRig({ ownNamespace: true });
  folder = await mkdtemp(join(tmpdir(), 'gangway-test-'));
  const boarding = await rig.board(merchant('uw-level-1'));
  await boarding.requirement('underwriting-note');
  waiting = boarding.workflowId;
});
afterAll(async () => {
  await rig.close();
  await rm(folder, { recursive: true, force: true });
});

describe('the exit code', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)(
    'is that of %s when it ends a command that waits, which prints what continues, and how to return',
    async (signal, code) => {
      const watching = startGangway(rig.env, ['watch', waiting]);
      await watching.says('has an open requirement');
      watching.kill(signal);
      const { stderr, ...finished } = await watching.finished;
      expect(finished.code).toBe(code);
      expect(stderr.trimEnd().split('\n').at(-1)).toBe(
        `Corner Bakery [uw-level-1] (${waiting}) continues; "gangway watch ${waiting}" follows it again`,
      );
    },
  );

  it.each<[string, (silent: SilentServer) => Promise<RunningCommand>]>([
    [
      'that connects',
      async ({ address, connected }) => {
        const command = startGangway({ ...rig.env, TEMPORAL_ADDRESS: address }, ['list']);
        await connected;
        return command;
      },
    ],
    [
      'that waits for an outcome',
      async () => {
        const input = JSON.stringify(merchant('uw-level-1'));
        const command = startGangway(rig.env, ['board', '-', '--wait'], { input });
        await command.printsLines(1);
        return command;
      },
    ],
    ['that reads its input', async () => startGangway(rig.env, ['change-address', '-'], { terminal: true })],
    [
      'that asks a person',
      async () => {
        const command = startGangway(rig.env, CLOSE_CARD, { terminal: true });
        await command.says('Continue? [y/N] ');
        return command;
      },
    ],
    ...[['call', 'payments', 'list-terminals', '--local'], ['doctor']].map(
      (args): [string, (silent: SilentServer) => Promise<RunningCommand>] => [
        `that asks a partner: ${args[0]}`,
        async ({ address, connected }) => {
          const command = startGangway({ ...rig.env, PAYMENTS_URL: `http://${address}` }, args);
          await connected;
          return command;
        },
      ],
    ),
  ])('is 130 at once for an interrupted command %s', async (_, start) => {
    const command = await start(await silentServer());
    command.kill('SIGINT');
    expect(await command.finished).toMatchObject({ code: 130 });
  });
});

describe('Ctrl-C before a command has printed anything', () => {
  it.each([
    ['board', ['board', 'examples/merchant.json']],
    ['batch', ['batch', 'examples/merchants.ndjson']],
    ['a single operation', ['restore-sub-user', '901']],
  ])('says that nothing was started, of %s', async (_, args) => {
    const { address, connected } = await silentServer();
    const command = startGangway({ ...rig.env, TEMPORAL_ADDRESS: address }, args);
    await connected;
    command.kill('SIGINT');
    expect(await command.finished).toEqual({
      ...{ code: 130, stdout: '' },
      stderr: 'stopped; nothing was started\n',
    });
  });
});

const CLOSE_CARD = ['call', 'banking', 'close-card', '{"paymentCardId":"card-1001"}'];

interface SilentServer {
  readonly address: string;
  /** Settles with the first connection. */
  readonly connected: Promise<unknown>;
}

/** Accepts connections and never responds. */
async function silentServer(): Promise<SilentServer> {
  const server = createServer((socket) => onTestFinished(() => void socket.destroy()));
  return { address: await listening(server), connected: once(server, 'connection') };
}

/** The operation is deprecated. */
const WEBHOOK = '{"event_names":["TransactionFailed"],"webhook_url":["https://example.com"]}';

/** Commands of all kinds, with their exit codes. */
const COMMANDS: readonly (readonly [
  code: number,
  args: string[],
  more?: { env?: Record<string, string>; input?: string },
])[] = [
  [0, ['--help']],
  [0, ['list']],
  [0, ['inbox', '--json']],
  [0, ['doctor']],
  [0, ['call', 'plant-store', 'list-plants', '--local', '--json']],
  [0, ['call', 'plant-store', 'list-plants']],
  [0, ['batch', '-', '--format', 'ndjson', '--rate', '100'], { input: JSON.stringify(merchant()) }],
  [0, ['call', 'processor', 'register-webhook', WEBHOOK, '--local']],
  [1, ['status', 'nothing-of-the-name']],
  [1, ['list'], { env: { TEMPORAL_NAMESPACE: 'nowhere' } }],
  [1, ['call', 'payments', 'get-terminal', '{"terminal_id":"none"}', '--local']],
  [2, ['list', '--limit', 'many']],
  [2, ['board', '-'], { input: '{' }],
];

describe('run', () => {
  it('writes to the given streams only', async () => {
    const elsewhere = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, 'write'));
    onTestFinished(() => void vi.restoreAllMocks());
    for (const [code, args, { env, input } = {}] of COMMANDS) {
      const done = await gangway({ ...rig.env, ...env }, args, input);
      expect([args, done.code, done.stdout + done.stderr]).toEqual([args, code, expect.stringMatching(/./)]);
    }
    for (const write of elsewhere) expect(write).not.toHaveBeenCalled();
  });

  it('reads nothing from the environment of the process', async () => {
    const read = new Set<unknown>();
    const real = process.env;
    const seen =
      <Name>(look: (target: NodeJS.ProcessEnv, name: Name) => unknown) =>
      (target: NodeJS.ProcessEnv, name: Name) => {
        read.add(name);
        return look(target, name);
      };
    process.env = new Proxy(real, {
      get: seen<string | symbol>(Reflect.get),
      has: (target, name) => Boolean(seen<string | symbol>(Reflect.has)(target, name)),
      ownKeys: (target) => seen<'all of it'>(Reflect.ownKeys)(target, 'all of it') as string[],
    });
    onTestFinished(() => {
      process.env = real;
    });
    for (const [code, args, { env, input } = {}] of COMMANDS) {
      const stdin = Readable.from(input === undefined ? [] : [input]);
      const [stdout, stderr] = [new PassThrough(), new PassThrough()];
      const surroundings = { env: { ...rig.env, ...env }, stdin, stdout, stderr };
      expect([args, await run(args, { ...surroundings, signal: new AbortController().signal })]).toEqual([
        args,
        code,
      ]);
    }
    // gRPC reads proxy settings, and Node reads one variable at an import.
    const others = ['grpc_proxy', 'https_proxy', 'http_proxy', 'WATCH_REPORT_DEPENDENCIES'];
    expect([...read].filter((name) => !others.includes(String(name)))).toEqual([]);
  });

  it('leaves nothing open', async () => {
    const keyFile = join(folder, 'api-key');
    await writeFile(keyFile, 'k');
    const commands = [
      ...COMMANDS.map(([code, args, more]) => ({ code, args, ...more })),
      { code: 0, args: ['list'], env: { TEMPORAL_API_KEY_FILE: keyFile, TEMPORAL_TLS: 'false' } },
      { code: 1, args: ['watch', waiting], stopped: true },
      { code: 4, args: ['list'], env: { TEMPORAL_ADDRESS: '127.0.0.1:9' } },
    ];
    const argument = JSON.stringify({ env: rig.env, commands });
    const { stdout, stderr } = await spawned(
      process.execPath,
      ['test/rigs/commands/open-after-run.mjs', argument],
      {},
    );
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual(commands.map(({ code, args }) => ({ args, code, open: [] })));
  });

  it('closes its connection to Temporal', async () => {
    const { address, connected } = await proxyOf(inject('temporalAddress'));
    const listed = gangway({ ...rig.env, TEMPORAL_ADDRESS: address }, ['list']);
    const socket = await connected;
    await Promise.all([listed, once(socket, 'close')]);
  });

  it('runs many times at once, each with its own settings', async () => {
    const runs = Array.from({ length: 8 }, async (_, place) => {
      const input = merchant();
      const ui = `https://ui-${place}.example.com`;
      const own = { GANGWAY_UI_URL: ui, GANGWAY_TASK_QUEUE: `${rig.taskQueue}-${place}` };
      const started = await gangway({ ...rig.env, ...own }, ['board', '-', '--json'], JSON.stringify(input));
      const [line] = jsonLines<{ workflowId: string; url: string }>(started);
      const { taskQueue } = await rig.client.workflow.getHandle(line?.workflowId ?? '').describe();
      expect({ ...started, taskQueue, url: line?.url.slice(0, ui.length) }).toMatchObject({
        ...{ code: 0, stderr: '', taskQueue: own.GANGWAY_TASK_QUEUE, url: ui },
        stdout: expect.stringContaining(input.externalId),
      });
      await rig.client.workflow.getHandle(line?.workflowId ?? '').terminate();
    });
    const interrupted = startGangway(rig.env, ['watch', waiting]);
    interrupted.kill('SIGTERM');
    const refused = gangway({ ...rig.env, GANGWAY_UI_URL: 'nowhere' }, ['list']);
    await Promise.all(runs);
    expect([(await interrupted.finished).code, (await refused).code]).toEqual([143, 2]);
  });
});

describe('the process of the command', () => {
  it('ends at once with the second Ctrl-C, while the first one waits for a call in progress', async () => {
    const proxy = await proxyOf(inject('temporalAddress'));
    const { file } = await merchantsFile(rig, 30);
    const batch = startSpawnedGangway({ ...rig.env, TEMPORAL_ADDRESS: proxy.address }, [
      'batch',
      file,
      '--rate',
      '5',
      '--yes',
    ]);
    await batch.printsLines(3);
    await proxy.freeze();
    const insistent = setInterval(() => batch.kill('SIGINT'), 100);
    const { code, stderr } = await batch.finished;
    clearInterval(insistent);
    // There is no exit code, because the signal ended it.
    const said = stderr.split('\n').filter((line) => !line.startsWith('... '));
    expect({ code, said }).toEqual({ code: null, said: [''] });
  });

  it('can be run by its name, as npx does', async () => {
    expect(await spawned('dist/starter.js', ['--version'], {})).toMatchObject({ code: 0, stdout: '0.1.0\n' });
  });

  it('exits 0 when the reader of its output closes the pipe', async () => {
    const { PATH = '' } = process.env;
    const listing = spawn(process.execPath, ['dist/starter.js', 'list'], { env: { PATH, ...rig.env } });
    listing.stdout.destroy();
    const [stderr] = await Promise.all([text(listing.stderr), once(listing, 'close')]);
    expect({ code: listing.exitCode, stderr }).toEqual({ code: 0, stderr: '' });
  });
});

/** Frames that are not requests are shorter in HTTP/2, and a description is longer. */
const REQUEST_BYTES = 100;

/** Forwards to Temporal until it is frozen. */
async function proxyOf(target: string) {
  const [host = '', port] = target.split(':');
  const callers: Socket[] = [];
  const server = createServer((socket) => {
    const onward = connect(Number(port), host);
    for (const each of [socket, onward]) each.on('error', () => undefined);
    callers.push(socket.once('close', () => onward.destroy()));
    socket.pipe(onward).pipe(socket);
  });
  onTestFinished(() => {
    for (const socket of callers) socket.destroy();
  });
  return {
    address: await listening(server),
    connected: once(server, 'connection').then(([socket]) => socket as Socket),
    /** Stops forwarding, and waits until a request arrived that is not forwarded. */
    freeze: () =>
      new Promise<void>((resolve) => {
        let bytes = 0;
        const swallow = (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > REQUEST_BYTES) resolve();
        };
        for (const socket of callers) socket.unpipe().on('data', swallow).resume();
      }),
  };
}
