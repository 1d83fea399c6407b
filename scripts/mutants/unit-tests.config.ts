import { defineConfig } from 'vitest/config';

/** The unit tests alone. Each file has its own modules, so that a constant can be mutated. */
export default defineConfig({
  test: { include: ['test/unit/**/*.test.ts'], isolate: false, testTimeout: 5_000, fileParallelism: false },
});
