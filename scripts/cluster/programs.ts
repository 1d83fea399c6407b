import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { firstIn, PATH } from '../../test/rigs/executables.js';

const run = promisify(execFile);

const CACHE = fileURLToPath(new URL('../../.cache/temporal-cluster/', import.meta.url));

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

/** The paths of the programs of a cluster. */
export interface Programs {
  /** Temporal's services. */
  readonly server: string;
  /** Temporal's tool that creates databases, with their schemas. */
  readonly sql: string;
  readonly webUi: string;
  readonly initdb: string;
  readonly postgres: string;
  /** Checks whether PostgreSQL accepts connections. */
  readonly pgIsReady: string;
}

interface Found {
  /** Undefined when it is not on this machine. */
  readonly initdb: string | undefined;
  readonly postgres: string | undefined;
  readonly pgIsReady: string | undefined;
  readonly go: string | undefined;
  /** Temporal's programs are in the project's cache. */
  readonly isBuilt: boolean;
}

const [server = '', sql = '', webUi = ''] = BUILDS.flatMap(({ folder, paths }) =>
  paths.map((path) => join(folder, basename(path))),
);

/** A sentence that names what this machine lacks for a cluster. Undefined when nothing is missing. */
export async function missing(): Promise<string | undefined> {
  return sentenceOf(await find());
}

/**
 * Finds PostgreSQL's programs, and Temporal's in the project's cache. Builds those if they are missing, which takes some minutes.
 *
 * @throws when the machine lacks a program, see {@link missing}
 */
export async function programs(report: (line: string) => void): Promise<Programs> {
  const found = await find();
  const { initdb, postgres, pgIsReady, go, isBuilt } = found;
  if (!initdb || !postgres || !pgIsReady) throw new Error(sentenceOf(found));
  if (!isBuilt) {
    if (!go) throw new Error(sentenceOf(found));
    report(
      'building Temporal\'s server and Web UI with "go install" into .cache/, once: this takes some minutes',
    );
    for (const { module, version, paths, folder } of BUILDS) {
      const commands = paths.map((path) => `${module}/${path}@${version}`);
      await run(go, ['install', ...commands], { env: { ...process.env, GOBIN: folder } });
    }
  }
  return { server, sql, webUi, initdb, postgres, pgIsReady };
}

async function find(): Promise<Found> {
  const versions = await readdir(DEBIANS).catch(() => []);
  const debians = versions.sort().map((version) => join(DEBIANS, version, 'bin'));
  const folders = [...PATH, ...debians.toReversed()];
  return {
    initdb: await firstIn(folders, 'initdb'),
    postgres: await firstIn(folders, 'postgres'),
    pgIsReady: await firstIn(folders, 'pg_isready'),
    go: await firstIn(PATH, 'go'),
    isBuilt: (await Promise.all([server, sql, webUi].map((built) => firstIn([''], built)))).every(Boolean),
  };
}

function sentenceOf({ initdb, postgres, pgIsReady, go, isBuilt }: Found): string | undefined {
  const lacks = [
    ...(initdb && postgres && pgIsReady ? [] : ['PostgreSQL (apt-get install postgresql)']),
    ...(isBuilt || go ? [] : ["Go, which builds Temporal's server (https://go.dev/dl)"]),
  ];
  return lacks.length === 0 ? undefined : `A Temporal cluster needs ${lacks.join(', and ')}.`;
}
