import { once } from 'node:events';
import { Server as HttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { testEnds } from './shared.js';

/** Lets a server listen at a free port of this machine until the running test ends. @returns `127.0.0.1:49152` */
export async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  testEnds(() => {
    if (server instanceof HttpServer) server.closeAllConnections();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}
