import { z } from 'zod';
import { boundProblems, LONGEST, truncate } from './text-limits.js';

/**
 * The kind of a failed partner call. It decides what the caller may do next:
 *
 * - `NotSent`: nothing left this machine (connection refused, DNS, TLS, connect timeout), or a 307 or 308 sent it elsewhere. Safe
 *   to repeat.
 * - `RateLimited`: 429, a 403 with `Retry-After`, or not sent during a pause (pause.ts). The partner did nothing. Safe to repeat
 *   after `retryAfterMs`. As with `Unauthorized` and `Forbidden`, a once-only write may be repeated only if the partner also
 *   `refusesReads`.
 * - `Rejected`: the partner, or our own check before sending (then `status` is absent), rejected the input. `fields` has the
 *   problems. Nothing happened, unless `saved` shows that the partner saved it anyway.
 * - `Unauthorized`: 401. Nothing happened. A person must fix the credentials.
 * - `Forbidden`: another 403, or a 401 although the credentials work. Nothing happened. A permission is missing, or the merchant
 *   belongs to another ISO.
 * - `Uncertain`: bytes were sent, and no trustworthy response arrived (reset, timeout, 5xx, unreadable body). A write may or may
 *   not have taken effect.
 */
export type PartnerErrorKind =
  | 'NotSent'
  | 'RateLimited'
  | 'Rejected'
  | 'Unauthorized'
  | 'Forbidden'
  | 'Uncertain';

/**
 * A problem with a request: the field (a dotted path, or '' for the complete request), and the rule that it breaks.
 * @example { field: 'merchant.email', message: 'must be an email address' } satisfies FieldProblem
 */
export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

export interface PartnerErrorDetails {
  readonly system: string;
  /** The operation, as in the catalogue: `create-merchant`. */
  readonly operation: string;
  readonly kind: PartnerErrorKind;
  readonly status?: number;
  /** The partner's tracking ID, to quote to its support. */
  readonly requestId?: string;
  readonly fields: readonly FieldProblem[];
  /** How long the partner asked us to wait (`Retry-After`), in milliseconds. */
  readonly retryAfterMs?: number;
  /** The call itself was not made, because the sign-in before it failed. */
  readonly atSignIn?: true;
  /** The file store failed, not the partner. */
  readonly atStore?: true;
  /** Only a one-time code for the second factor is missing. A person must supply it. */
  readonly needs?: 'one-time-code';
  /** The operation whose response is unreadable: this one, or the sign-in before it. `fields` describes the response. */
  readonly unreadable?: string;
  /** The build of the worker, if our own code failed and not the partner. `operation` is then the activity type. */
  readonly build?: string;
  /** ISO 8601: when that code began to fail. */
  readonly since?: string;
  /** ISO 8601: when a write with an uncertain outcome was sent. */
  readonly sentAt?: string;
  /** The IDs of records that the partner had just before that write. */
  readonly baseline?: readonly number[];
  /** The phase of the record just before that write. */
  readonly phase?: string;
  /** After the refusal of a once-only write: whether two reads were also refused. If not, the partner may have saved the write. */
  readonly refusesReads?: boolean;
  /** The ID of a record that the partner refused but saved; '' for a record without an ID. */
  readonly saved?: string;
  /** A short technical reason, without data of the call: `ECONNREFUSED`, `HTTP 503`. */
  readonly reason: string;
}

/** Reports whether the partner rejected the credentials or requires a one-time code, without looking at the request. */
export function isUnauthenticated({
  kind,
  atSignIn,
  needs,
}: Pick<PartnerErrorDetails, 'kind' | 'atSignIn' | 'needs'>): boolean {
  return kind === 'Unauthorized' || (kind === 'Forbidden' && (atSignIn === true || needs !== undefined));
}

/** Reports whether the partner does not permit the request. */
export function isForbidden(details: Pick<PartnerErrorDetails, 'kind' | 'atSignIn' | 'needs'>): boolean {
  return details.kind === 'Forbidden' && !isUnauthenticated(details);
}

/** Returns what fails for the complete account: an operation that is unreadable or not permitted, or a build with a bug. */
export function failsForAccount(
  details: Pick<PartnerErrorDetails, 'kind' | 'atSignIn' | 'needs' | 'operation' | 'unreadable' | 'build'>,
): string | undefined {
  if (details.build !== undefined) return `build ${details.build}`;
  return isForbidden(details) ? details.operation : details.unreadable;
}

// Keeps P3.
/** The only error that partner clients throw. Its message never contains a body, a credential or personal data. */
export class PartnerError extends Error {
  override readonly name = 'PartnerError';
  readonly details: PartnerErrorDetails;
  readonly #refusedWith: unknown;

  constructor(
    details: PartnerErrorDetails,
    { refusedWith, ...options }: ErrorOptions & { readonly refusedWith?: unknown } = {},
  ) {
    const { system, operation, kind, reason, requestId } = details;
    const fields = boundProblems(details.fields);
    const names = [...new Set(fields.map((problem) => problem.field).filter(Boolean))];
    const about = names.length > 0 ? ` (${truncate(names.join(', '), LONGEST.text)})` : '';
    super(`${system} ${operation}: ${kind}, ${reason}${about}`, options);
    this.details = {
      ...details,
      fields,
      ...(requestId !== undefined && { requestId: truncate(requestId, LONGEST.line) }),
    };
    this.#refusedWith = refusedWith;
  }

