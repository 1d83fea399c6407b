import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What many tests call though it is deprecated. test/integration/partners/deprecated.test.ts checks the warning. */
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

/** How long `expect.poll` repeats a question. A busy machine takes its time. */
const poll = { timeout: 60_000, interval: 10 };

/** What a folder of tests needs, and may take, beside what all have in common. */
const project = (name: string, more: object) => ({
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    pool: 'forks' as const,
    execArgv,
    expect: { poll },
    ...more,
  },
});

/** A Temporal server that all files of a project share. A busy machine takes its time, and nothing waits for a limit. */
const TEMPORAL = 'test/rigs/temporal-server.ts';
const SERVER = {
  globalSetup: [TEMPORAL],
  provide: { isSimulated: false },
  testTimeout: 200_000,
  hookTimeout: 200_000,
};

/** A worker for each core: these wait for nothing. vitest leaves a core alone by default, which is half of two. */
const EACH_CORE = { maxWorkers: '100%', sequence: { groupOrder: 1 } };

/** Tests that wait half of the time share a core. */
const WAITING = { maxWorkers: 5, sequence: { groupOrder: 2 } };

/** The simulated service, on virtual time. */
const SIMULATED = {
  globalSetup: ['test/rigs/fresh-build.ts'],
  provide: { isSimulated: true },
  testTimeout: 60_000,
  hookTimeout: 60_000,
};

const PROCESSES = {
  ...SERVER,
  globalSetup: [TEMPORAL, 'test/rigs/browser/unpacked.ts', 'test/rigs/worker/changed-build.ts'],
};

/** Files that take the longest, in the order of their times. They begin first, so that the others run beside them. */
const LONGEST = {
  integration: [
    ...['simulation/simulation', 'commands/no-worker', 'commands/adopt', 'console/start', 'commands/onboard'],
    ...['commands/export', 'commands/doctor-findings', 'workflows/new-status', 'commands/resolve'],
    ...['commands/inbox', 'commands/waiting', 'nexus/onboardings', 'workflows/partner-waits'],
    ...['temporal/places', 'workflows/polling', 'events/several-runs'],
  ],
  e2e: [
    ...['package', 'commands/unreadable', 'demo', 'chaos/chaos', 'console/together'],
    ...['commands/disaster', 'commands/batch-killed', 'browser/web-ui', 'commands/scripts'],
    ...['console/screens', 'console/answering', 'receiver/schemathesis', 'privacy/leaks'],
    ...['documents/stores', 'workflows/interrupted-writes', 'receiver/killed-temporal'],
    ...['worker/clock', 'browser/console-start', 'workflows/killed-worker', 'worker/memory'],
    ...['console/killed', 'privacy/rotation', 'temporal/cloud', 'commands/batch-memory', 'worker/accounts'],
    ...['commands/terminal', 'bench', 'worker/partner-task-queues'],
  ],
};

const PLACES = Object.entries(LONGEST).flatMap(([name, files]) =>
  files.map((file) => `/test/${name}/${file}.test.ts`),
);

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const index = PLACES.findIndex((path) => moduleId.endsWith(path));
      return index < 0 ? PLACES.length : index;
    };
    return (await super.sort(files)).sort((one, other) => place(one) - place(other));
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      // Functions: no network, no server. Not in UTC, which hides that a time is taken for a local one; test/unit/zones.test.ts has more.
      project('unit', { ...EACH_CORE, isolate: false, testTimeout: 60_000, env: { TZ: 'America/St_Johns' } }),
      // Real clients, workers and sandboxes in the test's own process. Files share a process, one after the other.
      project('integration', { ...SERVER, ...WAITING, isolate: false }),
      // Files share a process, and its world or its server.
      project('workflows', {
        ...(process.env['WORKFLOWS_ON'] === 'server'
          ? { ...SERVER, ...WAITING }
          : { ...SIMULATED, ...EACH_CORE }),
        isolate: false,
      }),
      // Real processes, kills, a browser. Most of them wait most of the time.
      project('e2e', { ...PROCESSES, isolate: false, maxWorkers: 6, sequence: { groupOrder: 3 } }),
      // Builds, deploy/roll-out.sh and the alerts in service, for minutes: a job of its own in CI, and a check before a release.
      project('deploy', { ...PROCESSES, isolate: false, sequence: { groupOrder: 4 } }),
    ],
  },
});
