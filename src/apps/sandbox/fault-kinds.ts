import type { Answer } from './answer.js';
import {
  bodies,
  changeResponses,
  type Deviation,
  everywhere,
  isFields,
  type Wrapper,
} from './habits/habit.js';

/**
 * Faults of single calls. A fault wraps the emulated operation, as a habit does, but affects one call, where a habit affects all
 * calls until it is switched off. The sandbox plans faults by operation (faults.ts), the simulation by request number.
 */

/** The information that a fault may use. */
export interface Means {
  readonly now: () => number;
  readonly milliseconds: number;
  /** Waits for this many milliseconds, or until the fault is deleted. */
  readonly wait: () => Promise<void>;
  /** Returns a refusal in the partner's form. */
  readonly refusal: (status: number) => Answer;
}

export interface Fault extends Deviation<Means> {
  /** The partner rejects the call, which a person must correct or repeat. */
  readonly refuses?: true;
  /** A 200 that does not say whether the call took effect. */
  readonly isUnclear?: true;
}

/** The code that the bank sends to a phone. */
export const SHORT_MESSAGE_CODE = '000000';

const CUT: Answer = { status: 0, body: '' };

/** Responds differently, without making the call. */
const instead =
  (answerOf: (means: Means) => Answer): Fault['start'] =>
  (means) =>
  async () =>
    answerOf(means);

/** Responds differently, after the call has taken effect. */
const afterwards =
  (answerOf: (means: Means) => Answer): Fault['start'] =>
  (means) =>
  async (_, perform) => {
    await perform();
    return answerOf(means);
  };

const late =
  (rest: Wrapper): Fault['start'] =>
  ({ wait }) =>
  async (call, perform) => {
    await wait();
    return rest(call, perform);
  };

/** A pause of zero is not a pause. */
const paused = (status: number) =>
  instead(({ milliseconds, refusal }) => ({
    ...refusal(status),
    headers: milliseconds > 0 ? { 'retry-after': String(Math.ceil(milliseconds / 1_000)) } : {},
  }));

/** The messages of refusals that are not about the input. */
export const NOT_TODAY = 'cannot be taken today';

const without = (body: object | string): Pick<Fault, 'refuses' | 'start'> => ({
  refuses: true,
  start: instead(() => ({ status: 400, body })),
});

const FIELDS = ['email', 'Owner1.HomeAddress', '$.dba', 'id', 'Nobody'];

/** Returns the first given name in the call. */
function nameIn(fields: unknown): string {
  let match: string | undefined;
  everywhere((value, name) => {
    if (/^(first|given)Name$/i.test(name) && typeof value === 'string') match ??= value;
    return value;
  }, fields);
  return match ?? 'This';
}

/** A failure in a successful response, in each of two partners' forms. */
const failure =
  (errors: string | null): Fault['start'] =>
  () =>
  async ({ system }, perform) => {
    const [label, message] = ['BadRequest', `This ${NOT_TODAY}`];
    const boarding = { data: null, status: label, error: label, message, validationResults: [] };
    if (system === 'boarding') return { status: 200, body: boarding };
    return system === 'banking' ? { status: 200, body: { success: false, errors } } : perform();
  };

/** Undocumented bodies. */
const STRANGE: readonly (object | string)[] = [
  {},
  [],
  { data: 'later' },
  '<html>Please come back later.</html>',
];

/** Fields that a response may lack: a status, a subject, a count; for a write, the ID of the created record. */
const OPEN = ['bankingStatus', 'topic', 'total', 'comment'];
const IDS = ['profileId', 'financialAccountId'];

