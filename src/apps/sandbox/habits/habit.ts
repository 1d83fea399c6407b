import { parseExactly, writeExactly } from '../../../partners/json.js';
import type { Answer } from '../answer.js';

/**
 * Changes what a partner does with calls, against its documentation: wraps the emulated operation, and may change, skip or repeat
 * the request, or change the response.
 */
export interface Deviation<Known> {
  /** In one sentence. */
  readonly does: string;
  start(facts: Known): Wrapper;
}

/**
 * A behavior that affects every call while it is on, unlike a fault, which affects single calls (fault-kinds.ts). The table of
 * docs/partner-apis.md has its name, sentence and source.
 */
export interface Habit extends Deviation<Partner> {
  /** The source: a standard, a product's documentation, or similar reports. */
  readonly seen: string;
  /** Default: `tolerated`. */
  readonly outcome?: Outcome;
  /** Returns a fresh effect, with an empty memory, each time that the habit is switched on. */
  start(partner: Partner): Wrapper;
}

/** How Gangway handles a habit. */
export const HABIT_OUTCOMES = {
  tolerated: 'Nothing: onboardings end as without it.',
  paused: 'Waits, and asks once for the account if that takes too long. Everything resumes by itself.',
  asked: 'Asks a person about each write that it touches, with what the partner shows.',
} as const;

export type Outcome = keyof typeof HABIT_OUTCOMES;

export type Habits = Readonly<Record<string, Habit>>;

/** The information about the partner that a habit may use. */
export interface Partner {
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** A call, before the emulated operation sees it. */
export interface Call {
  readonly system: string;
  /** The name in the catalogue: `create-merchant`. */
  readonly operation: string;
  readonly isWrite: boolean;
  readonly method: string;
  readonly url: string;
  readonly authorization: string;
  /** The fields of its path, query and body. */
  readonly fields: Fields;
}

export type Fields = Readonly<Record<string, unknown>>;

export type Perform = (fields?: Fields) => Promise<Answer>;

export type Wrapper = (call: Call, perform: Perform) => Promise<Answer>;

/** Calls that a habit concerns. */
type Concerns = (call: Call) => boolean;

export const reads: Concerns = ({ isWrite }) => !isWrite;

export const of =
  (...operations: readonly string[]): Concerns =>
  ({ operation }) =>
    operations.includes(operation);

/** Sign-ins are excluded, because changing them affects every call. */
export const signedIn: Concerns = ({ url }) => !url.startsWith('/api/auth');

/** Changes the responses of the calls that it concerns. */
export function changeResponses(
  concerns: Concerns,
  edit: (answer: Answer, call: Call) => Answer,
): Habit['start'] {
  return () => async (call, perform) => {
    const answer = await perform();
    return concerns(call) ? edit(answer, call) : answer;
  };
}

/** Changes the JSON of successful responses. */
export function bodies(concerns: Concerns, edit: (body: unknown, call: Call) => unknown): Habit['start'] {
  return changeResponses(concerns, (answer, call) => withBody(answer, (body) => edit(body, call)));
}

/** Changes the payload of successful responses, inside its envelope if it has one. */
export function payloads(concerns: Concerns, edit: (data: unknown, call: Call) => unknown): Habit['start'] {
  return bodies(concerns, (body, call) =>
    isFields(body) && 'data' in body ? { ...body, data: edit(body['data'], call) } : edit(body, call),
  );
}

/** The JSON of a successful response, changed. Files and refusals stay as they are. */
export function withBody(answer: Answer, edit: (body: unknown) => unknown): Answer {
  const { status, contentType, body } = answer;
  if (status !== 200 || contentType !== undefined || typeof body !== 'object' || Buffer.isBuffer(body))
    return answer;
  return { ...answer, body: edit(parseExactly(writeExactly(body))) as object };
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Changes the texts of fields with these names. */
export function texts(concerns: Concerns, names: RegExp, edit: (text: string) => unknown): Habit['start'] {
  return payloads(concerns, (data) =>
    everywhere((value, name) => (typeof value === 'string' && names.test(name) ? edit(value) : value), data),
  );
}

/** Changes every value inside, from the inside out. */
export function everywhere(
  edit: (value: unknown, name: string) => unknown,
  value: unknown,
  name = '',
): unknown {
  if (Array.isArray(value))
    return edit(
      value.map((item) => everywhere(edit, item, name)),
      name,
    );
  if (!isFields(value)) return edit(value, name);
  const entries = Object.entries(value).map(([key, item]) => [key, everywhere(edit, item, key)]);
  return edit(Object.fromEntries(entries.filter(([, item]) => item !== undefined)), name);
}

/** The response as bytes, with these headers. */
export function asBytes(
  answer: Answer,
  encode: (text: string) => Buffer,
  headers: Answer['headers'] = {},
): Answer {
  const { contentType, body } = answer;
  if (contentType !== undefined || Buffer.isBuffer(body) || answer.status === 204) return answer;
  const text = typeof body === 'string' ? body : writeExactly(body);
  return {
    ...answer,
    body: encode(text),
    contentType: 'application/json',
    headers: { ...answer.headers, ...headers },
  };
}

/** The field with the ID of the created record in the response. */
export const ID_OF: Readonly<Record<string, string>> = {
  'create-merchant': 'merchantProfileId',
  'create-merchant-v1': 'merchantProfileId',
  'submit-business-account-holder': 'profileId',
};

export const isCreate: Concerns = ({ operation }) => operation in ID_OF;

export function idIn({ status, body }: Answer, { operation }: Call): number | undefined {
  if (status !== 200 || !isFields(body)) return undefined;
  const payload = isFields(body['data']) ? body['data'] : body;
  const id = payload[ID_OF[operation] ?? ''];
  return typeof id === 'number' && id > 0 ? id : undefined;
}

/** Reads show an earlier response of the same call, if there is one. */
export function staleAnswers(
  isStale: (age: number, count: number) => boolean,
  isKept: (age: number) => boolean,
): Habit['start'] {
  return ({ now }) => {
    const answers = new Map<string, { readonly at: number; readonly answer: Answer }>();
    let count = 0;
    return async (call, perform) => {
      if (call.isWrite || !signedIn(call)) return perform();
      const key = `${call.system} ${call.url}`;
      const before = answers.get(key);
      const answer = await perform();
      const age = before ? now() - before.at : Number.POSITIVE_INFINITY;
      if (!before || !isKept(age)) answers.set(key, { at: now(), answer });
      count += 1;
      return before && before.answer.status === 200 && isStale(age, count) ? before.answer : answer;
    };
  };
}
