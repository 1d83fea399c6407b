/** The bounds of the wait between two reads of a status, in milliseconds. */
export interface PollBounds {
  readonly minMs: number;
  readonly maxMs: number;
}

/** A state that has lasted for an hour is read again after a tenth of that. */
const SHARE_OF_ELAPSED = 0.1;

/** Spreads the reads of merchants that were submitted together: up to a fifth more or less. */
const JITTER = 0.2;

/**
 * How long to wait before the next read: the longer a state has lasted, the longer.
 *
 * @param elapsedMs time since the state was first seen
 * @param random from 0 to 1, for the jitter
 */
export function pollDelay(elapsedMs: number, { minMs, maxMs }: PollBounds, random: number): number {
  const grown = Math.min(Math.max(elapsedMs * SHARE_OF_ELAPSED, minMs), maxMs);
  const jittered = grown * (1 - JITTER + 2 * JITTER * random);
  return Math.round(Math.min(Math.max(jittered, minMs), maxMs));
}

/** So many changes in a row are read at the shortest delay. Each one more doubles it. */
const CALM_CHANGES = 4;

/** The least time between a read that ended a wait and the first read of the next one, in milliseconds. */
export function leastDelay(changes: number, { minMs, maxMs }: PollBounds): number {
  return Math.min(minMs * 2 ** Math.max(0, changes - CALM_CHANGES), maxMs);
}
