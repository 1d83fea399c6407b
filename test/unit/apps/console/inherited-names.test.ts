import { describe, expect, it } from 'vitest';
import type { Requirement } from '../../../../src/messages/requirements.js';
import { consoleOfCalls } from '../../../rigs/console/console-of-calls.js';
import { headOf, MULTIPART } from '../../../rigs/console/multipart.js';
import { typedAt } from '../../../rigs/console/pages.js';
import { merchant } from '../../../rigs/inputs.js';

const NOON = '2026-01-31T12:00:00.000Z';
const ID = 'merchant-boarding-m-1';
const PAGE = `/onboardings/${ID}/requirements/note-1`;
const NAMES = ['toString', 'constructor', 'hasOwnProperty', 'valueOf', '__proto__'];
const NOTE: Requirement = {
  id: 'note-1',
  kind: 'underwriting-note',
  title: 'A note',
  detail: 'Send a check.',
  raisedAt: NOON,
  dueAt: NOON,
  answers: ['text', 'correction'],
};
const ADMIN = { role: 'admin' } as const;

/** A console whose one onboarding asks about an input with this application. */
const asking = (application: object, requirements = [NOTE]) =>
  consoleOfCalls({
    workflows: {
      [ID]: {
        state: { requirements },
        queries: { input: { type: 'merchantBoarding', input: { ...merchant('a'), application } } },
      },
    },
  });

describe.each(NAMES)('a field named %s', (name) => {
  const field = (value: unknown) => Object.fromEntries([[name, value]]);

  it.each([
    ['text', (value: string) => field(value), `application.${name}`],
    ['text in an object', (value: string) => ({ deep: field(value) }), `application.deep.${name}`],
    ['an object', (value: string) => field({ deep: value }), `application.${name}.deep`],
  ])('may be %s of an input: the page shows it', async (_, application, place) => {
    const { open } = await asking(application('a-value'));
    const { status, text } = await open(ADMIN, PAGE);
    expect(status).toBe(200);
    expect(typedAt({ text }, `set.${place}`)).toBe('a-value');
  });

  it('may be one of a form that came too late: the page shows what was typed', async () => {
    const { open } = await asking({}, []);
    const typed = { [`set.application.${name}`]: 'a-value', [name]: 'x' };
    const form = { kind: 'correction', reason: 'called', ...typed };
    const { status, text } = await open(ADMIN, PAGE, { form });
    expect([status, text]).toEqual([409, expect.stringContaining('<dd>a-value</dd>')]);
  });
});

it.each(NAMES.slice(0, 4))(
  'a correction removes a field named %s, and shows what it does first',
  async (name) => {
    const { open } = await asking({ [name]: 'x', mcc: '5814' });
    const form = { kind: 'correction', reason: 'called', [`remove.application.${name}`]: 'on' };
    const { status, text } = await open(ADMIN, PAGE, { form });
    expect([status, text]).toEqual([200, expect.stringContaining(`remove.application.${name}`)]);
    expect(text).toMatch(/<td data-title="Now">x<.td><td data-title="Then"><strong>removed</);
  },
);

/** The heads of a field and of two files. */
const DELIMITER = `${headOf({ name: 'delimiter' })}toString\r\n`;
const NAMELESS =
  '--a-boundary-of-this-form\r\ncontent-disposition: form-data; name="file"\r\ncontent-type: application/octet-stream\r\n\r\n';
const TABLE = headOf({ name: 'file', fileName: 'a.csv' });

it.each([
  ['a file without a name', '/batches', `${NAMELESS}{"merchant":{}}`],
  ['a file without a name, between delimiters', '/batches', `${DELIMITER}${NAMELESS}x`],
  ['a file without a name', '/start/file', `${NAMELESS}{}`],
  ['a table between such delimiters', '/batches', `${DELIMITER}${TABLE}merchant.dba\r\nCorner`],
])('%s is of no known format, and no bug: %s', async (_, path, content) => {
  const { open } = await consoleOfCalls();
  const body = `${headOf({ name: 'csrf' })}csrf-of-olga\r\n${content}\r\n--a-boundary-of-this-form--\r\n`;
  const { status, text } = await open(ADMIN, path, { body, headers: MULTIPART });
  expect([status, text]).toEqual([422, expect.not.stringContaining('The console has a bug')]);
});

it.each(NAMES)('a report since %s is refused like any other word', async (name) => {
  const { open } = await consoleOfCalls();
  const { status, text } = await open(ADMIN, `/report?since=${name}`);
  expect([status, text]).toEqual([200, expect.stringContaining('must be today, yesterday')]);
});
