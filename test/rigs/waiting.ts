import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds until it is asked again: soon at first, then less often. */
const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 250;

/**
 * Less than a test may take, so that it says what it waited for. A busy machine takes its time, and a task that the server
 * handed out and no worker received is handed out again after two minutes.
 */
const PATIENCE_MS = 170_000;

/** Asks again until the answer is the wanted one. */
export async function eventually<T>(
  ask: () => Promise<T>,
  isWanted: (answer: T) => boolean,
  what: string,
  milliseconds = PATIENCE_MS,
): Promise<T> {
  const until = Date.now() + milliseconds;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 1.3, LONGEST_PAUSE_MS)) {
    const answer = await ask();
    if (isWanted(answer)) return answer;
    if (Date.now() > until) {
      throw new Error(`waited in vain for ${what}; last: ${JSON.stringify(answer)?.slice(0, 2_000)}`);
    }
    await sleep(pause);
  }
}
