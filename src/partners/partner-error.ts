import { z } from 'zod';
import { boundedProblems, LONGEST, shortened } from './bounds.js';

/**
 * What became of a partner call, seen from the caller's side. It decides what may be done next:
 *
 * - `NotSent`: nothing left this machine (refused, DNS, TLS, connect time-out). Safe to repeat.
 * - `RateLimited`: 429, the partner did nothing. Safe to repeat after `retryAfterMs`.
 * - `Rejected`: the partner, or our own check before sending (then `status` is absent), refused the input.
 *   Nothing happened; `fields` says what is wrong.
 * - `Unauthorized`: 401. Nothing happened; the credentials need a person.
 * - `Forbidden`: 403. Nothing happened; permissions, or a merchant of another ISO.
 * - `Uncertain`: bytes went out and no trustworthy answer came back (reset, time-out, 5xx, unreadable body).
 *   A write may or may not have taken effect.
 */
export type PartnerErrorKind =
  | 'NotSent'
  | 'RateLimited'
  | 'Rejected'
  | 'Unauthorized'
  | 'Forbidden'
  | 'Uncertain';

/** One thing that is wrong with a request: where, and which rule. `field` is a dotted path, '' for the whole. */
export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

export interface PartnerErrorDetails {
  /** The partner system, as in the catalogue: `boarding`. */
  readonly system: string;
  /** The operation, as in the catalogue: `create-merchant`. */
  readonly operation: string;
  readonly kind: PartnerErrorKind;
  /** HTTP status, when there was an answer. */
  readonly status?: number;
  /** The partner's own tracking id, to quote to its support. */
  readonly requestId?: string;
  readonly fields: readonly FieldProblem[];
  /** Milliseconds the partner asked us to wait (`Retry-After`). */
  readonly retryAfterMs?: number;
  /** The call itself was not made, for it was the sign-in before it that failed. */
  readonly atSignIn?: true;
  /** What a person could supply, when that alone is missing: a one-time code for the second factor. */
  readonly needs?: 'one-time-code';
  /** The operation whose response came and cannot be read: this one, or the sign-in before it. `fields` says what came. */
  readonly unreadable?: string;
  /** ISO 8601: when a write was sent whose outcome nobody knows. */
  readonly sentAt?: string;
  /** Ids that were at the partner just before that write, of the kind of thing that it makes. */
  readonly baseline?: readonly number[];
  /** A short technical reason that holds no data of the call: `ECONNREFUSED`, `HTTP 503`. */
  readonly reason: string;
}

/** The credentials do not work, or not without a one-time code: what was asked for was not looked at. */
export function isRefusedAtTheDoor({
  kind,
  atSignIn,
  needs,
}: Pick<PartnerErrorDetails, 'kind' | 'atSignIn' | 'needs'>): boolean {
  return kind === 'Unauthorized' || (kind === 'Forbidden' && (atSignIn === true || needs !== undefined));
}

/** The one error that every partner client throws. Its message never holds a body, a credential or personal data. */
export class PartnerError extends Error {
  override readonly name = 'PartnerError';
  readonly details: PartnerErrorDetails;
  readonly #refusedWith: unknown;

  constructor(
    details: PartnerErrorDetails,
    { refusedWith, ...options }: ErrorOptions & { readonly refusedWith?: unknown } = {},
  ) {
    const { system, operation, kind, reason, requestId } = details;
    const fields = boundedProblems(details.fields);
    const names = [...new Set(fields.map((problem) => problem.field).filter(Boolean))];
    const about = names.length > 0 ? ` (${shortened(names.join(', '), LONGEST.text)})` : '';
    super(`${system} ${operation}: ${kind}, ${reason}${about}`, options);
    this.details = {
      ...details,
      fields,
      ...(requestId !== undefined && { requestId: shortened(requestId, LONGEST.line) }),
    };
    this.#refusedWith = refusedWith;
  }

  /**
   * The payload that came with a refusal whose HTTP status is a success, which may hold what the call did all the same;
   * undefined when there is none. No log and no history gets it by itself.
   */
  get refusedWith(): unknown {
    return this.#refusedWith;
  }

