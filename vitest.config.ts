import { defineConfig } from 'vitest/config';

/** What many tests call though it is deprecated. test/components/partners/deprecated.test.ts checks the warning. */
const DEPRECATED = [
  'boarding_create-merchant-v1',
  'banking_get-external-account-activity',
  'processor_register-webhook',
  'retired_ping-v1',
];

/** Warnings that Node's processes need not print. Listeners still see them. */
const execArgv = [...DEPRECATED.map((name) => `GANGWAY_${name}`), 'ExperimentalWarning'].map(
  (warning) => `--disable-warning=${warning}`,
);

/** How long, and how often, `expect.poll` repeats a question. A busy machine takes its time. */
const poll = (interval: number) => ({ timeout: 60_000, interval });

/** What a folder of tests needs, and may take, beside what all have in common. */
const project = (name: string, more: object) => ({
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    pool: 'forks' as const,
    execArgv,
    expect: { poll: poll(10) },
    // A busy machine takes its time. The limit is above that of `eventually`, whose error says what a test waits for.
    testTimeout: 200_000,
    hookTimeout: 200_000,
    maxWorkers,
    isolate: false,
    setupFiles: ['test/rigs/cost/each-file.ts'],
    ...more,
  },
});

/** A Temporal server that all files of a project share. A busy machine takes its time, and nothing waits for a limit. */
const TEMPORAL = 'test/rigs/temporal-server.ts';
const SERVER = {
  globalSetup: [TEMPORAL],
  provide: { isSimulated: false },
  // A question to a server or a browser costs something.
  expect: { poll: poll(100) },
};

/** A process for each core: more only take turns. vitest leaves a core alone by default. */
const maxWorkers = '100%';

/** The simulated service, on virtual time. */
const SIMULATED = { globalSetup: ['test/rigs/fresh-build.ts'], provide: { isSimulated: true } };

/** Projects run one after the other. Those of the same place run side by side. */
const order = (groupOrder: number) => ({ sequence: { groupOrder } });

const PROCESSES = {
  ...SERVER,
  globalSetup: [TEMPORAL, 'test/rigs/browser/unpacked.ts', 'test/rigs/worker/changed-build.ts'],
};

export default defineConfig({
  test: {
    // When a process ends, it closes what its files shared. A busy machine takes its time.
    teardownTimeout: 120_000,
    reporters: ['default', './test/rigs/cost/reporter.ts'],
    projects: [
      // Functions: no network, no server. Not in UTC, which hides that a time is taken for a local one; test/unit/zones.test.ts has more.
      project('unit', { ...order(1), env: { TZ: 'America/St_Johns' } }),
      // Real clients, sandboxes, replays and simulated runs in the test's own process: no Temporal server.
      project('components', {
        ...order(2),
        globalSetup: ['test/rigs/fresh-build.ts'],
      }),
      // The same with a Temporal server and workers.
      project('integration', { ...SERVER, ...order(3) }),
      // Files share a process, and its world or its server.
      project('workflows', {
        ...(process.env['WORKFLOWS_ON'] === 'server'
          ? { ...SERVER, ...order(3) }
          : { ...SIMULATED, ...order(1) }),
      }),
      // Real processes, kills, a browser. Most of them wait most of the time.
      project('e2e', { ...PROCESSES, ...order(4) }),
      // Builds, deploy/roll-out.sh and the alerts in service, for minutes: a job of its own in CI, and a check before a release.
      project('deploy', { ...PROCESSES, ...order(5) }),
      // What a day can wait for: large sizes, lost namespaces, jumping clocks, three Nodes. scripts/nightly.sh runs it with more.
      project('nightly', { ...PROCESSES, ...order(6) }),
    ],
  },
});
