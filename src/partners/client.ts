import { deprecate } from 'node:util';
import type { z } from 'zod';
import type { Permit } from '../at-most-once/permit.js';
import { untilAborted } from '../platform/http/deadline.js';
import { createRedactor, withoutRepeats } from '../platform/privacy/private-fields.js';
import { type Operation, type Operations, operationName, unknownFieldsWarning } from './catalogue.js';
import { encode } from './encoding.js';
import type { ExchangeEnd, PartnerObserver } from './exchange-observers.js';
import { type HttpDownload, type HttpResponse, type Transport, TransportError } from './http.js';
import { type FieldProblem, PartnerError, type PartnerErrorDetails } from './partner-error.js';
import {
  differentIdField,
  download,
  type Failure,
  type FailureOfResponse,
  idInLocation,
  isMissingRoute,
  isSuccessStatus,
  morePagesIndicator,
  noCredentials,
  noResponse,
  type PartnerResponse,
  parseJsonBody,
  parsePayload,
  redactFailure,
  savedRecordId,
  tooLarge,
  transportErrorKind,
  type Unwrapped,
} from './responses.js';
import { fieldProblems } from './schema-messages.js';

/** The parts that differ between partners: the name, the authentication, and the envelope of responses. */
export interface PartnerProtocol {
  readonly system: string;
  /** Returns the headers with the credentials. If it throws a {@link PartnerError}, the call is not made. */
  authorization(): Promise<Credentials>;
  /**
   * Returns fresh credentials after a 401, to replay the call. A once-only write is replayed only if refused reads prove that the
   * partner did not process it. Absent if credentials do not expire. Throws if the partner rejects fresh ones.
   */
  reauthorize?(refused: Credentials, operation: string): Promise<Credentials>;
  /** The catalogue key of a short read without input. Shows whether the partner refuses every call, or only a write. */
  readonly probe?: string;
  /** Returns why a valid request must not be sent; undefined if it may. */
  refuse?(operation: Operation, options: CallOptions): string | undefined;
  /** Unwraps a payload from its envelope; undefined for a body without an envelope, such as a proxy's. */
  unwrap(response: PartnerResponse): Unwrapped | undefined;
  /** Our credentials, which are masked wherever the partner repeats them. */
  secrets(): readonly string[];
  readonly observe?: PartnerObserver | undefined;
  readonly inspect?: Inspector | undefined;
}

/** A complete response, as the partner sent it, for a comparison with the catalogue. It contains private values. */
export interface InspectedResponse {
  /** The name in the catalogue: `boarding`. */
  readonly system: string;
  /** The name in the catalogue: `get-status`. */
  readonly name: string;
  readonly operation: Operation;
  readonly status: number;
  /** False for a body without the partner's envelope, or one that is not JSON. */
  readonly hasEnvelope: boolean;
  /** Without its envelope; undefined for a file. */
  readonly payload: unknown;
  readonly envelope?: unknown;
  /** The field or header that shows that the payload is only a page of a list. */
  readonly more?: string | undefined;
  readonly failed: boolean;
}

/** Called with every complete response before the client reads it. Must not throw or keep values. */
export type Inspector = (received: InspectedResponse) => void;

export type Credentials = Readonly<Record<string, string>>;

export interface CallOptions {
  /** Aborts the call. If bytes have been sent by then, the outcome is `Uncertain`. */
  readonly signal?: AbortSignal;
  /** For a write: awaited after its connection is established and before its first byte. If it rejects, nothing is sent. */
  readonly beforeSending?: () => Promise<void>;
  /** The caller warns people of a deprecated operation, so the process need not. */
  readonly knowsDeprecated?: boolean;
  /** The caller has checked its own part of the request. The rest comes from the partner. */
  readonly isChecked?: true;
  /** Allows a write to production, if the partner has several environments. */
  readonly toProduction?: boolean;
  /**
   * Receives each warning, as one line without secrets: unknown fields in the request (before it is sent), or a warning in the
   * response (docs/partner-apis.md#merchant-boarding-rules). A warning never fails the call. Default: warnings are dropped.
   */
  readonly onWarning?: (warning: string) => void;
  /** Receives the response's `Date`, in milliseconds since 1970. Not called without that header. */
  readonly onDate?: (milliseconds: number) => void;
}

// Keeps P1.
export interface OnceOptions extends CallOptions {
  readonly beforeSending: Permit;
}

/**
 * A typed method for each operation of a catalogue. Methods throw only {@link PartnerError}. The method of a (possibly) once-only
 * operation takes a permit.
 */
