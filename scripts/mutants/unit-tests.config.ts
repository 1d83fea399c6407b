import { defineConfig } from 'vitest/config';

/** The unit tests alone, one file after the other in a process. */
export default defineConfig({
  test: { include: ['test/unit/**/*.test.ts'], isolate: false, testTimeout: 5_000 },
});
