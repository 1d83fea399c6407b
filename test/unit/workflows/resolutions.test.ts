import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Answer, Requirement } from '../../../src/messages/requirements.js';
import { type Answerable, problemWith, summarizeAnswer } from '../../../src/workflows/runtime/resolutions.js';

const ALL: Requirement['answers'] = [
  'text',
  'documents',
  'correction',
  'confirm',
  'code',
  'retry',
  'abandon',
];

/** An open requirement that takes every kind of answer. */
function open(more: Partial<Requirement> = {}): Requirement {
  return {
    id: 'r-1',
    kind: 'uncertain-write',
    title: 'A question',
    detail: 'What it is about',
    raisedAt: '2026-11-21T10:00:00.000Z',
    dueAt: '2026-11-23T10:00:00.000Z',
    answers: ALL,
    ...more,
  };
}

const CORRECTABLE = ['merchant', 'fees'];

/** What is wrong with an answer of olga's, whatever a client may send in place of one. */
const problem = (answer: unknown, more: Partial<Requirement> = {}) =>
  problemWith(
    { requirementId: 'r-1', answer: answer as Answer, actor: 'olga', reason: 'because' },
    { open: [open(more)], unsent: [] },
    CORRECTABLE,
  );

const mustHave = (field: string) => `answer.${field}: must be a text, and not empty`;
const document = { key: 'k.pdf', fileName: 'check.pdf', contentType: 'application/pdf' };
const documents = (...all: unknown[]) => ({ kind: 'documents', documents: all });
const correction = (patch: unknown) => ({ kind: 'correction', patch });
const confirm = (id: unknown) => ({ kind: 'confirm', id });

const TEXT_ID = { idFormat: 'text' } as const;
const CHOICE: Partial<Requirement> = { answers: ['choice'], choices: ['same', 'other'] };

describe('an answer that fits', () => {
  it.each<[string, unknown, Partial<Requirement>?]>([
    ['a text', { kind: 'text', text: 'Here.' }],
    ['a document', documents(document)],
    ['several documents', documents(document, document)],
    ['a correction of one field', correction({ fees: {} })],
    ['a correction of several fields', correction({ fees: {}, merchant: { dba: 'x' } })],
    ['a correction that removes a field', correction({ merchant: null })],
    ['an id of one digit', confirm('1')],
    ['an id of ten digits', confirm('1234567890')],
    ['an id in words, where that is its format', confirm('fa-501-1'), TEXT_ID],
    ['an id in words of 64 characters', confirm('x'.repeat(64)), TEXT_ID],
    ['a code', { kind: 'code', code: '000000' }],
    ['a choice', { kind: 'choice', choice: 'other' }, CHOICE],
    ['a retry', { kind: 'retry' }],
    ['giving up', { kind: 'abandon' }],
  ])('is %s', (_, answer, more) => {
    expect(problem(answer, more)).toBeUndefined();
  });
});

describe('a correction that was to be filled in', () => {
  const blank = { merchant: { email: '', '': '' }, fees: { '': '' } };
  const EMPTY = 'answer.patch.merchant.email: fill in the empty quotes, or remove the field';
  const NAMELESS = 'answer.patch: fill in the name of each field, or remove the field';

  it.each<[object, string | undefined]>([
    [{ merchant: { email: 'a@example.com' } }, undefined],
    [{ merchant: { email: null } }, undefined],
    [{ merchant: { dba: '' } }, undefined],
    [{ fees: { rate: '' } }, undefined],
    [{ merchant: { email: '' } }, EMPTY],
    [{ merchant: { '': 'x' } }, NAMELESS],
    [{ merchant: { '078-05-1120': { '': 'x' } } }, NAMELESS],
  ])('%j', (patch, why) => {
    expect(problem(correction(patch), { blank })).toBe(why);
  });
});