export type PartnerClient<Ops extends Operations> = {
  readonly [Key in keyof Ops]: (
    request: z.input<Ops[Key]['request']>,
    ...options: 'once' extends Ops[Key]['effect'] ? [options: OnceOptions] : [options?: CallOptions]
  ) => Promise<z.output<Ops[Key]['response']>>;
};

type RepeatableMethod = (request: unknown, options?: CallOptions) => Promise<unknown>;

/** Returns the methods that need no permit, for a catalogue known only at run time. */
export function repeatableMethods(
  operations: Operations,
  client: PartnerClient<Operations>,
): Readonly<Record<string, RepeatableMethod>> {
  const repeatable = Object.keys(operations).filter((key) => operations[key]?.effect !== 'once');
  return Object.fromEntries(repeatable.map((key) => [key, client[key] as RepeatableMethod]));
}

export function partnerClient<Ops extends Operations>(
  operations: Ops,
  protocol: PartnerProtocol,
  http: Transport,
): PartnerClient<Ops> {
  const shared: Shared = { operations };
  const methods = Object.entries(operations).map(([key, operation]) => [
    key,
    (request: unknown, options: CallOptions = {}) =>
      new Call(operationName(key), operation, protocol, http, options, shared).make(request),
  ]);
  return Object.fromEntries(methods);
}

export function partnerOff(system: string, operations: Operations, reason: string) {
  const calls = Object.keys(operations).map((key) => {
    const operation = operationName(key);
    const off = new PartnerError({ system, operation, kind: 'NotSent', fields: [], reason });
    return [key, () => Promise.reject(off)];
  });
  const nothing = () => undefined;
  return { ...Object.fromEntries(calls), useCode: nothing, forget: nothing, close: async () => undefined };
}

/** The default maximum size of a response, in bytes. */
const MAX_RESPONSE_BYTES = 1024 * 1024;

/** How often a call is replayed after its credentials were refused. */
const MAX_REPLAYS = 2;

const PAUSED: ExchangeEnd = { failure: 'Paused', code: '429' };

/** Statuses that refuse credentials or permissions, after which a write may be sent again. */
const REFUSALS = [401, 403];

/** Shared by the calls of a client. */
interface Shared {
  readonly operations: Operations;
  /** The latest probe after a refusal, and when it ended, in milliseconds of a monotonic clock. */
  probed?: { readonly key: string; readonly isRefused: Promise<boolean>; endedAt?: number };
}

class Call {
  #request: unknown = {};
  #refusesReads: boolean | undefined;

  constructor(
    private readonly name: string,
    private readonly operation: Operation,
    private readonly protocol: PartnerProtocol,
    private readonly http: Transport,
    private readonly options: CallOptions,
    private readonly shared: Shared,
  ) {}

  async make(request: unknown): Promise<unknown> {
    this.#check(request);
    const response = await this.#exchange();
    if ('chunks' in response) {
      this.#inspect({ status: response.status, hasEnvelope: true, payload: undefined, failed: false });
      return download(response, (...failed) => this.#failure(...failed));
    }
    return this.#read(response);
  }

  #check(request: unknown): void {
    const { operation, protocol, options } = this;
    const notSent = (reason: string, fields: readonly FieldProblem[]) =>
      this.#failure({ kind: 'Rejected', fields, reason: `not sent: ${reason}` });
    const checked = options.isChecked
      ? { success: true as const, data: request }
      : operation.request.safeParse(request);
    if (!checked.success) throw notSent('invalid request', fieldProblems(checked.error));
    this.#request = checked.data;
    const refusal = protocol.refuse?.(operation, options);
    if (refusal !== undefined) throw notSent(refusal, [{ field: '', message: refusal }]);
    if (operation.deprecated && !options.knowsDeprecated)
      warnOfDeprecated(protocol.system, this.name, operation.deprecated);
    const paused = this.#paused();
    if (paused) {
      this.#startExchange()?.(PAUSED);
      throw paused;
    }
    const unknown = unknownFieldsWarning(operation, checked.data);
    if (unknown !== undefined) options.onWarning?.(unknown);
  }

  /** Sends the request and returns the last response. After a 401, replays it with fresh credentials. */
  async #exchange(): Promise<HttpResponse | HttpDownload> {
    const { protocol, operation } = this;
    if (operation.anonymous) return this.#send({});
    let credentials = await this.#obtained(protocol.authorization());
    for (let replays = 0; ; replays++) {
      const sentAt = performance.now();
      const response = await this.#send(credentials);
      if (!('body' in response) || this.#savedIn(response) !== undefined) return response;
      this.#refusesReads = await this.#probeAfterRefusal(response, credentials, sentAt);
      const isReplayed = response.status === 401 && this.#refusesReads !== false;
      if (!isReplayed || !protocol.reauthorize || replays === MAX_REPLAYS) return response;
      credentials = await this.#obtained(protocol.reauthorize(credentials, this.name));
    }
  }

