/** Members that hold something private or secret, in the spellings of all partners. */
export const PRIVATE_FIELDS: readonly string[] = [
  ...[
    'password',
    'Password',
    'authorization',
    'token',
    'deviceToken',
    'TokenDevice',
    'tokenDevice',
    'totpSecret',
    'reCaptchaResponse',
  ],
  ...['payloadKeys', 'smsCode', 'oneTimeCode', 'apiKey', 'api_key', 'secret', 'key'],
  ...['ssn', 'employerIdentificationNumber', 'tax_id', 'dateOfBirth', 'dob'],
  ...['email', 'admin_email', 'phone', 'homePhone', 'businessPhone', 'phoneNumber'],
  ...['firstName', 'lastName', 'middleName', 'givenName', 'familyName'],
  ...['individualName', 'individualIdentificationNumber'],
  ...['streetAddress', 'extendedAddress', 'homeAddress', 'primaryAuthorizedStreetAddress'],
  ...['primaryAuthorizedExtendedAddress', 'street_line1', 'street_line2'],
  ...['accountNumber', 'routingNumber', 'cardNumber', 'cvv', 'pin'],
];

/**
 * What each kind of private value looks like in the middle of a text. Digits beside letters from a to f are part of a UUID or
 * of a hash, and never of one of these. No pattern takes longer than the text is long.
 */
export const PRIVATE_PATTERNS = {
  /** With signs between, as people write it. */
  socialSecurityNumber: /(?<!\d)\d{3}[-._: ]\d{2}[-._: ]\d{4}(?!\d)/,
  /** A social security number as the bank takes it, which nothing tells from other ids of nine digits. */
  nineDigits: /(?<![\dA-Fa-f])\d{9}(?![\dA-Fa-f])/,
  /** Not behind a date, as in `2026-01-31-1234567`. */
  taxNumber: /(?<![\dA-Fa-f]|\d-)\d{2}-\d{7}(?![\dA-Fa-f])/,
  phoneNumber: /(?<!\d)\(?\d{3}\)?[-._ ]{1,2}\d{3}[-._ ]\d{4}(?!\d)|(?<!\w)\+\d{8,15}(?!\d)/,
  email: /(?<![\w.%+-])[\w.%+-]+@[\w-]+(?:\.[\w-]+)+/,
  /** An HTTP scheme and what follows it, unless that is a plain word. */
  credentials: /\b(?:Bearer|Basic) (?=\S*[\dA-Z+/=])[\w.~+/=-]{8,}/,
  jsonWebToken: /\beyJ[\w-]+(?:\.[\w-]+)+/,
} as const;

export type PrivateKind = keyof typeof PRIVATE_PATTERNS;

/** One pattern for several kinds, for `replace`. */
export function anyOf(kinds: readonly PrivateKind[]): RegExp {
  return new RegExp(kinds.map((kind) => PRIVATE_PATTERNS[kind].source).join('|'), 'g');
}

const { nineDigits: _, ...CERTAIN } = PRIVATE_PATTERNS;

const ANY_KIND = anyOf(Object.keys(PRIVATE_PATTERNS) as PrivateKind[]);
const ANY_CERTAIN_KIND = anyOf(Object.keys(CERTAIN) as PrivateKind[]);

export const CENSORED = '[Redacted]';

/** A text of our own without what looks private in it. Nine bare digits stay: they may be a `mid`. */
export function censored(text: string): string {
  return text.replace(ANY_CERTAIN_KIND, CENSORED);
}

/** The same for a text of others, such as the message of a failure, without any nine digits. */
export function censoredWords(text: string): string {
  return text.replace(ANY_KIND, CENSORED);
}

const spelling = (member: string) => member.replaceAll('_', '').toLowerCase();
const PRIVATE = new Set(PRIVATE_FIELDS.map(spelling));

/** Whether a member of this name holds something private, in any spelling. */
export function isPrivateField(name: string): boolean {
  return PRIVATE.has(spelling(name));
}

/** A JSON value with its private members censored, at any depth and in any spelling, and what looks private in its texts. */
export function withoutPrivate(value: unknown): unknown {
  if (typeof value === 'string') return censored(value);
  if (Array.isArray(value)) return value.map(withoutPrivate);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([member, inside]) => [
    member,
    isPrivateField(member) && inside !== null ? CENSORED : withoutPrivate(inside),
  ]);
  return Object.fromEntries(members);
}
