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

/** The parts of a cluster: paths of programs, and of the folder with the schemas of its databases. */
export interface Programs {
  /** Temporal's services. */
  readonly server: string;
  /** Temporal's tool that creates databases. */
  readonly sql: string;
  readonly schemas: string;
  readonly initdb: string;
  readonly postgres: string;
}

/** Finds PostgreSQL's programs, and Temporal's in the project's cache. Builds those if they are missing, which takes some minutes. */
export async function programs(report: (line: string) => void): Promise<Programs> {
  const [server, sql] = [join(CACHE, 'server'), join(CACHE, 'sql')];
  const folders = await postgresFolders();
  const initdb = await firstOf(folders, 'initdb');
  const postgres = await firstOf(folders, 'postgres');
  if (!initdb || !postgres) {
    throw new Error('PostgreSQL is missing: no initdb on the PATH. Install it: apt-get install postgresql');
  }
  if (!(await isExecutable(server)) || !(await isExecutable(sql))) {
    report(`building ${MODULE} ${VERSION} with go install, once`);
    await mkdir(CACHE, { recursive: true });
    const commands = ['cmd/server', 'cmd/tools/sql'].map((path) => `${MODULE}/${path}@${VERSION}`);
    await run('go', ['install', ...commands], { env: { ...process.env, GOBIN: CACHE } });
  }
  const { stdout } = await run('go', ['mod', 'download', '-json', `${MODULE}@${VERSION}`]);
  const { Dir: source } = JSON.parse(stdout) as { Dir: string };
  return { server, sql, schemas: join(source, 'schema', 'postgresql', 'v12'), initdb, postgres };
}

async function postgresFolders(): Promise<string[]> {
  const versions = await readdir(DEBIANS).catch(() => []);
  const debians = versions.sort().map((version) => join(DEBIANS, version, 'bin'));
  return [...(process.env['PATH'] ?? '').split(delimiter), ...debians.toReversed()];
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
