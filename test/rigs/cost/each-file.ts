import { afterAll } from 'vitest';
import { processorSeconds } from './processor-time.js';

declare module 'vitest' {
  interface TaskMeta {
    /** Processor seconds of a test file, from its import to its end, with the processes that it starts. */
    cost?: number;
  }
}

/** vitest runs this before each test file, so the hook is the first, and runs last. */
const before = processorSeconds();
// biome-ignore lint/correctness/noEmptyPattern: vitest accepts a pattern only
afterAll(({}, file) => {
  file.meta.cost = processorSeconds() - before;
});
