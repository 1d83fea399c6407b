import { type Place, privatePattern, REDACTED, redact } from './masked.js';

/** Fields with private or secret values, in the spellings of all partners: in lower case and without underscores. */
const PRIVATE_FIELDS = {
  /** A partner must not repeat these values. */
  secret:
    /^(?:password|token|tokendevice|recaptcharesponse|smscode|onetimecode|employeridentificationnumber|taxid)$|ssn$|socialsecuritynumber$/,
  /** Nor these in upper or lower case: names of people, as opposed to those of businesses, and e-mail addresses. */
  personal: /(?:first|middle|last|given|family|full|individual|contact|owner|holder)name$|email(?:address)?$/,
  /** Nor these, however the digits are grouped. */
  phone: /(?:phone|mobile|fax)(?:number)?$/,
  /** A partner may repeat these, and no log has them. */
  unlogged:
    /^(?:authorization|devicetoken|totpsecret|payloadkeys|apikey|secret|key|dateofbirth|dob|accountnumber|routingnumber|cardnumber|cvv|pin)$|^individualidentificationnumber$|(?:street|extended|home)address$|^streetline\d$/,
} as const;

type FieldKind = keyof typeof PRIVATE_FIELDS;

function kindOf(field: string): FieldKind | undefined {
  const spelled = field.replaceAll('_', '').toLowerCase();
  return (Object.keys(PRIVATE_FIELDS) as FieldKind[]).find((kind) => PRIVATE_FIELDS[kind].test(spelled));
}

/** Reports whether a field has a number that identifies a person or a business, a password, or the like. */
export function isSecretField(field: string): boolean {
  return kindOf(field) === 'secret';
}

export function isPrivateField(field: string): boolean {
  return kindOf(field) !== undefined;
}

interface PrivateValue {
  readonly kind: FieldKind;
  readonly value: string;
}

export function privateValuesIn(value: unknown, field = ''): PrivateValue[] {
  if (typeof value === 'string' || typeof value === 'number') {
    const kind = kindOf(field);
    return kind === undefined ? [] : [{ kind, value: String(value) }];
  }
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return [];
  if (Array.isArray(value)) return value.flatMap((item) => privateValuesIn(item, field));
  return Object.entries(value).flatMap(([name, inside]) => privateValuesIn(inside, name));
}

/** A JSON value without the values of private fields, at any depth, and without what looks private in its texts. */
export function withoutPrivate(value: unknown, place: Place = 'log'): unknown {
  if (typeof value === 'string') return redact(value, place);
  if (Array.isArray(value)) return value.map((item) => withoutPrivate(item, place));
  if (!isPlainObject(value)) return value;
  const fields = Object.entries(value).map(([name, inside]) => [
    name,
    kindOf(name) !== undefined && inside !== null && inside !== undefined
      ? REDACTED
      : withoutPrivate(inside, place),
  ]);
  return Object.fromEntries(fields);
}

/** Errors and other instances belong to the serializers of a log. */
function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/**
 * Masks the texts of a partner's response, which may repeat the request: our credentials, the private values of the request,
 * its free texts, and what looks like an SSN, an EIN or credentials. The rest stays as the partner wrote it.
 */
export function createRedactor(
  credentials: readonly string[],
  request: unknown = {},
): (text: string) => string {
  // Most responses have no text to mask, and patterns take longer to make than a response to read.
  let patterns: readonly (RegExp | undefined)[] | undefined;
  let quotable: ReadonlySet<string> = new Set();
  const result = () => {
    const { secrets, others, exact } = repeatable(credentials, request, 4);
    quotable = new Set(freeTextsIn(request).flatMap((text) => runsOf(wordsIn(text))));
    const secret = anyOf([...secrets, privatePattern('response')], 'gu');
    return [secret, anyOf(others, 'giu'), anyOf(exact, 'gu')];
  };
  return (text) => {
    patterns ??= result();
    return patterns.reduce(replaced, withoutQuotes(text, quotable));
  };
}

/** The name of a business is not private, however many words it has. */
const BUSINESS_NAME = /dba|business(?:as)?name|companyname/i;

