/** A digit of any script. */
const DIGIT = String.raw`\p{Nd}`;

/** A dash of any length, as it is, in a URL or in JSON. */
const DASH = String.raw`(?:[\p{Pd}\xad\u2212]|%2[Dd]|\\u002[Dd])`;

/** A dash, with or without spaces or a line break around it. */
const SPACED_DASH = String.raw`(?:\s|%20)?${DASH}(?:\s|%20)?`;

/** What people write between digits, or what a URL has for it. No line break: a column of numbers stays. */
const SIGN = String.raw`[._ \xa0\u202f]|%20`;

/** Not behind a digit, unless that ends a sign of a URL, as in `%20123456789`. */
const NO_DIGIT_BEFORE = `(?<!(?<!%[0-9A-Fa-f])${DIGIT})`;
const NO_HEX_BEFORE = `(?<!(?<!%[0-9A-Fa-f])[${DIGIT}A-Fa-f])`;
const NO_HEX_AFTER = `(?![${DIGIT}A-Fa-f])`;

const IN_SSN = String.raw`(?:${SPACED_DASH}|[:/\t]|%2[Ff]|${SIGN})`;
const IN_PHONE = `(?:${DASH}|${SIGN})`;

const pattern = (source: string) => new RegExp(source, 'u');

/**
 * The pattern of each kind of private value in the middle of a text. Digits next to letters from a to f are part of a UUID or of a
 * hash, and never of one of these. No pattern takes longer than the text is long.
 */
export const PRIVATE_PATTERNS = {
  /** With separators, as people write it. */
  socialSecurityNumber: pattern(
    `${NO_DIGIT_BEFORE}${DIGIT}{3}${IN_SSN}${DIGIT}{2}${IN_SSN}${DIGIT}{4}(?!${DIGIT})`,
  ),
  /** A social security number in the form of the bank, which looks like any other id of nine digits. */
  nineDigits: pattern(`${NO_HEX_BEFORE}${DIGIT}{9}${NO_HEX_AFTER}`),
  /** Not behind a date, as in `2026-01-31-1234567`. */
  taxNumber: pattern(`${NO_HEX_BEFORE}(?<!${DIGIT}-)${DIGIT}{2}${SPACED_DASH}${DIGIT}{7}${NO_HEX_AFTER}`),
  phoneNumber: pattern(
    String.raw`${NO_DIGIT_BEFORE}\(?${DIGIT}{3}\)?${IN_PHONE}{1,2}${DIGIT}{3}${IN_PHONE}${DIGIT}{4}(?!${DIGIT})` +
      String.raw`|(?:(?<!\w)[+\uff0b]|%2[Bb])${DIGIT}{8,15}(?!${DIGIT})`,
  ),
  email: /(?<![\w.%+-])[\w.%+-]+(?:@|%40)[\w-]+(?:\.[\w-]+)+/u,
  /** An HTTP scheme and what follows it, except a plain word. */
  credentials: /\b(?:Bearer|Basic) (?=\S*[\dA-Z+/=])[\w.~+/=-]{8,}/u,
  /** From the beginning of a word with dashes, which is read once, however often it has `-eyJ`. */
  jsonWebToken: /(?<![\w-])(?=[\w-]+\.[\w-])(?:[\w-]*-)?eyJ[\w-]+(?:\.[\w-]+)+/u,
  /** Any other token. A UUID, which may be quoted to the partner's support, has 36 characters. */
  longToken: /[\w+=-]{40,}/u,
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

/** The source of one regular expression, with the flag `u`, for everything that is masked in a place. */
export function privatePattern(place: Place): string {
  return anyOf(...KINDS[place]).source;
}

/** Finds everything of these kinds. */
export function anyOf(...kinds: readonly PrivateKind[]): RegExp {
  return new RegExp(kinds.map((kind) => PRIVATE_PATTERNS[kind].source).join('|'), 'gu');
}

const patterns = Object.fromEntries(
  Object.entries(KINDS).map(([place, kinds]) => [place, anyOf(...kinds)]),
) as Readonly<Record<Place, RegExp>>;

const TAX_NUMBER = new RegExp(`^${PRIVATE_PATTERNS.taxNumber.source}$`, 'u');

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
