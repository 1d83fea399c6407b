/**
 * Builds the files of the image with the steps of the Dockerfile, without an engine. Then runs its processes from them as the
 * image's user, boards two merchants, and sends SIGTERM. Run it as root, because only root can become another user:
 * `npm run check-image`
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import { startDevServer } from '../src/temporal/dev-server.js';
import { generatePayloadKey } from '../src/temporal/payload-codec.js';
import { registerSearchAttributes } from '../src/temporal/search-attributes.js';
import { buildStage, commandOf, contextOf, environmentOf, readStages, type Stage } from './dockerfile.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const READY_TIMEOUT_MS = 60_000;
const RUN_TIMEOUT_MS = 120_000;
const report = (line: string) => process.stdout.write(`${line}\n`);

async function main(): Promise<void> {
  const target = await mkdtemp(join(tmpdir(), 'gangway-image-'));
  // Another user must be able to read it.
  await chmod(target, 0o755);
  try {
    const context = join(target, 'context');
    for (const path of await contextOf(ROOT))
      await cp(join(ROOT, path), join(context, path), { recursive: true });
    const stages = await readStages(join(ROOT, 'Dockerfile'));
    for (const stage of stages) await buildStage(stage, { context, target, report });
    const image = stages.at(-1);
    if (!image) throw new Error('the Dockerfile has no stage');
    await size(join(target, 'image/app'));
    await tryOut(image, join(target, 'image'));
  } finally {
    await rm(target, { recursive: true, force: true });
  }
}

async function size(app: string): Promise<void> {
  const du = await promisify(execFile)('du', ['-sm', 'node_modules', 'dist'], { cwd: app });
  report(`size in MB: ${du.stdout.trim().replaceAll(/\s+/g, ' ')}`);
}

/** The image's processes, run on this machine. */
class Container {
  readonly #running: ChildProcess[] = [];
  readonly #user: { uid: number; gid: number };
  readonly #entrypoint: readonly string[];

  constructor(
    image: Stage,
    readonly root: string,
    readonly env: Readonly<Record<string, string>>,
  ) {
    const [uid = 0, gid = 0] = (image.instructions.find(({ name }) => name === 'USER')?.text ?? '')
      .split(':')
      .map(Number);
    this.#user = { uid, gid };
    // This machine may not have the image's tini.
    this.#entrypoint = commandOf(image, 'ENTRYPOINT').slice(2);
  }

