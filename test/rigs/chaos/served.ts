import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DevServer, startDevServer } from '../../../src/temporal/dev-server.js';
import { databaseOf } from '../privacy/places.js';
import { insist } from './insist.js';

/** A Temporal server that can be killed, as a whole or in part. */
export interface Served {
  /** `127.0.0.1:7233`, also after a kill. */
  readonly address: string;
  /** Kills a part of it with SIGKILL, and restarts it after a while. */
  kill(part: string, downMs: number): Promise<void>;
  /** Ends it. @returns all bytes that it has written */
  stop(): Promise<Buffer>;
}

/** The development server, with its data in a file. It has one part, whatever name a kill gives. */
export async function serveInOne(): Promise<Served> {
  const folder = await mkdtemp(join(tmpdir(), 'gangway-chaos-'));
  let server = await serve(folder);
  const { address } = server;
  return {
    address,
    async kill(_, downMs) {
      process.kill(server.pid, 'SIGKILL');
      await server.stop();
      await sleep(downMs);
      server = await serve(folder, address);
    },
    async stop() {
      const database = await databaseOf(server, folder);
      await rm(folder, { recursive: true, force: true });
      return database;
    },
  };
}

/** Starts a server on the data in `folder`; default: at a free port. Repeats until the port is free. */
function serve(folder: string, address?: string): Promise<DevServer> {
  const port = address && { port: Number(address.split(':')[1]) };
  return insist(async () => {
    const server = await startDevServer({ databaseFile: join(folder, 'temporal.db'), ...port });
    if (address === undefined || server.address === address) return server;
    await server.stop();
    throw new Error(`${address} is still in use`);
  });
}
