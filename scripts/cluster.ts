/**
 * Gangway as in production, on this machine: a Temporal cluster on PostgreSQL with one process a service, two workers, two
 * receivers, two codec servers, Temporal's Web UI, and the sandbox as partners. `npm run cluster` starts it in the background, and
 * `npm run cluster -- --down` removes its processes and its data. Needs PostgreSQL, and Go for the first run,
 * which builds Temporal's server and Web UI.
 */
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, Option } from 'commander';
import { Printer } from '../src/commands/cli/output.js';
import { gangway, type Process, ROOT, start } from '../src/demo/processes.js';
import { sandboxAccount } from '../src/sandbox/systems.js';
import { freePort } from '../src/temporal/dev-server.js';
import { generatePayloadKey } from '../src/temporal/payload-codec.js';
import { insist } from '../test/rigs/chaos/insist.js';
import { startCluster } from '../test/rigs/cluster/cluster.js';
import { missing } from '../test/rigs/cluster/programs.js';
import { startWebUi } from '../test/rigs/cluster/web-ui.js';
import { ensureFreshBuild } from './build-stamp.js';

/** A link to the folder with data, logs and settings, which is in a place that PostgreSQL's user may read. */
const LINK = join(ROOT, '.cache', 'cluster');
/** The socket, in that folder, of the process that keeps the cluster running. */
const CONTROL = 'control';

const READY = 'ready';

const printer = new Printer(process);

/** Starts a process that keeps the cluster running. @returns the exit code */
async function up(): Promise<number> {
  ensureFreshBuild();
  const lacking = await missing();
  if (lacking) return failed(lacking);
  const other = await holder();
  other?.destroy();
  if (other) return failed('The cluster is already running. "npm run cluster -- --down" removes it.');
  await clear();
  const folder = await mkdtemp(join(tmpdir(), 'gangway-cluster-'));
  await mkdir(dirname(LINK), { recursive: true });
  await symlink(folder, LINK);
  const log = openSync(join(folder, 'cluster.log'), 'w');
  const child = fork(fileURLToPath(import.meta.url), ['--hold'], {
    detached: true,
    stdio: ['ignore', log, log, 'ipc'],
  });
  const isUp = new Promise<boolean>((resolve) => {
    child.on('message', (line) => (line === READY ? resolve(true) : printer.line(String(line))));
    child.once('exit', () => resolve(false));
  });
  return (await isUp) ? 0 : failed('The cluster did not start. See .cache/cluster/.');
}

/** Ends the processes, and removes the data. @returns the exit code */
async function down(): Promise<number> {
  const running = await holder();
  if (running) {
    running.write('stop');
    await once(running, 'close');
  }
  await clear();
  printer.line(running ? 'The processes and the data of the cluster are removed.' : 'No cluster is running.');
  return 0;
}

function failed(why: string): number {
  printer.note(why);
  return 1;
}

/** A connection to the process that keeps the cluster running, which ends with it. Undefined if there is no such process. */
async function holder(): Promise<Socket | undefined> {
  const folder = await realpath(LINK).catch(() => LINK);
  const socket = connect(join(folder, CONTROL));
  return once(socket, 'connect').then(
    () => socket,
    () => undefined,
  );
}

/** Removes what a cluster leaves. */
async function clear(): Promise<void> {
  const folder = await realpath(LINK).catch(() => LINK);
  for (const path of [folder, LINK]) await rm(path, { recursive: true, force: true });
}

/** Runs the cluster until somebody stops it. Nothing of it survives this process. */
async function hold(): Promise<void> {
  const folder = await realpath(LINK);
  const running: Process[] = [];
  const stop = async () => {
    for (const each of running.splice(0).reverse()) await each.stop();
    process.exit();
  };
  const control = createServer((socket) => socket.once('data', stop).on('error', () => undefined));
  control.listen(join(folder, CONTROL));
  process.once('SIGINT', stop).once('SIGTERM', stop).once('disconnect', stop);
  try {
    await startEverything(folder, running);
  } catch (error) {
    report(error instanceof Error ? error.message : String(error));
    process.exit(1);
  }
  process.off('disconnect', stop);
  report(READY);
  process.disconnect?.();
}

