import { type ChildProcess, execFile } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { endWithUs } from '../../src/platform/process/lifecycle.js';
import { firstIn, PATH } from '../../test/rigs/executables.js';

const run = promisify(execFile);

const CACHE = fileURLToPath(new URL('../../.cache/temporal-cluster', import.meta.url));

/** What Go builds, each in a folder of its own, because two of the programs are called `server`. The versions of the development server. */
const BUILDS = [
  { module: 'go.temporal.io/server', version: 'v1.32.0', paths: ['cmd/server', 'cmd/tools/sql'] },
  { module: 'github.com/temporalio/ui-server/v2', version: 'v2.54.1', paths: ['cmd/server'] },
].map((build) => ({
  ...build,
  folder: join(CACHE, `${build.module.replaceAll('/', '-')}@${build.version}`),
}));

/** Where Debian's packages install the programs of each version of PostgreSQL. */
const DEBIANS = '/usr/lib/postgresql';

const [server = '', sql = '', webUi = ''] = BUILDS.flatMap(({ folder, paths }) =>
  paths.map((path) => join(folder, basename(path))),
);

/** The paths of the programs of a cluster: Temporal's services, its tool for databases and its Web UI, and PostgreSQL's. */
export type Programs = Awaited<ReturnType<typeof programs>>;

/** A sentence that names what this machine lacks for a cluster. Undefined when nothing is missing. */
export async function missing(): Promise<string | undefined> {
  return (await find()).lacks;
}

/**
 * Finds PostgreSQL's programs, and Temporal's in the project's cache. Builds those if they are missing, which takes some minutes.
 *
 * @throws when the machine lacks a program, see {@link missing}
 */
export async function programs(report: (line: string) => void) {
  const { lacks, isBuilt, go, ...postgresql } = await find();
  if (lacks !== undefined) throw new Error(lacks);
  if (!isBuilt) {
    report(
      'building Temporal\'s server and Web UI with "go install" into .cache/, once: this takes some minutes',
    );
    for (const { module, version, paths, folder } of BUILDS) {
      const commands = paths.map((path) => `${module}/${path}@${version}`);
      await run(go, ['install', ...commands], { env: { ...process.env, GOBIN: folder } });
    }
  }
  return { server, sql, webUi, ...postgresql };
}

async function find() {
  const versions = await readdir(DEBIANS).catch(() => []);
  const debians = versions.sort().map((version) => join(DEBIANS, version, 'bin'));
  const inPostgres = (name: string) => firstIn([...PATH, ...debians.toReversed()], name);
  const postgresql = ['initdb', 'postgres', 'pg_isready'].map(inPostgres);
  const [initdb = '', postgres = '', pgIsReady = ''] = await Promise.all(postgresql);
  const go = (await firstIn(PATH, 'go')) ?? '';
  const built = await Promise.all([server, sql, webUi].map((path) => firstIn([''], path)));
  const isBuilt = built.every(Boolean);
  const lacks = [
    ...(initdb && postgres && pgIsReady ? [] : ['PostgreSQL (apt-get install postgresql)']),
    ...(isBuilt || go ? [] : ["Go, which builds Temporal's server (https://go.dev/dl)"]),
  ];
  return {
    initdb,
    postgres,
    pgIsReady,
    go,
    isBuilt,
    lacks: lacks.length === 0 ? undefined : `A Temporal cluster needs ${lacks.join(', and ')}.`,
  };
}

/** A program of the cluster. */
export interface Logged {
  readonly child: ChildProcess;
  readonly exited: Promise<unknown>;
}

/** Starts a program that appends to a log what it writes, and that does not outlive this process. */
export function logged(log: string, start: (stdio: ['ignore', number, number]) => ChildProcess): Logged {
  const file = openSync(log, 'a');
  try {
    const child = start(['ignore', file, file]);
    endWithUs(child);
    return { child, exited: once(child, 'exit') };
  } finally {
    closeSync(file);
  }
}

/** Waits until a program is up. @throws {Error} when it ends before that */
export async function untilUp(name: string, { exited }: Logged, isUp: Promise<unknown>): Promise<void> {
  const ended = exited.then(() => Promise.reject(new Error(`${name} ended at once`)));
  // It is an error only during the start.
  ended.catch(() => undefined);
  await Promise.race([isUp, ended]);
}
