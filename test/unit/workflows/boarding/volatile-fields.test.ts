import { describe, expect, it } from 'vitest';
import type { StatusSnapshot } from '../../../../src/messages/boarding-activities.js';
import {
  comparable,
  NO_CHANGES,
  toSeen,
  trackChanges,
  type VolatileFields,
  volatileFields,
} from '../../../../src/workflows/boarding/volatile-fields.js';
import { read as anyRead, note } from './values.js';

const read = (more: Partial<StatusSnapshot> = {}) =>
  anyRead({ statusDate: null, notes: [note('n-1'), note('n-2')], ...more });

/** What is no longer compared after each read that follows the first, and what the next wait compares. */
function following(reads: readonly StatusSnapshot[]) {
  let volatile: VolatileFields = NO_CHANGES;
  const quiet = reads.slice(1).map((now, index) => {
    volatile = trackChanges(volatile, toSeen(reads[index] as StatusSnapshot), now, index + 1);
    return volatileFields(volatile);
  });
  return { quiet, volatile, compared: comparable(volatile, toSeen(reads.at(-1) as StatusSnapshot)) };
}

const comments = (...all: string[]) => all.map((comment) => read({ comment }));
const MOVED = read({ comment: 'e', phase: 'in-review' });
const SEEN = { status: 'Pending', phase: 'pending', statusDate: null, mid: null, unclearMid: null };
const NOTES = { noteIds: ['n-1', 'n-2'] };

it.each([
  ['those of the read before', { noteIds: ['n-1'] }, ['n-1']],
  // A later read with any note is a change.
  ['none, before the first', {}, []],
])('notes that cannot be read count as %s', (_, before, noteIds) => {
  const now = read({ notes: [], isWithoutNotes: true });
  expect(toSeen(now, before)).toEqual({ ...SEEN, comment: now.comment, noteIds });
});

describe('a field of a partner that changes it with each read', () => {
  it('is no longer compared after three changes in a row, which is reported once', () => {
    const { quiet, compared } = following(comments('a', 'b', 'c', 'd', 'e'));
    expect(quiet).toEqual([[], [], ['comment'], []]);
    expect(compared).toEqual({ ...SEEN, ...NOTES });
  });

  it.each<[string, StatusSnapshot[]]>([
    ['after two changes', comments('a', 'b', 'c')],
    ['when a read between them left it alone', comments('a', 'b', 'c', 'c', 'd')],
    ['once the phase has moved', [...comments('a', 'b', 'c', 'd'), MOVED]],
  ])('is compared %s', (_, reads) => {
    expect(following(reads).compared).toHaveProperty('comment', reads.at(-1)?.comment);
  });

  it('is compared again after a wait with more than one read', () => {
    const { volatile } = following(comments('a', 'b', 'c', 'd'));
    const later = trackChanges(volatile, toSeen(read({ comment: 'd' })), read({ comment: 'e' }), 1);
    expect(volatileFields(later)).toEqual([]);
    expect(comparable(later, toSeen(read({ comment: 'e' })))).toHaveProperty('comment', 'e');
  });

  it.each(['status', 'mid', 'unclearMid'] as const)('may be the %s', (field) => {
    const { quiet, compared } = following(['a', 'b', 'c', 'd'].map((value) => read({ [field]: value })));
    expect(quiet.at(-1)).toEqual([field]);
    expect(compared).not.toHaveProperty(field);
  });

  it('may be the notes, of which then the number is compared, and their order never counts', () => {
    const [one, two, three] = [note('n-1'), note('n-2'), note('n-3')];
    const lists = [
      [one, two],
      [one, three],
      [two, three],
      [two, one],
    ].map((notes) => read({ notes }));
    expect(following(lists)).toMatchObject({ quiet: [[], [], ['notes']], compared: { noteCount: 2 } });
    const fewer = [[one, two, three], [one, two], [one], []].map((notes) => read({ notes }));
    expect(following(fewer).compared).toMatchObject({ noteCount: 0 });
    const turned = [1, 2, 3, 4].map((time) => read({ notes: time % 2 ? [one, two] : [two, one] }));
    expect(following(turned).compared).toMatchObject({ noteIds: ['n-2', 'n-1'] });
  });

  it('stays out of the comparison when it is the date, even when the phase has moved', () => {
    const dates = ['a', 'b', 'c', 'd'].map((statusDate) => read({ statusDate }));
    const moved = read({ statusDate: 'e', phase: 'in-review' });
    const { volatile, compared } = following([...dates, moved]);
    expect([volatile.hasVolatileDate, 'statusDate' in compared]).toEqual([true, false]);
    expect(comparable(NO_CHANGES, toSeen(moved))).toHaveProperty('statusDate', 'e');
  });

  it('that was not seen is not compared', () => {
    expect(comparable(NO_CHANGES, { phase: 'pending' })).toStrictEqual({ phase: 'pending' });
  });
});
