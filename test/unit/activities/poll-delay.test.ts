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
  /** Without jitter: 0.5 is the middle. */
  it.each([
    ['just now', 0, MINUTE],
    ['for ten minutes', 10 * MINUTE, MINUTE],
    ['for an hour', HOUR, 6 * MINUTE],
    ['for five hours', 5 * HOUR, 30 * MINUTE],
    ['for ten hours', 10 * HOUR, HOUR],
    ['for a week', 7 * 24 * HOUR, HOUR],
  ])('of a status that lasted %s', (_, lasted, expected) => {
    expect(pollDelay(lasted, bounds, 0.5)).toBe(expected);
  });

  it('is spread by a fifth, less or more', () => {
    expect(pollDelay(HOUR, bounds, 0)).toBe(4.8 * MINUTE);
    expect(pollDelay(HOUR, bounds, 1)).toBe(7.2 * MINUTE);
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
    expect(pollDelay(-HOUR, bounds, 0.5)).toBe(MINUTE);
  });
});
