// Preloaded into each thread of a worker that runs with --expose-gc: on SIGUSR2, all of them collect their garbage.
import { BroadcastChannel, isMainThread } from 'node:worker_threads';

const channel = new BroadcastChannel('collect-garbage');
channel.onmessage = () => globalThis.gc();
channel.unref();

if (isMainThread) {
  process.on('SIGUSR2', () => {
    channel.postMessage(undefined);
    globalThis.gc();
  });
}