  /**
   * After a once-only write is refused, reports whether the partner also refuses two reads with the same credentials. If not, the
   * partner may have processed and saved the write. One refused read may be a coincidence. The reads are sent even during a pause.
   * Concurrent writes share them.
   */
  async #probeAfterRefusal(
    { status, headers }: HttpResponse,
    credentials: Credentials,
    sentAt: number,
  ): Promise<boolean | undefined> {
    const { operation, protocol, http, shared, options } = this;
    const probe = shared.operations[protocol.probe ?? ''];
    const isLimit = headers['retry-after'] !== undefined;
    if (operation.effect !== 'once' || !REFUSALS.includes(status) || isLimit || !probe) return undefined;
    const key = JSON.stringify([status, credentials]);
    const { probed: last } = shared;
    const ended = (isRefused: Promise<boolean>) => untilAborted(isRefused, options.signal).catch(() => false);
    if (last?.key === key && (last.endedAt ?? sentAt) >= sentAt) return ended(last.isRefused);
    const read = new Call(operationName(protocol.probe ?? ''), probe, protocol, http, {}, shared);
    const isReadRefused = () =>
      read.#send(credentials).then(
        (response) => response.status === status,
        () => false,
      );
    const isRefused = isReadRefused().then((first) => first && isReadRefused());
    const tried: Shared['probed'] = { key, isRefused };
    shared.probed = tried;
    void isRefused.finally(() => {
      tried.endedAt = performance.now();
    });
    return ended(isRefused);
  }

  /** Returns the sign in a refusal that the partner saved our record, if any. */
  #savedIn(response: HttpResponse): string | undefined {
    const json = parseJsonBody(response.body, this.operation);
    return savedRecordId(this.operation, this.protocol.unwrap({ ...response, json })?.payload ?? json);
  }

  async #obtained(credentials: Promise<Credentials>): Promise<Credentials> {
    const { signal } = this.options;
    try {
      return await untilAborted(credentials, signal);
    } catch (error) {
      const isExpected = error instanceof PartnerError || signal?.aborted;
      throw isExpected ? this.#failure(noCredentials(error), error) : error;
    }
  }

  async #send(credentials: Credentials): Promise<HttpResponse | HttpDownload> {
    const { operation, http } = this;
    const { signal, beforeSending } = this.options;
    const wire = encode(operation, this.#request as Record<string, unknown>);
    const isFile = operation.returns === 'stream';
    const maxBytes = operation.maxBytes ?? MAX_RESPONSE_BYTES;
    const message = {
      ...wire,
      method: operation.method,
      headers: {
        accept: isFile ? '*/*' : 'application/json',
        // A cache between us and the partner may mix up two records.
        ...(operation.effect === 'read' && { 'cache-control': 'no-cache' }),
        ...wire.headers,
        ...credentials,
      },
      ownConnection: operation.effect !== 'read',
      beforeSending:
        beforeSending &&
        (async () => {
          const refused = this.#paused();
          if (refused) throw refused;
          await beforeSending();
        }),
      maxBytes,
      ...(signal && { signal }),
    };
    const ended = this.#startExchange();
    try {
      const response = await (isFile ? http.download(message) : http.send(message));
      const date = response.headers['date']?.toString();
      ended?.({ status: response.status, date }, response);
      const { onDate } = this.options;
      const milliseconds = onDate ? Date.parse(date ?? '') : Number.NaN;
      if (!Number.isNaN(milliseconds)) onDate?.(milliseconds);
      return response;
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      const isPaused = error.cause instanceof PartnerError;
      ended?.(isPaused ? PAUSED : { failure: transportErrorKind(error), code: error.code });
      if (isPaused) throw error.cause;
      throw this.#failure(tooLarge(error, this.name, maxBytes) ?? noResponse(error), error);
    }
  }

  /** Returns the payload of a complete response, with repeated secrets and input masked. */
  #read(response: HttpResponse): unknown {
    const { operation, protocol, http } = this;
    const { status, headers } = response;
    const secrets = protocol.secrets();
    const mask = createRedactor(secrets, this.#request);
    // A 204 means success, whatever the envelope. The schema says whether a response to a write may be empty.
    const isEmpty =
      status === 204 && (operation.effect === 'read' || operation.response.safeParse(null).success);
    const opened = isEmpty
      ? { failed: false, payload: null, fields: [] }
      : protocol.unwrap({ ...response, json: parseJsonBody(response.body, operation) });
    if (opened?.warning) this.options.onWarning?.(mask(opened.warning));
    const failed = opened?.failed === true || !isSuccessStatus(status);
    const { payload: unmasked, envelope } = opened ?? {};
    const more = morePagesIndicator(operation, unmasked, envelope, headers);
    this.#inspect({ status, hasEnvelope: opened !== undefined, payload: unmasked, envelope, more, failed });
    const sent = operation.effect === 'read' ? {} : this.#request;
    const payload = operation.issuesCredential ? unmasked : withoutRepeats(unmasked, secrets, sent);
    const refusedWith = opened?.failed && isSuccessStatus(status) ? payload : undefined;
    const saved = (failed ? this.#savedIn(response) : undefined) ?? idInLocation(operation, response);
    const isRouteMissing = isMissingRoute(operation, this.#request, status);
    const failure = ({ unreadable = isRouteMissing, ...input }: FailureOfResponse) => {
      const details = { ...input, ...(isRouteMissing && { kind: 'Uncertain' as const }) };
      const { kind, reason, retryAfterMs } = details;
      const isUncertain = kind === 'Uncertain' && operation.effect !== 'read';
      const isUnreadable = unreadable && { unreadable: this.name };
      http.pause.after(status, isUncertain, retryAfterMs, { operation: this.name, reason, ...isUnreadable });
      const sign = saved !== undefined && {
        saved,
        // Otherwise the caller would repeat the write, at once or after it got a permission.
        ...(kind !== 'Rejected' && { kind: 'Uncertain' as const }),
      };
      const refusesReads = this.#refusesReads !== undefined && { refusesReads: this.#refusesReads };
      const masked = redactFailure({ ...details, ...sign, ...isUnreadable, ...refusesReads }, mask);
      return this.#failure(masked, undefined, refusedWith ?? undefined);
    };
    const content = opened && { ...opened, payload };
    const result = parsePayload(operation, response, content, http.maxRetryAfterMs, failure);
    const other = differentIdField(operation, this.#request, payload);
    if (more === undefined && other === undefined) return result;
    const fields =
      other === undefined
        ? [{ field: '', message: `the list is only a page of a longer one (${more})` }]
        : [{ field: other, message: 'is that of another record' }];
    throw failure({ kind: 'Uncertain', status, fields, reason: 'unreadable response', unreadable: true });
  }

  #startExchange() {
    const { protocol, operation, name } = this;
    const exchange = { system: protocol.system, operation: name, method: operation.method };
    const secrets = () => protocol.secrets();
    return protocol.observe?.(exchange, { operation, request: this.#request, secrets });
  }

  #inspect(received: Omit<InspectedResponse, 'system' | 'name' | 'operation'>): void {
    const { protocol, operation, name } = this;
    protocol.inspect?.({ system: protocol.system, name, operation, ...received });
  }

  #paused(): PartnerError | undefined {
    const held = this.http.pause.now(this.operation.effect !== 'read');
    if (!held) return undefined;
    const { operation, reason, ...more } = held.cause;
    const why = { reason: `not sent: ${operation} got ${reason}`, retryAfterMs: held.leftMs, ...more };
    return this.#failure({ kind: 'RateLimited', fields: [], ...why });
  }

  #failure(details: Failure, cause?: unknown, refusedWith?: unknown): PartnerError {
    const { system } = this.protocol;
    return new PartnerError({ system, operation: this.name, ...details }, { cause, refusedWith });
  }
}

/**
 * Returns the response of a call (null if empty), or the payload and problems of a refusal that came with a successful HTTP status.
 * @throws {PartnerError} for every other failure
 */
export async function orRefusal(
  called: Promise<unknown> | undefined,
): Promise<{ readonly response: unknown; readonly refusal?: PartnerErrorDetails }> {
  try {
    return { response: (await called) ?? null };
  } catch (error) {
    if (!(error instanceof PartnerError) || error.refusedWith === undefined) throw error;
    return { response: error.refusedWith, refusal: error.details };
  }
}

/** Warns once per process that an operation is deprecated, as Node does for its own functions. */
function warnOfDeprecated(system: string, name: string, instead: string): void {
  deprecate(() => undefined, `${system} ${name} is deprecated: ${instead}`, `GANGWAY_${system}_${name}`)();
}
