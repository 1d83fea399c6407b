import { eachLeaf } from '../platform/privacy/private-fields.js';

/**
 * The maximum lengths of partners' texts, in UTF-16 code units. A longer text is shortened, and ends with its original length.
 * Temporal terminates a workflow with a search attribute over 2 kB, or a payload over 2 MB.
 */
export const LONGEST = {
  /** A note, a comment, the text of a ticket. */
  text: 2_000,
  /** The detail of a requirement: a partner's text with Gangway's words around it. */
  detail: 6_000,
  /** A title, a search attribute, a field of a request. */
  line: 200,
  /** A static summary. The server rejects one over 400 bytes. */
  summary: 100,
} as const;

const MAX_PROBLEMS = 50;

/** Returns a short text unchanged, a long one as its beginning and its length. */
export function truncate(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const remark = `… (shortened, ${text.length} characters)`;
  // Half of a surrogate pair is not a character.
  return text.slice(0, longest - remark.length).replace(/[\uD800-\uDBFF]$/, '') + remark;
}

/** Shortens every text in a JSON value to {@link LONGEST.text}. */
export function boundTexts<Value>(value: Value): Value {
  const short = (leaf: unknown) => (typeof leaf === 'string' ? truncate(leaf, LONGEST.text) : leaf);
  return eachLeaf(value, short) as Value;
}

interface Texts {
  readonly field: string;
  readonly message: string;
}

export function boundProblems<Problem extends Texts>(problems: readonly Problem[]): readonly Problem[] {
  const bounded = problems.slice(0, MAX_PROBLEMS).map((problem) => ({
    ...problem,
    field: truncate(problem.field, LONGEST.line),
    message: truncate(problem.message, LONGEST.text),
  }));
  const more = problems.length - bounded.length;
  const [first] = bounded;
  return more > 0 && first
    ? [...bounded, { ...first, field: '', message: `and ${more} more problems` }]
    : bounded;
}

/**
 * The form of an account's name. Everyone sees it, because task queues, settings and a search attribute contain it. It has no
 * underscores, because a hyphen becomes one in settings.
 */
export const ACCOUNT_NAME = /^(?=.{1,20}$)[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

export const ACCOUNT_NAME_RULE =
  'takes lower-case letters, digits and single hyphens in between, begins with a letter and has 20 characters at most';

/** `merchant.dba: is required`, or only the message if the problem has no field. */
export function problemText({ field, message }: Texts): string {
  return field === '' ? message : `${field}: ${message}`;
}

const UNKNOWN_CA =
  'its certificate is from a CA that is unknown here: if it is right, name the CA in NODE_EXTRA_CA_CERTS';

const CODES: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'its certificate has expired: ask the partner to renew it',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet: compare the clocks',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name: correct the URL, or ask the partner',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'an intermediate certificate is missing: ask the partner to send the whole chain; until then, name the certificate in NODE_EXTRA_CA_CERTS',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_CA,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_CA,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_CA,
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS',
  HTTPS_PROXY_403: 'the proxy (HTTPS_PROXY) does not allow it',
  HTTPS_PROXY_407: 'the proxy (HTTPS_PROXY) does not accept our credentials',
  ECONNREFUSED: 'it refused the connection',
  ENOTFOUND: 'its name is unknown',
  EAI_AGAIN: 'its name cannot be looked up now',
  ECONNRESET: 'the connection broke before the response',
  UND_ERR_SOCKET: 'the connection broke before the response',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  UND_ERR_HEADERS_TIMEOUT: 'no response in time',
  UND_ERR_BODY_TIMEOUT: 'the response stopped arriving',
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'the response is too large',
};

/**
 * The `reason` of a partner error for people: `the connection broke before the response (UND_ERR_SOCKET)`. What precedes the code
 * stays: `issue-token: no response in time (UND_ERR_HEADERS_TIMEOUT)`.
 */
export function describeReason(reason: string): string {
  const [, before = '', code = ''] = /^(.*: )?(.*)$/s.exec(reason) ?? [];
  const words = Object.hasOwn(CODES, code) ? CODES[code] : undefined;
  return words === undefined ? reason : `${before}${words} (${code})`;
}

export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
