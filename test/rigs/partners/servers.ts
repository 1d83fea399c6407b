import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSocketServer, type Socket } from 'node:net';
import {
  type BoardingClient,
  type BoardingSettings,
  boardingClient,
} from '../../../src/partners/boarding/client.js';
import { type ByHand, byHand } from '../../../src/partners/by-hand.js';
import { listening } from '../listening.js';
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
  return { url: `http://${await listening(server)}`, requests, connections: () => connections.length };
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
  const address = await listening(server, (close) =>
    testEnds(() => {
      for (const socket of sockets) socket.destroy();
      close();
    }),
  );
  return { port: Number(address.split(':')[1]), url: `http://${address}` };
}

/** A port where nothing listens: it was free a moment ago. */
export async function closedPort(): Promise<number> {
  const server = createSocketServer();
  const address = await listening(server, () => undefined);
  await new Promise((resolve) => server.close(resolve));
  return Number(address.split(':')[1]);
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
