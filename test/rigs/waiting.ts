import { setTimeout as sleep } from 'node:timers/promises';

/** Pause before the next attempt: short at first, then longer. */
const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 1_000;

/**
 * Less than a test may take, so that the error names what the test waited for. More than two minutes, after which the server
 * hands out a task again that no worker received.
 */
export const TIMEOUT_MS = 170_000;

/** Repeats a call until it succeeds, because a process may be killed, refuse connections or respond with nonsense for a while. */
export async function insist<Result>(call: () => Promise<Result>): Promise<Result> {
  for (const until = Date.now() + TIMEOUT_MS; ; await sleep(500)) {
    try {
      return await call();
    } catch (error) {
      if (Date.now() > until) throw error;
    }
  }
}

/** Repeats a query until its result is the wanted one. */
export async function eventually<T>(
  ask: () => Promise<T>,
  isWanted: (result: T) => boolean,
  what: string,
  milliseconds = TIMEOUT_MS,
): Promise<T> {
  const until = Date.now() + milliseconds;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 1.3, LONGEST_PAUSE_MS)) {
    const result = await ask();
    if (isWanted(result)) return result;
    if (Date.now() > until) {
      throw new Error(`waited in vain for ${what}; last: ${JSON.stringify(result)?.slice(0, 2_000)}`);
    }
    await sleep(pause);
  }
}
