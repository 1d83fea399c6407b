import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, mkdir, readdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The release line of the development server. */
const VERSION = 'v1.32.0';
const MODULE = 'go.temporal.io/server';
const CACHE = fileURLToPath(new URL(`../../../.cache/temporal-cluster/${VERSION}`, import.meta.url));

/** Where Debian's packages install the programs of each version of PostgreSQL. */
const DEBIANS = '/usr/lib/postgresql';

/** The paths of the programs of a cluster. */
export interface Programs {
  /** Temporal's services. */
  readonly server: string;
  /** Temporal's tool that creates databases, with their schemas. */
  readonly sql: string;
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

const [server, sql] = [join(CACHE, 'server'), join(CACHE, 'sql')];

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
    report(`building ${MODULE} ${VERSION} with "go install" into .cache/, once: this takes some minutes`);
    await mkdir(CACHE, { recursive: true });
    const commands = ['cmd/server', 'cmd/tools/sql'].map((path) => `${MODULE}/${path}@${VERSION}`);
    await run(go, ['install', ...commands], { env: { ...process.env, GOBIN: CACHE } });
  }
  return { server, sql, initdb, postgres, pgIsReady };
}

async function find(): Promise<Found> {
  const path = (process.env['PATH'] ?? '').split(delimiter);
  const versions = await readdir(DEBIANS).catch(() => []);
  const debians = versions.sort().map((version) => join(DEBIANS, version, 'bin'));
  const folders = [...path, ...debians.toReversed()];
  return {
    initdb: await firstOf(folders, 'initdb'),
    postgres: await firstOf(folders, 'postgres'),
    pgIsReady: await firstOf(folders, 'pg_isready'),
    go: await firstOf(path, 'go'),
    isBuilt: (await isExecutable(server)) && (await isExecutable(sql)),
  };
}

function sentenceOf({ initdb, postgres, pgIsReady, go, isBuilt }: Found): string | undefined {
  const lacks = [
    ...(initdb && postgres && pgIsReady ? [] : ['PostgreSQL (apt-get install postgresql)']),
    ...(isBuilt || go ? [] : ["Go, which builds Temporal's server (https://go.dev/dl)"]),
  ];
  return lacks.length === 0 ? undefined : `A Temporal cluster needs ${lacks.join(', and ')}.`;
}

async function firstOf(folders: readonly string[], name: string): Promise<string | undefined> {
  for (const folder of folders) if (await isExecutable(join(folder, name))) return join(folder, name);
  return undefined;
}

function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
