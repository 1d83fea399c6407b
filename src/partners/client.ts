import { Readable } from 'node:stream';
import { deprecate } from 'node:util';
import type { z } from 'zod';
import { retryAfterMs, untilAborted } from '../http/deadline.js';
import { maskedProblems, masking, withoutRepeats } from '../privacy/private-fields.js';
import { fieldNames, shapeOf } from '../schemas/shape.js';
import { LONGEST, shortened } from './bounds.js';
import {
  type Download,
  type Operation,
  type Operations,
  operationName,
  unknownFieldsWarning,
} from './catalogue.js';
import { encode } from './encoding.js';
import type { ExchangeEnd, PartnerObserver, Transport } from './http.js';
import { type HttpDownload, type HttpResponse, TOO_LARGE, TransportError } from './http.js';
import { isNestedDeeper, parseExactly, parseKeepingDigits } from './json.js';
import type { OncePermit } from './once.js';
import { signOfMore } from './pages.js';
import {
  type FieldProblem,
  PartnerError,
  type PartnerErrorDetails,
  type PartnerErrorKind,
  problemsOf,
} from './partner-error.js';
import { fieldProblems } from './rules-in-words.js';

/** The parts that differ between partners: the name, the authentication, and the envelope of responses. */
export interface PartnerProtocol {
  readonly system: string;
  /** The headers that carry the credentials. May throw a {@link PartnerError}; then the call is not made. */
  authorization(): Promise<Credentials>;
  /**
   * Fresh credentials in place of those that the partner rejected with a 401, for one replay: the partner did not
   * process the call, so even a write may be sent again. Left out where credentials do not expire.
   */
  reauthorize?(refused: Credentials): Promise<Credentials>;
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
  /** The envelope around the payload; undefined for a partner without one. */
  readonly envelope?: unknown;
  /** The sign that the payload is only a page of a list. */
  readonly more?: string | undefined;
  /** True if the response reports a failure, by its status or its body. */
  readonly failed: boolean;
}

/** Called with every complete response before the client reads it. It must not throw, and must not keep values. */
export type Inspector = (received: Received) => void;

/** A complete response, and the JSON in its body; undefined if there is none. */
export interface PartnerResponse extends HttpResponse {
  readonly json: unknown;
}

/** Headers, by lower-case name. */
export type Credentials = Readonly<Record<string, string>>;

/** A response without its envelope: the payload, or the problems that the partner reports. */
export interface Opened {
  readonly failed: boolean;
  /** The kind of the failure, where the body is more precise than the status. */
  readonly kind?: PartnerErrorKind;
  readonly payload?: unknown;
  /** The envelope around the payload, if there is one. */
  readonly envelope?: unknown;
  readonly fields: readonly FieldProblem[];
  readonly requestId?: string;
  /** A warning of the partner although the call succeeded. */
  readonly warning?: string;
}

export interface CallOptions {
  /** Ends the call. If bytes have been sent by then, the outcome is `Uncertain`. */
  readonly signal?: AbortSignal;
  /** For a write: awaited with its connection established, before its first byte. If it rejects, nothing is sent. */
  readonly beforeSending?: () => Promise<void>;
  /** The caller warns people of a deprecated operation, so the process does not. */
  readonly knowsDeprecated?: boolean;
  /** Allows a write to production, where the partner has several environments. */
  readonly toProduction?: boolean;
  /**
   * Receives each warning of the call, one line of text without secrets. The request has unknown fields (then it is
   * called before sending), or the partner's response has a warning (apis/2, Response envelope). A warning never fails
   * the call. Default: warnings are dropped.
   */
  readonly onWarning?: (warning: string) => void;
}

