/**
 * Gangway as in production, on this machine: a Temporal cluster on PostgreSQL with one process a service, two workers, two
 * receivers, two codec servers, Temporal's Web UI, and the sandbox as partners. `npm run cluster` runs it until Ctrl-C, which removes
 * its processes and its data. Needs PostgreSQL, and Go for the first run, which builds Temporal's server and Web UI.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import { Printer } from '../src/apps/command/cli/output.js';
import { freePort } from '../src/apps/demo/dev-server.js';
import { type Process, ROOT, runGangway, start } from '../src/apps/demo/parts.js';
import { sandboxAccount } from '../src/apps/sandbox/systems.js';
import { generatePayloadKey } from '../src/temporal/payload-codec.js';
import { insist } from '../test/rigs/waiting.js';
import { ensureFreshBuild } from './build-stamp.js';
import { startCluster } from './cluster/cluster.js';
import { logged, missing, programs, untilUp } from './cluster/programs.js';

/** A link to the folder with data, logs and settings, which is in a place that PostgreSQL's user may read. */
const LINK = join(ROOT, '.cache', 'cluster');

const printer = new Printer(process);
const report = (line: string) => printer.line(line);

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
  const rows: [what: string, where: string][] = [];
  const one = async (name: Parameters<typeof start>[0], number: number, setting: string, probe: string) => {
    const where = setting === 'SANDBOX_ADDRESS' ? sandbox : await address();
    const log = join(folder, `${name}-${number}.log`);
    running.push(await start(name, { ...env, [setting]: where }, log, `http://${where}${probe}`));
    rows.push([`${name} ${number}`, `http://${where}`]);
  };
  await one('sandbox', 1, 'SANDBOX_ADDRESS', '/sandbox/scenarios');
  await insist(() => runGangway(env, ['setup']));
  for (const number of [1, 2]) {
    await one('worker', number, 'GANGWAY_HEALTH_ADDRESS', '/readyz');
    await one('receiver', number, 'RECEIVER_ADDRESS', '/healthz');
    await one('codec-server', number, 'CODEC_ADDRESS', '/decode');
  }
  const [, codec] = rows.find(([what]) => what.startsWith('codec-server')) ?? [];
  running.push(await startWebUi(folder, uiPort, temporal.address, `${codec}/${codecToken}`));
  const lines = Object.entries(env).map(([name, value]) => `export ${name}='${value}'\n`);
  await writeFile(join(folder, 'env'), lines.join(''), { mode: 0o600 });
  rows.unshift(['temporal', temporal.address], ['web ui', uiUrl]);
  for (const [what, where] of rows) report(`  ${what.padEnd(16)} ${where}`);
  report('Logs and data are in .cache/cluster/. To use it:');
  report('  . .cache/cluster/env');
  report('  npx gangway board examples/merchant.json');
  report('Ctrl-C removes its processes and its data.');
}

/** Starts Temporal's Web UI on a port of loopback. @param temporal its address: `127.0.0.1:7233` */
async function startWebUi(folder: string, port: number, temporal: string, codecEndpoint: string) {
  const { webUi } = await programs(() => undefined);
  await mkdir(join(folder, 'web-ui'));
  const settings = {
    host: '127.0.0.1',
    port,
    temporalGrpcAddress: temporal,
    enableUi: true,
    defaultNamespace: 'default',
    cors: { cookieInsecure: true },
    codec: { endpoint: codecEndpoint },
  };
  await writeFile(join(folder, 'web-ui', 'cluster.yaml'), stringify(settings));
  const args = ['--root', folder, '--config', 'web-ui', '--env', 'cluster', 'start'];
  const ui = logged(join(folder, 'web-ui.log'), (stdio) =>
    spawn(webUi, args, { cwd: folder, detached: true, stdio }),
  );
  const responds = async () => {
    const { status } = await fetch(`http://127.0.0.1:${port}/`);
    if (status !== 200) throw new Error(`the Web UI responds with HTTP ${status}`);
  };
  await untilUp('the Web UI', ui, insist(responds));
  return {
    async stop() {
      ui.child.kill('SIGKILL');
      await ui.exited;
    },
  };
}

ensureFreshBuild();
const lacking = await missing();
if (lacking) {
  printer.note(lacking);
  process.exit(1);
}
const folder = await mkdtemp(join(tmpdir(), 'gangway-cluster-'));
await rm(LINK, { force: true });
await mkdir(dirname(LINK), { recursive: true });
await symlink(folder, LINK);
const running: Process[] = [];
const stop = async (code: number) => {
  for (const each of running.splice(0).reverse()) await each.stop();
  for (const path of [folder, LINK]) await rm(path, { recursive: true, force: true });
  process.exit(code);
};
process.once('SIGINT', () => stop(0)).once('SIGTERM', () => stop(0));
await startEverything(folder, running).catch((error) => {
  printer.note(`The cluster did not start: ${error instanceof Error ? error.message : error}`);
  return stop(1);
});
