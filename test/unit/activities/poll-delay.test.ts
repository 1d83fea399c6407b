import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pollDelay } from '../../../src/activities/poll.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const bounds = { minMs: MINUTE, maxMs: HOUR };

/** From a state just seen to one of a year. */
const elapsed = fc.integer({ min: 0, max: 365 * 24 * HOUR });
const random = fc.double({ min: 0, max: 1, noNaN: true });
const anyBounds = fc
  .tuple(fc.integer({ min: 1, max: 24 * HOUR }), fc.integer({ min: 0, max: 24 * HOUR }))
  .map(([minMs, more]) => ({ minMs, maxMs: minMs + more }));

describe('the wait before the next read', () => {
  it.each([
    ['just now', 0, 60, 75],
    ['for ten minutes', 10 * MINUTE, 60, 75],
    ['for an hour', HOUR, 5.28 * 60, 6.6 * 60],
    ['for five hours', 5 * HOUR, 26.4 * 60, 33 * 60],
    ['for ten hours', 10 * HOUR, 48 * 60, 60 * 60],
    ['for a week', 7 * 24 * HOUR, 48 * 60, 60 * 60],
  ])('of a status that lasted %s', (_, lasted, shortest, longest) => {
    expect(pollDelay(lasted, bounds, 0) / 1_000).toBeCloseTo(shortest, 2);
    expect(pollDelay(lasted, bounds, 1) / 1_000).toBeCloseTo(longest, 2);
  });

  it.each([
    ['at the maximum', 7 * 24 * HOUR, 48 * MINUTE, HOUR],
    ['at the minimum', 0, MINUTE, 1.25 * MINUTE],
    ['where the bounds are close', 7 * 24 * HOUR, 54 * MINUTE, HOUR, { minMs: 54 * MINUTE, maxMs: HOUR }],
  ])('is spread evenly %s', (_, lasted, shortest, longest, limits = bounds) => {
    const tenths = Array.from({ length: 10 }, () => 0);
    for (let sample = 0; sample < 10_000; sample++) {
      const delay = pollDelay(lasted, limits, (sample + 0.5) / 10_000);
      const tenth = Math.floor((10 * (delay - 0.5 - shortest)) / (longest - shortest));
      tenths[tenth] = (tenths[tenth] ?? 0) + 1;
    }
    expect(tenths).toHaveLength(10);
    // Delays are whole milliseconds.
    for (const count of tenths) expect(Math.abs(count - 1_000)).toBeLessThanOrEqual(1);
  });

  it('stays within its bounds, in whole milliseconds', () => {
    fc.assert(
      fc.property(elapsed, anyBounds, random, (lasted, { minMs, maxMs }, chance) => {
        const delay = pollDelay(lasted, { minMs, maxMs }, chance);
        expect(delay).toBeGreaterThanOrEqual(minMs);
        expect(delay).toBeLessThanOrEqual(maxMs);
        expect(Number.isInteger(delay)).toBe(true);
      }),
    );
  });

  it('never shrinks while a status lasts', () => {
    fc.assert(
      fc.property(elapsed, elapsed, anyBounds, random, (one, other, limits, chance) => {
        const [shorter, longer] = one < other ? [one, other] : [other, one];
        expect(pollDelay(longer, limits, chance)).toBeGreaterThanOrEqual(pollDelay(shorter, limits, chance));
      }),
    );
  });

  it('stays valid after the clock was set back', () => {
    expect(pollDelay(-HOUR, bounds, 0)).toBe(MINUTE);
  });
});
