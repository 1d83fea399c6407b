import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { endWithUs } from '../../../src/process/lifecycle.js';
import { freePort } from '../../../src/temporal/dev-server.js';
import type { Programs } from './programs.js';

const run = promisify(execFile);

const START_TIMEOUT_MS = 30_000;

export interface Postgres {
  readonly port: number;
  /** Its superuser, who needs no password. */
  readonly user: string;
  /** Ends it. @returns all bytes that it has written */
  stop(): Promise<Buffer>;
}

/** Starts PostgreSQL on loopback, with databases that end with it. */
export async function startPostgres({ initdb, postgres }: Programs): Promise<Postgres> {
  const user = 'temporal';
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'gangway-postgres-'));
  const owner = await unprivileged();
  if (owner) await chown(folder, owner.uid, owner.gid);
  const data = join(folder, 'data');
  await run(initdb, ['--pgdata', data, '--username', user, '--auth', 'trust', '--no-sync'], {
    ...owner,
    cwd: folder,
  });
  const settings = ['fsync=off', 'max_connections=300', `unix_socket_directories=${folder}`];
  const args = ['-D', data, '-h', '127.0.0.1', '-p', `${port}`, ...settings.flatMap((one) => ['-c', one])];
  const child = spawn(postgres, args, { ...owner, cwd: folder, stdio: 'ignore', detached: true });
  endWithUs(child);
  const exited = once(child, 'exit');
  await Promise.race([
    untilOpen(port),
    exited.then(() => Promise.reject(new Error('PostgreSQL ended at once'))),
  ]);
  return {
    port,
    user,
    async stop() {
      child.kill('SIGINT');
      await exited;
      const written = await bytesIn(data);
      await rm(folder, { recursive: true, force: true });
      return written;
    },
  };
}

/** The user that runs PostgreSQL, which refuses to run as root. Undefined if this process is not root. */
async function unprivileged(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const ids = await Promise.all(['-u', '-g'].map((flag) => run('id', [flag, 'postgres'])));
  const [uid = 0, gid = 0] = ids.map(({ stdout }) => Number(stdout));
  return { uid, gid };
}

async function untilOpen(port: number): Promise<void> {
  for (const until = Date.now() + START_TIMEOUT_MS; ; await sleep(100)) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
    if (Date.now() > until) throw new Error('PostgreSQL does not start');
  }
}

async function bytesIn(folder: string): Promise<Buffer> {
  const names = await readdir(folder, { recursive: true });
  const read = async (name: string) => {
    const path = join(folder, name);
    return (await stat(path)).isFile() ? readFile(path) : Buffer.alloc(0);
  };
  return Buffer.concat(await Promise.all(names.map(read)));
}
