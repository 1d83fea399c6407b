import { setTimeout as sleep } from 'node:timers/promises';

/** Asks again until the answer is the wanted one. */
export async function eventually<T>(
  ask: () => Promise<T>,
  isWanted: (answer: T) => boolean,
  what: string,
  milliseconds = 60_000,
): Promise<T> {
  for (const until = Date.now() + milliseconds; ; await sleep(50)) {
    const answer = await ask();
    if (isWanted(answer)) return answer;
    if (Date.now() > until) {
      throw new Error(`waited in vain for ${what}; last: ${JSON.stringify(answer)?.slice(0, 2_000)}`);
    }
  }
}
