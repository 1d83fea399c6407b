import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Answer, Requirement, Resolution } from '../../../src/messages/requirements.js';
import { inShort, problemWith } from '../../../src/workflows/journey/resolutions.js';

const ALL: Requirement['answers'] = ['text', 'documents', 'correction', 'adopt', 'code', 'retry', 'abandon'];

/** An open requirement that takes every kind of answer. */
function open(more: Partial<Requirement> = {}): Requirement {
  return {
    ...{ id: 'r-1', kind: 'uncertain-write', title: 'A question', detail: 'What it is about' },
    ...{ raisedAt: '2026-11-21T10:00:00.000Z', dueAt: '2026-11-23T10:00:00.000Z', answers: ALL },
    ...more,
  };
}

const CORRECTABLE = ['merchant', 'fees'];

/** What is wrong with an answer of olga's, whatever a client may send in place of one. */
const problem = (answer: unknown, more: Partial<Requirement> = {}, who: object = {}) =>
  problemWith(
    { requirementId: 'r-1', answer: answer as Answer, actor: 'olga', reason: 'because', ...who },
    { open: [open(more)], unsent: [] },
    CORRECTABLE,
  );

const document = { key: 'k.pdf', fileName: 'check.pdf', contentType: 'application/pdf' };
const documents = (...all: unknown[]) => ({ kind: 'documents', documents: all });
const correction = (patch: unknown) => ({ kind: 'correction', patch });
const adopt = (id: unknown) => ({ kind: 'adopt', id });

describe('an answer that fits', () => {
  it.each<[string, unknown, Partial<Requirement>?]>([
    ['a text', { kind: 'text', text: 'Here.' }],
    ['a document', documents(document)],
    ['several documents', documents(document, document)],
    ['a correction of one field', correction({ fees: {} })],
    ['a correction of several fields', correction({ fees: {}, merchant: { dba: 'x' } })],
    ['a correction that removes a field', correction({ merchant: null })],
    ['an id of one digit', adopt('1')],
    ['an id of ten digits', adopt('1234567890')],
    ['an id in words, where that is its format', adopt('fa-501-1'), { idFormat: 'text' }],
    ['an id in words of 64 characters', adopt('x'.repeat(64)), { idFormat: 'text' }],
    ['a code', { kind: 'code', code: '000000' }],
    ['a choice', { kind: 'choice', choice: 'other' }, { answers: ['choice'], choices: ['same', 'other'] }],
    ['a retry', { kind: 'retry' }],
    ['giving up', { kind: 'abandon' }],
  ])('is %s', (_, answer, more) => {
    expect(problem(answer, more)).toBeUndefined();
  });
});

