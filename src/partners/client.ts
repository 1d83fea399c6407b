import { FormData } from 'undici';
import type { z } from 'zod';
import {
  type FilePart,
  type Operation,
  type Operations,
  operationName,
  pathParameters,
} from './catalogue.js';
import { type HttpResponse, type PartnerHttp, TransportError } from './http.js';
import { type FieldProblem, PartnerError, type PartnerErrorDetails } from './partner-error.js';

/** What differs from partner to partner: its name, how it authenticates, and how it wraps its answers. */
export interface PartnerProtocol {
  readonly system: string;
  authorization(): Promise<Readonly<Record<string, string>>>;
  /** Takes an answer out of its envelope; `undefined` when it is not in one, as from some proxy on the way. */
  open(response: HttpResponse): Opened | undefined;
}

/** An answer without its envelope: the payload, or what the partner says is wrong. */
export interface Opened {
  readonly failed: boolean;
  readonly payload?: unknown;
  readonly fields: readonly FieldProblem[];
  readonly requestId?: string;
}

export interface CallOptions {
  /** Ends the call. If bytes went out by then, the outcome is `Uncertain`. */
  readonly signal?: AbortSignal;
}

/** A typed method for each operation of a catalogue. Each throws {@link PartnerError} and nothing else. */
export type PartnerClient<Ops extends Operations> = {
  readonly [Key in keyof Ops]: (
    request: z.input<Ops[Key]['request']>,
    options?: CallOptions,
  ) => Promise<z.output<Ops[Key]['response']>>;
};

/** Makes a client from a catalogue. */
export function partnerClient<Ops extends Operations>(
  operations: Ops,
  protocol: PartnerProtocol,
  http: PartnerHttp,
): PartnerClient<Ops> {
  const methods = Object.entries(operations).map(([key, operation]) => [
    key,
    (request: unknown, options: CallOptions = {}) =>
      call(operationName(key), operation, protocol, http, request, options),
  ]);
  return Object.fromEntries(methods);
}

/** Stands in for a partner that is not set up: every call is refused before anything is sent. */
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

async function call(
  name: string,
  operation: Operation,
  protocol: PartnerProtocol,
  http: PartnerHttp,
  request: unknown,
  { signal }: CallOptions,
): Promise<unknown> {
  const fail = (details: Omit<PartnerErrorDetails, 'system' | 'operation'>, cause?: unknown): PartnerError =>
    new PartnerError({ system: protocol.system, operation: name, ...details }, { cause });

  const checked = operation.request.safeParse(request);
  if (!checked.success) {
    throw fail({
      kind: 'Rejected',
      fields: fieldProblems(checked.error),
      reason: 'not sent: invalid request',
    });
  }

  const wire = encode(operation, checked.data as Record<string, unknown>);
  let response: HttpResponse;
  try {
    response = await http.send({
      ...wire,
      method: operation.method,
      headers: { accept: 'application/json', ...wire.headers, ...(await protocol.authorization()) },
      write: operation.effect !== 'read',
      ...(signal && { signal }),
    });
  } catch (error) {
    if (!(error instanceof TransportError)) throw error;
    throw fail({ kind: error.sent ? 'Uncertain' : 'NotSent', fields: [], reason: error.code }, error);
  }

  const { status } = response;
  const opened = protocol.open(response);
  const answered = { status, ...(opened?.requestId !== undefined && { requestId: opened.requestId }) };
  if (status < 200 || status > 299 || opened?.failed) {
    const retryAfterMs = retryAfter(response);
    throw fail({
      ...answered,
      kind: kindOf(status),
      fields: opened?.fields ?? [],
      reason: `HTTP ${status}`,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    });
  }
  const understood = opened && operation.response.safeParse(opened.payload);
  if (!understood?.success) {
    const fields = understood ? fieldProblems(understood.error) : [];
    throw fail({ ...answered, kind: 'Uncertain', fields, reason: 'unreadable answer' });
  }
  return understood.data;
}

/** A 2xx that gets here says in its body that it failed, so it did nothing. */
function kindOf(status: number): PartnerError['kind'] {
  if (status === 401) return 'Unauthorized';
  if (status === 403) return 'Forbidden';
  if (status === 429) return 'RateLimited';
  const neverSaysWhatHappened = status >= 500 || status === 408 || (status >= 300 && status < 400);
  return neverSaysWhatHappened ? 'Uncertain' : 'Rejected';
}

/** `Retry-After` in milliseconds; both of its forms, seconds and HTTP date. */
function retryAfter(response: HttpResponse): number | undefined {
  const header = response.headers['retry-after'];
  if (typeof header !== 'string') return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

/** Zod's findings as field problems. Messages name rules, never the values that broke them. */
export function fieldProblems(error: z.ZodError): FieldProblem[] {
  return error.issues.flatMap((issue) => {
    const path = issue.path.map(String);
    const at = (more: string[]) => [...path, ...more].join('.');
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({ field: at([key]), message: 'is not a known field' }));
    }
    const isMissing = issue.code === 'invalid_type' && issue.message.endsWith('received undefined');
    return [{ field: at([]), message: isMissing ? 'is required' : issue.message }];
  });
}

function encode(operation: Operation, request: Record<string, unknown>) {
  const inPath = new Set(pathParameters(operation));
  const inQuery = new Set(operation.query ?? []);
  const query = new URLSearchParams();
  const body: [string, unknown][] = [];
  for (const [member, value] of Object.entries(request)) {
    if (value === undefined || inPath.has(member)) continue;
    if (inQuery.has(member)) query.append(member, String(value));
    else body.push([member, value]);
  }
  const search = query.size > 0 ? `?${query}` : '';
  const path = operation.path.replace(/\{(\w+)\}/g, (_, member) =>
    encodeURIComponent(String(request[member])),
  );
  const address = { path: path + search };
  if (operation.encoding === 'multipart') return { ...address, headers: {}, body: formData(body) };
  if (operation.method === 'GET' || body.length === 0) return { ...address, headers: {} };
  const json = JSON.stringify(Object.fromEntries(body));
  return { ...address, headers: { 'content-type': 'application/json' }, body: json };
}

function formData(members: [string, unknown][]): FormData {
  const form = new FormData();
  for (const [name, value] of members) {
    if (isFilePart(value)) {
      const content = new Blob([Buffer.from(value.content)], { type: value.contentType });
      form.append(name, content, value.fileName);
    } else {
      form.append(name, String(value));
    }
  }
  return form;
}

function isFilePart(value: unknown): value is FilePart {
  return typeof value === 'object' && value !== null && 'fileName' in value && 'content' in value;
}