function freeTextsIn(value: unknown, field = ''): readonly string[] {
  if (typeof value === 'string') return BUSINESS_NAME.test(field) ? [] : [value];
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return [];
  return Object.entries(value).flatMap(([name, inside]) => freeTextsIn(inside, name));
}

/** So many words in a row are a quote, and fewer are chance. */
const QUOTE = 4;

const wordsIn = (text: string) => [...text.matchAll(/[\p{L}\p{N}]+/gu)];

function runsOf(all: readonly RegExpExecArray[]): readonly string[] {
  const words = all.map(([word]) => word.toLowerCase());
  return words.slice(QUOTE - 1).map((_, index) => words.slice(index, index + QUOTE).join(' '));
}

/** A text without each run of words that is one of these, in any case and with any signs between. */
function withoutQuotes(text: string, quotable: ReadonlySet<string>): string {
  if (quotable.size === 0) return text;
  const words = wordsIn(text);
  let [output, end] = ['', 0];
  for (const [index, run] of runsOf(words).entries()) {
    const last = words[index + QUOTE - 1];
    if (!quotable.has(run) || !last) continue;
    const begin = words[index]?.index ?? 0;
    if (begin >= end) output += text.slice(end, begin) + REDACTED;
    end = last.index + last[0].length;
  }
  return output + text.slice(end);
}

/**
 * Masks our credentials and the request's private values in all texts of a response. The rest stays, because the caller asked for it.
 *
 * @param request the sent request. Leave it out for a read, whose response may be about other people with the same name
 */
export function withoutRepeats(
  response: unknown,
  credentials: readonly string[],
  request: unknown = {},
): unknown {
  // A short value may be part of an ID or a name by chance.
  const { secrets, others, exact } = repeatable(credentials, request, 8);
  const patterns = [anyOf(secrets, 'g'), anyOf(others, 'giu'), anyOf(exact, 'gu')];
  if (!patterns.some(Boolean)) return response;
  return eachLeaf(response, (leaf) => (typeof leaf === 'string' ? patterns.reduce(replaced, leaf) : leaf));
}

/**
 * Returns patterns of values that a partner may repeat: secrets unchanged, and other private values in upper or lower case.
 *
 * @param shorter secrets shorter than this are masked only if they are a whole word
 */
function repeatable(credentials: readonly string[], request: unknown, shorter: number) {
  const values = privateValuesIn(request);
  const length = values.reduce((sum, { value }) => sum + value.length, 0);
  if (values.length > MAX_VALUES || length > MAX_CHARACTERS)
    return { secrets: ['[^]+'], others: [], exact: [] };
  const of = (kind: FieldKind) => values.filter((leaf) => leaf.kind === kind).map(({ value }) => value);
  const secrets = longestFirst([...credentials.flatMap(encodings), ...of('secret')]);
  // A name of one letter is an initial. Masked, it would take single letters out of every sentence.
  const names = longestFirst(of('personal').map((value) => value.trim())).filter(({ length }) => length > 1);
  const everyday = names.map((name) => name.toLowerCase()).filter((name) => EVERYDAY.has(name));
  const all = names.map(words).join('|');
  const personal = names.filter((name) => !everyday.includes(name.toLowerCase())).map(words);
  // Such a name is masked as a part of a whole name, with a capital, and as a value.
  if (everyday.length > 0) personal.unshift(`(?:${all})(?:[\\s,]{1,2}(?:${all})){1,3}`);
  const capitals = everyday.flatMap((name) => [
    name.charAt(0).toUpperCase() + name.slice(1),
    name.toUpperCase(),
  ]);
  const phones = of('phone').map((number) => number.replace(/\D/g, '').slice(-10));
  const phone = anyNumber(phones.filter(({ length }) => length >= 7));
  // The pattern contains the shared context of all values only once, so it is not tried for each value at each position.
  return {
    secrets: secrets.map((value) => literal(value, shorter)),
    others: [
      ...(personal.length > 0 ? [toWords(personal)] : []),
      ...(phone ? [`(?<!\\d)(?:\\+?\\d{1,3}${GAP})?\\(?${phone}(?!\\d)`] : []),
    ],
    exact: everyday.length > 0 ? [toWords(capitals), `(?<=["“:=] ?)${toWords(everyday)}`] : [],
  };
}

