import { deprecate } from 'node:util';
import type { z } from 'zod';
import type { Permit } from '../at-most-once/permit.js';
import { untilAborted } from '../platform/http/deadline.js';
import { createRedactor, withoutRepeats } from '../platform/privacy/private-fields.js';
import { type Operation, type Operations, operationName, unknownFieldsWarning } from './catalogue.js';
import { fieldProblems } from './describe-rules.js';
import { encode } from './encoding.js';
import { type HttpDownload, type HttpResponse, type Transport, TransportError } from './http.js';
import type { ExchangeEnd, PartnerObserver } from './observers.js';
import { type FieldProblem, PartnerError, type PartnerErrorDetails } from './partner-error.js';
import {
  download,
  type Failure,
  type FailureOfResponse,
  idInLocation,
  isMissingRoute,
  isSuccess,
  jsonIn,
  noCredentials,
  noResponse,
  type Opened,
  otherRecordIn,
  outcomeOf,
  type PartnerResponse,
  payloadOf,
  redactFailure,
  savedIn,
  signOfMorePages,
  tooLarge,
} from './responses.js';

/** The parts that differ between partners: the name, the authentication, and the envelope of responses. */
export interface PartnerProtocol {
  readonly system: string;
  /** The headers that carry the credentials. May throw a {@link PartnerError}; then the call is not made. */
  authorization(): Promise<Credentials>;
  /**
   * Fresh credentials in place of those that the partner rejected with a 401, for a replay: the partner did not
   * process the call, so even a write may be sent again once that is proven. Left out where credentials do not expire. Throws where
   * the partner has rejected fresh ones.
   */
  reauthorize?(refused: Credentials, operation: string): Promise<Credentials>;
  /** A short read without a request: its key in the catalogue. Shows whether a refusal of a write concerns every call. */
  readonly probe?: string;
  /** Returns why a call must not be sent although its request is valid; undefined if it may be sent. */
  refuse?(operation: Operation, options: CallOptions): string | undefined;
  /** Takes a payload out of its envelope; `undefined` for a body without envelope, such as that of a proxy. */
  open(response: PartnerResponse): Opened | undefined;
  /** Our credentials, which are masked wherever the partner repeats one. */
  secrets(): readonly string[];
  readonly observe?: PartnerObserver | undefined;
  readonly inspect?: Inspector | undefined;
}

/** A complete response to an operation, as the partner sent it, for a comparison with the catalogue. It holds values. */
export interface Received {
  /** As in the catalogue: `boarding`. */
  readonly system: string;
  /** As in the catalogue: `get-status`. */
  readonly name: string;
  readonly operation: Operation;
  readonly status: number;
  /** False for a body without the envelope of the partner, or one that is not JSON. */
  readonly isOpen: boolean;
  /** Without its envelope; undefined for a file. */
  readonly payload: unknown;
  readonly envelope?: unknown;
  /** The sign that the payload is only a page of a list. */
  readonly more?: string | undefined;
  readonly failed: boolean;
}

/** Called with every complete response before the client reads it. It must not throw, and must not keep values. */
export type Inspector = (received: Received) => void;

export type Credentials = Readonly<Record<string, string>>;

export interface CallOptions {
  /** Ends the call. If bytes have been sent by then, the outcome is `Uncertain`. */
  readonly signal?: AbortSignal;
  /** For a write: awaited with its connection established, before its first byte. If it rejects, nothing is sent. */
  readonly beforeSending?: () => Promise<void>;
  /** The caller warns people of a deprecated operation, so the process does not. */
  readonly knowsDeprecated?: boolean;
  /** The caller has checked its own part of the request. The rest is as the partner returned it. */
  readonly isChecked?: true;
  /** Allows a write to production, where the partner has several environments. */
  readonly toProduction?: boolean;
  /**
   * Receives each warning of the call, one line of text without secrets. The request has unknown fields (then it is
   * called before sending), or the partner's response has a warning (docs/partner-apis.md#merchant-boarding-rules). A warning
   * never fails the call. Default: warnings are dropped.
   */
  readonly onWarning?: (warning: string) => void;
  /** Receives the partner's time of the response, from its Date header, in milliseconds since 1970. Not called without one. */
  readonly onDate?: (milliseconds: number) => void;
}

