/**
 * The pattern of each kind of private value in the middle of a text. Digits next to letters from a to f are part of a UUID or of a
 * hash, and never of one of these. No pattern takes longer than the text is long.
 */
export const PRIVATE_PATTERNS = {
  /** With separators, as people write it: dashes of any length, with or without spaces, slashes, tabs, and spaces that do not break. */
  socialSecurityNumber:
    /(?<!\d)\d{3}(?: ?[-\u2010-\u2015\u2212] ?|[._:/ \t\xa0\u202f])\d{2}(?: ?[-\u2010-\u2015\u2212] ?|[._:/ \t\xa0\u202f])\d{4}(?!\d)/,
  /** A social security number in the form of the bank, which looks like any other id of nine digits. */
  nineDigits: /(?<![\dA-Fa-f])\d{9}(?![\dA-Fa-f])/,
  /** Not behind a date, as in `2026-01-31-1234567`. */
  taxNumber: /(?<![\dA-Fa-f]|\d-)\d{2} ?[-\u2010-\u2015\u2212] ?\d{7}(?![\dA-Fa-f])/,
  phoneNumber:
    /(?<!\d)\(?\d{3}\)?[-\u2010-\u2015._ \xa0\u202f]{1,2}\d{3}[-\u2010-\u2015._ \xa0\u202f]\d{4}(?!\d)|(?<!\w)\+\d{8,15}(?!\d)/,
  email: /(?<![\w.%+-])[\w.%+-]+@[\w-]+(?:\.[\w-]+)+/,
  /** An HTTP scheme and what follows it, except a plain word. */
  credentials: /\b(?:Bearer|Basic) (?=\S*[\dA-Z+/=])[\w.~+/=-]{8,}/,
  jsonWebToken: /\beyJ[\w-]+(?:\.[\w-]+)+/,
  /** Any other token. A UUID, which may be quoted to the partner's support, has 36 characters. */
  longToken: /[\w+=-]{40,}/,
} as const;

export type PrivateKind = keyof typeof PRIVATE_PATTERNS;

export const REDACTED = '[Redacted]';

const IDENTITY_NUMBERS = ['socialSecurityNumber', 'nineDigits', 'taxNumber'] as const;
const IN_LOGS = [
  'socialSecurityNumber',
  'taxNumber',
  'phoneNumber',
  'email',
  'credentials',
  'jsonWebToken',
] as const;

const KINDS = {
  /** Texts for people who work on an onboarding. A partner may give them a phone number or an e-mail address. */
  onboarding: IDENTITY_NUMBERS,
  /** A log line or output of a command. Nine bare digits stay because they may be a `mid`. */
  log: IN_LOGS,
  /** The message of a failure, in a log: it may quote anything. */
  failure: [...IN_LOGS, 'nineDigits'],
  response: [...IDENTITY_NUMBERS, 'credentials', 'jsonWebToken', 'longToken'],
} as const satisfies Readonly<Record<string, readonly PrivateKind[]>>;

export type Place = keyof typeof KINDS;

/** The source of one regular expression for everything that is masked in a place. */
export function privatePattern(place: Place): string {
  return anyOf(...KINDS[place]).source;
}

/** Finds everything of these kinds. */
export function anyOf(...kinds: readonly PrivateKind[]): RegExp {
  return new RegExp(kinds.map((kind) => PRIVATE_PATTERNS[kind].source).join('|'), 'g');
}

const patterns = Object.fromEntries(
  Object.entries(KINDS).map(([place, kinds]) => [place, anyOf(...kinds)]),
) as Readonly<Record<Place, RegExp>>;

const TAX_NUMBER = new RegExp(`^${PRIVATE_PATTERNS.taxNumber.source}$`);

/**
 * A text without what looks private in it. For the people who work on an onboarding, the last four digits of a number stay:
 * with several owners they show whose number a partner means.
 */
export function masked(text: string, place: Place = 'onboarding'): string {
  const mask = place === 'onboarding' ? lastFour : () => REDACTED;
  return text.replace(patterns[place], mask);
}

function lastFour(number: string): string {
  return `${TAX_NUMBER.test(number) ? '**-***' : '***-**-'}${number.slice(-4)}`;
}
