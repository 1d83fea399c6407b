import { defineConfig } from 'vitest/config';

/** What a folder of tests needs, and may take, beside what all have in common. */
const project = (name: string, more: object) => ({
  test: { name, include: [`test/${name}/**/*.test.ts`], pool: 'forks' as const, ...more },
});

/** A Temporal server that all files of a project share. A busy machine takes its time, and nothing waits for a limit. */
const SERVER = { globalSetup: ['test/rigs/temporal-server.ts'], testTimeout: 120_000, hookTimeout: 120_000 };

export default defineConfig({
  test: {
    projects: [
      // Functions: no network, no server.
      project('unit', { isolate: false }),
      // Real clients, workers and sandboxes in the test's own process. Files share a process, one after the other.
      project('integration', { ...SERVER, isolate: false, maxWorkers: 5 }),
      // Real processes, kills, a browser: few at a time, because each starts several processes of its own.
      project('e2e', { ...SERVER, maxWorkers: 2 }),
    ],
  },
});
