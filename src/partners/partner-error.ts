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
