import { describe, expect, it } from 'vitest';
import type { TimelineEntry } from '../../../../src/messages/onboarding-state.js';
import {
  type ActivityFilter,
  activityRows,
  changesByEntry,
  entriesIn,
  newestFirst,
} from '../../../../src/services/reports/activity.js';
import type { ExportedCorrection } from '../../../../src/services/reports/exported-record.js';

const at = (hour: number) => `2026-01-31T${String(hour).padStart(2, '0')}:00:00.000Z`;
const TIMELINE: readonly TimelineEntry[] = [
  { at: at(1), event: 'started' },
  { at: at(2), event: 'requirement-raised', detail: 'note-1: A note' },
  { at: at(3), event: 'requirement-claimed', detail: 'note-1: until', actor: 'Ada Park (ada-17)' },
  { at: at(4), event: 'requirement-resolved', detail: 'rejected-input-1: correction: dba', actor: 'olga' },
  {
    at: at(5),
    event: 'requirement-resolved',
    detail: 'note-1: text: correction',
    actor: 'crm (API), for Ada',
  },
  { at: at(6), event: 'requirement-resolved', detail: 'rejected-input-1: correction: zip', actor: 'pete' },
  { at: at(7), event: 'remark-added', detail: 'note-1: correction', actor: 'pete' },
];

describe('the activity', () => {
  // Without the reversal, entries of one millisecond stand in the order in which they happened.
  it('has the last entry of one millisecond first', () => {
    const rows = (['submitted', 'status-changed', 'ended'] as const).map((event, index) => ({
      entry: { at: index === 0 ? at(1) : at(2), event },
    }));
    expect(newestFirst(rows).map(({ entry }) => entry.event)).toEqual([
      'ended',
      'status-changed',
      'submitted',
    ]);
  });

  it.each<[Partial<ActivityFilter>, string]>([
    [{}, '1234567'],
    [{ since: new Date(at(5)) }, '567'],
    [{ kind: 'answer' }, '456'],
    [{ kind: 'correction' }, '46'],
    [{ kind: 'assignment' }, '3'],
    [{ kind: 'remark' }, '7'],
    [{ kind: 'question' }, '2'],
    [{ kind: 'partner' }, '1'],
    [{ kind: 'person' }, '34567'],
    [{ person: ' ADA ' }, '35'],
    [{ person: 'ada-17' }, '3'],
    [{ person: 'ada', kind: 'answer' }, '5'],
  ])('with %j has the entries %s', (filter, hours) => {
    const entries = entriesIn(TIMELINE, { since: new Date(0), ...filter });
    expect(entries.map((entry) => Number(entry.at.slice(11, 13))).join('')).toBe(hours);
  });

  const changed = (hour: number, field: string): ExportedCorrection => ({
    at: at(hour),
    requirementId: 'rejected-input-1',
    actor: 'x',
    reason: 'y',
    field,
    old: 'a',
    new: 'b',
    takenBack: false,
  });

  it('has the fields of each correction of one requirement, in their order, whenever a server saw them', () => {
    const changes = changesByEntry(TIMELINE, [changed(3, 'dba'), changed(3, 'zip'), changed(9, 'zip')]);
    const [first, second] = [TIMELINE[3], TIMELINE[5]].map((entry) => changes.get(entry as TimelineEntry));
    expect([first, second].map((each) => each?.map(({ field }) => field))).toEqual([['dba', 'zip'], ['zip']]);
  });

  it('has no fields where the history lacks a correction, rather than those of another person', () => {
    const changes = changesByEntry(TIMELINE, [changed(6, 'zip')]);
    expect([TIMELINE[3], TIMELINE[5]].map((entry) => changes.get(entry as TimelineEntry))).toEqual([[], []]);
  });

  it('has a row for each field as CSV', () => {
    const about = { workflowId: 'merchant-boarding-m-1', dba: 'Acme' };
    const [, , , correction, answer] = TIMELINE as [TimelineEntry, ...TimelineEntry[]] & TimelineEntry[];
    const rows = activityRows(about, correction as TimelineEntry, [changed(4, 'dba'), changed(4, 'zip')]);
    expect(rows).toMatchObject([{ actor: 'olga', field: 'dba', old: 'a', new: 'b' }, { field: 'zip' }]);
    expect(activityRows(about, answer as TimelineEntry, [])).toEqual([
      {
        ...about,
        at: at(5),
        event: 'requirement-resolved',
        actor: 'crm (API), for Ada',
        detail: 'note-1: text: correction',
      },
    ]);
  });
});
