/** Members that hold something private or secret, in the spellings of all partners. */
export const PRIVATE_MEMBERS: readonly string[] = [
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

/** What a private value looks like that turns up in the middle of a text: SSN, EIN, e-mail, Bearer or Basic credentials. */
const PATTERNS = [
  /(?<![\w-])\d{3}-\d{2}-\d{4}(?![\w-])/g,
  /(?<![\w-])\d{2}-\d{7}(?![\w-])/g,
  /[\w.%+-]+@[\w-]+(?:\.[\w-]+)+/g,
  /\b(?:Bearer|Basic) [\w.~+/=-]{8,}/g,
];

export const CENSORED = '[Redacted]';

/** A text without what looks private in it. */
export function censored(text: string): string {
  return PATTERNS.reduce((rest, pattern) => rest.replace(pattern, CENSORED), text);
}

const spelling = (member: string) => member.replaceAll('_', '').toLowerCase();
const PRIVATE = new Set(PRIVATE_MEMBERS.map(spelling));

/** A JSON value with its private members censored, at any depth and in any spelling, and what looks private in its texts. */
export function withoutPrivate(value: unknown): unknown {
  if (typeof value === 'string') return censored(value);
  if (Array.isArray(value)) return value.map(withoutPrivate);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([member, inside]) => [
    member,
    PRIVATE.has(spelling(member)) && inside !== null ? CENSORED : withoutPrivate(inside),
  ]);
  return Object.fromEntries(members);
}
