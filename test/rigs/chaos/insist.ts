import { setTimeout as sleep } from 'node:timers/promises';

const PATIENCE_MS = 180_000;
const PAUSE_MS = 500;

/** Repeats a call until it succeeds, because a process may be killed, refuse connections or respond with nonsense for a while. */
export async function insist<Result>(call: () => Promise<Result>): Promise<Result> {
  for (const until = Date.now() + PATIENCE_MS; ; await sleep(PAUSE_MS)) {
    try {
      return await call();
    } catch (error) {
      if (Date.now() > until) throw error;
    }
  }
}