// Keeps P1.
export interface OnceOptions extends CallOptions {
  readonly beforeSending: Permit;
}

/**
 * A typed method for each operation of a catalogue. Each throws {@link PartnerError} and nothing else. The method of an operation
 * that is, or may be, once-only takes a permit.
 */
export type PartnerClient<Ops extends Operations> = {
  readonly [Key in keyof Ops]: (
    request: z.input<Ops[Key]['request']>,
    ...options: 'once' extends Ops[Key]['effect'] ? [options: OnceOptions] : [options?: CallOptions]
  ) => Promise<z.output<Ops[Key]['response']>>;
};

type RepeatableMethod = (request: unknown, options?: CallOptions) => Promise<unknown>;

/** The methods that need no permit, where the catalogue is only known at run time. */
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

/** The longest response of an operation that names no other limit, in bytes. */
const MAX_RESPONSE_BYTES = 1024 * 1024;

/** Of a call whose credentials were refused. */
const MOST_REPLAYS = 2;

const PAUSED: ExchangeEnd = { failure: 'Paused', code: '429' };

/** Refusals after which a write is sent again: nobody looked at it, if the partner is to be believed. */
const REFUSALS = [401, 403, 429];

/** Shared by the calls of a client. */
interface Shared {
  readonly operations: Operations;
  /** The latest read that was tried after a refusal, and when it ended, in milliseconds of a monotonic clock. */
  tried?: { readonly key: string; readonly isRefused: Promise<boolean>; endedAt?: number };
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
      this.#inspect({ status: response.status, isOpen: true, payload: undefined, failed: false });
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

  /** The response. After a 401, calls again with fresh credentials, and returns the last response. Getting them may fail. */
  async #exchange(): Promise<HttpResponse | HttpDownload> {
    const { protocol, operation } = this;
    if (operation.anonymous) return this.#send({});
    let credentials = await this.#obtained(protocol.authorization());
    for (let replays = 0; ; replays++) {
      const sentAt = performance.now();
      const response = await this.#send(credentials);
      if (!('body' in response) || this.#savedIn(response) !== undefined) return response;
      this.#refusesReads = await this.#triedRead(response, credentials, sentAt);
      const isReplayed = response.status === 401 && this.#refusesReads !== false;
      if (!isReplayed || !protocol.reauthorize || replays === MOST_REPLAYS) return response;
      credentials = await this.#obtained(protocol.reauthorize(credentials, this.name));
    }
  }

