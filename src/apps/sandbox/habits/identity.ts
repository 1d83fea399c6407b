import type { Answer } from '../answer.js';
import {
  type Call,
  type Fields,
  type Habit,
  type Habits,
  ID_OF,
  idIn,
  isCreate,
  isFields,
  withBody,
} from './habit.js';

/** Habits of creates: which record a create returns, and how records are numbered. */

/** Returns the record of an earlier create with the same value, without creating one. */
function sameRecord(key: (fields: Fields) => unknown): Habit['start'] {
  return () => {
    const answers = new Map<string, Answer>();
    return async (call, perform) => {
      const value = isCreate(call) ? key(call.fields) : undefined;
      if (typeof value !== 'string') return perform();
      const place = `${call.system} ${value.toLowerCase()}`;
      const before = answers.get(place);
      if (before) return before;
      const answer = await perform();
      if (idIn(answer, call) !== undefined) answers.set(place, answer);
      return answer;
    };
  };
}

/** Saves a record and refuses the request. */
function savedThenRefused(status: number, showsId: boolean): Habit['start'] {
  return () => async (call, perform) => {
    const answer = await perform();
    if (!isCreate(call) || idIn(answer, call) === undefined) return answer;
    const error = 'The application was saved, but the email could not be verified.';
    const own = showsId ? answer.body : withoutId(answer, call);
    const problems = { status: 'BadRequest', error, validationResults: [], message: error };
    return { status, body: { ...(own as object), ...problems } };
  };
}

/** The responses to creates, with other IDs. */
function renumbered(other: (id: number, earlier: readonly number[]) => number): Habit['start'] {
  return () => {
    const numbers = new Map<string, readonly number[]>();
    return async (call, perform) => {
      const answer = await perform();
      const id = isCreate(call) ? idIn(answer, call) : undefined;
      if (id === undefined) return answer;
      const earlier = numbers.get(call.system) ?? [];
      numbers.set(call.system, [...earlier, id]);
      return withId(answer, call, other(id, earlier));
    };
  };
}

function withId(answer: Answer, { operation }: Call, id: number): Answer {
  const field = ID_OF[operation] ?? '';
  return withBody(answer, (body) => {
    if (!isFields(body)) return body;
    return isFields(body['data'])
      ? { ...body, data: { ...body['data'], [field]: id } }
      : { ...body, [field]: id };
  });
}

function withoutId({ body }: Answer, { operation }: Call): object {
  const { [ID_OF[operation] ?? '']: _, ...rest } = body as Fields;
  return 'data' in rest ? { ...rest, data: null } : rest;
}

/** The two versions of the create number merchants differently: version 1's numbers are larger by this. */
export const APPLICATION_NUMBERS = 500_000;

export const identity: Habits = {
  'same-email': {
    does: 'A create returns the id of the record that has the same e-mail, and makes none.',
    seen: 'services that look a customer up by e-mail before they insert it',
    outcome: 'asked',
    start: sameRecord(({ email }) => email),
  },
  'same-dba': {
    does: 'A create returns the id of the record that has the same doing-business-as name.',
    seen: 'services with a unique index on the name',
    outcome: 'asked',
    start: sameRecord(({ dba, doingBusinessAsName }) => dba ?? doingBusinessAsName),
  },
  'same-tax-number': {
    does: 'A create returns the id of the record that has the same tax number.',
    seen: 'banks, whose customers are persons by tax number',
    outcome: 'asked',
    start: sameRecord(({ employerIdentificationNumber: ein }) => ein),
  },
  'refuses-and-saves': {
    does: 'A create responds 400 with the id of the record that it has saved.',
    seen: 'services that save a draft and validate it afterwards',
    outcome: 'asked',
    start: savedThenRefused(400, true),
  },
  'refuses-and-saves-silently': {
    does: 'A create responds 400 without an id, and has saved the record.',
    seen: 'the same, with a generic error page',
    outcome: 'asked',
    start: savedThenRefused(400, false),
  },
  'conflicts-and-saves': {
    does: 'A create responds 409 with the id of the record that it has saved.',
    seen: 'RFC 9110, 15.5.10: the response describes the conflict',
    outcome: 'asked',
    start: savedThenRefused(409, true),
  },
  'conflicts-and-saves-silently': {
    does: 'A create responds 409 without an id, and has saved the record.',
    seen: 'a proxy that repeats the call, and passes on the second response',
    outcome: 'asked',
    start: savedThenRefused(409, false),
  },
  'unauthorized-and-saved': {
    does: 'A create responds 401 without an id, and has saved the record. Reads work.',
    seen: 'services that pass on the response of one that they call themselves',
    outcome: 'asked',
    start: savedThenRefused(401, false),
  },
  'forbidden-and-saved': {
    does: 'A create responds 403 without an id, and has saved the record. Reads work.',
    seen: 'services that check a permission of each step, once the step before it is saved',
    outcome: 'asked',
    start: savedThenRefused(403, false),
  },
  'numbers-of-v1': {
    does: 'The first version of the create returns application numbers, which only its own operations understand.',
    seen: 'services that were built twice',
    outcome: 'asked',
    start: () => async (call, perform) => {
      const isV1 = call.url.startsWith('/api/v1/merchant');
      const { id } = call.fields;
      if (isV1 && typeof id === 'number' && id > APPLICATION_NUMBERS)
        return perform({ ...call.fields, id: id - APPLICATION_NUMBERS });
      const answer = await perform();
      const result = isV1 && isCreate(call) ? idIn(answer, call) : undefined;
      return result === undefined ? answer : withId(answer, call, result + APPLICATION_NUMBERS);
    },
  },
  'cached-create': {
    does: 'A create makes a record, and returns the id of the one before.',
    seen: 'a cache whose key leaves out the body of a POST',
    outcome: 'asked',
    start: renumbered((id, earlier) => earlier.at(-1) ?? id),
  },
  'cached-status': {
    does: 'For a minute, every read of a status is about the merchant that was read first, and names it.',
    seen: 'a cache whose key leaves out the query',
    outcome: 'paused',
    start: ({ now }) => {
      let stored: { readonly until: number; readonly answer: Answer } | undefined;
      return async (call, perform) => {
        if (call.operation !== 'get-status') return perform();
        if (stored && now() < stored.until) return stored.answer;
        const named = (body: unknown) => {
          const { data, ...around } = body as { readonly data: object };
          return { ...around, data: { ...data, merchantProfileId: call.fields['id'] } };
        };
        const answer = withBody(await perform(), named);
        if (answer.status === 200) stored = { until: now() + 60_000, answer };
        return answer;
      };
    },
  },
  'ids-of-others': {
    does: 'A create returns the number of a record that was there before, as after a deletion.',
    seen: 'MySQL before 8.0: InnoDB counts again from the highest number that is left after a restart',
    outcome: 'asked',
    start: renumbered((id, [first = id]) => first),
  },
};
