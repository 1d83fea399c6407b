import { describe, expect, it } from 'vitest';
import { hasChanged, lacksNotes } from '../../../src/activities/boarding/merchant.js';
import type { SeenStatus, StatusSnapshot } from '../../../src/messages/boarding-activities.js';

const note = (id: string) => ({ id, text: 'Why?', author: null, date: null });

const status = {
  status: 'Pending' as const,
  phase: 'pending' as const,
  statusDate: '2026-01-31T10:00:00Z' as const,
  comment: null,
  mid: null,
  unclearMid: null,
};
const now: StatusSnapshot = { ...status, notes: [note('note-1'), note('note-2')] };
const same: SeenStatus = { ...status, noteIds: ['note-1', 'note-2'] };

const LATER = { status: 'In Queue 8', phase: 'other' } as const;

const CHANGED: readonly [string, SeenStatus, Partial<StatusSnapshot>?][] = [
  ['nothing was seen yet', { phase: null }],
  ['another status', { ...same, status: 'Approved' }],
  ['another phase', { ...same, phase: 'approved' }],
  ['the same status, set again', { ...same, statusDate: '2026-01-30T10:00:00Z' }],
  ['a status date came', { ...same, statusDate: null }],
  ['a comment went', { ...same, comment: 'wait' }],
  ['a mid went', { ...same, mid: '518' }],
  ['an unclear mid went', { ...same, unclearMid: 'TEMP1' }],
  ['a note came', { ...same, noteIds: ['note-1'] }],
  ['a note went', { ...same, noteIds: ['note-1', 'note-2', 'note-3'] }],
  ['all notes came', { ...same, noteIds: [] }],
  ['one note took the place of another', { ...same, noteIds: ['note-1', 'note-3'] }],
  ['another number of notes', { phase: 'pending', noteCount: 1 }],
  ['another phase, where names of statuses are not compared', { phase: 'other' }],
  ['a comment came', same, { comment: 'wait' }],
  ['a mid came', same, { mid: '518' }],
  ['an unclear mid came', same, { unclearMid: 'TEMP1' }],
  ['all notes went', same, { notes: [] }],
  ['another name of the same phase', { phase: 'other', status: 'In Queue 7' }, LATER],
];

const UNCHANGED: typeof CHANGED = [
  ['all as it was', same],
  ['notes in another order', { ...same, noteIds: ['note-2', 'note-1'] }],
  ['only the status was seen', { phase: 'pending', status: 'Pending' }],
  ['only the phase was seen', { phase: 'pending' }],
  ['what was not seen is not compared', { phase: 'pending', comment: null, mid: null }],
  ['as many notes, where only their number is compared', { phase: 'pending', noteCount: 2 }],
  ['another name of the same phase, when names are not compared', { phase: 'other' }, LATER],
];

describe('a status has changed since it was seen', () => {
  it.each(CHANGED)('(%s)', (_, seen, change) => {
    expect(hasChanged(seen, { ...now, ...change })).toBe(true);
  });

  it.each(UNCHANGED)('and has not (%s)', (_, seen, change) => {
    expect(hasChanged(seen, { ...now, ...change })).toBe(false);
  });
});

// Catches a question that closes and is asked again because a list missed a row.
describe('a read lacks a note that was seen', () => {
  const one = { notes: [note('note-2')] };
  it.each<[string, Partial<SeenStatus>, Partial<StatusSnapshot>, boolean]>([
    ['one of two', {}, one, true],
    ['none', {}, {}, false],
    ['another one is new', {}, { notes: [...now.notes, note('note-3')] }, false],
    ['one is another', {}, { notes: [note('note-1'), note('note-3')] }, false],
    ['one, and the other is there twice', {}, { notes: [note('note-2'), note('note-2')] }, true],
    ['one, in the review', {}, { phase: 'in-review', ...one }, true],
    ['one, and the partner has decided', {}, { phase: 'declined', ...one }, false],
    ['one, as notes cannot be read', {}, { isWithoutNotes: true, ...one }, false],
    ['one that is not compared', { noteIds: ['note-2'] }, one, false],
  ])('(%s)', (_, seen, change, lacks) => {
    expect(lacksNotes({ ...same, ...seen }, { ...now, ...change })).toBe(lacks);
  });
});
