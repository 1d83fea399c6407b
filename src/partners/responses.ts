/** Turns an HTTP response, or the lack of one, into a payload or a failure. */
import { Readable } from 'node:stream';
import { retryAfterMs } from '../platform/http/deadline.js';
import { redact } from '../platform/privacy/masked.js';
import { redactProblems } from '../platform/privacy/private-fields.js';
import { fieldNames, shapeOf } from '../platform/schemas/shape.js';
import type { Download, Operation } from './catalogue.js';
import { type HttpDownload, type HttpResponse, TOO_LARGE, TransportError } from './http.js';
import { isNestedDeeper, MAX_NESTING, parseExactly, parsePreservingNumbers, withoutDepth } from './json.js';
import {
  type FieldProblem,
  PartnerError,
  type PartnerErrorDetails,
  type PartnerErrorKind,
  problemsInBody,
} from './partner-error.js';
import { isRedirection } from './pause.js';
import { fieldProblems } from './schema-messages.js';
import { LONGEST, truncate } from './text-limits.js';

export interface PartnerResponse extends HttpResponse {
  readonly json: unknown;
}

/** An unwrapped response: the payload, or the problems that the partner reports. */
export interface Unwrapped {
  readonly failed: boolean;
  /** The kind of the failure, where the body is more precise than the status. */
  readonly kind?: PartnerErrorKind;
  readonly payload?: unknown;
  readonly envelope?: unknown;
  readonly fields: readonly FieldProblem[];
  readonly requestId?: string;
  readonly warning?: string;
}

export type Failure = Omit<PartnerErrorDetails, 'system' | 'operation'>;

/** A {@link Failure} without the operation name. The client adds it. */
export type FailureOfResponse = Omit<Failure, 'unreadable'> & { readonly unreadable?: boolean };

const SHOWN_CHARACTERS = 200;

export function redactFailure({ requestId, ...details }: Failure, mask: (text: string) => string): Failure {
  const fields = redactProblems(details.fields, mask);
  return { ...details, fields, ...(requestId !== undefined && { requestId: mask(requestId) }) };
}

/** Parses a body without losing digits of its numbers. Returns undefined if it is not JSON, or nested too deep. */
export function parseJsonBody(body: Buffer, { exactNumbers }: Pick<Operation, 'exactNumbers'>): unknown {
  try {
    const text = withoutDepth(body.toString('utf8'), MAX_NESTING + 1);
    const json = (exactNumbers ? parseExactly : parsePreservingNumbers)(text);
    return isNestedDeeper(json) ? undefined : json;
  } catch {
    return undefined;
  }
}

/** Returns the payload of a complete response, in the form that the catalogue describes. @throws the failure otherwise */
export function parsePayload(
  operation: Operation,
  response: HttpResponse,
  unwrapped: Unwrapped | undefined,
  maxRetryAfterMs: number,
  fail: (details: FailureOfResponse) => PartnerError,
): unknown {
  const { status } = response;
  const context = { status, ...(unwrapped?.requestId !== undefined && { requestId: unwrapped.requestId }) };
  const fixedPayload = operation.statusPayloads?.[status];
  if (fixedPayload !== undefined) return operation.response.parse(fixedPayload);
  if (!isSuccessStatus(status) || unwrapped?.failed) {
    const wait = retryAfterMs(response.headers['retry-after']);
    const meaning = operation.failures?.[status];
    const isLimit = status === 403 && wait !== undefined;
    throw fail({
      ...context,
      kind: unwrapped?.kind ?? meaning?.kind ?? (isLimit ? 'RateLimited' : failureKind(status)),
      fields: [...(meaning ? [{ field: '', message: meaning.message }] : []), ...(unwrapped?.fields ?? [])],
      reason: `HTTP ${status}${describeTarget(response)}`,
      // Some services say that a record is gone, not that it was not found.
      ...(status === 410 && operation.mayFindNothing && { status: 404 }),
      ...(isRedirection(status) && { unreadable: true }),
      ...(wait !== undefined && { retryAfterMs: Math.min(wait, maxRetryAfterMs) }),
    });
  }
  const parsed = unwrapped && operation.response.safeParse(unwrapped.payload);
  if (!parsed?.success) {
    if (operation.mayFindNothing && meansNotFound(response, unwrapped?.payload))
      throw fail({
        ...context,
        status: 404,
        kind: 'Rejected',
        fields: [],
        reason: `HTTP ${status} without a record`,
      });
    const fields = parsed
      ? [
          ...problemsInBody(unwrapped?.payload),
          ...fieldProblems(parsed.error),
          ...unknownFields(operation, unwrapped?.payload),
        ]
      : [{ field: '', message: describeUnreadableBody(operation, response) }];
    throw fail({ ...context, kind: 'Uncertain', fields, reason: 'unreadable response', unreadable: true });
  }
  return parsed.data;
}

