import { describe, expect, it } from 'vitest';
import { Times } from '../../../../src/services/texts/time.js';

const NOW = '2026-03-01T19:05:09.500Z';
const timesIn = (TZ?: string) => new Times({ ...(TZ !== undefined && { TZ }) }, () => Date.parse(NOW));

describe('a time for people', () => {
  it.each([
    ['UTC', NOW, '2026-03-01 19:05 UTC'],
    ['America/New_York', NOW, '2026-03-01 14:05 EST'],
    // Summer time began on 8 March.
    ['America/New_York', '2026-03-10T03:05:09Z', '2026-03-09 23:05 EDT'],
    ['Europe/Berlin', NOW, '2026-03-01 20:05 GMT+1'],
    ['Asia/Kolkata', NOW, '2026-03-02 00:35 GMT+5:30'],
    // As POSIX allows it.
    [':America/New_York', NOW, '2026-03-01 14:05 EST'],
  ])('shows the zone: %s, %s is %s', (zone, time, text) => {
    expect(timesIn(zone).at(time)).toBe(text);
    expect(timesIn(zone).at(new Date(time))).toBe(text);
  });

  it('is in the zone of the machine without TZ, and where TZ is unknown', () => {
    const local = timesIn(new Intl.DateTimeFormat().resolvedOptions().timeZone).at(NOW);
    for (const zone of [undefined, '', 'Nowhere/At_All']) expect(timesIn(zone).at(NOW)).toBe(local);
  });

  it('has seconds where the order matters', () => {
    expect(timesIn('America/New_York').atSecond(NOW)).toBe('2026-03-01 14:05:09 EST');
  });

  it('is empty when there is none, and stays what it is when it is no time', () => {
    expect(timesIn('UTC').at(undefined)).toBe('');
    expect(timesIn('UTC').at('soon')).toBe('soon');
  });
});

// Alone catches a heading with the day of the server, above entries of the evening before.
it('the day of a time is the one of the person', () => {
  const times = new Times({ TZ: 'America/New_York' }, () => Date.parse('2026-03-02T03:00:00Z'));
  expect(times.day('2026-03-01T15:00:00Z')).toBe('Today');
  expect(times.day('2026-03-01T03:00:00Z')).toBe('Saturday, February 28, 2026');
  expect(times.day('soon')).toBe('soon');
});

describe('a relative time', () => {
  const times = timesIn('America/New_York');

  it.each([
    ['2026-03-01T19:05:09Z', '0 s'],
    ['2026-03-01T19:04:10Z', '59 s'],
    ['2026-03-01T19:04:09Z', '1 min'],
    ['2026-03-01T18:05:10Z', '59 min'],
    ['2026-03-01T18:05:09Z', '1 h'],
    ['2026-02-27T19:05:10Z', '47 h'],
    ['2026-02-27T19:05:09Z', '2 d'],
    ['2026-01-01T00:00:00Z', '59 d'],
    // The clock of the server may be ahead.
    ['2026-03-01T19:05:20Z', '0 s'],
  ])('since %s is %s', (time, text) => {
    expect(times.since(time)).toBe(text);
  });

  it('is how long is left, or how long it is overdue', () => {
    expect(times.due('2026-03-01T22:06:00Z')).toBe('due in 3 h');
    expect(times.due('2026-03-01T17:05:09Z')).toBe('overdue 2 h');
    expect(times.dueAt('2026-03-01T22:06:00Z')).toBe('due in 3 h, 2026-03-01 17:06 EST');
    expect(times.dueAt('2026-03-01T17:05:09Z')).toBe('overdue 2 h, since 2026-03-01 12:05 EST');
  });
});