  /**
   * The payload of a refusal that came with a successful HTTP status, which may show what the call did anyway. Not part of the
   * details, so it never gets into a log or a history.
   */
  get refusedWith(): unknown {
    return this.#refusedWith;
  }

  get kind(): PartnerErrorKind {
    return this.details.kind;
  }

  get requestId(): string | undefined {
    return this.details.requestId;
  }

  get status(): number | undefined {
    return this.details.status;
  }

  get fields(): readonly FieldProblem[] {
    return this.details.fields;
  }
}

/** The forms in which partners report problems. */

export const UNKNOWN_FORM = 'the partner reported a problem in an unknown form';

/** Reports whether the partner reports nothing: `null`, `''`, `[]` and the like. */
export const isNothing = (value: unknown): boolean =>
  !value || (typeof value === 'object' && Object.keys(value).length === 0);

const problemsIn = (field: string, all: readonly string[]): FieldProblem[] =>
  all.filter(Boolean).map((message) => ({ field, message }));

/** An item of `validationResults` or of `validationErrors` (docs/partner-apis.md#merchant-boarding-assumptions). */
const item = z
  .union([
    z.object({ memberNames: z.array(z.string()), errorMessage: z.string() }),
    z.object({ field: z.string(), error: z.string() }),
  ])
  .transform((problem): FieldProblem[] => {
    if ('field' in problem) return problemsIn(problem.field, [problem.error]);
    const names = problem.memberNames.length > 0 ? problem.memberNames : [''];
    return names.flatMap((field) => problemsIn(field, [problem.errorMessage]));
  });

const unknown = problemsIn('', [UNKNOWN_FORM]);

/** Reports whether an item says nothing: .NET writes a check that succeeded as null, and some services as an empty one. */
const isEmptyItem = (value: unknown): boolean =>
  isNothing(value) || (typeof value === 'object' && Object.values(value ?? {}).every(isNothing));

/** A list of validation problems, in the boarding partner's form. */
export const validationProblems = z
  .array(item.catch(({ value }) => (isEmptyItem(value) ? [] : unknown)))
  .catch(({ value }) => (isNothing(value) ? [] : [unknown]))
  .transform((lists) => lists.flat());

const messages = z.union([z.string().transform((one) => [one]), z.array(z.string())]).catch([UNKNOWN_FORM]);

/** ASP.NET problem details: `errors: {Field: ["message"]}`. */
const byField = z
  .record(z.string(), messages)
  .transform((errors) => Object.entries(errors).flatMap(([field, all]) => problemsIn(field, all)));

const inAnyForm = z.union([
  byField,
  z.array(z.string()).transform((all) => problemsIn('', all)),
  z.string().transform((one) => problemsIn('', [one])),
]);

const someText = z.string().nullish().catch(null);

/** Error bodies of similar services, because the contract shows none. */
const errorBody = z.union([
  z.looseObject({
    errors: inAnyForm.nullish().catch([]),
    message: someText,
    error: someText,
    detail: someText,
    title: someText,
  }),
  z.string(),
]);

export function problemsInBody(body: unknown): readonly FieldProblem[] {
  const read = errorBody.safeParse(body);
  if (!read.success) return [];
  // A record that was serialized twice describes no problem, and may contain personal data.
  if (typeof read.data === 'string') return /^\s*["[{]/.test(read.data) ? [] : problemsIn('', [read.data]);
  const { errors, message, error, detail, title } = read.data;
  if (errors && errors.length > 0) return errors;
  return problemsIn('', [message ?? error ?? detail ?? title ?? '']);
}

const anyProblems = z
  .union([z.array(item).transform((lists) => lists.flat()), inAnyForm])
  .catch(({ value }) => (isNothing(value) ? [] : unknown));

/** Fields in which a body may report a failure despite a successful HTTP status. */
const ambiguousBody = z.looseObject({
  success: z.unknown().optional(),
  errors: anyProblems,
  validationErrors: anyProblems,
  validationResults: anyProblems,
  /** The errors of a page of cards (docs/partner-apis.md#banking-assumptions). */
  errorMessage: anyProblems,
});

/** The field names of error bodies. */
const OF_ERROR = /^(errors?|message|detail|title|type|code|status(code)?|instance|path|timestamp|traceid)$/i;

/** Reports whether a body contains only an error or its status. An empty `errors` object counts as an error. */
function isOnlyError(body: object): boolean {
  const fields = Object.entries(body);
  const saysSo = ([name, value]: [string, unknown]) =>
    /^errors?$/i.test(name)
      ? (typeof value === 'string' && value !== '') ||
        z.record(z.string(), z.unknown()).safeParse(value).success
      : /^(code|status(code)?)$/i.test(name) && Number(value) >= 400;
  return fields.every(([name]) => OF_ERROR.test(name)) && fields.some(saysSo);
}

/**
 * Returns the problems in the body of a successful HTTP response: validation errors, `success: false` with or without a reason
 * (docs/partner-apis.md#banking-rules), or an error of a partner that refuses with status 200.
 */
export function failureIn(body: unknown): readonly FieldProblem[] {
  const read = ambiguousBody.safeParse(body);
  if (!read.success) return [];
  const { success, errors, validationErrors, validationResults, errorMessage } = read.data;
  const listed = [errors, validationErrors, validationResults, errorMessage].flat();
  if (listed.length === 0 && isOnlyError(body as object)) return problemsInBody(body);
  if (listed.length > 0 || success !== false) return listed;
  const reasons = problemsInBody(body);
  return reasons.length > 0 ? reasons : problemsIn('', ['the partner gave no reason']);
}
