import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import pLimit from 'p-limit';
import { type buildConnector, Client, type Dispatcher, errors, type FormData, Pool } from 'undici';
import { Deadline, untilAborted } from '../platform/http/deadline.js';
import { connectorFor } from '../platform/http/proxy.js';
import { isSecureOrLoopback } from '../platform/settings/settings.js';
import { decodeBody } from './encoding.js';
import { Pause } from './pause.js';

// Keeps P4.
/** The time limits of one call, in milliseconds, and the size limits of a response, in bytes. */
export const DEFAULT_HTTP_LIMITS = {
  connectTimeoutMs: 5_000,
  /** The time from the first byte sent until the headers of the response. */
  headersTimeoutMs: 30_000,
  bodyTimeoutMs: 30_000,
  /** The time of the complete call. For a write, the wait for a slot does not count. */
  totalTimeoutMs: 45_000,
  maxBodyBytes: 8 * 1024 * 1024,
  maxRetryAfterMs: 3_600_000,
  /** The maximum size of a file, which is streamed, see {@link PartnerHttp.download}. */
  maxDownloadBytes: 256 * 1024 * 1024,
  /** The number of connections for reads, and the same number again for writes. */
  connections: 32,
  /** A write's connection is replaced if it has been idle longer than this. */
  idleTimeoutMs: 1_000,
};

export type HttpLimits = Readonly<typeof DEFAULT_HTTP_LIMITS>;

/**
 * How many writes may be between {@link HttpRequest.beforeSending} and their first byte at the same time. A killed process leaves
 * at most this many intents of unsent writes, each of which becomes a question to a person.
 */
const MIN_PLACES = 2;
const MAX_PLACES = 8;

/** Allows one more write for each 10 ms that a write spends there, which is enough for 100 writes a second. */
const MS_PER_PLACE = 10;

const WEIGHT = 1 / 8;

/**
 * Limits the writes that are about to be sent, in order of arrival. The limit grows with the time that a write spends there, mostly
 * waiting for Temporal to record its intent: with a slow server, the same rate needs more writes at the same time.
 */
class AboutToSend {
  readonly #places = pLimit(MIN_PLACES);
  #averageMs = 0;

  /** Waits for a place, and holds it until `send` ends. */
  take(send: () => Promise<void>): Promise<void> {
    return this.#places(async () => {
      const since = performance.now();
      await send();
      this.#averageMs += (performance.now() - since - this.#averageMs) * WEIGHT;
      const needed = Math.ceil(this.#averageMs / MS_PER_PLACE);
      this.#places.concurrency = Math.min(Math.max(needed, MIN_PLACES), MAX_PLACES);
    });
  }
}

export interface HttpRequest {
  readonly method: Dispatcher.HttpMethod;
  /** Path and query below the base URL, starting with a slash. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | FormData;
  /** Whether to use a connection only for this request, see {@link PartnerHttp}. True for each write. */
  readonly ownConnection: boolean;
  /** For a write: awaited after its connection is established and before its first byte. If it rejects, nothing is sent. */
  readonly beforeSending?: (() => Promise<void>) | undefined;
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
}

export interface HttpResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** A successful response whose body has not arrived yet. */
export interface HttpDownload {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: HttpResponse['headers'];
  /** Ends with a {@link TransportError} if the body is incomplete. */
  readonly chunks: AsyncIterable<Buffer>;
  /** Calls back with each chunk, and without one at the end. */
  eachChunk(seen: (chunk?: Buffer) => void): void;
  cancel(): void;
}

/** The code of a {@link TransportError} for a response that is too large. */
export const TOO_LARGE = 'UND_ERR_RES_EXCEEDED_MAX_SIZE';

/** Thrown if a call gets no response. `sent` is false only if certainly no byte of the request was sent. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  constructor(
    /** An error code such as `ECONNREFUSED` or `UND_ERR_HEADERS_TIMEOUT`. */
    readonly code: string,
    readonly sent: boolean,
    options?: ErrorOptions,
  ) {
    super(code, options);
  }
}

/**
 * An HTTP client for one partner: one origin, no redirects, no hidden retries, bounded time and size.
 *
 * Reads share keep-alive connections. A write always opens a fresh one: on a keep-alive socket that the partner has just closed, a
 * request fails halfway, and nobody knows whether the partner processed it. {@link HttpRequest.beforeSending} runs after the
 * connection is established, so an unreachable partner fails the call before it.
 */