function report(line: string): void {
  process.send?.(line);
}

/** @param running gets each process as soon as it runs */
async function startEverything(folder: string, running: Process[]): Promise<void> {
  report(
    'Starting Temporal on PostgreSQL with its Web UI, two workers, two receivers, two codec servers and the sandbox ...',
  );
  const temporal = await startCluster(folder, report);
  running.push(temporal);
  const address = async () => `127.0.0.1:${await freePort()}`;
  const sandbox = await address();
  const eventSecret = `whsec_${randomBytes(32).toString('base64')}`;
  const codecToken = randomBytes(32).toString('hex');
  const uiPort = await freePort();
  const uiUrl = `http://127.0.0.1:${uiPort}`;
  const env = {
    TEMPORAL_ADDRESS: temporal.address,
    TEMPORAL_NAMESPACE: 'default',
    PAYLOAD_KEYS: generatePayloadKey(),
    RECEIVER_SECRETS: eventSecret,
    GANGWAY_UI_URL: uiUrl,
    CODEC_TOKENS: codecToken,
    // The Web UI sends no token by itself, so the address contains one.
    CODEC_TOKEN_IN_PATH: 'true',
    CODEC_UI_ORIGIN: uiUrl,
    GANGWAY_POLL_MIN: '500ms',
    GANGWAY_POLL_MAX: '2s',
    SANDBOX_ADDRESS: sandbox,
    SANDBOX_PACE: '1500ms',
    ...sandboxAccount(`http://${sandbox}`),
    DOCUMENT_DIR: join(folder, 'documents'),
    STATEMENT_DIR: join(folder, 'statements'),
  };
  const shown: [what: string, where: string][] = [];
  const one = async (name: Parameters<typeof start>[0], number: number, setting: string, probe: string) => {
    const where = setting === 'SANDBOX_ADDRESS' ? sandbox : await address();
    const log = join(folder, `${name}-${number}.log`);
    running.push(await start(name, { ...env, [setting]: where }, log, `http://${where}${probe}`));
    shown.push([`${name} ${number}`, `http://${where}`]);
  };
  await one('sandbox', 1, 'SANDBOX_ADDRESS', '/sandbox/scenarios');
  await insist(() => gangway(env, ['setup']));
  for (const number of [1, 2]) {
    await one('worker', number, 'GANGWAY_HEALTH_ADDRESS', '/readyz');
    await one('receiver', number, 'RECEIVER_ADDRESS', '/healthz');
    await one('codec-server', number, 'CODEC_ADDRESS', '/decode');
  }
  const [, codec] = shown.find(([what]) => what.startsWith('codec-server')) ?? [];
  const ui = { port: uiPort, folder, temporal: temporal.address, codecEndpoint: `${codec}/${codecToken}` };
  running.push(await startWebUi(ui));
  const lines = Object.entries(env).map(([name, value]) => `export ${name}='${value}'\n`);
  await writeFile(join(folder, 'env'), lines.join(''), { mode: 0o600 });
  shown.unshift(['temporal', temporal.address], ['web ui', uiUrl]);
  for (const [what, where] of shown) report(`  ${what.padEnd(16)} ${where}`);
  report('Logs and data are in .cache/cluster/. To use it:');
  report('  . .cache/cluster/env');
  report('  npx gangway board examples/merchant.json');
  report('  npm run cluster -- --down    # removes its processes and its data');
}

const options = new Command('cluster')
  .description('Run Gangway on a Temporal cluster on PostgreSQL, in the background.')
  .option('--down', 'remove its processes and its data')
  .addOption(new Option('--hold').hideHelp())
  .parse()
  .opts<{ down?: true; hold?: true }>();

if (options.hold) await hold();
else process.exit(await (options.down ? down() : up()));