/** Options of the call of a once-only operation. */
export interface OnceOptions extends CallOptions {
  readonly beforeSending: OncePermit;
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

/** A method of an operation that needs no permit. */
type RepeatableMethod = (request: unknown, options?: CallOptions) => Promise<unknown>;

/** The methods that need no permit, where the catalogue is only known at run time. */
export function repeatableMethods(
  operations: Operations,
  client: PartnerClient<Operations>,
): Readonly<Record<string, RepeatableMethod>> {
  const repeatable = Object.keys(operations).filter((key) => operations[key]?.effect !== 'once');
  return Object.fromEntries(repeatable.map((key) => [key, client[key] as RepeatableMethod]));
}

/** Makes a client from a catalogue. */
export function partnerClient<Ops extends Operations>(
  operations: Ops,
  protocol: PartnerProtocol,
  http: Transport,
): PartnerClient<Ops> {
  const methods = Object.entries(operations).map(([key, operation]) => [
    key,
    (request: unknown, options: CallOptions = {}) =>
      call(operationName(key), operation, protocol, http, request, options),
  ]);
  return Object.fromEntries(methods);
}

/** The client of a partner that is not set up: every call fails before anything is sent. */
export function partnerOff<Ops extends Operations>(
  system: string,
  operations: Ops,
  reason: string,
): PartnerClient<Ops> {
  const methods = Object.keys(operations).map((key) => [
    key,
    () => {
      const operation = operationName(key);
      return Promise.reject(new PartnerError({ system, operation, kind: 'NotSent', fields: [], reason }));
    },
  ]);
  return Object.fromEntries(methods);
}

/** The longest response of an operation that names no other limit, in bytes. */
const MAX_RESPONSE_BYTES = 1024 * 1024;

const PAUSED: ExchangeEnd = { failure: 'Paused', code: '429' };

/** The shown length of an unreadable response. */
const SHOWN_BYTES = 200;

type Failure = Omit<PartnerErrorDetails, 'system' | 'operation'>;

/** The operation is that of the call. */
type FailureOfResponse = Omit<Failure, 'unreadable'> & { readonly unreadable?: true };

async function call(
  name: string,
  operation: Operation,
  protocol: PartnerProtocol,
  http: Transport,
  request: unknown,
  options: CallOptions,
): Promise<unknown> {
  const { signal } = options;
  const fail = (details: Failure, cause?: unknown, refusedWith?: unknown): PartnerError =>
    new PartnerError({ system: protocol.system, operation: name, ...details }, { cause, refusedWith });

  const checked = operation.request.safeParse(request);
  if (!checked.success) {
    const fields = fieldProblems(checked.error);
    throw fail({ kind: 'Rejected', fields, reason: 'not sent: invalid request' });
  }

  const refusal = protocol.refuse?.(operation, options);
  if (refusal !== undefined) {
    throw fail({
      kind: 'Rejected',
      fields: [{ field: '', message: refusal }],
      reason: `not sent: ${refusal}`,
    });
  }
  if (operation.deprecated && !options.knowsDeprecated)
    warnOfDeprecated(protocol.system, name, operation.deprecated);

  const begun = () =>
    protocol.observe?.(
      { system: protocol.system, operation: name, method: operation.method },
      { operation, request: checked.data, secrets: () => protocol.secrets() },
    );
  const paused = (): PartnerError | undefined => {
    const pause = http.pause.now;
    const reason = `not sent: ${pause?.operation} got HTTP 429`;
    return pause && fail({ kind: 'RateLimited', fields: [], reason, retryAfterMs: pause.leftMs });
  };
  const refusedByPause = paused();
  if (refusedByPause) {
    begun()?.(PAUSED);
    throw refusedByPause;
  }

  const unknown = unknownFieldsWarning(operation, checked.data);
  if (unknown !== undefined) options.onWarning?.(unknown);

  const wire = encode(operation, checked.data as Record<string, unknown>);
  const maxBytes = operation.maxBytes ?? MAX_RESPONSE_BYTES;
  const accept = operation.returns === 'stream' ? '*/*' : 'application/json';
  const { beforeSending } = options;
  const send = async (credentials: Credentials): Promise<HttpResponse | HttpDownload> => {
    const message = {
      ...wire,
      method: operation.method,
      headers: { accept, ...wire.headers, ...credentials },
      ownConnection: operation.effect !== 'read',
      beforeSending:
        beforeSending &&
        (async () => {
          const refused = paused();
          if (refused) throw refused;
          await beforeSending();
        }),
      maxBytes,
      ...(signal && { signal }),
    };
    const ended = begun();
    try {
      const response = await (operation.returns === 'stream' ? http.download(message) : http.send(message));
      ended?.({ status: response.status, date: response.headers['date']?.toString() }, response);
      return response;
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      const isPaused = error.cause instanceof PartnerError;
      ended?.(isPaused ? PAUSED : { failure: outcomeOf(error), code: error.code });
      if (isPaused) throw error.cause;
      throw fail(tooLarge(error, name, maxBytes) ?? noResponse(error), error);
    }
  };
  const obtained = async (credentials: Promise<Credentials>): Promise<Credentials> => {
    try {
      return await untilAborted(credentials, signal);
    } catch (error) {
      throw error instanceof PartnerError || signal?.aborted ? fail(noCredentials(error), error) : error;
    }
  };

  const credentials = operation.anonymous ? {} : await obtained(protocol.authorization());
  let response = await send(credentials);
  if (response.status === 401 && protocol.reauthorize && !operation.anonymous) {
    response = await send(await obtained(protocol.reauthorize(credentials)));
  }
  const received = { system: protocol.system, name, operation, status: response.status };
  if ('chunks' in response) {
    protocol.inspect?.({ ...received, isOpen: true, payload: undefined, failed: false });
    return download(response, fail);
  }
  const secrets = protocol.secrets();
  const mask = masking(secrets, checked.data);
  const opened = protocol.open({ ...response, json: jsonIn(response.body, operation) });
  if (opened?.warning) options.onWarning?.(mask(opened.warning));
  const failed = opened?.failed === true || !isSuccess(response.status);
  const more = signOfMore(operation, opened?.payload, opened?.envelope, response.headers);
  const { payload: unmasked, envelope } = opened ?? {};
  protocol.inspect?.({
    ...received,
    isOpen: opened !== undefined,
    payload: unmasked,
    envelope,
    more,
    failed,
  });
  const sent = operation.effect === 'read' ? {} : checked.data;
  const payload = operation.issuesCredential
    ? opened?.payload
    : withoutRepeats(opened?.payload, secrets, sent);
  const refusedWith = opened?.failed && isSuccess(response.status) ? payload : undefined;
  const shown = opened && { ...opened, payload };
  const failure = ({ unreadable, ...details }: FailureOfResponse) => {
    if (details.kind === 'RateLimited') http.pause.begin(name, details.retryAfterMs);
    const masked = maskedFailure({ ...details, ...(unreadable && { unreadable: name }) }, mask);
    return fail(masked, undefined, refusedWith ?? undefined);
  };
  const result = payloadOf(operation, response, shown, http.maxRetryAfterMs, failure);
  if (more === undefined) return result;
  const fields = [{ field: '', message: `the list is only a page of a longer one (${more})` }];
  const { status } = response;
  throw failure({ kind: 'Uncertain', status, fields, reason: 'unreadable response', unreadable: true });
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

function maskedFailure({ requestId, ...details }: Failure, mask: (text: string) => string): Failure {
  const fields = maskedProblems(details.fields, mask);
  return { ...details, fields, ...(requestId !== undefined && { requestId: mask(requestId) }) };
}

/** The JSON of a body, its numbers with all their digits; undefined if it is not JSON, or nested too deep. */
function jsonIn(body: Buffer, { exactNumbers }: Operation): unknown {
  try {
    const json = (exactNumbers ? parseExactly : parseKeepingDigits)(body.toString('utf8'));
    return isNestedDeeper(json) ? undefined : json;
  } catch {
    return undefined;
  }
}

/** The payload of a complete response, as the catalogue describes it. */
function payloadOf(
  operation: Operation,
  response: HttpResponse,
  opened: Opened | undefined,
  maxRetryAfterMs: number,
  fail: (details: FailureOfResponse) => PartnerError,
): unknown {
  const { status } = response;
  const known = { status, ...(opened?.requestId !== undefined && { requestId: opened.requestId }) };
  const standsFor = operation.statusPayloads?.[status];
  if (standsFor !== undefined) return operation.response.parse(standsFor);
  if (!isSuccess(status) || opened?.failed) {
    const wait = retryAfterMs(response.headers['retry-after']);
    const meaning = operation.failures?.[status];
    throw fail({
      ...known,
      kind: opened?.kind ?? meaning?.kind ?? kindOf(status),
      fields: [...(meaning ? [{ field: '', message: meaning.message }] : []), ...(opened?.fields ?? [])],
      reason: `HTTP ${status}`,
      ...(wait !== undefined && { retryAfterMs: Math.min(wait, maxRetryAfterMs) }),
    });
  }
  const understood = opened && operation.response.safeParse(opened.payload);
  if (!understood?.success) {
    const fields = understood
      ? [
          ...problemsOf(opened?.payload),
          ...fieldProblems(understood.error),
          ...addedFields(operation, opened?.payload),
        ]
      : [{ field: '', message: beginningOf(operation, response) }];
    throw fail({ ...known, kind: 'Uncertain', fields, reason: 'unreadable response', unreadable: true });
  }
  return understood.data;
}

/** The maximum number of fields to name that the catalogue does not have. */
const MOST_ADDED = 5;

/** The fields of an unreadable response that the catalogue does not have: one may be a field that was renamed. */
function addedFields({ response }: Operation, payload: unknown): FieldProblem[] {
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) return [];
  const known = fieldNames(shapeOf(response));
  const added = Object.keys(payload).filter((name) => !known.has(name));
  return added.slice(0, MOST_ADDED).map((field) => ({ field, message: 'is not in the catalogue' }));
}

function download(
  { headers, chunks, cancel }: HttpDownload,
  fail: (f: Failure, c: unknown) => Error,
): Download {
  async function* translated() {
    try {
      yield* chunks;
    } catch (error) {
      throw error instanceof TransportError ? fail(noResponse(error), error) : error;
    }
  }
  const body = Readable.from(translated(), { objectMode: false });
  body.once('close', cancel);
  return { contentType: String(headers['content-type'] ?? ''), body };
}

/**
 * `text/html, 1234 bytes: <html><body>Maintenance`. Possible JSON and the response to a write are left out, because
 * they may hold a secret.
 */
function beginningOf({ effect }: Operation, { headers, body }: HttpResponse): string {
  const type = String(headers['content-type'] ?? 'no content type');
  const came = `${shortened(type, LONGEST.summary)}, ${body.byteLength} bytes`;
  if (effect !== 'read' || !type.startsWith('text/')) return came;
  return `${came}: ${body.subarray(0, SHOWN_BYTES).toString('utf8').replace(/\s+/g, ' ')}`;
}

/** The response was too large to be read to its end. */
function tooLarge({ code }: TransportError, operation: string, maxBytes: number): Failure | undefined {
  if (code !== TOO_LARGE) return undefined;
  const fields = [{ field: '', message: `the response is larger than ${maxBytes} bytes` }];
  return { kind: 'Uncertain', fields, reason: code, unreadable: operation };
}

function noResponse(error: TransportError): Failure {
  return { kind: outcomeOf(error), fields: [], reason: error.code };
}

function outcomeOf({ sent }: TransportError): 'NotSent' | 'Uncertain' {
  return sent ? 'Uncertain' : 'NotSent';
}

/** Returns the failure of a call that has no credentials. Whatever the request for them did, the call itself did nothing. */
function noCredentials(error: unknown): Failure {
  if (!(error instanceof PartnerError)) {
    return { kind: 'NotSent', fields: [], reason: error instanceof Error ? error.name : 'aborted' };
  }
  const { system: _, operation, kind, reason, ...details } = error.details;
  return {
    ...details,
    kind: kind === 'Uncertain' ? 'NotSent' : kind,
    atSignIn: true,
    reason: `${operation}: ${reason}`,
  };
}

function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}

/** A 2xx gets here if its body reports a failure, so the call did nothing. */
function kindOf(status: number): PartnerErrorKind {
  if (status === 401) return 'Unauthorized';
  if (status === 403) return 'Forbidden';
  if (status === 429) return 'RateLimited';
  const neverSaysWhatHappened = status >= 500 || status === 408 || (status >= 300 && status < 400);
  return neverSaysWhatHappened ? 'Uncertain' : 'Rejected';
}