/**
 * Reports whether a success response means "not found": some partners send 204, null or a record with ID 0. An empty body does not
 * mean it, because a proxy may have lost the content.
 */
function meansNotFound({ status, body }: HttpResponse, payload: unknown): boolean {
  if (payload === null) return status === 204 || body.byteLength > 0;
  return typeof payload === 'object' && 'id' in payload && payload.id === 0;
}

/** Reports whether a 404 means a missing route, as during a deployment, because a list or search cannot miss a record. */
export function isMissingRoute(
  { effect, path, mayFindNothing }: Operation,
  request: unknown,
  status: number,
): boolean {
  if (status !== 404 || effect !== 'read' || mayFindNothing || path.includes('{')) return false;
  return !Object.keys(request as object).some((name) => /ids?$/i.test(name));
}

/** Returns the ID field that differs between request and response. A proxy cache can mix up two requests. */
export function differentIdField(
  { effect, idInResponse = 'id' }: Operation,
  request: unknown,
  payload: unknown,
): string | undefined {
  if (effect !== 'read' || typeof payload !== 'object' || payload === null) return undefined;
  const output = payload as Readonly<Record<string, unknown>>;
  for (const [name, expected] of Object.entries(request as object)) {
    const field = name === 'id' ? idInResponse : name;
    const isId = /id$/i.test(name) && ['number', 'string'].includes(typeof output[field]);
    if (isId && String(output[field]) !== String(expected)) return field;
  }
  return undefined;
}