  get kind(): PartnerErrorKind {
    return this.details.kind;
  }

  get system(): string {
    return this.details.system;
  }

  get operation(): string {
    return this.details.operation;
  }

  get status(): number | undefined {
    return this.details.status;
  }

  get requestId(): string | undefined {
    return this.details.requestId;
  }

  get fields(): readonly FieldProblem[] {
    return this.details.fields;
  }

  /** Milliseconds to wait before the next call, when the partner said so. */
  get retryAfter(): number | undefined {
    return this.details.retryAfterMs;
  }
}

/** The forms in which partners write what is wrong. */

export const UNKNOWN_FORM = 'the partner reported a problem in an unknown form';

/** `null`, `''`, `[]` and the like: the partner has nothing to report. */
export const isNothing = (value: unknown): boolean =>
  !value || (typeof value === 'object' && Object.keys(value).length === 0);

const told = (field: string, all: readonly string[]): FieldProblem[] =>
  all.filter(Boolean).map((message) => ({ field, message }));

/** An item of `validationResults` or of `validationErrors` (apis/4). */
const item = z
  .union([
    z.object({ memberNames: z.array(z.string()), errorMessage: z.string() }),
    z.object({ field: z.string(), error: z.string() }),
  ])
  .transform((problem): FieldProblem[] => {
    if ('field' in problem) return told(problem.field, [problem.error]);
    const names = problem.memberNames.length > 0 ? problem.memberNames : [''];
    return names.flatMap((field) => told(field, [problem.errorMessage]));
  });

const unknown = told('', [UNKNOWN_FORM]);

/** A list of validation problems, as the boarding partner writes it. */
export const validationProblems = z
  .array(item.catch(unknown))
  .catch(({ value }) => (isNothing(value) ? [] : [unknown]))
  .transform((lists) => lists.flat());

const messages = z.union([z.string().transform((one) => [one]), z.array(z.string())]).catch([UNKNOWN_FORM]);

/** Problem details as ASP.NET writes them: `errors: {Field: ["message"]}`. */
const byField = z
  .record(z.string(), messages)
  .transform((errors) => Object.entries(errors).flatMap(([field, all]) => told(field, all)));

const inAnyForm = z.union([
  byField,
  z.array(z.string()).transform((all) => told('', all)),
  z.string().transform((one) => told('', [one])),
]);

const someText = z.string().nullish().catch(null);

/** The forms that error bodies of such services have, where a contract shows none. */
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

/** What an error body says is wrong; nothing when it is in none of the known forms. */
export function problemsOf(body: unknown): readonly FieldProblem[] {
  const read = errorBody.safeParse(body);
  if (!read.success) return [];
  if (typeof read.data === 'string') return told('', [read.data]);
  const { errors, message, error, detail, title } = read.data;
  if (errors && errors.length > 0) return errors;
  return told('', [message ?? error ?? detail ?? title ?? '']);
}

const anyProblems = z
  .union([z.array(item).transform((lists) => lists.flat()), inAnyForm])
  .catch(({ value }) => (isNothing(value) ? [] : unknown));

/** Where a body may say that a call failed although its HTTP status is a success. */
const doubtfulBody = z.looseObject({
  success: z.unknown(),
  errors: anyProblems,
  validationErrors: anyProblems,
  validationResults: anyProblems,
  /** Of a page of cards (apis/4). */
  errorMessage: anyProblems,
});

/**
 * What the body of a successful HTTP response says is wrong: validation errors, or `success: false` with or without a
 * reason (apis/1, Boarding response). Nothing when it says neither.
 */
export function failureIn(body: unknown): readonly FieldProblem[] {
  const read = doubtfulBody.safeParse(body);
  if (!read.success) return [];
  const { success, errors, validationErrors, validationResults, errorMessage } = read.data;
  const listed = [errors, validationErrors, validationResults, errorMessage].flat();
  if (listed.length > 0 || success !== false) return listed;
  const reasons = problemsOf(body);
  return reasons.length > 0 ? reasons : told('', ['the partner gave no reason']);
}