export class PartnerHttp {
  /** Callers read and set it, because only they can interpret a response. */
  readonly pause = new Pause();
  /** `https://boarding.example.com`. */
  readonly origin: string;
  readonly limits: HttpLimits;
  readonly #basePath: string;
  readonly #reads: Pool;
  readonly #options: Client.Options;
  readonly #writes: ReturnType<typeof pLimit>;
  readonly #aboutToSend = new AboutToSend();
  readonly #connectorOf: typeof connectorFor;

  /**
   * @param connectorOf opens connections. Default: through the proxy, if any. A test opens them in memory.
   * @throws {TypeError} unless the URL is https, or http to a loopback address.
   */
  constructor(baseUrl: string, limits: Partial<HttpLimits> = {}, connectorOf = connectorFor) {
    const url = new URL(baseUrl);
    if (!isSecureOrLoopback(url)) throw new TypeError('a partner URL must be https (http only to loopback)');
    this.limits = { ...DEFAULT_HTTP_LIMITS, ...limits };
    this.origin = url.origin;
    this.#basePath = url.pathname.replace(/(?<!\/)\/+$/, '');
    this.#connectorOf = connectorOf;
    const { connections, headersTimeoutMs, bodyTimeoutMs, connectTimeoutMs } = this.limits;
    this.#options = { headersTimeout: headersTimeoutMs, bodyTimeout: bodyTimeoutMs };
    this.#reads = new Pool(url.origin, {
      ...this.#options,
      connections,
      connect: connectorOf({ timeout: connectTimeoutMs }),
      maxResponseSize: this.limits.maxBodyBytes,
      pipelining: 1,
      keepAliveTimeout: 4_000,
    });
    this.#writes = pLimit(connections);
  }

  /** Sends a request. @throws {TransportError} without a complete response, whatever its HTTP status */
  async send(request: HttpRequest): Promise<HttpResponse> {
    const { maxBodyBytes } = this.limits;
    const most = Math.min(request.maxBytes ?? maxBodyBytes, maxBodyBytes);
    return this.#exchange(request, maxBodyBytes, (response) => buffered(response, most));
  }

  get maxRetryAfterMs(): number {
    return this.limits.maxRetryAfterMs;
  }

  /**
   * Like {@link send}, but returns a 2xx before its body is complete, and allows a larger body. The timeouts apply until the end of
   * the body. Reads a response with any other status completely.
   */
  async download(request: HttpRequest): Promise<HttpResponse | HttpDownload> {
    const { maxBodyBytes, maxDownloadBytes } = this.limits;
    // A large body must not delay other reads on the connection.
    const alone = { ...request, ownConnection: true };
    return this.#exchange<HttpResponse | HttpDownload>(alone, maxDownloadBytes, (response) => {
      const { statusCode: status, headers, body } = response;
      if (status < 200 || status > 299) return buffered(response, maxBodyBytes);
      const readers: ((chunk?: Buffer) => void)[] = [];
      return {
        status,
        headers,
        chunks: chunksOf(body, readers),
        eachChunk: (seen) => void readers.push(seen),
        cancel: () => void body.once('error', () => undefined).destroy(),
      };
    });
  }

  async #exchange<Result>(
    request: HttpRequest,
    maxResponseSize: number,
    read: (response: Dispatcher.ResponseData) => Result | Promise<Result>,
  ): Promise<Result> {
    let sent = false;
    const { totalTimeoutMs } = this.limits;
    const deadline = new Deadline({ until: request.signal });
    const { signal } = deadline;
    const begin = () => deadline.endAfter(totalTimeoutMs);
    const started = whenRequestStarts(() => {
      sent = true;
    });
    const exchanged = (connection: Dispatcher): Promise<Dispatcher.ResponseData> =>
      connection.compose(started).request({
        method: request.method,
        path: this.#basePath + request.path,
        headers: { ...request.headers },
        body: request.body ?? null,
        signal,
      });
    const alone = async () => {
      signal.throwIfAborted();
      const connection = this.#ownConnection(maxResponseSize, request, signal, begin);
      const release = () => void connection.destroy().catch(() => undefined);
      signal.addEventListener('abort', release, { once: true });
      try {
        const response = await exchanged(connection);
        response.body.once('close', release);
        return response;
      } catch (error) {
        release();
        throw error;
      }
    };
    try {
      signal.throwIfAborted();
      if (!request.beforeSending) begin();
      // undici observes the signal only after it has a connection, which may take a while.
      const response = await untilAborted(
        request.ownConnection ? this.#writes(alone) : exchanged(this.#reads),
        signal,
      );
      response.body.once('close', () => deadline.release());
      return await read(response);
    } catch (error) {
      deadline.release();
      throw new TransportError(errorCode(error), sent, { cause: error });
    }
  }

  /** Opens a connection for one request. `beforeSending` can still cancel the request once it is established. */
  #ownConnection(
    maxResponseSize: number,
    { beforeSending }: HttpRequest,
    signal: AbortSignal,
    begin: () => void,
  ): Client {
    const { connectTimeoutMs, idleTimeoutMs } = this.limits;
    const connect = this.#connectorOf({ timeout: connectTimeoutMs, allowH2: false });
    const connected = (options: buildConnector.Options) =>
      new Promise<OwnSocket>((resolve, reject) => {
        connect(options, (error, socket) =>
          error ? reject(error) : resolve(new OwnSocket(socket, idleTimeoutMs)),
        );
      });
    const usable = async (own: OwnSocket, options: buildConnector.Options) => {
      if (own.isUsable) return own;
      own.destroy();
      return connected(options);
    };
    return new Client(this.origin, {
      ...this.#options,
      maxResponseSize,
      pipelining: 0,
      connect: (options, callback) => {
        const established = async (): Promise<void> => {
          let own = await connected(options);
          const sendNext = async () => {
            try {
              signal.throwIfAborted();
              if (beforeSending) begin();
              own = await usable(own, options);
              await beforeSending?.();
              await pendingEvents();
              own = await usable(own, options);
            } catch (error) {
              own.destroy();
              throw error;
            }
            // Sends the request at once.
            callback(null, own.taken());
          };
          await (beforeSending ? this.#aboutToSend.take(sendNext) : sendNext());
        };
        established().catch((error: Error) => callback(error, null));
      },
    });
  }

  async close(): Promise<void> {
    await this.#reads.close();
  }
}

