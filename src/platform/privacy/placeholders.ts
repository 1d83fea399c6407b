import { createHmac, type Hmac, randomBytes } from 'node:crypto';
import { anyOf, PRIVATE_PATTERNS, type PrivateKind } from './masked.js';
import { isPrivateField, literal } from './private-fields.js';

/** Stands in place of a credential, which gets no placeholder of its own. */
export const REMOVED = 'removed';

/** The maximum number of private values with a placeholder. The oldest are forgotten first. */
const REMEMBERED = 5_000;

export interface Context {
  /** A partner's further fields whose values are not private. */
  readonly openFields?: readonly string[];
  /** A request for a credential, or its response. Every text in it is removed. */
  readonly isSignIn?: boolean;
  /** A response. It keeps the partner's text about an error, without private values. */
  readonly isResponse?: boolean;
  /** Our own credentials, which are removed everywhere. */
  readonly secrets?: readonly string[];
}

/** Names of fields with credentials and one-time codes: in lower case and without underscores. */
const CREDENTIAL =
  /password|passcode|secret|apikey|authorization|captcha|token|smscode|onetimecode|totp|cvv|^otp$|^pin$|^key$/;

/** IDs, which are not private. */
const ID = /(?:^|_)(?:id|ids|guid|uuid|mid)$|[a-z](?:Id|ID|Ids|Guid|Uuid)$/;
const ID_VALUE = /^[\w.:-]{1,80}$/;

/** Fields whose values are names of a contract: `bankingStatus`, `updateFieldRequest`. */
const CODE =
  /(?:status|type|kind|stage|phase|level|group|category|code|currency|network|provider|format|version|role|step|state|country|pos|result|outcome|typeoperation|updatefieldrequest)$/;
const CODE_VALUE = /^[A-Za-z][\w .:/-]{0,63}$/;
const FLAG = /^(?:yes|no|none|true|false)$/i;

/** Fields with times of the process. Dates of birth are among the private fields. */
const TIME = /(?:date|time|at|on|from|to|since|until|period|expiration)$/;
const IS_DATE = /^(\d{4})-\d{2}-\d{2}(?:([T ])[\d:.]+(Z|[+-][\d:]+)?)?$/;

/** The fields in which a partner describes a problem. */
const PROBLEMS =
  /^(?:errors?|errormessage|message|messages|warnings?|detail|title|validation(?:results|errors))$/;

/** The parts of a field's name that suggest a private value. */
const IDENTITY = anyOf('socialSecurityNumber', 'nineDigits', 'email');

const LOOKS_PRIVATE = anyOf(...(Object.keys(PRIVATE_PATTERNS) as PrivateKind[]));

/**
 * Replaces private values, so the rest can be stored and passed on. A value always gets the same placeholder, in the same format:
 * digits stay digits, and an email address stays one. Only this object has the key that makes placeholders.
 *
 * A text is private unless its field is known to contain an ID, a name from a contract, a time, or a partner's error message.
 */
export class Placeholders {
  readonly #key = randomBytes(32);
  /** Placeholders by value, the oldest first. */
  readonly #placeholders = new Map<string, string>();

  /** Returns a JSON value without its private values. */
  replaced(value: unknown, context: Context, field = '', isProblem = false): unknown {
    if (typeof value === 'string') return this.#text(value, context, field, isProblem);
    if (typeof value === 'number' || typeof value === 'bigint') return this.#number(value, field);
    if (Array.isArray(value)) return value.map((item) => this.replaced(item, context, field, isProblem));
    if (typeof value !== 'object' || value === null) return value;
    const about = context.isResponse === true;
    return Object.fromEntries(
      Object.entries(value).map(([name, inside]) => [
        this.#name(name),
        this.replaced(inside, context, name, isProblem || (about && PROBLEMS.test(spelled(name)))),
      ]),
    );
  }

  /** A keyed hash of content that is not kept, in hexadecimal. */
  digest(content: string | Uint8Array): string {
    return this.hash().update(content).digest('hex');
  }

  hash(): Hmac {
    return createHmac('sha256', this.#key);
  }

  placeholder(value: string): string {
    const existing = this.#placeholders.get(value);
    if (existing !== undefined) return existing;
    const placeholder = this.#create(value);
    this.#placeholders.set(value, placeholder);
    const [oldest] = this.#placeholders.keys();
    if (this.#placeholders.size > REMEMBERED && oldest !== undefined) this.#placeholders.delete(oldest);
    return placeholder;
  }

  /** The name of a field, which may be a private value, too. A known value that is one word may be the name of a field. */
  #name(name: string): string {
    const placeholder = /^\w+$/.test(name) ? undefined : this.#placeholders.get(name);
    return placeholder ?? name.replace(IDENTITY, (match) => this.placeholder(match));
  }

  #text(value: string, context: Context, field: string, isProblem: boolean): string {
    const name = spelled(field);
    if (value === '') return value;
    if (isProblem) return this.#message(value, context);
    if (CREDENTIAL.test(name)) return REMOVED;
    const isKept =
      !isPrivateField(field) && isOpen(value, field, name, context) && !this.#isKnown(value, context);
    if (isKept) return value;
    return context.isSignIn ? REMOVED : this.placeholder(value);
  }

