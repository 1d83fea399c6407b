import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { run } from '../../../../src/apps/command/program.js';
import { type CommandOptions, gangway, type RunningCommand, startGangway } from '../../../rigs/command.js';
import { merchantsFile } from '../../../rigs/commands/files.js';
import { merchant } from '../../../rigs/inputs.js';
import { listening } from '../../../rigs/listening.js';
import { jsonLines, run as spawned, startSpawnedGangway } from '../../../rigs/processes.js';
import { sharedRig } from '../../../rigs/shared-rig.js';

// An inbox reads all onboardings of a server.
const rig = await sharedRig({ ownNamespace: true });
const folder = await mkdtemp(join(tmpdir(), 'gangway-test-'));
/** A boarding that waits for a person. */
let waiting: string;
beforeAll(async () => {
  const boarding = await rig.board(merchant('uw-level-1'));
  await boarding.requirement('underwriting-note');
  waiting = boarding.workflowId;
});
afterAll(() => rm(folder, { recursive: true, force: true }));

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

  const temporal = (address: string) => ({ TEMPORAL_ADDRESS: address });
  const payments = (address: string) => ({ PAYMENTS_URL: `http://${address}` });
  const NOTHING = { stdout: '', stderr: 'stopped; nothing was started\n' };

  it.each<[string, env: (silent: string) => Record<string, string>, args: string[], printed: object]>([
    ['list', temporal, ['list'], {}],
    ['call', payments, ['call', 'payments', 'list-terminals', '--local'], {}],
    ['doctor', payments, ['doctor'], {}],
    // These tell that they have started nothing.
    ['board', temporal, ['board', 'examples/merchant.json'], NOTHING],
    ['batch', temporal, ['batch', 'examples/merchants.ndjson'], NOTHING],
    ['a single operation', temporal, ['restore-sub-user', '901'], NOTHING],
  ])('is 130 at once for an interrupted %s that waits for a response', async (_, env, args, printed) => {
    const server = createServer((socket) => onTestFinished(() => void socket.destroy()));
    const address = await listening(server);
    const connected = once(server, 'connection');
    const command = startGangway({ ...rig.env, ...env(address) }, args);
    await connected;
    command.kill('SIGINT');
    expect(await command.finished).toMatchObject({ code: 130, ...printed });
  });

  const CLOSE_CARD = ['call', 'banking', 'close-card', '{"paymentCardId":"card-1001"}'];
  const input = JSON.stringify(merchant('uw-level-1'));

  it.each<[string, string[], CommandOptions, begun: (command: RunningCommand) => Promise<void>]>([
    ['waits for an outcome', ['board', '-', '--wait'], { input }, (command) => command.printsLines(1)],
    ['reads its input', ['change-address', '-'], { terminal: true }, async () => {}],
    ['asks a person', CLOSE_CARD, { terminal: true }, (command) => command.says('Continue? [y/N] ')],
  ])('is 130 at once for an interrupted command that %s', async (_, args, options, start) => {
    const command = startGangway(rig.env, args, options);
    await start(command);
    command.kill('SIGINT');
    expect(await command.finished).toMatchObject({ code: 130 });
  });
});

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
  it('writes to the given streams only, and reads nothing from the environment of the process', async () => {
    const elsewhere = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, 'write'));
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
      vi.restoreAllMocks();
      process.env = real;
    });
    for (const [code, args, { env, input } = {}] of COMMANDS) {
      const stdin = Readable.from(input === undefined ? [] : [input]);
      const [stdout, stderr] = [new PassThrough(), new PassThrough()];
      const { signal } = new AbortController();
      const exit = await run(args, { env: { ...rig.env, ...env }, stdin, stdout, stderr, signal });
      const written = `${stdout.read() ?? ''}${stderr.read() ?? ''}`;
      expect([args, exit, written]).toEqual([args, code, expect.stringMatching(/./)]);
    }
    for (const write of elsewhere) expect(write).not.toHaveBeenCalled();
    // Proxies are those of the process, and Node reads two variables of its own.
    const proxies = ['grpc_proxy', 'https_proxy', 'HTTPS_PROXY'];
    const others = [...proxies, 'WATCH_REPORT_DEPENDENCIES', 'NODE_V8_COVERAGE'];
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
    const args = ['test/rigs/commands/open-after-run.mjs', JSON.stringify({ env: rig.env, commands })];
    const { stdout, stderr } = await spawned(process.execPath, args, {});
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual(
      commands.map((each) => ({ args: each.args, code: each.code, open: [] })),
    );
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
        code: 0,
        stderr: '',
        taskQueue: own.GANGWAY_TASK_QUEUE,
        url: ui,
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
    const env = { ...rig.env, TEMPORAL_ADDRESS: proxy.address };
    const batch = startSpawnedGangway(env, ['batch', file, '--rate', '5', '--yes']);
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
    const listing = spawn(process.execPath, ['dist/starter.js', '--help'], { env: { PATH } });
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
