import { execFile, spawn } from 'node:child_process';
import { chmod, chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '../../src/apps/demo/dev-server.js';
import { insist } from '../../test/rigs/waiting.js';
import { logged, type Programs, untilUp } from './programs.js';

const run = promisify(execFile);

export type Postgres = Awaited<ReturnType<typeof startPostgres>>;

/** Starts PostgreSQL on loopback, with its databases in `folder`. */
export async function startPostgres({ initdb, postgres, pgIsReady }: Programs, folder: string) {
  const user = 'temporal';
  const port = await freePort();
  const owner = await unprivileged();
  const data = join(folder, 'postgresql');
  await mkdir(data);
  if (owner) {
    await chmod(folder, 0o711);
    await chown(data, owner.uid, owner.gid);
  }
  const place = { ...owner, cwd: data };
  await run(initdb, ['--pgdata', data, '--username', user, '--auth', 'trust', '--no-sync'], place);
  // Everything that it writes is in its folder, so that a kill leaves nothing elsewhere.
  const settings = [
    'fsync=off',
    'max_connections=300',
    'unix_socket_directories=',
    'dynamic_shared_memory_type=mmap',
  ];
  const args = ['-D', data, '-h', '127.0.0.1', '-p', `${port}`, ...settings.flatMap((one) => ['-c', one])];
  const start = async () => {
    const server = logged(join(folder, 'postgresql.log'), (stdio) =>
      spawn(postgres, args, { ...place, stdio, detached: true }),
    );
    const isReady = () => run(pgIsReady, ['-h', '127.0.0.1', '-p', `${port}`]);
    await untilUp('PostgreSQL', server, insist(isReady));
    return async (signal: NodeJS.Signals) => {
      server.child.kill(signal);
      await server.exited;
    };
  };
  let end = await start();
  return {
    port,
    /** Its superuser, who needs no password. */
    user,
    /** Shuts it down without a checkpoint and without waiting for clients, and restarts it after a while. */
    async kill(downMs: number) {
      await end('SIGQUIT');
      await sleep(downMs);
      end = await start();
    },
    stop: () => end('SIGINT'),
  };
}

/** The user that runs PostgreSQL, which refuses to run as root. Undefined if this process is not root. */
async function unprivileged(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const ids = await Promise.all(['-u', '-g'].map((flag) => run('id', [flag, 'postgres'])));
  const [uid = 0, gid = 0] = ids.map(({ stdout }) => Number(stdout));
  return { uid, gid };
}