  /** Reports whether a text in an open field is private anyway, because it was private elsewhere. */
  #isKnown(value: string, { secrets = [] }: Context): boolean {
    return secrets.includes(value) || (value.length > 8 && this.#placeholders.has(value));
  }

  #number(value: number | bigint, field: string): number | bigint {
    if (CREDENTIAL.test(spelled(field))) return 0;
    const isLikeIdentity = /^\d{9,10}$/.test(String(value)) && !ID.test(field);
    if (!isPrivateField(field) && !isLikeIdentity) return value;
    const digits = this.placeholder(String(value));
    return typeof value === 'bigint' ? BigInt(digits) : Number(digits);
  }

  /** A message of the partner without the private values that it may repeat. */
  #message(text: string, context: Context): string {
    const placeholders = new Set(this.#placeholders.values());
    return this.#withoutKnown(text, context).replace(LOOKS_PRIVATE, (match) =>
      placeholders.has(match) ? match : this.placeholder(match),
    );
  }

  #withoutKnown(text: string, { secrets = [] }: Context): string {
    let left = text;
    for (const secret of secrets) if (secret.length > 3) left = left.replaceAll(secret, REMOVED);
    const lower = left.toLowerCase();
    const pairs = [...this.#placeholders].filter(
      ([value]) => value.length > 2 && lower.includes(value.toLowerCase()),
    );
    if (pairs.length === 0) return left;
    const longestFirst = pairs.sort(([one], [other]) => other.length - one.length);
    const placeholders = new Map(
      longestFirst.map(([value, placeholder]) => [value.toLowerCase(), placeholder]),
    );
    const pattern = longestFirst.map(([value]) => literal(value, Number.POSITIVE_INFINITY)).join('|');
    return left.replace(new RegExp(pattern, 'gi'), (hit) => placeholders.get(hit.toLowerCase()) ?? REMOVED);
  }

  #create(value: string): string {
    const hash = this.digest(value);
    const date = IS_DATE.exec(value);
    if (date) return dateOf(hash, date[2], date[3]);
    if (/^[\dXx*\s().+/-]+$/.test(value)) return digitsOf(hash, value);
    const name = `private-${hash.slice(0, 10)}`;
    if (/^[^\s@]+@[^\s@]+$/.test(value)) return `${name}@example.com`;
    return /^https?:\/\//i.test(value) ? `https://${name}.example.com/` : name;
  }
}

const spelled = (field: string) => field.replaceAll('_', '').toLowerCase();

function isOpen(value: string, field: string, name: string, { openFields, isSignIn }: Context): boolean {
  if (IS_DATE.test(value)) return TIME.test(name) && !name.includes('birth');
  if (CODE_VALUE.test(value) && CODE.test(name)) return !/postal|zip/.test(name);
  if (isSignIn) return false;
  return (ID_VALUE.test(value) && ID.test(field)) || FLAG.test(value) || openFields?.includes(field) === true;
}

/** Returns a day in 1900, at midnight if there is a time. */
function dateOf(hash: string, separator: string | undefined, zone = ''): string {
  const number = Number.parseInt(hash.slice(0, 8), 16);
  const two = (part: number) => String(part).padStart(2, '0');
  const day = `1900-${two(1 + (number % 12))}-${two(1 + (Math.floor(number / 12) % 28))}`;
  return separator === undefined ? day : `${day}${separator}00:00:00${zone}`;
}

/**
 * Other digits in the same places. Nine digits begin with 97, as no social security number and no EIN does. Ten digits become a
 * telephone number of those that are reserved for fiction.
 */
function digitsOf(hash: string, value: string): string {
  const count = value.replace(/\D/g, '').length;
  let drawn = BigInt(`0x${hash}`).toString().slice(-count).padStart(count, '0');
  if (count === 9) drawn = `97${drawn.slice(2)}`;
  if (count === 10) drawn = `9${drawn.slice(1, 3)}55501${drawn.slice(8)}`;
  let at = 0;
  return value.replace(/\d/g, () => drawn[at++] ?? '0');
}