function toWords(patterns: readonly string[]): string {
  return `${BEFORE_WORD}(?:${patterns.join('|')})(?![\\p{L}\\p{N}])`;
}

/** Names of people that are words of a partner's sentences as well. */
const EVERYDAY = new Set(
  (
    'an and art as at be bill but can case day do done for free grant have he her home in is it long major mark max may me more ' +
    'must new no not of on one or page price quick read rich sent short so state still the to too will with young'
  ).split(' '),
);

/** No form of a partner has more. A response to a request with more is masked as a whole, because a pattern would take long. */
const MAX_VALUES = 500;

/** The maximum length of all values together. A longer pattern does not compile, and the error would quote it. */
const MAX_CHARACTERS = 30_000;

/** A JSON value with other values in place of those that are neither object nor list. */
export function eachLeaf(value: unknown, change: (leaf: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => eachLeaf(item, change));
  if (typeof value !== 'object' || value === null) return change(value);
  return Object.fromEntries(Object.entries(value).map(([name, inside]) => [name, eachLeaf(inside, change)]));
}

function anyOf(patterns: readonly string[], flags: string): RegExp | undefined {
  return patterns.length > 0 ? new RegExp(patterns.join('|'), flags) : undefined;
}

function replaced(text: string, pattern: RegExp | undefined): string {
  return pattern === undefined ? text : text.replace(pattern, REDACTED);
}

/** A value that contains another one goes first. */
function longestFirst(values: readonly string[]): string[] {
  return [...new Set(values.filter(Boolean))].sort((one, other) => other.length - one.length);
}

/** A credential as it is, in a URL, and as base64 where that is long enough to be distinct from other text. */
function encodings(credential: string): string[] {
  const bytes = Buffer.from(credential);
  const base64 = [bytes.toString('base64'), bytes.toString('base64url')];
  return [credential, encodeURIComponent(credential), ...base64.filter(({ length }) => length >= 12)];
}

export const escapeText = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/** A pattern that finds a value: one that is shorter than `alone` only as a word of its own, because it may be a part of others. */
export function literal(value: string, alone: number): string {
  return value.length < alone ? `(?<!\\w)${escapeText(value)}(?!\\w)` : escapeText(value);
}

/** Not after a letter or digit, unless it ends a percent-encoded character, as in `%20Ann`. */
const BEFORE_WORD = '(?<!(?<!%[0-9A-Fa-f])[\\p{L}\\p{N}])';

function words(value: string): string {
  return value.split(/\s+/).map(escapeText).join('(?:\\s|%20|\\+)+');
}

const GAP = '[\\s().-]{0,3}';

/** The pattern of any of these numbers, however grouped. Beginnings that they share are in it once, so a text is read once for all. */
function anyNumber(numbers: readonly string[], gap = ''): string {
  const byDigit = Map.groupBy(numbers.filter(Boolean), ([digit]) => digit);
  const ways = [...byDigit].map(([digit, all]) => {
    const rest = all.map((number) => number.slice(1));
    const more = anyNumber(rest, GAP);
    return `${gap}${digit}${more}${more && rest.includes('') ? '?' : ''}`;
  });
  return ways.length > 0 ? `(?:${ways.join('|')})` : '';
}

/** Names of fields are shown, logged and compared; one of an input has some forty characters with its path. */
const FIELD_LENGTH = 100;

/** A partner may put anything into the name of a field, too, so names are masked and visibly shortened. */
export function redactProblems(
  problems: readonly { readonly field: string; readonly message: string }[],
  mask: (text: string) => string,
) {
  return problems.map(({ field, message }) => ({ field: bounded(mask(field)), message: mask(message) }));
}

function bounded(field: string): string {
  return field.length > FIELD_LENGTH ? `${field.slice(0, FIELD_LENGTH - 1)}…` : field;
}
