/** A digit of any script, also raised or lowered. */
const DIGIT = String.raw`\p{Nd}\xb2\xb3\xb9\u2070-\u2079\u2080-\u2089`;

/** Characters without width, which a text that was copied may have. */
const UNSEEN = String.raw`[\u200b-\u200d\u2060\ufeff]{0,2}`;

const ONE = `(?:[${DIGIT}]${UNSEEN})`;

/** A dash of any length, as it is, in a URL, in JSON or in HTML. */
const DASH = String.raw`(?:(?:[\p{Pd}\xad\u2212]|%2[Dd]|\\u002[Dd]|&#(?:45|x2[Dd]|820[89]|821[0-3]);|&[mn]dash;)${UNSEEN})`;

/** A space of any width. */
const SPACE = String.raw`[\p{Zs}]|%20|&nbsp;|&#160;`;

/** One or two dashes, with or without spaces or a line break around them. */
const SPACED_DASH = String.raw`(?:\s|${SPACE})?${DASH}{1,2}(?:\s|${SPACE})?`;

/** Separators between digits, also as in a URL. No line break, so a column of numbers is not masked. */
const SIGN = String.raw`[._\u2022\u2027\u2219\u22c5\xb7]|${SPACE}`;

/** Not after a digit, unless the digit ends a percent-encoded character, as in `%20123456789`. */
const NO_DIGIT_BEFORE = `(?<!(?<!%[0-9A-Fa-f])[${DIGIT}])`;
const NO_DIGIT_AFTER = `(?![${DIGIT}])`;
const NO_HEX_BEFORE = `(?<!(?<!%[0-9A-Fa-f])[${DIGIT}A-Fa-f])`;
const NO_HEX_AFTER = `(?![${DIGIT}A-Fa-f])`;

const IN_SSN = String.raw`(?:${SPACED_DASH}|[:/,\t]|%2[Ff]|${SIGN})`;
const IN_PHONE = `(?:${DASH}{1,2}|${SIGN})`;

const pattern = (source: string) => new RegExp(source, 'u');

// Keeps B3.
/**
 * The pattern of each kind of private value in the middle of a text. Digits next to letters from a to f are part of a UUID or of a
 * hash, and never of one of these. No pattern takes longer than the text is long.
 */
export const PRIVATE_PATTERNS = {
  /** With separators, as people write it. Does not match amounts, such as `500.00-1000.00`. */
  socialSecurityNumber: pattern(
    String.raw`${NO_DIGIT_BEFORE}(?!\d{3}\.\d\d[\s,/\p{Pd}])${ONE}{3}${IN_SSN}${ONE}{2}${IN_SSN}${ONE}{4}${NO_DIGIT_AFTER}`,
  ),
  /** A social security number in the bank's form, which looks like any other ID of nine digits. */
  nineDigits: pattern(`${NO_HEX_BEFORE}${ONE}{9}${NO_HEX_AFTER}`),
  /** Not after a date, as in `2026-01-31-1234567`. */
  taxNumber: pattern(`${NO_HEX_BEFORE}(?<![${DIGIT}]-)${ONE}{2}${SPACED_DASH}${ONE}{7}${NO_HEX_AFTER}`),
  phoneNumber: pattern(
    String.raw`${NO_DIGIT_BEFORE}\(?${ONE}{3}\)?${IN_PHONE}{1,2}${ONE}{3}${IN_PHONE}${ONE}{4}${NO_DIGIT_AFTER}` +
      String.raw`|(?:(?<!\w)[+\uff0b]|%2[Bb])${ONE}{8,15}${NO_DIGIT_AFTER}`,
  ),
  email: /(?<![\w.%+-])[\w.%+-]+(?:@|%40)[\w-]+(?:\.[\w-]+)+/u,
  /** An HTTP scheme and what follows it, except a plain word. */
  credentials: /\b(?:Bearer|Basic) (?=\S*[\dA-Z+/=])[\w.~+/=-]{8,}/u,
  /** Begins at the start of a word with dashes, so the word is scanned once, however often it contains `-eyJ`. */
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

const EACH_DIGIT = new RegExp(`[${DIGIT}]`, 'gu');
const TAX_NUMBER = new RegExp(`^${PRIVATE_PATTERNS.taxNumber.source}$`, 'u');

/**
 * Replaces what looks private in a text. For the people who work on an onboarding, the last four digits of a number stay:
 * with several owners, they show whose number a partner means.
 * @example redact('SSN 123-45-6789') // 'SSN ***-**-6789'
 */
export function redact(text: string, place: Place = 'onboarding'): string {
  const mask = place === 'onboarding' ? lastFour : () => REDACTED;
  return text.replace(patterns[place], mask);
}

function lastFour(number: string): string {
  const digits = Array.from(number.matchAll(EACH_DIGIT), ([digit]) => digit);
  return `${TAX_NUMBER.test(number) ? '**-***' : '***-**-'}${digits.slice(-4).join('')}`;
}
