import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createSocketServer, type Server, type Socket } from 'node:net';
import {
  type BoardingClient,
  type BoardingSettings,
  boardingClient,
} from '../../../src/partners/boarding/client.js';
import { type ByHand, byHand } from '../../../src/partners/by-hand.js';
import { testEnds } from '../shared.js';

/** A request as it arrived. */
export interface Recorded {
  /** `GET /path?query` */
  readonly line: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The number of its connection, counted from 1. */
  readonly connection: number;
}

/** How a server responds to a request that it has read and recorded. */
export type Respond = (response: ServerResponse, request: IncomingMessage) => void;

export interface RecordingServer {
  readonly url: string;
  readonly requests: readonly Recorded[];
  readonly connections: () => number;
}

/** A real HTTP server that records its requests, until the running test ends. */
export async function recordingServer(respond: Respond): Promise<RecordingServer> {
  const requests: Recorded[] = [];
  const connections: Socket[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method, url, headers, socket } = request;
    const connection = connections.indexOf(socket) + 1;
    requests.push({ line: `${method} ${url}`, headers, body: Buffer.concat(chunks), connection });
    respond(response, request);
  });
  server.on('connection', (socket) => connections.push(socket));
  const port = await listening(server);
  testEnds(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${port}`, requests, connections: () => connections.length };
}

/** A server that sends whatever the test writes to its sockets, until the running test ends. */
export async function socketServer(
  onConnection: (socket: Socket) => void,
): Promise<{ port: number; url: string }> {
  const sockets = new Set<Socket>();
  const server = createSocketServer((socket) => {
    sockets.add(socket);
    // In some tests the client disconnects.
    socket.on('error', () => undefined);
    onConnection(socket);
  });
  const port = await listening(server);
  testEnds(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port, url: `http://127.0.0.1:${port}` };
}

/** A port where nothing listens: it was free a moment ago. */
export async function closedPort(): Promise<number> {
  const server = createSocketServer();
  const port = await listening(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Responds to every request with this status and body. */
export function responding(status: number, body: string, headers: Record<string, string> = {}): Respond {
  return (response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
}

/** A client of the server at `url`, until the running test ends. */
export function clientOf(url: string, settings: Partial<BoardingSettings> = {}): ByHand<BoardingClient> {
  const client = byHand(boardingClient({ url, username: 'sandbox', password: 's3cret', ...settings }));
  testEnds(() => client.close());
  return client;
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
