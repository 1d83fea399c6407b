// Preloaded into each thread of a worker that runs with --expose-gc. On SIGUSR2 all threads collect their garbage, and the process
// prints on standard error what they use: `{"usedMiB":123.4}`.
import { setTimeout as sleep } from 'node:timers/promises';
import { BroadcastChannel, isMainThread } from 'node:worker_threads';

/** Forced collections. Each frees what the one before has found. */
const COLLECTIONS = 3;
const PAUSE_MS = 500;

async function usedAfterCollection() {
  for (let collection = 0; collection < COLLECTIONS; collection++) {
    globalThis.gc();
    await sleep(PAUSE_MS);
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const requests = new BroadcastChannel('collect-garbage');
const reports = new BroadcastChannel('collected-garbage');

if (isMainThread) {
  let others = 0;
  reports.onmessage = ({ data }) => {
    others += data;
  };
  process.on('SIGUSR2', async () => {
    others = 0;
    requests.postMessage(undefined);
    const own = await usedAfterCollection();
    // The others have started a moment later.
    await sleep(2 * PAUSE_MS);
    process.stderr.write(`${JSON.stringify({ usedMiB: (own + others) / 2 ** 20 })}\n`);
  });
} else {
  requests.onmessage = async () => reports.postMessage(await usedAfterCollection());
}
requests.unref();
reports.unref();