describe('an answer that does not fit', () => {
  const NO_ANSWER = 'answer: must be an object with a kind, such as {"kind": "text"}';
  const STORE = 'gangway resolve --document FILE stores a file and sends it';
  const NONE = `answer.documents: must name at least one; ${STORE}`;
  const HALF = `answer.documents: each needs key, fileName and contentType; ${STORE}`;
  const DIGITS = 'answer.id: must be the id at the partner, in digits and in quotes: "1012"';
  const NO_OBJECT = 'answer.patch: must be an object';
  const NO_CHOICE = 'answer.choice: must be one of same, other';
  const WORDS = 'answer.id: must be 1 to 64 characters of ASCII without spaces, in quotes';
  const [UNKNOWN_KIND, NO_TEXT] = [`answer.kind: r-1 takes ${ALL.join(', ')}`, mustHave('text')];
  const [RETRY_ONLY, KEY_ONLY] = [{ answers: ['retry', 'abandon'] } as const, { key: 'k' }];
  const ONLY =
    'answer.patch: takes one or more of merchant, fees, and no other field, in the form of the input: {"merchant": {"FIELD": "VALUE"}}';

  it.each<[string, unknown, string, Partial<Requirement>?]>([
    ['none', undefined, NO_ANSWER],
    ['null', null, NO_ANSWER],
    ['no object', 'text', NO_ANSWER],
    ['an unknown kind', { kind: 'shrug' }, UNKNOWN_KIND],
    ['no kind', {}, UNKNOWN_KIND],
    ['of another kind', confirm('1'), 'answer.kind: r-1 takes retry, abandon', RETRY_ONLY],
    ['no text', { kind: 'text' }, NO_TEXT],
    ['blank text', { kind: 'text', text: ' \n' }, NO_TEXT],
    ['a number for text', { kind: 'text', text: 5 }, NO_TEXT],
    ['an empty code', { kind: 'code', code: '' }, mustHave('code')],
    ['no document', documents(), NONE],
    ['no list of documents', { kind: 'documents', documents: document }, NONE],
    ['a document with nothing but a key', documents(KEY_ONLY), HALF],
    ['a document without its type', documents({ ...document, contentType: '' }), HALF],
    ['null for a document', documents(null), HALF],
    ['a good document and half a one', documents(document, KEY_ONLY), HALF],
    ['a patch that is a list', correction([]), NO_OBJECT],
    ['a patch that is null', correction(null), NO_OBJECT],
    ['a patch that is text', correction('fees'), NO_OBJECT],
    ['an empty patch', correction({}), ONLY],
    ['a patch of a field that cannot be corrected', correction({ fees: {}, externalId: 'other' }), ONLY],
    ['an id of nothing', confirm('0'), DIGITS],
    ['an id below nothing', confirm('-1'), DIGITS],
    ['an id that is no digits', confirm('m-1'), DIGITS],
    ['an id of eleven digits', confirm('12345678901'), DIGITS],
    ['an empty id', confirm(''), DIGITS],
    ['an id with a space', confirm('1 '), DIGITS],
    ['an id without quotes', confirm(1012), DIGITS],
    ['an id in a list', confirm(['1012']), DIGITS],
    ['a blank id, where words are its format', confirm(' '), WORDS, TEXT_ID],
    ['an id in words of 65 characters', confirm('x'.repeat(65)), WORDS, TEXT_ID],
    ['no choice that is offered', { kind: 'choice', choice: 'constructor' }, NO_CHOICE, CHOICE],
  ])('is %s', (_, answer, why, more) => {
    expect(problem(answer, more)).toBe(why);
  });

  it('is rejected and breaks nothing, whatever JSON its fields hold', () => {
    const answers = fc.oneof(
      fc.jsonValue(),
      fc.record({
        kind: fc.constantFrom<unknown>(...ALL, 'take-back', 7),
        text: fc.jsonValue(),
        id: fc.jsonValue(),
        code: fc.jsonValue(),
        patch: fc.jsonValue(),
        documents: fc.jsonValue(),
      }),
    );
    const resolutions = fc.record({
      requirementId: fc.oneof(fc.constant('r-1'), fc.jsonValue()),
      answer: answers,
      actor: fc.jsonValue(),
      reason: fc.jsonValue(),
    });
    fc.assert(
      fc.property(resolutions, (resolution) => {
        const why = problemWith(resolution, { open: [open()], unsent: ['r-2'] }, CORRECTABLE);
        // What passes can be shown: the timeline needs it.
        if (why === undefined) summarizeAnswer(resolution.answer as Answer);
      }),
      { numRuns: 2_000 },
    );
  });

  const TAKE_BACK = { answer: { kind: 'take-back' } };
  const [NOBODY, NO_REASON] = ['actor: must name the person who answers', 'reason: must not be empty'];
  const NOT_OPEN = 'requirementId: no requirement with this ID is open; open:';
  const SENT = 'requirementId: no requirement with this ID has an unsent answer; unsent: r-2';
  const TWO = { open: [open(), open({ id: 'r-3' })], unsent: ['r-2'] };
  it.each<[unknown, string | undefined, Answerable?]>([
    [{ actor: '' }, NOBODY],
    [{ actor: ' ' }, NOBODY],
    [{ reason: '' }, NO_REASON],
    [{ reason: '\t' }, NO_REASON],
    // All that is wrong, at once.
    [{ answer: confirm(7), actor: '', reason: undefined }, `${DIGITS}; ${NOBODY}; ${NO_REASON}`],
    [{ requirementId: 'r-2' }, `${NOT_OPEN} r-1, r-3`],
    [{}, `${NOT_OPEN} none`, { open: [], unsent: [] }],
    [{ requirementId: 'r-2', ...TAKE_BACK }, undefined],
    [{ requirementId: 'r-2', ...TAKE_BACK, reason: ' ' }, NO_REASON],
    [TAKE_BACK, SENT],
    [null, 'the resolution must be an object'],
    [undefined, 'the resolution must be an object'],
    ['retry', 'the resolution must be an object'],
  ])('is in a resolution with %j', (more, why, answerable = TWO) => {
    const retry = { requirementId: 'r-1', answer: { kind: 'retry' }, actor: 'olga', reason: 'because' };
    const resolution = more instanceof Object ? { ...retry, ...more } : more;
    expect(problemWith(resolution, answerable, CORRECTABLE)).toBe(why);
  });
});

