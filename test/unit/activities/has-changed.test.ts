import { describe, expect, it } from 'vitest';
import { hasChanged } from '../../../src/activities/boarding.js';
import type { Seen, StatusSnapshot } from '../../../src/messages/boarding-activities.js';

const note = (id: string) => ({ id, text: 'Why?', author: null, date: null });

const now: StatusSnapshot = {
  status: 'Pending',
  statusDate: '2026-01-31T10:00:00Z',
  comment: null,
  mid: null,
  notes: [note('note-1'), note('note-2')],
};

const same: Seen = {
  status: 'Pending',
  statusDate: '2026-01-31T10:00:00Z',
  comment: null,
  mid: null,
  noteIds: ['note-1', 'note-2'],
};

describe('a status has changed since it was seen', () => {
  it.each<[string, Seen]>([
    ['nothing was seen yet', { status: null }],
    ['another status', { ...same, status: 'Approved' }],
    ['the same status, set anew', { ...same, statusDate: '2026-01-30T10:00:00Z' }],
    ['a status date came', { ...same, statusDate: null }],
    ['a comment went', { ...same, comment: 'wait' }],
    ['a mid went', { ...same, mid: 'TEMP1' }],
    ['a note came', { ...same, noteIds: ['note-1'] }],
    ['a note went', { ...same, noteIds: ['note-1', 'note-2', 'note-3'] }],
    ['all notes came', { ...same, noteIds: [] }],
    ['one note took the place of another', { ...same, noteIds: ['note-1', 'note-3'] }],
    ['another number of notes', { status: 'Pending', noteCount: 1 }],
    ['a known status after names that mean nothing', { status: 'In Queue 7', onlyKnownStatus: true }],
  ])('(%s)', (_, seen) => {
    expect(hasChanged(seen, now)).toBe(true);
  });

  it.each<[string, Partial<StatusSnapshot>]>([
    ['a comment came', { comment: 'wait' }],
    ['a mid came', { mid: 'TEMP1' }],
    ['all notes went', { notes: [] }],
  ])('(%s)', (_, change) => {
    expect(hasChanged(same, { ...now, ...change })).toBe(true);
  });
});

describe('a status has not changed', () => {
  it.each<[string, Seen]>([
    ['all as it was', same],
    ['notes in another order', { ...same, noteIds: ['note-2', 'note-1'] }],
    ['only the status was seen', { status: 'Pending' }],
    ['as many notes, where only their number is compared', { status: 'Pending', noteCount: 2 }],
    ['what was not seen is not compared', { status: 'Pending', comment: null, mid: null }],
  ])('(%s)', (_, seen) => {
    expect(hasChanged(seen, now)).toBe(false);
  });

  it('(another name that means nothing, where only known ones are compared)', () => {
    const seen: Seen = { status: 'In Queue 7', onlyKnownStatus: true };
    expect(hasChanged(seen, { ...now, status: 'In Queue 8' })).toBe(false);
    expect(hasChanged({ status: 'In Queue 7' }, { ...now, status: 'In Queue 8' })).toBe(true);
  });
});
