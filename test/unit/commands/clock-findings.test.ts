import { describe, expect, it } from 'vitest';
import { examineClocks, notingClocks } from '../../../src/commands/system/doctor.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const findingOf = (offsets: Record<string, number>) => {
  try {
    return examineClocks(new Map(Object.entries(offsets)));
  } catch (error) {
    return (error as Error).message;
  }
};

describe('the clocks that doctor compares', () => {
  it.each<[string, Record<string, number>, string]>([
    ['agree', { Temporal: 59_000, bank: -59_000 }, 'this machine, Temporal, bank: they agree to the minute'],
    [
      'differ, one of them',
      { Temporal: 3 * HOUR, bank: 100 },
      "the clock of Temporal is 3 h ahead of this machine's",
    ],
    [
      'differ, each by itself',
      { Temporal: 61_000, bank: -400 * 24 * HOUR },
      "the clock of Temporal is 1 min ahead of this machine's; the clock of bank is 400 d behind this machine's",
    ],
    [
      'agree with each other, and not with this machine',
      { Temporal: 6 * HOUR + 5 * MINUTE, bank: 6 * HOUR + 5 * MINUTE - 900 },
      'the clock of this machine is 6 h 5 min behind that of Temporal, bank',
    ],
    [
      'agree with each other on an earlier time',
      { Temporal: -6 * HOUR, bank: -6 * HOUR },
      'the clock of this machine is 6 h ahead of that of Temporal, bank',
    ],
    ['are unknown', {}, 'unknown: no system responded'],
  ])('%s', (_, offsets, message) => {
    expect(findingOf(offsets)).toBe(message);
  });

  it('come from the Date of a response, and from nothing else', () => {
    const offsets = new Map<string, number>();
    const exchange = { system: 'boarding', operation: 'get-status', method: 'GET' };
    const inAnHour = new Date(Date.now() + HOUR).toUTCString();
    notingClocks(offsets, 'acme')(exchange)({ status: 401, date: inAnHour });
    notingClocks(offsets, undefined)(exchange)({ status: 200 });
    notingClocks(offsets, undefined)(exchange)({ status: 200, date: 'noon' });
    notingClocks(offsets, undefined)(exchange)({ failure: 'NotSent', code: 'ECONNREFUSED' });
    expect([...offsets.keys()]).toEqual(['the boarding partner of acme']);
    expect(Math.abs((offsets.get('the boarding partner of acme') ?? 0) - HOUR)).toBeLessThan(2_000);
  });
});
