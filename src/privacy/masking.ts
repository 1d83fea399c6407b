import { CENSORED, PRIVATE_PATTERNS } from './private-values.js';

type PrivateKind = 'secret' | 'personal' | 'phone';

/** Fields of requests whose values a partner must not repeat to others: names in lower case and without underscores. */
const PRIVATE_FIELDS: Readonly<Record<PrivateKind, RegExp>> = {
  secret:
    /^(?:password|token|tokendevice|recaptcharesponse|smscode|onetimecode|employeridentificationnumber|taxid)$|ssn$|socialsecuritynumber$/,
  /** Names of people, as opposed to those of businesses, and e-mail addresses. */
  personal: /(?:first|middle|last|given|family|full|individual|contact|owner|holder)name$|email(?:address)?$/,
  phone: /(?:phone|mobile|fax)(?:number)?$/,
};

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
 * Masks a partner's words, which may repeat what it was sent. Our credentials, the private values of the request, and what
 * looks like an SSN, an EIN or credentials, become `[Redacted]`. The rest stays as the partner wrote it.
 *
 * @param credentials our own secrets at this partner
 * @param request the request that was sent
 */
export function masking(credentials: readonly string[], request: unknown = {}): (text: string) => string {
  const { secrets, others } = repeatable(credentials, request, 4);
  const secret = anyOf([...secrets, ...LOOKS_SECRET], 'g');
  const other = anyOf(others, 'giu');
  return (text) => replaced(replaced(text, secret), other);
}

/**
 * A response without our credentials and the private values of the request, in any of its texts. Nothing else is masked: the
 * rest is what was asked for.
 *
 * @param request what was sent; nothing for a read, whose response may be about other people of the same name
 */
export function withoutRepeats(
  response: unknown,
  credentials: readonly string[],
  request: unknown = {},
): unknown {
  // A short one may be a part of an id or of a name by chance.
  const { secrets, others } = repeatable(credentials, request, 8);
  const secret = anyOf(secrets, 'g');
  const other = anyOf(others, 'giu');
  return secret || other ? eachText(response, (text) => replaced(replaced(text, secret), other)) : response;
}

/**
 * Patterns of what a partner may repeat: secrets as they are, and other private values in upper or lower case.
 *
 * @param alone secrets shorter than this are masked only where they are a word of their own
 */
function repeatable(credentials: readonly string[], request: unknown, alone: number) {
  const values = privateValuesIn(request);
  const of = (kind: PrivateKind) => values.filter((found) => found.kind === kind).map(({ value }) => value);
  const secrets = longestFirst([...credentials.flatMap(encodings), ...of('secret')]);
  // A name of one letter is an initial. Masked, it would take single letters out of every sentence.
  const personal = longestFirst(of('personal').filter((value) => value.trim().length > 1));
  return {
    secrets: secrets.map((value) => literal(value, alone)),
    others: [...personal.map(words), ...of('phone').flatMap(phoneNumber)],
  };
}

function eachText(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => eachText(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inside]) => [name, eachText(inside, change)]));
}

function anyOf(patterns: readonly string[], flags: string): RegExp | undefined {
  return patterns.length > 0 ? new RegExp(patterns.join('|'), flags) : undefined;
}

function replaced(text: string, pattern: RegExp | undefined): string {
  return pattern === undefined ? text : text.replace(pattern, CENSORED);
}

/** A value that contains another one goes first. */
function longestFirst(values: readonly string[]): string[] {
  return [...new Set(values.filter(Boolean))].sort((one, other) => other.length - one.length);
}

/** A credential as it is, in a URL, and as base64 where that is long enough to be told from other text. */
function encodings(credential: string): string[] {
  const bytes = Buffer.from(credential);
  const base64 = [bytes.toString('base64'), bytes.toString('base64url')];
  return [credential, encodeURIComponent(credential), ...base64.filter(({ length }) => length >= 12)];
}

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/** A secret shorter than `alone` is masked where it is a word of its own: inside of others it would make them unreadable. */
function literal(secret: string, alone: number): string {
  return secret.length < alone ? `(?<!\\w)${escaped(secret)}(?!\\w)` : escaped(secret);
}

/** Whole words, with any space between them. */
function words(value: string): string {
  const spaced = value.trim().split(/\s+/).map(escaped).join('\\s+');
  return `(?<![\\p{L}\\p{N}])${spaced}(?![\\p{L}\\p{N}])`;
}

/** A number of seven digits or more, however it is grouped, with or without the code of its country. */
function phoneNumber(number: string): string[] {
  const digits = number.replace(/\D/g, '').slice(-10);
  if (digits.length < 7) return [];
  const gap = '[\\s().-]{0,3}';
  return [`(?<!\\d)(?:\\+?\\d{1,3}${gap})?\\(?${[...digits].join(gap)}(?!\\d)`];
}

/** Names of fields are shown, logged and compared; one of ours has some forty characters with its path. */
const FIELD_LENGTH = 100;

/** What is wrong with a field, as a `FieldProblem` of the partners. */
interface Problem {
  readonly field: string;
  readonly message: string;
}

/** Names of fields come from the partner as well, who may put anything into them: they are masked, and cut off visibly. */
export function maskedProblems(
  problems: readonly Problem[],
  mask: (text: string) => string,
): readonly Problem[] {
  return problems.map(({ field, message }) => ({ field: bounded(mask(field)), message: mask(message) }));
}

function bounded(field: string): string {
  return field.length > FIELD_LENGTH ? `${field.slice(0, FIELD_LENGTH - 1)}…` : field;
}

interface PrivateValue {
  readonly kind: PrivateKind;
  readonly value: string;
}

/** The values of a request's private fields, at any depth, by the name of the field in the spelling of any partner. */
function privateValuesIn(value: unknown, field = ''): PrivateValue[] {
  if (typeof value === 'string' || typeof value === 'number') {
    const kind = kindOf(field);
    return kind === undefined ? [] : [{ kind, value: String(value) }];
  }
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return [];
  if (Array.isArray(value)) return value.flatMap((item) => privateValuesIn(item, field));
  return Object.entries(value).flatMap(([name, inside]) => privateValuesIn(inside, name));
}

function kindOf(field: string): PrivateKind | undefined {
  const spelled = field.replaceAll('_', '').toLowerCase();
  return (Object.keys(PRIVATE_FIELDS) as PrivateKind[]).find((kind) => PRIVATE_FIELDS[kind].test(spelled));
}
