import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DevServer, startDevServer } from '../../../src/apps/demo/dev-server.js';
import { insist } from '../waiting.js';

/** A Temporal server that can be killed, as a whole or in part. */
export interface Served {
  /** `127.0.0.1:7233`, also after a kill. */
  readonly address: string;
  /** The parts that can be killed. */
  readonly parts: readonly string[];
  /** Kills a part of it, and restarts it after a while. */
  kill(part: string, downMs: number): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a server with all its data in `folder`. */
export type Serve = (folder: string) => Promise<Served>;

/** The development server. */
export const serveInOne: Serve = async (folder) => {
  let server = await serve(folder);
  const { address } = server;
  return {
    address,
    parts: ['server'],
    async kill(_, downMs) {
      process.kill(server.pid, 'SIGKILL');
      await server.stop();
      await sleep(downMs);
      server = await serve(folder, address);
    },
    stop: () => server.stop(),
  };
};

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
