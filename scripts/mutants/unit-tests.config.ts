import { defineConfig } from 'vitest/config';

/** The unit tests alone, one file after the other in a process. Those of pages and scripts need files that a copy lacks. */
export default defineConfig({
  test: {
    include: ['test/unit/**/*.test.ts'],
    exclude: ['test/unit/{docs,scripts,deploy}/**'],
    isolate: false,
    testTimeout: 5_000,
    env: { TZ: 'America/St_Johns' },
  },
});
