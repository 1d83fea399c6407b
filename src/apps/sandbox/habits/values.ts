import { everywhere, type Habits, isFields, of, payloads, reads, texts } from './habit.js';

/** Habits of stored and generated values. */

const fees = of('get-fees');
const status = of('get-status', 'get-status2');

const round = (value: number) => Math.round(value * 10) / 10;

/** Renames both partners' statuses. */
const statusNames = (edit: (name: string) => string) => texts(reads, /^(bankingS|s)tatus$/, edit);

export const values: Habits = {
  'fees-unlike-its-own': {
    does: 'It shows fees as text, and refuses to take them as text.',
    seen: 'decimal columns that are written with a format and read without one',
    start: () => {
      const wrapper = payloads(fees, (data) =>
        everywhere((value) => (typeof value === 'number' ? value.toFixed(2) : value), data),
      )({ now: Date.now });
      return async (call, perform) => {
        if (call.operation !== 'update-fees') return wrapper(call, perform);
        const text = textsIn(call.fields).find((each) => /^\d+\.\d\d$/.test(each));
        if (text === undefined) return perform();
        const error = `${text} is not a number`;
        const validationErrors = [{ field: 'fees', error }];
        return { status: 400, body: { data: null, requestId: 1, success: false, error, validationErrors } };
      };
    },
  },
  'fees-rounded': {
    does: 'Fees are rounded to a tenth.',
    seen: 'columns with a fixed scale',
    start: payloads(fees, (data) =>
      everywhere((value) => (typeof value === 'number' ? round(value) : value), data),
    ),
  },
  'fees-filled-in': {
    does: 'Fees have lines that nobody has set, and that its write takes.',
    seen: 'templates that are applied when a record is read',
    start: payloads(fees, (data) =>
      isFields(data) ? { standard: { batch: { perItem: 0.05, percent: 0 } }, ...data } : data,
    ),
  },
  'fees-with-extras': {
    does: 'Fees have fields for people, which its write does not know.',
    seen: 'views with labels and ids',
    start: payloads(fees, (data) =>
      isFields(data) ? { ...data, lastChangedBy: 'Underwriting', _links: { self: '/fees' } } : data,
    ),
  },
  'changes-field': {
    does: 'Phone numbers are stored as (518) 555-0100.',
    seen: 'libraries that format what is stored',
    start: texts(reads, /phone/i, (text) => text.replace(/^(\d{3})(\d{3})(\d{4})$/, '($1) $2-$3')),
  },
  'email-lowered': {
    does: 'E-mail addresses are in lower case.',
    seen: 'RFC 5321, 2.4: in practice local parts are not case-sensitive',
    start: texts(reads, /email/i, (text) => text.toLowerCase()),
  },
  'mid-with-zeros': {
    does: 'A mid has leading zeros.',
    seen: 'acquirers that pad to a fixed width',
    start: texts(status, /^mid$/, (text) => (/^\d+$/.test(text) ? text.padStart(20, '0') : text)),
  },
  'mid-grouped': {
    does: 'A mid is in groups of four digits.',
    seen: 'portals that show it as a card number',
    start: texts(status, /^mid$/, (text) => text.replace(/\d{4}(?=\d)/g, '$& ')),
  },
  'mid-padded': {
    does: 'A mid ends in NUL characters.',
    seen: 'fields of a fixed width that were written by a program in C',
    start: texts(status, /^mid$/, (text) => `${text}\0\0`),
  },
  'mid-changes-once': {
    does: 'The first two reads of a mid show a temporary one.',
    seen: 'acquirers that board in two steps',
    outcome: 'asked',
    start: () => {
      const counts = new Map<string, number>();
      return async (call, perform) => {
        const answer = await perform();
        if (!status(call) || !isFields(answer.body) || !isFields(answer.body['data'])) return answer;
        const { data } = answer.body;
        if (!isFields(data) || typeof data['mid'] !== 'string') return answer;
        const times = (counts.get(call.url) ?? 0) + 1;
        counts.set(call.url, times);
        return times > 2
          ? answer
          : { ...answer, body: { ...answer.body, data: { ...data, mid: `TEMP${call.fields['id']}` } } };
      };
    },
  },
  'zero-for-no-id': {
    does: 'An id that is null is 0.',
    seen: '.NET and Go: the default of a number',
    start: payloads(reads, (data) =>
      everywhere((value, name) => (value === null && /Id$/.test(name) ? 0 : value), data),
    ),
  },
  'status-shouted': {
    does: 'Names of statuses are in upper case.',
    seen: 'enumerations that are written by their names',
    start: texts(status, /^status$/, (text) => text.toUpperCase()),
  },
  'status-spaced': {
    does: 'Names of statuses have white space around them, and two spaces between words.',
    seen: 'columns of the type CHAR(n)',
    start: texts(status, /^status$/, (text) => `${text.replaceAll(' ', '  ')}   `),
  },
  'status-underscored': {
    does: 'Names of statuses have an underscore between words.',
    seen: 'enumerations of programs, one for each version of an API',
    start: statusNames((name) => name.replace(/ |(?<=[a-z])(?=[A-Z])/g, '_')),
  },
  'status-with-unseen-sign': {
    does: 'Names of statuses begin with a zero-width space.',
    seen: 'names that were copied from a web page into a table',
    start: statusNames((name) => `\u200b${name}`),
  },
};

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
