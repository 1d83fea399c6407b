import { once } from 'node:events';
import { Server as HttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { testEnds, type Until } from './shared.js';

/**
 * Lets a server listen at a free port of this machine. Default: until the running test ends.
 *
 * @returns `127.0.0.1:49152`
 */
export async function listening(server: Server, until: Until = testEnds): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  until(() => {
    if (server instanceof HttpServer) server.closeAllConnections();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}