  async prepare(): Promise<void> {
    await mkdir(join(this.root, 'data'), { mode: 0o700 });
    await chown(join(this.root, 'data'), this.#user.uid, this.#user.gid);
  }

  start(command: readonly string[]): ChildProcess {
    const [program = '', ...before] = this.#entrypoint;
    const { PATH = '' } = process.env;
    const child = spawn(program, [...before, ...command], {
      cwd: join(this.root, 'app'),
      env: { PATH, ...this.env },
      stdio: ['pipe', 'pipe', 'inherit'],
      ...this.#user,
    });
    this.#running.push(child);
    return child;
  }

  /** Runs a command that must end with 0. @returns its output */
  async run(command: readonly string[], input = ''): Promise<string> {
    const child = this.start(command);
    const late = setTimeout(() => child.kill('SIGKILL'), RUN_TIMEOUT_MS);
    let printed = '';
    child.stdout?.on('data', (chunk) => {
      printed += chunk;
    });
    child.stdin?.end(input);
    const [code] = await once(child, 'close');
    clearTimeout(late);
    if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}`);
    return printed;
  }

  kill(): void {
    for (const child of this.#running) child.kill('SIGKILL');
  }
}

async function tryOut(image: Stage, root: string): Promise<void> {
  const temporal = await startDevServer();
  const connection = await Connection.connect({ address: temporal.address });
  await registerSearchAttributes(new Client({ connection }));
  await connection.close();
  const container = new Container(image, root, {
    ...environmentOf(image),
    ...{ DOCUMENT_DIR: join(root, 'data/documents'), STATEMENT_DIR: join(root, 'data/statements') },
    ...{ TEMPORAL_ADDRESS: temporal.address, PAYLOAD_KEYS: generatePayloadKey() },
    ...{
      GANGWAY_POLL_MIN: '100ms',
      GANGWAY_POLL_MAX: '1s',
      SANDBOX_ADDRESS: '127.0.0.1:4019',
      SANDBOX_PACE: '1reads',
    },
    ...{ GANGWAY_HEALTH_ADDRESS: '127.0.0.1:8089', RECEIVER_ADDRESS: '127.0.0.1:8088' },
    CONSOLE_ADDRESS: '127.0.0.1:8087',
    ...{ BOARDING_URL: 'http://127.0.0.1:4019', BOARDING_USERNAME: 'sandbox', BOARDING_PASSWORD: 'sandbox' },
  });
  try {
    await container.prepare();
    await isReadOnly(container);
    const sandbox = container.start(['dist/sandbox.js']);
    const worker = container.start(commandOf(image, 'CMD'));
    const receiver = container.start(['dist/receiver.js']);
    const console = container.start(['dist/console.js']);
    for (const url of [
      'http://127.0.0.1:4019/sandbox/scenarios',
      'http://127.0.0.1:8089/readyz',
      'http://127.0.0.1:8088/readyz',
      'http://127.0.0.1:8087/readyz',
      // Its user has no name here.
      'http://127.0.0.1:8087/',
    ])
      await healthy(container, url);
    await board(container);
    for (const [name, child] of Object.entries({ worker, receiver, console, sandbox })) {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      const [code] = await exited;
      report(`${name} ended with ${code} on SIGTERM`);
      if (code !== 0) throw new Error(`${name} must end with 0`);
    }
  } finally {
    container.kill();
    await temporal.stop();
  }
}

/** Checks that the image's user may write below /data only. */
async function isReadOnly(container: Container): Promise<void> {
  const probe = join(container.root, 'app/dist/probe.mjs');
  await writeFile(
    probe,
    "await import('node:fs/promises').then((fs) => fs.writeFile('dist/x', '')).catch((e) => console.log(e.code))",
  );
  const printed = await container.run(['dist/probe.mjs']);
  if (printed !== 'EACCES\n') throw new Error('the files of the image can be written to');
  await rm(probe);
}

async function healthy(container: Container, url: string): Promise<void> {
  for (const until = Date.now() + READY_TIMEOUT_MS; ; ) {
    const up = await container.run(['deploy/health-check.mjs', url]).then(
      () => true,
      () => false,
    );
    if (up) {
      report(`${url} responds`);
      return;
    }
    if (Date.now() > until) throw new Error(`${url} does not respond`);
  }
}

/** Boards one merchant by the command and one by an event. */
async function board(container: Container): Promise<void> {
  const merchant = (externalId: string) => ({
    externalId,
    merchant: { dba: 'Corner Bakery', firstName: 'Ada', lastName: 'Baker', cashDiscount: 'No', pos: 'None' },
    agentProfileId: 101,
    boardingSettingsId: 11,
  });
  const printed = await container.run(
    ['dist/starter.js', 'board', '-', '--wait', '--json'],
    JSON.stringify(merchant('by-command')),
  );
  report(`boarded by the command: ${printed.trim().split('\n').at(-1)}`);
  const response = await fetch('http://127.0.0.1:8088/events', {
    method: 'POST',
    headers: { 'content-type': 'application/cloudevents+json' },
    body: JSON.stringify({
      ...{ specversion: '1.0', id: '1', source: 'check-image', type: 'merchant.boarding.requested.v1' },
      data: merchant('by-event'),
    }),
  });
  if (response.status !== 202)
    throw new Error(`the receiver responded with ${response.status}: ${await response.text()}`);
  const outcome = await container.run(
    ['dist/starter.js', 'board', '-', '--wait', '--json'],
    JSON.stringify(merchant('by-event')),
  );
  report(`boarded by an event: ${outcome.trim().split('\n').at(-1)}`);
}

await main();
