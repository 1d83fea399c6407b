import type { Socket } from 'node:net';
import { type Duplex, duplexPair } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { type HttpLimits, PartnerHttp } from '../../../src/partners/http.js';

/** What makes the connections of a {@link PartnerHttp}. */
type ConnectorOf = NonNullable<ConstructorParameters<typeof PartnerHttp>[2]>;

/** Ends an attempt to connect: with a connection, or with an error. */
type Connected = (error: Error | null) => void;

export interface MemoryOptions {
  readonly url?: string;
  readonly limits?: Partial<HttpLimits>;
  /** Once a whole request has arrived. Default: an empty object, in a response that ends the connection. */
  readonly respond?: (connection: Duplex, request: string) => unknown;
  /** Default: connects at once. */
  readonly connect?: (connected: Connected, attempt: number) => void;
}

/** A whole response with this body. */
export function response(body: string | Buffer, head = 'HTTP/1.1 200 OK'): Buffer {
  return Buffer.concat([
    Buffer.from(`${head}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`),
    Buffer.from(body),
  ]);
}

/**
 * A partner without a network, until the running test ends: each connection is a pair of streams. It has the requests that it got,
 * byte for byte; its ends of the connections; the options of each connector, which are those of undici; and where it connected to.
 */
export function memoryPartner(options: MemoryOptions = {}) {
  const {
    url = 'http://127.0.0.1:1',
    limits = {},
    connect = (connected) => queueMicrotask(() => connected(null)),
  } = options;
  const { respond = (connection) => connection.write(response('{}')) } = options;
  const requests: string[] = [];
  const connections: Duplex[] = [];
  const connectors: object[] = [];
  const targets: object[] = [];

  function opened(): Socket {
    const [ours, theirs] = duplexPair({ allowHalfOpen: false });
    connections.push(theirs);
    let received = '';
    theirs
      .on('error', () => undefined)
      .on('data', (chunk) => {
        received += chunk;
        if (!isWhole(received)) return;
        requests.push(received);
        received = '';
        respond(theirs, requests.at(-1) ?? '');
      });
    return ours as Socket;
  }

  let attempts = 0;
  const connectorOf: ConnectorOf = (record = {}) => {
    connectors.push(record);
    return ({ hostname, protocol, port }, callback) => {
      targets.push({ hostname, protocol, port });
      attempts += 1;
      connect((error) => (error ? callback(error, null) : callback(null, opened())), attempts);
    };
  };
  const http = new PartnerHttp(url, limits, connectorOf);
  onTestFinished(() => {
    for (const connection of connections) connection.destroy();
    // A test may have closed it.
    return http.close().catch(() => undefined);
  });
  return { http, requests, connections, connectors, targets };
}

/** Whether the client has closed its end. */
export function isClosed(connection: Duplex | undefined): boolean {
  return connection?.readableEnded === true || connection?.destroyed === true;
}

/** Lets everything happen that is due. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await setImmediate();
}

/** Whether a whole request has arrived. */
export function isWhole(request: string): boolean {
  const [head = '', ...rest] = request.split('\r\n\r\n');
  const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
  return rest.length > 0 && Buffer.byteLength(rest.join('\r\n\r\n')) >= length;
}