const KINDS = {
  'drop-before-commit': {
    does: 'the connection is cut, nothing took effect',
    start: instead(() => CUT),
  },
  'drop-after-commit': {
    does: 'the call takes effect, then the connection is cut',
    start: afterwards(() => CUT),
  },
  'drop-after-delay': {
    does: 'waits for `milliseconds`, or until the fault is deleted; then the connection is cut, nothing took effect',
    start: late(async () => CUT),
  },
  '500-before-commit': {
    does: 'responds 500, nothing took effect',
    start: instead(({ refusal }) => refusal(500)),
  },
  '500-after-commit': {
    does: 'the call takes effect, then responds 500',
    start: afterwards(({ refusal }) => refusal(500)),
  },
  '408-after-commit': {
    does: 'the call takes effect, then a proxy gives up on it and responds 408',
    start: afterwards(({ refusal }) => refusal(408)),
  },
  '400': {
    does: 'responds 400, nothing took effect',
    refuses: true,
    start: instead(({ refusal }) => refusal(400)),
  },
  '400-without-reason': { does: 'responds 400 with an empty body, nothing took effect', ...without('') },
  '400-for-fields': {
    does: 'responds 400 with problems of fields that nobody has sent, nothing took effect',
    ...without({ errors: Object.fromEntries(FIELDS.map((field) => [field, [NOT_TODAY]])) }),
  },
  '400-quoting': {
    does: 'responds 400 and quotes a name from the call, nothing took effect',
    refuses: true,
    start:
      () =>
      async ({ fields }) => ({
        status: 400,
        body: { message: `${nameIn(fields)} ${NOT_TODAY}`, errors: {} },
      }),
  },
  '200-refused': {
    does: 'a partner that writes failures into successful responses does so, nothing took effect',
    refuses: true,
    isUnclear: true,
    start: failure(`email: ${NOT_TODAY}; fields: ${NOT_TODAY}`),
  },
  '200-refused-without-reason': {
    does: 'the same, without a reason where the partner may leave it out',
    refuses: true,
    isUnclear: true,
    start: failure(null),
  },
  '403': {
    does: 'responds 403, nothing took effect',
    refuses: true,
    start: instead(({ refusal }) => refusal(403)),
  },
  '429': {
    does: 'responds 429 with Retry-After (`milliseconds`, rounded up to seconds), nothing took effect',
    start: paused(429),
  },
  '503': {
    does: 'responds 503 with Retry-After (`milliseconds`, rounded up to seconds), nothing took effect',
    start: paused(503),
  },
  delay: {
    does: 'waits for `milliseconds`, or until the fault is deleted, before anything else',
    start: late((_, perform) => perform()),
  },
  'delay-after-commit': {
    does: 'the call takes effect, then its response waits for `milliseconds`, or until the fault is deleted',
    start:
      ({ wait }) =>
      async (_, perform) => {
        const answer = await perform();
        await wait();
        return answer;
      },
  },
  'expired-token': {
    does: 'responds 401 although the credentials are valid, nothing took effect',
    start: instead(({ refusal }) => refusal(401)),
  },
  'code-needed': {
    does: 'a sign-in without the one-time code gets 403',
    start: () => async (call, perform) =>
      call.url.startsWith('/api/auth') && !JSON.stringify(call.fields).includes(SHORT_MESSAGE_CODE)
        ? { status: 403, body: { message: 'The multi-factor code is missing or wrong' } }
        : perform(),
  },
  twice: {
    does: 'a proxy sends the call twice, unless it is a POST',
    start:
      () =>
      async ({ method }, perform) => {
        if (method !== 'POST') await perform();
        return perform();
      },
  },
  'cut-short': {
    does: 'the call takes effect, and its response ends in the middle',
    isUnclear: true,
    start: changeResponses(
      () => true,
      (answer) => ({ ...answer, wire: 'too-short' }),
    ),
  },
  'another-form': {
    does: 'the call takes effect, and its response has a form that no document names',
    isUnclear: true,
    start: changeResponses(
      () => true,
      (answer) =>
        answer.status < 300
          ? { status: 200, body: STRANGE[Math.floor(Math.random() * STRANGE.length)] ?? {} }
          : answer,
    ),
  },
  warning: {
    does: 'the call takes effect, and its response has a warning; that of a new merchant has problems, too',
    isUnclear: true,
    start: bodies(
      () => true,
      (body, { operation }) =>
        isFields(body)
          ? {
              ...body,
              warning: 'Check it.',
              ...(operation.startsWith('create-merchant') && {
                validationResults: [{ memberNames: ['dba'], errorMessage: 'Check it.' }],
              }),
            }
          : body,
    ),
  },
  blank: {
    does: 'the call takes effect, and its response leaves out what may be null, such as a status or a new id',
    isUnclear: true,
    start: bodies(
      () => true,
      (body, { isWrite }) =>
        everywhere(
          (value, name) => (OPEN.includes(name) || (isWrite && IDS.includes(name)) ? null : value),
          body,
        ),
    ),
  },
  'first-page': {
    does: 'a list has only its first element, and says how many there are',
    start: bodies(
      () => true,
      (body) => {
        const { data, ...around } = isFields(body) ? body : {};
        if (!Array.isArray(data) || data.length < 2) return body;
        return { ...around, data: data.slice(0, 1), totalCount: data.length };
      },
    ),
  },
} as const satisfies Readonly<Record<string, Fault>>;

export type CallFault = keyof typeof KINDS;

/** The faults of a single call. */
export const CALL_FAULTS: Readonly<Record<CallFault, Fault>> = KINDS;

/** Faults outside operations: connections, and the partner's own messages. */
export const OTHER_FAULTS = {
  refuse: 'the listener closes at once, for `milliseconds`: connections are refused',
  'duplicate-webhooks': 'the next webhook is delivered twice',
  'reorder-webhooks':
    'the next webhook comes after the one that should follow it, or after `milliseconds` if none does',
} as const;

export type FaultKind = CallFault | keyof typeof OTHER_FAULTS;

export const FAULTS: Readonly<Record<string, string>> = {
  ...OTHER_FAULTS,
  ...Object.fromEntries(Object.entries(CALL_FAULTS).map(([fault, { does }]) => [fault, does])),
};
