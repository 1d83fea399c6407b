import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import {
  type ClientHttp2Session,
  connect,
  createSecureServer,
  type Http2SecureServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { Certificates } from './certificates.js';

/** gRPC's PERMISSION_DENIED and UNAUTHENTICATED. */
const PERMISSION_DENIED = '7';
const UNAUTHENTICATED = '16';

export interface Guard {
  /** Callers must present a certificate of the authority. Default: false. */
  readonly mutualTls?: boolean;
  /** API keys of callers, without which they are refused. Default: no key is needed. */
  readonly apiKeys?: Set<string>;
}

export interface GuardedServer {
  readonly address: string;
  /** API keys that callers have used so far. */
  readonly seen: Set<string>;
  close(): Promise<void>;
}

/**
 * Protects the development server as Temporal Cloud does: requires TLS, the caller's certificate or API key, and the namespace
 * in the metadata of each call that concerns one, and refuses operator calls.
 */
export async function startGuardedServer(
  upstream: string,
  { server, authority }: Certificates,
  { mutualTls = false, apiKeys }: Guard,
): Promise<GuardedServer> {
  const seen = new Set<string>();
  const listener = createSecureServer({
    cert: readFileSync(server.cert),
    key: readFileSync(server.key),
    ca: readFileSync(authority),
    requestCert: mutualTls,
    rejectUnauthorized: mutualTls,
  });
  const { port, close } = await forwarding(listener, upstream, (stream, headers) => {
    const refusal = refusalOf(headers, apiKeys, seen);
    if (refusal) refuse(stream, refusal);
    return refusal !== undefined;
  });
  return { address: `localhost:${port}`, seen, close };
}

/**
 * Listens, and forwards each call to another server.
 *
 * @param responds responds to a call itself; false to forward it
 */
export async function forwarding(
  listener: Http2Server | Http2SecureServer,
  upstream: string,
  responds: (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => boolean,
): Promise<{ readonly port: number; readonly close: () => Promise<void> }> {
  const sessions = new Set<ServerHttp2Session | ClientHttp2Session>();
  listener.on('session', (session) => {
    const onward = connect(`http://${upstream}`);
    onward.on('error', () => session.destroy());
    session.on('error', () => onward.destroy());
    session.on('close', () => onward.destroy());
    sessions.add(session).add(onward);
    session.on('stream', (stream, headers) => {
      if (!responds(stream, headers)) passOn(stream, headers, onward);
    });
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return {
    port: (listener.address() as AddressInfo).port,
    async close() {
      for (const session of sessions) session.destroy();
      listener.close();
      await once(listener, 'close');
    },
  };
}

function refusalOf(
  headers: IncomingHttpHeaders,
  apiKeys: Set<string> | undefined,
  seen: Set<string>,
): string | undefined {
  const path = headers[':path'] ?? '';
  if (path.startsWith('/temporal.api.operatorservice')) return PERMISSION_DENIED;
  if (apiKeys === undefined) return undefined;
  const key = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
  if (key === undefined || !apiKeys.has(key)) return UNAUTHENTICATED;
  seen.add(key);
  const isAboutNamespace =
    path.startsWith('/temporal.api.workflowservice') && !path.endsWith('/GetSystemInfo');
  return isAboutNamespace && !headers['temporal-namespace'] ? UNAUTHENTICATED : undefined;
}

export function refuse(stream: ServerHttp2Stream, status: string, message = 'Request unauthorized.'): void {
  stream.respond(
    {
      ':status': 200,
      'content-type': 'application/grpc',
      'grpc-status': status,
      'grpc-message': message,
    },
    { endStream: true },
  );
}

/** Forwards headers, bodies and trailers both ways, and the end of either side. */
function passOn(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, onward: ClientHttp2Session): void {
  const { ':authority': _, ...rest } = headers;
  const call = onward.request(rest as OutgoingHttpHeaders);
  let trailers: IncomingHttpHeaders = {};
  call.on('response', (response, flags) => {
    const endStream = (flags & 1) === 1;
    stream.respond(response, endStream ? { endStream } : { waitForTrailers: true });
  });
  call.on('trailers', (received) => {
    trailers = received;
  });
  stream.on('wantTrailers', () => stream.sendTrailers(trailers));
  for (const [one, other] of [
    [stream, call],
    [call, stream],
  ] as const) {
    one.on('error', () => other.close());
    one.on('aborted', () => other.close());
  }
  stream.pipe(call);
  call.pipe(stream);
}
