import { CENSORED } from '../private-values.js';
import type { FieldProblem } from './partner-error.js';

/** Fields of requests whose values a partner must not repeat to others, in lower case and without underscores. */
const SECRET_FIELDS: ReadonlySet<string> = new Set([
  ...['password', 'token', 'tokendevice', 'recaptcharesponse', 'smscode', 'onetimecode'],
  ...['ssn', 'employeridentificationnumber', 'taxid'],
]);

/** What a social security number, a tax number and credentials look like in the middle of a text. */
const LOOKS_SECRET = [
  /(?<![\w-])\d{3}-?\d{2}-?\d{4}(?![\w-])/,
  /(?<![\w-])\d{2}-\d{7}(?![\w-])/,
  /\b(?:Bearer|Basic) (?=\S*[\dA-Z+/=])[\w.~+/=-]{8,}/,
  /\beyJ[\w-]+(?:\.[\w-]+)+/,
  // Another token. A UUID, which may be quoted to the partner's support, has 36 characters.
  /[\w+=-]{40,}/,
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

export function maskedProblems(
  problems: readonly FieldProblem[],
  mask: (text: string) => string,
): readonly FieldProblem[] {
  return problems.map(({ field, message }) => ({ field: mask(field), message: mask(message) }));
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