  /**
   * After the refusal of a once-only write, reports whether the partner refuses a read with the same credentials as well. If it does
   * not, it may have looked at the write, and saved it. The read is sent even in a pause: it shows whether that is for every call.
   * Writes that were in flight together share one.
   */
  async #triedRead(
    { status }: HttpResponse,
    credentials: Credentials,
    sentAt: number,
  ): Promise<boolean | undefined> {
    const { operation, protocol, http, shared, options } = this;
    const probe = shared.operations[protocol.probe ?? ''];
    if (operation.effect !== 'once' || !REFUSALS.includes(status) || !probe) return undefined;
    const key = JSON.stringify([status, credentials]);
    const { tried: last } = shared;
    const ended = (isRefused: Promise<boolean>) => untilAborted(isRefused, options.signal).catch(() => false);
    if (last?.key === key && (last.endedAt ?? sentAt) >= sentAt) return ended(last.isRefused);
    const read = new Call(operationName(protocol.probe ?? ''), probe, protocol, http, {}, shared);
    const isRefused = read.#send(credentials).then(
      (response) => response.status === status,
      () => false,
    );
    const tried: Shared['tried'] = { key, isRefused };
    shared.tried = tried;
    void isRefused.finally(() => {
      tried.endedAt = performance.now();
    });
    return ended(isRefused);
  }

  /** The sign in a refusal that the partner saved what we sent. */
  #savedIn(response: HttpResponse): string | undefined {
    const json = jsonIn(response.body, this.operation);
    return savedIn(this.operation, this.protocol.open({ ...response, json })?.payload ?? json);
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
        // A cache between us and the partner may confuse two records.
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
      ended?.(isPaused ? PAUSED : { failure: outcomeOf(error), code: error.code });
      if (isPaused) throw error.cause;
      throw this.#failure(tooLarge(error, this.name, maxBytes) ?? noResponse(error), error);
    }
  }

  /** The payload of a complete response, without repetitions of what we sent. */
  #read(response: HttpResponse): unknown {
    const { operation, protocol, http } = this;
    const { status, headers } = response;
    const secrets = protocol.secrets();
    const mask = createRedactor(secrets, this.#request);
    // Whatever the envelope, it says that the call was fulfilled. A schema says whether a response may have nothing.
    const isEmpty =
      status === 204 && (operation.effect === 'read' || operation.response.safeParse(null).success);
    const opened = isEmpty
      ? { failed: false, payload: null, fields: [] }
      : protocol.open({ ...response, json: jsonIn(response.body, operation) });
    if (opened?.warning) this.options.onWarning?.(mask(opened.warning));
    const failed = opened?.failed === true || !isSuccess(status);
    const { payload: unmasked, envelope } = opened ?? {};
    const more = signOfMorePages(operation, unmasked, envelope, headers);
    this.#inspect({ status, isOpen: opened !== undefined, payload: unmasked, envelope, more, failed });
    const sent = operation.effect === 'read' ? {} : this.#request;
    const payload = operation.issuesCredential ? unmasked : withoutRepeats(unmasked, secrets, sent);
    const refusedWith = opened?.failed && isSuccess(status) ? payload : undefined;
    const saved = (failed ? this.#savedIn(response) : undefined) ?? idInLocation(operation, response);
    const saysNothing = isMissingRoute(operation, this.#request, status);
    const failure = ({ unreadable = saysNothing, ...input }: FailureOfResponse) => {
      const details = { ...input, ...(saysNothing && { kind: 'Uncertain' as const }) };
      const { kind, reason, retryAfterMs } = details;
      const isUncertain = kind === 'Uncertain' && operation.effect !== 'read';
      const isUnreadable = unreadable && { unreadable: this.name };
      http.pause.after(status, isUncertain, retryAfterMs, { operation: this.name, reason, ...isUnreadable });
      const sign = saved !== undefined && {
        saved,
        // The caller would repeat it, or ask for a permission and repeat it.
        ...(kind !== 'Rejected' && { kind: 'Uncertain' as const }),
      };
      const refusesReads = this.#refusesReads !== undefined && { refusesReads: this.#refusesReads };
      const masked = redactFailure({ ...details, ...sign, ...isUnreadable, ...refusesReads }, mask);
      return this.#failure(masked, undefined, refusedWith ?? undefined);
    };
    const content = opened && { ...opened, payload };
    const result = payloadOf(operation, response, content, http.maxRetryAfterMs, failure);
    const other = otherRecordIn(operation, this.#request, payload);
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

  #inspect(received: Omit<Received, 'system' | 'name' | 'operation'>): void {
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
 * The outcome of a call: its response, null for an empty one, or the payload of a refusal whose HTTP status is a
 * success, with its problems. @throws {PartnerError} for every other failure
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

/** Warns that an operation is deprecated, once for each code and process, as Node does for its own functions. */
function warnOfDeprecated(system: string, name: string, instead: string): void {
  deprecate(() => undefined, `${system} ${name} is deprecated: ${instead}`, `GANGWAY_${system}_${name}`)();
}
