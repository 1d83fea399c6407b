import { setTimeout as sleep } from 'node:timers/promises';

const PATIENCE_MS = 180_000;
const PAUSE_MS = 500;

/** Asks until it is answered: whatever is asked may have been killed, or refuse, or answer nonsense, for a while. */
export async function insist<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (const until = Date.now() + PATIENCE_MS; ; await sleep(PAUSE_MS)) {
    try {
      return await ask();
    } catch (error) {
      if (Date.now() > until) throw error;
    }
  }
}