const named = (fileName: string) => ({ ...document, fileName });

it.each<[Answer, string]>([
  [{ kind: 'text', text: 'One sale\nin ten.' }, 'text: One sale in ten.'],
  [{ kind: 'text', text: 'SSN 123-45-6789, or 518-555-0100' }, 'text: SSN [Redacted], or [Redacted]'],
  [{ kind: 'text', text: 'call 123456789 or ada@example.com' }, 'text: call [Redacted] or [Redacted]'],
  [{ kind: 'documents', documents: ['a.pdf', 'b.png'].map(named) }, 'documents: a.pdf, b.png'],
  [{ kind: 'documents', documents: [named('123-45-6789.pdf')] }, 'documents: [Redacted].pdf'],
  [{ kind: 'correction', patch: { a: { b: 1, c: null }, e: {}, f: [1] } }, 'correction: a.b, a.c, e, f'],
  [{ kind: 'confirm', id: '1001' }, 'confirm: 1001'],
  [{ kind: 'confirm', id: '123-45-6789' }, 'confirm: ***-**-6789'],
  [{ kind: 'choice', choice: 'declined' }, 'choice: declined'],
  [{ kind: 'code', code: '123456' }, 'code'],
  [{ kind: 'take-back' }, 'take-back'],
  [{ kind: 'retry' }, 'retry'],
  [{ kind: 'abandon' }, 'abandon'],
])('the timeline has a short and masked form of %j', (answer, short) => {
  expect(summarizeAnswer(answer)).toBe(short);
});

it('shortens what is long', () => {
  const text = summarizeAnswer({ kind: 'text', text: 'x y '.repeat(1_000) });
  expect(text).toMatch(/^text: x y .*… \(shortened, 3999 characters\)$/);
  expect(text.length).toBeLessThan(130);
  const fields = Array.from({ length: 11 }, (_, index) => [`f${index}`, 1]);
  const short = (count: number) =>
    summarizeAnswer({ kind: 'correction', patch: Object.fromEntries(fields.slice(0, count)) });
  expect([short(10), short(11)]).toEqual([
    expect.stringMatching(/f8, f9$/),
    expect.stringMatching(/f9, and 1 more$/),
  ]);
});
