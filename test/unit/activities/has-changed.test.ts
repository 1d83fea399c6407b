import { describe, expect, it } from 'vitest';
import { hasChanged } from '../../../src/activities/boarding/merchant.js';
import type { Seen, StatusSnapshot } from '../../../src/messages/boarding-activities.js';

const note = (id: string) => ({ id, text: 'Why?', author: null, date: null });

const status = {
  ...({ status: 'Pending', phase: 'submitted', statusDate: '2026-01-31T10:00:00Z' } as const),
  ...{ comment: null, mid: null, unclearMid: null },
};
const now: StatusSnapshot = { ...status, notes: [note('note-1'), note('note-2')] };
const same: Seen = { ...status, noteIds: ['note-1', 'note-2'] };

describe('a status has changed since it was seen', () => {
  it.each<[string, Seen]>([
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
    ['another number of notes', { phase: 'submitted', noteCount: 1 }],
    ['another phase, where names of statuses are not compared', { phase: 'other' }],
  ])('(%s)', (_, seen) => {
    expect(hasChanged(seen, now)).toBe(true);
  });

  it.each<[string, Partial<StatusSnapshot>]>([
    ['a comment came', { comment: 'wait' }],
    ['a mid came', { mid: '518' }],
    ['an unclear mid came', { unclearMid: 'TEMP1' }],
    ['all notes went', { notes: [] }],
  ])('(%s)', (_, change) => {
    expect(hasChanged(same, { ...now, ...change })).toBe(true);
  });
});

describe('a status has not changed', () => {
  it.each<[string, Seen]>([
    ['all as it was', same],
    ['notes in another order', { ...same, noteIds: ['note-2', 'note-1'] }],
    ['only the status was seen', { phase: 'submitted', status: 'Pending' }],
    ['only the phase was seen', { phase: 'submitted' }],
    ['what was not seen is not compared', { phase: 'submitted', comment: null, mid: null }],
    ['as many notes, where only their number is compared', { phase: 'submitted', noteCount: 2 }],
  ])('(%s)', (_, seen) => {
    expect(hasChanged(seen, now)).toBe(false);
  });

  it('(another name of the same phase, when names are not compared)', () => {
    const later = { ...now, status: 'In Queue 8', phase: 'other' } as const;
    expect(hasChanged({ phase: 'other' }, later)).toBe(false);
    expect(hasChanged({ phase: 'other', status: 'In Queue 7' }, later)).toBe(true);
  });
});