describe('a correction that was to be filled in', () => {
  const blank = { merchant: { email: '', '': '' }, fees: { '': '' } };
  const NAMELESS = 'answer.patch: fill in the name of each field, or remove the field';

  it.each<[object, string | undefined]>([
    [{ merchant: { email: 'a@example.com' } }, undefined],
    [{ merchant: { email: null } }, undefined],
    [{ merchant: { dba: '' } }, undefined],
    [{ fees: { rate: '' } }, undefined],
    [
      { merchant: { email: '' } },
      'answer.patch.merchant.email: fill in the empty quotes, or remove the field',
    ],
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
  const WORDS = 'answer.id: must be 1 to 64 characters of ASCII without spaces, in quotes';
  const CHOICE: Partial<Requirement> = { answers: ['choice'], choices: ['same', 'other'] };
  const ONLY =
    'answer.patch: takes one or more of merchant, fees, and no other field, in the form of the input: {"merchant": {"FIELD": "VALUE"}}';

  it.each<[string, unknown, string, Partial<Requirement>?]>([
    ['none', undefined, NO_ANSWER],
    ['null', null, NO_ANSWER],
    ['no object', 'text', NO_ANSWER],
    ['an unknown kind', { kind: 'shrug' }, `answer.kind: r-1 takes ${ALL.join(', ')}`],
    ['no kind', {}, `answer.kind: r-1 takes ${ALL.join(', ')}`],
    [
      'of another kind',
      adopt('1'),
      'answer.kind: r-1 takes retry, abandon',
      { answers: ['retry', 'abandon'] },
    ],
    ['no text', { kind: 'text' }, 'answer.text: must be a text, and not empty'],
    ['blank text', { kind: 'text', text: ' \n' }, 'answer.text: must be a text, and not empty'],
    ['a number for text', { kind: 'text', text: 5 }, 'answer.text: must be a text, and not empty'],
    ['no document', documents(), NONE],
    ['no list of documents', { kind: 'documents', documents: document }, NONE],
    ['a document with nothing but a key', documents({ key: 'k' }), HALF],
    ['a document without its type', documents({ ...document, contentType: '' }), HALF],
    ['null for a document', documents(null), HALF],
    ['a good document and half a one', documents(document, { key: 'k' }), HALF],
    ['a patch that is a list', correction([]), NO_OBJECT],
    ['a patch that is null', correction(null), NO_OBJECT],
    ['a patch that is text', correction('fees'), NO_OBJECT],
    ['an empty patch', correction({}), ONLY],
    ['a patch of a field that cannot be corrected', correction({ fees: {}, externalId: 'other' }), ONLY],
    ['an id of nothing', adopt('0'), DIGITS],
    ['an id below nothing', adopt('-1'), DIGITS],
    ['an id that is no digits', adopt('m-1'), DIGITS],
    ['an id of eleven digits', adopt('12345678901'), DIGITS],
    ['an empty id', adopt(''), DIGITS],
    ['an id with a space', adopt('1 '), DIGITS],
    ['an id without quotes', adopt(1012), DIGITS],
    ['an id in a list', adopt(['1012']), DIGITS],
    ['a blank id, where words are its format', adopt(' '), WORDS, { idFormat: 'text' }],
    ['an id in words of 65 characters', adopt('x'.repeat(65)), WORDS, { idFormat: 'text' }],
    [
      ...(['no choice that is offered', { kind: 'choice', choice: 'constructor' }] as const),
      ...(['answer.choice: must be one of same, other', CHOICE] as const),
    ],
    ['an empty code', { kind: 'code', code: '' }, 'answer.code: must be a text, and not empty'],
  ])('is %s', (_, answer, why, more) => {
    expect(problem(answer, more)).toBe(why);
  });

  it.each([
    ['nobody', { actor: '' }, 'actor: must name the person who answers'],
    ['somebody blank', { actor: ' ' }, 'actor: must name the person who answers'],
    ['somebody who gives no reason', { reason: '' }, 'reason: must not be empty'],
    ['somebody whose reason is blank', { reason: '\t' }, 'reason: must not be empty'],
  ])('is that of %s', (_, who, why) => {
    expect(problem({ kind: 'retry' }, {}, who)).toBe(why);
  });

  it('shows everything that is wrong with it at once', () => {
    expect(problem({ kind: 'adopt', id: 7 }, {}, { actor: '', reason: undefined })).toBe(
      `${DIGITS}; actor: must name the person who answers; reason: must not be empty`,
    );
  });

  it('is rejected and breaks nothing, whatever JSON its fields hold', () => {
    const answers = fc.oneof(
      fc.jsonValue(),
      fc.record({
        kind: fc.constantFrom<unknown>(...ALL, 'take-back', 7),
        ...{ text: fc.jsonValue(), id: fc.jsonValue(), code: fc.jsonValue() },
        ...{ patch: fc.jsonValue(), documents: fc.jsonValue() },
      }),
    );
    const resolutions = fc.record({
      requirementId: fc.oneof(fc.constant('r-1'), fc.jsonValue()),
      ...{ answer: answers, actor: fc.jsonValue(), reason: fc.jsonValue() },
    });
    fc.assert(
      fc.property(resolutions, (resolution) => {
        const why = problemWith(resolution, { open: [open()], unsent: ['r-2'] }, CORRECTABLE);
        // What passes can be shown: the timeline needs it.
        if (why === undefined) inShort(resolution.answer as Answer);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    [[], 'requirementId: no requirement with this id is open; open: none'],
    [[open(), open({ id: 'r-3' })], 'requirementId: no requirement with this id is open; open: r-1, r-3'],
  ])('is one to a requirement that is not open (%#)', (requirements, why) => {
    const answer = { kind: 'retry' } as const;
    const resolution: Resolution = { requirementId: 'r-2', answer, actor: 'olga', reason: 'x' };
    expect(problemWith(resolution, { open: requirements, unsent: [] }, CORRECTABLE)).toBe(why);
  });

  it.each([null, undefined, 'retry'])('is %j in place of a resolution', (resolution) => {
    const answerable = { open: [open()], unsent: [] };
    expect(problemWith(resolution as never, answerable, CORRECTABLE)).toBe(
      'the resolution must be an object',
    );
  });

  it.each([
    ['r-2', {}, undefined],
    ['r-1', {}, 'requirementId: no requirement with this id has an unsent answer; unsent: r-2'],
    ['r-2', { reason: ' ' }, 'reason: must not be empty'],
  ])('is to take back an answer that was sent, or without a reason (%s %j)', (requirementId, more, why) => {
    const answer = { kind: 'take-back' } as const;
    const resolution: Resolution = { requirementId, answer, actor: 'olga', reason: 'a mistake', ...more };
    expect(problemWith(resolution, { open: [open()], unsent: ['r-2'] }, CORRECTABLE)).toBe(why);
  });
});
