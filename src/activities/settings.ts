import { z } from 'zod';
import { BadSetting, duration } from '../settings/settings.js';
import type { PatienceSettings } from './interceptors.js';
import type { PollBounds } from './poll.js';

/** How often a status is read. */
export const pollSettings = z.object({
  GANGWAY_POLL_MIN: duration.prefault('1m').describe('Shortest wait between two reads of a status.'),
  GANGWAY_POLL_MAX: duration
    .prefault('1h')
    .describe('Longest wait between two reads of a status that does not change.'),
});

/** How long partners may keep activities waiting. */
export const patienceSettings = z.object({
  GANGWAY_RETRY_AFTER_MAX: duration
    .prefault('1h')
    .describe("Longest wait that a partner's `Retry-After` can ask for."),
  GANGWAY_WAIT_MAX: duration
    .prefault('24h')
    .describe('A person is asked about a step that has waited for its partner for longer than this.'),
  GANGWAY_UNREADABLE_MAX: duration
    .prefault('1h')
    .describe('A person is asked when the responses of a partner are unreadable for longer than this.'),
});

/** How long partners may keep activities waiting, in milliseconds. */
export interface Patience extends PatienceSettings {
  /** The most that a `Retry-After` counts. */
  readonly retryAfterMaxMs: number;
}

/** @throws {BadSetting} */
export function pollFrom(set: z.output<typeof pollSettings>): PollBounds {
  const { GANGWAY_POLL_MIN: minMs, GANGWAY_POLL_MAX: maxMs } = set;
  if (minMs > maxMs) throw new BadSetting('GANGWAY_POLL_MIN', 'must not be longer than GANGWAY_POLL_MAX');
  return { minMs, maxMs };
}

export function patienceFrom(set: z.output<typeof patienceSettings>): Patience {
  return {
    retryAfterMaxMs: set.GANGWAY_RETRY_AFTER_MAX,
    stepMs: set.GANGWAY_WAIT_MAX,
    unreadableMs: set.GANGWAY_UNREADABLE_MAX,
  };
}
