import { CENSORED, PRIVATE_PATTERNS } from '../private-values.js';
import type { FieldProblem } from './partner-error.js';

/** Fields of requests whose values a partner must not repeat to others, in lower case and without underscores. */
const SECRET_FIELDS: ReadonlySet<string> = new Set([
  ...['password', 'token', 'tokendevice', 'recaptcharesponse', 'smscode', 'onetimecode'],
  ...['ssn', 'employeridentificationnumber', 'taxid'],
]);

/** Another token than those of {@link PRIVATE_PATTERNS}. A UUID, which may be quoted to the partner's support, has 36 characters. */
const LONG_TOKEN = /[\w+=-]{40,}/;

/** What is masked in a partner's words, whether we sent it or not. */
const LOOKS_SECRET = [
  PRIVATE_PATTERNS.socialSecurityNumber,
  PRIVATE_PATTERNS.nineDigits,
  PRIVATE_PATTERNS.taxNumber,
  PRIVATE_PATTERNS.credentials,
  PRIVATE_PATTERNS.jsonWebToken,
  LONG_TOKEN,
].map(({ source }) => source);

/**
 * Masks a partner's words, which may repeat what it was sent: the secrets, and what looks like an SSN, an EIN or
 * credentials, become `[Redacted]`. The rest stays as the partner wrote it.
 */
export function masking(secrets: readonly string[]): (text: string) => string {
  // A secret that contains another one goes first.
  const known = secrets.filter(Boolean).sort((one, other) => other.length - one.length);
  const pattern = new RegExp([...known.map(patternOf), ...LOOKS_SECRET].join('|'), 'g');
  return (text) => text.replace(pattern, CENSORED);
}

/** A short secret is masked where it is a word of its own. Inside of other words, it would make them unreadable. */
function patternOf(secret: string): string {
  const literal = secret.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
  return secret.length < 4 ? `(?<!\\w)${literal}(?!\\w)` : literal;
}

/** Names of fields are shown, logged and compared; one of ours has some forty characters with its path. */
const FIELD_LENGTH = 100;

/** Names of fields come from the partner as well, who may put anything into them: they are masked, and cut off visibly. */
export function maskedProblems(
  problems: readonly FieldProblem[],
  mask: (text: string) => string,
): readonly FieldProblem[] {
  return problems.map(({ field, message }) => ({ field: bounded(mask(field)), message: mask(message) }));
}

function bounded(field: string): string {
  return field.length > FIELD_LENGTH ? `${field.slice(0, FIELD_LENGTH - 1)}…` : field;
}

/** The values of a request's secret fields, at any depth. */
export function secretsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return [];
  return Object.entries(value).flatMap(([name, inside]) =>
    typeof inside === 'string' && SECRET_FIELDS.has(name.replaceAll('_', '').toLowerCase())
      ? [inside]
      : secretsIn(inside),
  );
}
