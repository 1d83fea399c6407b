import { describe, expect, it, vi } from 'vitest';
import type { Pace } from '../../../src/messages/onboarding-state.js';
import { noteQuestion } from '../../../src/workflows/boarding/questions.js';
import { requireFields } from '../../../src/workflows/runtime/input.js';
import { fingerprint } from '../../../src/workflows/runtime/outbound-events.js';
import { StalledCalls } from '../../../src/workflows/runtime/stalled-calls.js';
import { paceAfter } from '../../../src/workflows/runtime/status-poll.js';
import { NotConfirmable, requireSecondConfirmation } from '../../../src/workflows/runtime/step.js';
import { stoppedAt } from '../../rigs/clock.js';

it('the pace of reads counts the waits in a row that ended with their first read', () => {
  stoppedAt(1_000);
  let pace: Pace | undefined;
  const paces = [true, true, true, false, true].map((isFirst) => {
    vi.advanceTimersByTime(500);
    pace = paceAfter(pace, isFirst);
    return pace;
  });
  const counted = [1, 2, 3, 1, 2].map((changes, index) => ({ readAt: 1_500 + 500 * index, changes }));
  expect(paces).toEqual(counted);
});

it('a fingerprint is FNV-1a of the JSON text, in 8 digits', () => {
  const values = [0, 68, [0, { outcome: 'declined' }]];
  expect(values.map(fingerprint)).toEqual(['350ca8af', '0de8d5a3', 'd328df69']);
});

it('a wait that is reported after its step has ended is none of a step that began later', () => {
  const [noon, atOne] = ['2026-01-31T12:00:00.000Z', '2026-01-31T13:00:00.000Z'];
  stoppedAt(noon);
  const entries: unknown[] = [];
  const state = { setFacts: (facts: object) => void entries.push(facts), refresh: () => undefined };
  const waits = new StalledCalls(state as never, {} as never);
  waits.start('create the merchant')();
  stoppedAt(atOne);
  waits.start('submit to underwriting');
  for (const since of [noon, atOne]) waits.onStalled({ reason: 'HTTP 503', isStalled: false, since });
  expect(entries).toEqual([
    { waiting: { step: 'submit to underwriting', since: atOne, reason: 'HTTP 503' } },
  ]);
});

it('what a person confirms against the evidence is refused once for each id', () => {
  const warning = requireSecondConfirmation();
  const notConfirmable = new NotConfirmable('its dba differs. To use it anyway, confirm it again');
  expect(() => warning(7, 'its dba differs')).toThrow(notConfirmable);
  expect(() => warning('8', 'its dba differs')).toThrow(notConfirmable);
  expect(() => warning('7', 'its dba differs')).not.toThrow();
  expect(() => warning(7, 'its EIN differs')).not.toThrow();
});

describe('an input without which a workflow cannot work', () => {
  const NO_HOLDER = 'holder: must be an object';
  const fields = { name: 'string', id: 'number', holder: 'object', owners: 'array' } as const;

  it.each<[unknown, ...rules: string[]]>([
    [null, 'name: must be a string', 'id: must be a number', NO_HOLDER, 'owners: must be an array'],
    [{ name: 'a', id: 1, holder: null, owners: [] }, NO_HOLDER],
    [{ name: 'a', id: 1, holder: [], owners: {} }, NO_HOLDER, 'owners: must be an array'],
    [{ name: 1, id: '1', holder: {}, owners: [] }, 'name: must be a string', 'id: must be a number'],
  ])('is refused with its rules: %j', (input, ...rules) => {
    const refusal = { type: 'InvalidInput', message: expect.stringContaining(rules.join('; ')) };
    expect(() => requireFields(input, fields)).toThrow(expect.objectContaining(refusal));
    expect(() => requireFields({ name: '', id: 0, holder: {}, owners: [] }, fields)).not.toThrow();
  });
});

describe('the question about an underwriting note', () => {
  const about = (text: string, author: string | null, more = {}) =>
    noteQuestion({ id: 'note-1', text, author, date: null, ...more });

  it.each([
    ['Why?', null, 'Note: Why?'],
    ['Why\n  now? ', 'Uma', 'Note from Uma: Why now?'],
    ['x'.repeat(100), null, `Note: ${'x'.repeat(100)}`],
    ['x'.repeat(101), null, `Note: ${'x'.repeat(99)}…`],
    [`${'x'.repeat(98)}😀yz`, null, `Note: ${'x'.repeat(98)}…`],
    ['Why?', 'Uma (123-45-6789)', 'Note from Uma (***-**-6789): Why?'],
    ['SSN 123-45-6789?', null, 'Note: SSN ***-**-6789?'],
  ])('is titled by the beginning of %j', (text, author, title) => {
    expect(about(text, author).title).toBe(title);
  });

  it('counts the notes that are left out', () => {
    const left = about('The partner lists 203 notes.', null, { id: 'note-more', more: 3 });
    expect(left).toMatchObject({ title: '3 more underwriting notes', about: 'note-more' });
  });
});
