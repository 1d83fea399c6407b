import { expect, it } from 'vitest';
import { Times } from '../../../../src/services/texts/time.js';
import {
  answeredBefore,
  closedBefore,
  inZone,
  saidOf,
} from '../../../../src/services/texts/timeline-entries.js';

const times = new Times({ TZ: 'America/New_York' });
const detail = 'note-1: until 2026-01-31 14:00 UTC; Ada had it until 2026-07-31 03:30 UTC';

it('the end of a claim is a time in the zone of the person, which is named', () => {
  expect(inZone(detail, { event: 'requirement-taken-over' }, times)).toBe(
    'note-1: until 2026-01-31 09:00 EST; Ada had it until 2026-07-30 23:30 EDT',
  );
});

// Alone catches the end of a link in UTC, and a question whose own times are changed.
it('the end of a link is a time in the zone of the person, and the question stays as it is', () => {
  const entry = 'note-1: L-a until 2026-01-31 14:00 UTC: Were you closed on 2026-01-30 10:00 UTC?';
  expect(inZone(entry, { event: 'merchant-asked' }, times)).toBe(
    'note-1: L-a until 2026-01-31 09:00 EST: Were you closed on 2026-01-30 10:00 UTC?',
  );
});

it('what people or partners wrote stays as it is', () => {
  expect(inZone(detail, { event: 'requirement-resolved' }, times)).toBe(detail);
});

it('the last answer to a requirement counts, and not that of another one', () => {
  const entry = (event: 'requirement-resolved' | 'requirement-closed', said: string) => ({
    at: '',
    event,
    detail: said,
  });
  const timeline = [
    entry('requirement-resolved', 'note-1: text: One.'),
    entry('requirement-resolved', 'note-1: text: Two: 2.'),
    entry('requirement-resolved', 'note-12: text: Three.'),
    entry('requirement-closed', 'note-1: the partner has moved on'),
  ];
  expect(answeredBefore(timeline, 'note-1')).toBe(timeline[1]);
  expect(closedBefore(timeline, 'note-1')).toBe(timeline[3]);
  expect(closedBefore(timeline, 'note-12')).toBeUndefined();
  expect([
    saidOf({ ...entry('requirement-closed', 'a: b: c') }),
    saidOf({ at: '', event: 'started' }),
  ]).toEqual(['b: c', '']);
});
