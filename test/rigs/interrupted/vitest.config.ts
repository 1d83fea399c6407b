import { defineConfig } from 'vitest/config';

/** Runs one test that never ends, with the set-up and the pool of test/e2e. */
export default defineConfig({
  test: {
    include: ['test/rigs/interrupted/endless.ts'],
    globalSetup: ['test/rigs/temporal-server.ts'],
    pool: 'forks',
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