/** The target of a redirect, without its query. */
function describeTarget({ status, headers: { location = '' } }: HttpResponse): string {
  const [target = ''] = String(location).split(/[?#]/, 1);
  return isRedirection(status) && target !== '' ? ` to ${truncate(redact(target, 'log'), LONGEST.line)}` : '';
}

/** Fields that records have and errors do not. */
const RECORD_FIELD = /^(status|created)_?(date|at)$/i;
const ID = /^[\w-]{1,64}$/;
const MAX_DEPTH = 3;
const MAX_FIELDS = 200;

/**
 * Some partners save a record and still report an error. Returns its ID, '' if it has none or the ID is 0, or undefined if the payload
 * shows no record.
 */
export function savedRecordId({ effect, makes }: Operation, payload: unknown): string | undefined {
  if (effect === 'read' || makes === undefined) return undefined;
  if (typeof payload === 'number') return payload > 0 ? String(payload) : undefined;
  return findRecordId(payload, makes.toLowerCase(), MAX_DEPTH);
}

/** Returns the ID at the end of the `Location` header in the response to a create, such as 201 or 303 (RFC 9110, 10.2.2). */
export function idInLocation(
  { effect, makes }: Operation,
  { status, headers }: HttpResponse,
): string | undefined {
  if (effect === 'read' || makes === undefined || status >= 400) return undefined;
  const [, id] = /\/([1-9]\d{0,18})$/.exec(String(headers['location'])) ?? [];
  return id !== undefined && redact(id) === id ? id : undefined;
}

function findRecordId(value: unknown, id: string, depth: number): string | undefined {
  if (typeof value !== 'object' || value === null || depth === 0) return undefined;
  const fields = Object.entries(value).slice(0, MAX_FIELDS);
  const idValue = fields.find(([name]) => name.toLowerCase() === id)?.[1];
  const text = typeof idValue === 'number' || typeof idValue === 'string' ? String(idValue) : '';
  if (ID.test(text) && text !== '0') return redact(text) === text ? text : '';
  const inside = fields.map(([, each]) => findRecordId(each, id, depth - 1));
  const isRecord = fields.some(([name, each]) => RECORD_FIELD.test(name) && Boolean(each));
  return inside.find(Boolean) ?? (isRecord || inside.includes('') ? '' : undefined);
}

const MAX_ADDED = 5;

/** Returns the unknown fields of an unreadable response, because the partner may have renamed a field. */
function unknownFields({ response }: Operation, payload: unknown): FieldProblem[] {
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) return [];
  const names = fieldNames(shapeOf(response));
  const unknown = Object.keys(payload).filter((name) => !names.has(name));
  return unknown.slice(0, MAX_ADDED).map((field) => ({ field, message: 'is not in the catalogue' }));
}

export function download(
  { headers, chunks, cancel }: HttpDownload,
  fail: (f: Failure, c: unknown) => Error,
): Download {
  async function* withTranslatedErrors() {
    try {
      yield* chunks;
    } catch (error) {
      throw error instanceof TransportError ? fail(noResponse(error), error) : error;
    }
  }
  const body = Readable.from(withTranslatedErrors(), { objectMode: false });
  body.once('close', cancel);
  return { contentType: String(headers['content-type'] ?? ''), body };
}

/**
 * Describes an unreadable body: `text/html, 1234 bytes: <html><body>Maintenance`. For JSON, shows only where parsing failed, because
 * values can be secret. For a write, shows the body only if it is HTML.
 */
function describeUnreadableBody({ effect }: Operation, { headers, body }: HttpResponse): string {
  const { 'content-type': type = 'no content type', 'content-encoding': encoding } = headers;
  const contentInfo = [type, ...(encoding ? [`content-encoding ${encoding}`] : [])].join(', ');
  const size = `${truncate(contentInfo, LONGEST.summary)}, ${body.byteLength} bytes`;
  const text = body.toString('utf8').trimStart();
  const isJson = /^["[{]/.test(text);
  if (!isJson && effect !== 'read' && !text.startsWith('<')) return size;
  const output = isJson
    ? jsonErrorPosition(text)
    : redact(text.slice(0, SHOWN_CHARACTERS), 'response').replace(/\s+/g, ' ');
  return output === '' ? size : `${size}: ${output}`;
}

/** Describes where parsing JSON failed, with only the broken value: `Unexpected token 'N' at "total":NaN`. '' if it is valid. */
function jsonErrorPosition(text: string): string {
  try {
    JSON.parse(withoutDepth(text, MAX_NESTING));
    return '';
  } catch (error) {
    const [what = '', ...around] = String(error instanceof Error ? error.message : '').split(', ');
    const [place] = /\w{1,20}"\s?:\s?[A-Za-z-]{0,9}/.exec(around.join(', ')) ?? [];
    return place === undefined ? what : `${what} at ${place}`;
  }
}

export function tooLarge({ code }: TransportError, operation: string, maxBytes: number): Failure | undefined {
  if (code !== TOO_LARGE) return undefined;
  const fields = [{ field: '', message: `the response is larger than ${maxBytes} bytes` }];
  return { kind: 'Uncertain', fields, reason: code, unreadable: operation };
}

// Keeps P2.
export function noResponse(error: TransportError): Failure {
  return { kind: transportErrorKind(error), fields: [], reason: error.code };
}

export function transportErrorKind({ sent }: TransportError): 'NotSent' | 'Uncertain' {
  return sent ? 'Uncertain' : 'NotSent';
}

/** Returns the failure of a call whose sign-in failed. The call itself was never sent. */
export function noCredentials(error: unknown): Failure {
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

export function isSuccessStatus(status: number): boolean {
  return status >= 200 && status <= 299;
}

/** A 2xx gets here only if its body reports a failure. A 301, 302 or 303 can follow a successful write; a 307 or 308 can't. */
function failureKind(status: number): PartnerErrorKind {
  if (status === 401) return 'Unauthorized';
  if (status === 403) return 'Forbidden';
  if (status === 429) return 'RateLimited';
  if (status === 307 || status === 308) return 'NotSent';
  const isUnclear = status >= 500 || status === 408 || isRedirection(status);
  return isUnclear ? 'Uncertain' : 'Rejected';
}

/** Request fields for paging. */
const PAGING = ['skip', 'take', 'offset', 'limit', 'count', 'page'];

const TOTALS = ['total', 'totalcount', 'totalrecords', 'totalitems', 'totalresults', 'recordcount', 'count'];
const PAGES = ['pages', 'pagecount', 'totalpages'];
const HAS_MORE = /^(has(next|more)\w*|more|istruncated)$/;
const NEXT = /^(next(page|link|url|cursor|token|pagetoken|offset)?|continuationtoken)$/;
const PAGING_CONTAINER = /^(page(info)?|paging|pagination|meta|links)$/;

/**
 * Returns the field or header that shows more pages, if any. The contracts have no pagination, so such a list is unreadable: using it
 * would hide records.
 *
 * @param around the body without the list
 * @param headers by lower-case name
 */
export function morePagesIndicator(
  { query = [] }: Operation,
  list: unknown,
  around: unknown,
  headers: Readonly<Record<string, unknown>>,
): string | undefined {
  if (!Array.isArray(list) || query.some((name) => PAGING.includes(name))) return undefined;
  if (/rel="?next\b/i.test(String(headers['link'] ?? ''))) return 'header Link';
  if (Number(headers['x-total-count'] ?? 0) > list.length) return 'header X-Total-Count';
  return findIndicator(around, list.length);
}

function findIndicator(around: unknown, length: number): string | undefined {
  if (typeof around !== 'object' || around === null) return undefined;
  for (const [field, value] of Object.entries(around)) {
    const name = field.toLowerCase().replaceAll(/[_-]/g, '');
    const isMore =
      (TOTALS.includes(name) && Number(value) > length) ||
      (PAGES.includes(name) && Number(value) > 1) ||
      (HAS_MORE.test(name) && value === true) ||
      (NEXT.test(name) && Boolean(value));
    if (isMore) return field;
    const inside = PAGING_CONTAINER.test(name) ? findIndicator(value, length) : undefined;
    if (inside !== undefined) return `${field}.${inside}`;
  }
  return undefined;
}