export type Transport = Pick<PartnerHttp, 'send' | 'download' | 'maxRetryAfterMs' | 'pause'>;

class OwnSocket {
  readonly #since = performance.now();

  constructor(
    private readonly socket: Socket,
    private readonly idleTimeoutMs: number,
  ) {
    // Only a socket that is being read notices that the partner has closed it.
    socket.resume();
  }

  get isUsable(): boolean {
    return this.socket.writable && performance.now() - this.#since < this.idleTimeoutMs;
  }

  taken(): Socket {
    this.socket.pause();
    return withoutContinue(this.socket);
  }

  destroy(): void {
    this.socket.destroy();
  }
}

/** `100 Continue`, with any headers. */
const CONTINUE = /^HTTP\/1\.[01] 100[^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n/;
const LONGEST_CONTINUE = 1_024;

/** Drops a `100 Continue` before the response. A proxy may send one unasked (RFC 9110, 15.2), and undici treats it as an error. */
function withoutContinue(socket: Socket): Socket {
  const read = socket.read.bind(socket);
  socket.read = (size) => {
    const chunk: Buffer | null = read(size);
    if (chunk === null) return chunk;
    socket.read = read;
    const [interim = ''] = CONTINUE.exec(chunk.toString('latin1', 0, LONGEST_CONTINUE)) ?? [];
    return interim.length < chunk.length ? chunk.subarray(interim.length) : read(size);
  };
  return socket;
}

async function buffered(
  { statusCode: status, headers, body }: Dispatcher.ResponseData,
  maxBytes: number,
): Promise<HttpResponse> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new errors.ResponseExceededMaxSizeError();
    chunks.push(chunk);
  }
  return { status, headers, body: decodeBody(Buffer.concat(chunks), headers, maxBytes) };
}

/** The chunks of a body. Calls each reader with them, and with nothing at the end. */
export async function* chunksOf(
  body: AsyncIterable<Buffer>,
  readers: readonly ((chunk?: Buffer) => void)[],
): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of body) {
      for (const seen of readers) seen(chunk);
      yield chunk;
    }
  } catch (error) {
    throw new TransportError(errorCode(error), true, { cause: error });
  } finally {
    for (const seen of readers) seen();
  }
}

/** Calls back when a connected socket (TLS included) is about to carry the request's first byte. */
function whenRequestStarts(started: () => void): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) =>
    dispatch(options, {
      onRequestStart(controller, context) {
        started();
        handler.onRequestStart?.(controller, context);
      },
      onRequestUpgrade: (...args) => handler.onRequestUpgrade?.(...args),
      onResponseStart: (...args) => handler.onResponseStart?.(...args),
      onResponseData: (...args) => handler.onResponseData?.(...args),
      onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
      onResponseError: (...args) => handler.onResponseError?.(...args),
    });
}

function errorCode(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string')
    return error.code === 'ERR_BUFFER_TOO_LARGE' ? TOO_LARGE : error.code;
  return error instanceof Error ? error.name : 'unknown';
}

/** Resolves after two turns of the event loop, so that all socket events up to now are processed. */
export async function pendingEvents(): Promise<void> {
  await setImmediate();
  await setImmediate();
}
