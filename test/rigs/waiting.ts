import { setTimeout as sleep } from 'node:timers/promises';

/** Less than a test may take, so that it says what it waited for. A busy machine takes its time. */
const PATIENCE_MS = 100_000;

/** Asks again until the answer is the wanted one. */
export async function eventually<T>(
  ask: () => Promise<T>,
  isWanted: (answer: T) => boolean,
  what: string,
  milliseconds = PATIENCE_MS,
): Promise<T> {
  for (const until = Date.now() + milliseconds; ; await sleep(50)) {
    const answer = await ask();
    if (isWanted(answer)) return answer;
    if (Date.now() > until) {
      throw new Error(`waited in vain for ${what}; last: ${JSON.stringify(answer)?.slice(0, 2_000)}`);
    }
  }
}
