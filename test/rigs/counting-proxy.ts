import { once } from 'node:events';
import { request as ask, createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { listening } from './listening.js';
import { testEnds, type Until } from './shared.js';
import { isSimulated, listenerAt, listening as listeningSimulated } from './simulated-place.js';

/** A request or a response, as it went over the wire. */
export interface Message {
  readonly headers: IncomingHttpHeaders;
  /** The bytes so far. */
  readonly body: () => Buffer;
}

/** A request and its response. */
export interface Seen {
  /** `POST /api/auth/v2`, without the query. */
  readonly line: string;
  /** `/api/auth/v2?likev1=true` */
  readonly url: string;
  readonly request: Message;
  /** Undefined when there was none. */
  readonly response: Message | undefined;
  /** HTTP status of the response; 0 when there was none. */
  readonly status: number;
  /** `Authorization` of the request, if it had one. */
  readonly authorization: string | undefined;
  /** When the request arrived, in milliseconds of `performance.now()`. */
  readonly at: number;
}

export interface CountingProxy {
  readonly url: string;
  /** The requests so far; default: of every line. */
  seen(line?: string): readonly Seen[];
  /** Refuses connections from now on, or after the next request of this line. */
  shut(from?: string): Promise<void>;
  /** Accepts connections again. */
  open(): Promise<void>;
}

/** A response in place of the partner's. */
export interface Response {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Responds to a request itself; undefined to forward it. */
type Instead = (request: Pick<IncomingMessage, 'method' | 'url'>) => Response | undefined;

const JSON_TYPE = { 'content-type': 'application/json' };

/** Forwards every request to a partner and keeps both halves, until the running test ends. Cuts a connection that the partner cuts. */
export async function countingProxy(
  target: string,
  until: Until = testEnds,
  instead: Instead = () => undefined,
): Promise<CountingProxy> {
  if (isSimulated()) return simulatedProxy(target, until, instead);
  const all: Seen[] = [];
  let shutFrom: string | undefined;
  const server = createServer((request, response) => {
    const wanted = instead(request);
    if (wanted) {
      request.resume();
      response.writeHead(wanted.status ?? 200, wanted.headers ?? JSON_TYPE).end(wanted.body);
      return;
    }
    const { method = '', url = '', headers } = request;
    const line = `${method} ${url.split('?')[0]}`;
    if (line === shutFrom) {
      shutFrom = undefined;
      server.close();
    }
    const { authorization } = headers;
    const at = performance.now();
    const seen = { line, url, authorization, at, request: kept(request) };
    const onward = ask(target + url, { method, headers }, (received) => {
      all.push({ ...seen, status: received.statusCode ?? 0, response: kept(received) });
      response.writeHead(received.statusCode ?? 502, received.headers);
      received.pipe(response);
    });
    onward.on('error', () => {
      all.push({ ...seen, status: 0, response: undefined });
      request.socket.destroy();
    });
    request.pipe(onward);
  });
  const url = `http://${await listening(server, until)}`;
  return {
    url,
    seen: (line) => (line === undefined ? all : all.filter((one) => one.line === line)),
    async shut(from) {
      shutFrom = from;
      if (from !== undefined) return;
      server.close();
      server.closeIdleConnections();
    },
    async open() {
      server.listen(Number(new URL(url).port), '127.0.0.1');
      await once(server, 'listening');
    },
  };
}

/** The same between a worker and a partner of the simulated network. */
function simulatedProxy(target: string, until: Until, instead: Instead): CountingProxy {
  const all: Seen[] = [];
  let shutFrom: string | undefined;
  const onward = listenerAt(target);
  const { url, network, close } = listeningSimulated(async (sent) => {
    const wanted = instead(sent);
    if (wanted) {
      const { status = 200, headers = JSON_TYPE, body } = wanted;
      return { status, headers, body: Buffer.from(body) };
    }
    const line = `${sent.method} ${sent.url.split('?')[0]}`;
    if (line === shutFrom) {
      shutFrom = undefined;
      network.refusesUntil = Number.POSITIVE_INFINITY;
    }
    const request = { headers: sent.headers, body: () => sent.body };
    const { authorization } = request.headers;
    const seen = { line, url: sent.url, authorization, at: performance.now(), request };
    try {
      const received = await onward(sent);
      const response = { headers: received.headers, body: () => received.body };
      all.push({ ...seen, status: received.status, response });
      return received;
    } catch (error) {
      all.push({ ...seen, status: 0, response: undefined });
      throw error;
    }
  });
  until(close);
  return {
    url,
    seen: (line) => (line === undefined ? all : all.filter((one) => one.line === line)),
    async shut(from) {
      shutFrom = from;
      if (from === undefined) network.refusesUntil = Number.POSITIVE_INFINITY;
    },
    async open() {
      network.refusesUntil = 0;
    },
  };
}

function kept(message: IncomingMessage): Message {
  const chunks: Buffer[] = [];
  message.on('data', (chunk: Buffer) => chunks.push(chunk));
  return { headers: message.headers, body: () => Buffer.concat(chunks) };
}
