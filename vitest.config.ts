import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/global-setup.ts'],
    // Each file has a worker and a sandbox of its own, so files run side by side on one Temporal server.
    pool: 'forks',
    maxWorkers: 3,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Real processes are started and killed here, and machines of CI are shared: what fails there is tried once more, and
    // shown as such. At home a failure is a failure.
    retry: process.env['CI'] ? 1 : 0,
  },
});
