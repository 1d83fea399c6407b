import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { noteQuestion } from '../../../src/workflows/boarding/questions.js';
import { requireFields } from '../../../src/workflows/journey/input.js';
import { doubts, NotAdoptable } from '../../../src/workflows/journey/run-step.js';
import { Pacer } from '../../../src/workflows/journey/status-poll.js';

describe('the pace of reads', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: 1_000 }));
  afterEach(() => void vi.useRealTimers());

  it('counts the waits in a row that ended with their first read', () => {
    const pacer = new Pacer();
    expect([pacer.pace, pacer.changes]).toEqual([undefined, 0]);
    const paces = [1, 1, 1, 2, 1].map((polls) => {
      vi.advanceTimersByTime(500);
      pacer.ended(polls);
      return pacer.pace;
    });
    const counted = [1, 2, 3, 1, 2].map((changes, index) => ({ readAt: 1_500 + 500 * index, changes }));
    expect(paces).toEqual(counted);
  });

  it('keeps its count when another step has read', () => {
    const pacer = new Pacer();
    pacer.read();
    expect(pacer.pace).toEqual({ readAt: 1_000, changes: 0 });
    pacer.ended(1);
    vi.advanceTimersByTime(500);
    pacer.read();
    expect(pacer.pace).toEqual({ readAt: 1_500, changes: 1 });
  });
});

it('what a person adopts against the evidence is refused once for each id', () => {
  const doubt = doubts();
  const message = 'its dba differs. To adopt it anyway, adopt it again';
  const notAdoptable = new NotAdoptable(message);
  expect(() => doubt(7, 'its dba differs')).toThrow(notAdoptable);
  expect(() => doubt('8', 'its dba differs')).toThrow(notAdoptable);
  expect(() => doubt('7', 'its dba differs')).not.toThrow();
  expect(() => doubt(7, 'its EIN differs')).not.toThrow();
});

describe('an input without which a workflow cannot work', () => {
  const fields = { name: 'string', id: 'number', holder: 'object', owners: 'array' } as const;

  it.each<[unknown, string]>([
    [
      null,
      'name: must be a string; id: must be a number; holder: must be an object; owners: must be an array',
    ],
    [{ name: 'a', id: 1, holder: null, owners: [] }, 'holder: must be an object'],
    [{ name: 'a', id: 1, holder: [], owners: {} }, 'holder: must be an object; owners: must be an array'],
    [{ name: 1, id: '1', holder: {}, owners: [] }, 'name: must be a string; id: must be a number'],
  ])('is refused with its rules: %j', (input, message) => {
    expect(() => requireFields(input, fields)).toThrow(message);
    expect(() => requireFields(input, fields)).toThrow(expect.objectContaining({ type: 'InvalidInput' }));
  });

  it('is accepted when it has them', () => {
    expect(() => requireFields({ name: '', id: 0, holder: {}, owners: [] }, fields)).not.toThrow();
  });
});

describe('the question about an underwriting note', () => {
  const titleOf = (text: string, author: string | null = null) =>
    noteQuestion({ id: 'note-1', text, author, date: null }).title;

  it.each([
    ['Why?', null, 'Note: Why?'],
    ['Why\n  now? ', 'Uma', 'Note from Uma: Why now?'],
    ['x'.repeat(100), null, `Note: ${'x'.repeat(100)}`],
    ['x'.repeat(101), null, `Note: ${'x'.repeat(99)}…`],
    [`${'x'.repeat(98)}😀yz`, null, `Note: ${'x'.repeat(98)}…`],
    ['Why?', 'Uma (123-45-6789)', 'Note from Uma (***-**-6789): Why?'],
    ['SSN 123-45-6789?', null, 'Note: SSN ***-**-6789?'],
  ])('is titled by the beginning of %j', (text, author, title) => {
    expect(titleOf(text, author)).toBe(title);
  });

  it('counts the notes that are left out', () => {
    const left = { id: 'note-more', text: 'The partner lists 203 notes.', author: null, date: null, more: 3 };
    expect(noteQuestion(left)).toMatchObject({ title: '3 more underwriting notes', about: 'note-more' });
  });
});
