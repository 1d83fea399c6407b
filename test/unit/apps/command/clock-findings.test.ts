import { describe, expect, it } from 'vitest';
import { examineClocks, recordClocks } from '../../../../src/apps/command/system/doctor/check.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const findingOf = (offsets: Record<string, number>) =>
  examineClocks(new Map(Object.entries(offsets))).map((verdict) => [verdict.state, verdict.detail]);

describe('the clocks that doctor compares', () => {
  const BANK = 6 * HOUR + 5 * MINUTE;
  const OURS = "this machine's";
  const behind = (how: string) => `the clock of this machine is 6 h ${how} that of Temporal, bank`;
  const AHEAD = [`the clock of Temporal is 3 h ahead of ${OURS}`];
  const EACH = [
    `the clock of Temporal is 1 min ahead of ${OURS}`,
    `the clock of bank is 400 d behind ${OURS}`,
  ];
  it.each<[string, Record<string, number>, 'ok' | 'wrong', readonly string[]]>([
    [
      'agree',
      { Temporal: 59_000, bank: -59_000 },
      'ok',
      ['this machine, Temporal, bank: they agree to the minute. Workers are not asked'],
    ],
    ['differ, one of them', { Temporal: 3 * HOUR, bank: 100 }, 'wrong', AHEAD],
    ['differ, each by itself', { Temporal: 61_000, bank: -400 * 24 * HOUR }, 'wrong', EACH],
    [
      'agree with each other, and not with us',
      { Temporal: BANK, bank: BANK - 900 },
      'wrong',
      [behind('behind')],
    ],
    [
      'agree on an earlier time',
      { Temporal: 900 - 6 * HOUR, bank: 900 - 6 * HOUR },
      'wrong',
      [behind('ahead of')],
    ],
    ['are unknown', {}, 'ok', ['unknown: no system responded']],
  ])('%s', (_, offsets, state, details) => {
    expect(findingOf(offsets)).toEqual(details.map((detail) => [state, detail]));
  });

  it('come from the Date of a response, and from nothing else', () => {
    const offsets = new Map<string, number>();
    const exchange = { system: 'boarding', operation: 'get-status', method: 'GET' };
    const inAnHour = new Date(Date.now() + HOUR).toUTCString();
    recordClocks(offsets, 'acme')(exchange)({ status: 401, date: inAnHour });
    recordClocks(offsets, undefined)(exchange)({ status: 200 });
    recordClocks(offsets, undefined)(exchange)({ status: 200, date: 'noon' });
    recordClocks(offsets, undefined)(exchange)({ failure: 'NotSent', code: 'ECONNREFUSED' });
    expect([...offsets.keys()]).toEqual(['the boarding partner of acme']);
    expect(Math.abs((offsets.get('the boarding partner of acme') ?? 0) - HOUR)).toBeLessThan(2_000);
  });
});
