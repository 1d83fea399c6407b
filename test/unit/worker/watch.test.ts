import proto from '@temporalio/proto';
import { describe, expect, it, vi } from 'vitest';
import { SYSTEM_NAMES } from '../../../src/partners/system-names.js';
import { loadWorkerSettings } from '../../../src/worker/settings.js';
import { credentialAgeGauges, watchTemporal } from '../../../src/worker/watch.js';
import { gauges } from '../../rigs/gauges.js';
import { testEnds } from '../../rigs/shared.js';
import { answering, execution, grpcError, time } from '../../rigs/temporal/answering-service.js';

const { WorkerDeploymentVersionStatus: STATUS, WorkerVersioningMode: MODE } = proto.temporal.api.enums.v1;
const START = '2026-02-01T00:00:00Z';
const EVERY_MS = 30_000;

/** The partners that are on in both accounts. */
const ON: readonly string[] = ['boarding', 'payments'];

/** The task queues of the account without a name and of `acme`, each with the type of its tasks. */
const ACCOUNTS = ['', 'acme'] as const;
const QUEUES: readonly (readonly [
  queue: string,
  tasks: 'workflow' | 'activity',
  system: string,
  account: string,
])[] = [
  ['gangway', 'workflow', '', ''],
  ['gangway', 'activity', '', ''],
  ['gangway-events', 'activity', '', ''],
  ...ACCOUNTS.flatMap((account) =>
    SYSTEM_NAMES.map((system) => {
      const queue = account ? `gangway-${system}-${account}` : `gangway-${system}`;
      return [queue, 'activity', system, account] as const;
    }),
  ),
];

const versionOf = (buildId: string, deploymentName = 'gangway') => ({ deploymentName, buildId });

interface Build {
  readonly status: 'CURRENT' | 'RAMPING' | 'DRAINING' | 'DRAINED' | 'INACTIVE';
  readonly pinned?: number;
  readonly polls?: boolean;
  /** Default: `gangway`. */
  readonly deployment?: string;
}

/** What a server reports. Each test changes it, and lets the watch query again. */
function watched() {
  vi.useFakeTimers({ fakeNodeBuiltins: true, now: Date.parse(START) });
  testEnds(() => void vi.useRealTimers());
  const server = {
    isUp: true,
    /** By account. */
    waiting: {} as Record<string, number>,
    late: {} as Record<string, number>,
    /** The kinds that each workflow asks about. */
    asking: {} as Record<string, readonly string[]>,
    /** By task queue and type of task. */
    workers: {} as Record<string, number>,
    ages: {} as Record<string, number>,
    builds: {} as Record<string, Build>,
  };
  const { client } = answering({
    countWorkflowExecutions({ query }) {
      const [, build] = /TemporalWorkerDeploymentVersion = '\w+:(\w+)'/.exec(query) ?? [];
      if (build !== undefined) return { count: server.builds[build]?.pinned ?? 0 };
      const account = query.includes('PartnerAccount IS NULL')
        ? ''
        : /PartnerAccount = '(\w+)'/.exec(query)?.[1];
      // A customer waits while one of its parts waits: it must be left out.
      const customers = query.includes("WorkflowType != 'customerOnboarding'") ? 0 : 1_000;
      expect(query).toContain("ExecutionStatus = 'Running' AND ");
      expect(query).toContain('ActionRequired = true');
      const [, due] = /ActionDueAt < '([^']+)'/.exec(query) ?? [];
      if (due !== undefined) expect(Date.now() - Date.parse(due)).toBeLessThan(EVERY_MS);
      const counts = due === undefined ? server.waiting : server.late;
      return { count: customers + (counts[account ?? 'unknown'] ?? 0) };
    },
    listWorkflowExecutions({ query }) {
      expect(query).toBe(
        "TaskQueue = 'gangway' AND ExecutionStatus = 'Running' AND WorkflowType != 'customerOnboarding' AND " +
          "Requirements IN ('uncertain-write', 'credentials', 'one-time-code', 'software-error')",
      );
      return {
        executions: Object.entries(server.asking).map(([workflowId, kinds]) => {
          const [, account] = workflowId.split('@');
          const Requirements = kinds.flatMap((kind, n) => [kind, `${kind} ${kind}-${n} ${START} ${START}`]);
          const type = workflowId.startsWith('partner-account') ? 'partnerAccount' : 'merchantBoarding';
          return execution({
            workflowId,
            type,
            indexed: { Requirements, ...(account && { PartnerAccount: account }) },
          });
        }),
      };
    },
    describeTaskQueue({ taskQueue, taskQueueType }) {
      if (!server.isUp) throw grpcError('UNAVAILABLE');
      const key = `${taskQueue?.name} ${taskQueueType === 1 ? 'workflow' : 'activity'}`;
      const lastAccessTime = time(new Date(Math.ceil(Date.now() / 1_000) * 1_000).toISOString());
      const plain = Array.from({ length: server.workers[key] ?? 0 }, (_, number) => ({
        identity: `w-${number}`,
      }));
      const versioned = Object.entries(server.builds).flatMap(([build, { polls, deployment }]) => {
        const workerVersioningMode = MODE.WORKER_VERSIONING_MODE_VERSIONED;
        const deploymentOptions = { ...versionOf(build, deployment), workerVersioningMode };
        return polls ? [{ identity: `of-${build}`, deploymentOptions }] : [];
      });
      const pollers = [...plain, ...versioned].map((each) => ({ ...each, lastAccessTime }));
      const current = Object.entries(server.builds).find(([, { status }]) => status === 'CURRENT')?.[0];
      return {
        pollers,
        stats: { approximateBacklogAge: { seconds: server.ages[key] ?? 0 } },
        ...(current !== undefined && { versioningInfo: { currentDeploymentVersion: versionOf(current) } }),
      };
    },
    describeWorkerDeployment: ({ deploymentName }) => ({
      workerDeploymentInfo: {
        versionSummaries: Object.entries(server.builds)
          .filter(([, { deployment = 'gangway' }]) => deployment === deploymentName)
          .map(([build, { status, deployment }]) => ({
            deploymentVersion: versionOf(build, deployment),
            status: STATUS[`WORKER_DEPLOYMENT_VERSION_STATUS_${status}`],
          })),
      },
    }),
  });
  const { meter, shown: render } = gauges();
  const at = (prefix: string) => ({
    [`${prefix}PAYMENTS_URL`]: 'http://127.0.0.1:1',
    [`${prefix}PAYMENTS_API_KEY`]: 'secret',
    [`${prefix}BOARDING_URL`]: 'http://127.0.0.1:1',
    [`${prefix}BOARDING_USERNAME`]: 'olga',
    [`${prefix}BOARDING_PASSWORD`]: 'secret',
  });
  const settings = loadWorkerSettings({ GANGWAY_ACCOUNTS: 'acme', ...at(''), ...at('ACME_') });
  testEnds(watchTemporal(client, settings, meter));
  let isFirst = true;
  /** The next queries, and what the gauge shows after them, by its labels. */
  const next = async () => {
    await vi.advanceTimersByTimeAsync(isFirst ? 5_000 : EVERY_MS);
    isFirst = false;
  };
  return { server, next, render };
}

function namesOf([queue, tasks, system, account]: (typeof QUEUES)[number]) {
  const labels = `account=${account} system=${system} task_queue=${queue} task_type=${tasks}`;
  return { key: `${queue} ${tasks}`, labels };
}

const nothingWaits = () => Object.fromEntries(QUEUES.map((queue) => [namesOf(queue).labels, 0]));

describe('the number of open requirements', () => {
  it.each([
    ['gangway_workflows_waiting', 'waiting'],
    ['gangway_workflows_overdue', 'late'],
  ] as const)(
    '%s rises and falls in each account by itself, and keeps still while nothing changes',
    async (name, what) => {
      const { server, next, render } = watched();
      for (const [unnamed, acme] of [
        [0, 0],
        [3, 0],
        [3, 2],
        [3, 2],
        [1, 2],
        [1, 0],
        [0, 0],
      ] as const) {
        server[what] = { '': unnamed, acme };
        await next();
        expect(render(name)).toEqual({ 'account=': unnamed, 'account=acme': acme });
      }
    },
  );
});

it('what is open of the kinds that have an alert is shown by partner and account, until it is closed or lost', async () => {
  const { server, next, render } = watched();
  await next();
  expect(render('gangway_requirements_open')).toEqual({});
  server.asking = {
    'merchant-boarding-m-1': ['uncertain-write', 'underwriting-note'],
    'merchant-boarding-m-2': ['uncertain-write'],
    'merchant-boarding-m-3@acme': ['uncertain-write'],
    'partner-account-banking': ['software-error'],
  };
  await next();
  expect(render('gangway_requirements_open')).toEqual({
    'account= kind=uncertain-write system=boarding': 2,
    'account=acme kind=uncertain-write system=boarding': 1,
    'account= kind=software-error system=banking': 1,
  });
  server.asking = { 'merchant-boarding-m-2': ['uncertain-write'] };
  await next();
  expect(render('gangway_requirements_open')).toEqual({
    'account= kind=uncertain-write system=boarding': 1,
    'account=acme kind=uncertain-write system=boarding': 0,
    'account= kind=software-error system=banking': 0,
  });
});

it('each task queue shows its own workers and its own backlog, as they rise and fall', async () => {
  const { server, next, render } = watched();
  const polled = QUEUES.filter(([, , system]) => system === '' || ON.includes(system));
  const count = polled.length;
  for (const figureOf of [() => 0, (place: number) => place + 1, (place: number) => count - place, () => 0]) {
    const figures = polled.map((queue, place) => ({ ...namesOf(queue), figure: figureOf(place) }));
    server.workers = Object.fromEntries(figures.map(({ key, figure }) => [key, figure]));
    server.ages = Object.fromEntries(figures.map(({ key, figure }) => [key, 60 * figure]));
    await next();
    const expected = (times: number) =>
      Object.fromEntries(figures.map(({ labels, figure }) => [labels, times * figure]));
    expect(render('gangway_task_queue_workers')).toEqual(expected(1));
    expect(render('gangway_task_queue_backlog_age_seconds')).toEqual({ ...nothingWaits(), ...expected(60) });
  }
});

it('a task that waits at a partner that is off shows within ten minutes, and no worker is missed there', async () => {
  const { server, next, render } = watched();
  const off = namesOf(['gangway-banking-acme', 'activity', 'banking', 'acme']);
  const age = () => render('gangway_task_queue_backlog_age_seconds')[off.labels];
  await next();
  expect(age()).toBe(0);
  server.ages = { [off.key]: 900 };
  for (let round = 0; round < 21; round++) await next();
  expect(age()).toBe(900);
  expect(render('gangway_task_queue_workers')).not.toHaveProperty([off.labels]);
});

describe('builds without workers', () => {
  const missing = 'gangway_build_without_workers';

  it('are each shown until they have workers or need none, and again when they lack them again', async () => {
    const { server, next, render } = watched();
    const steps: [Record<string, Build>, Record<string, number>][] = [
      [{ a: { status: 'CURRENT', polls: true } }, { a: 0 }],
      // A build that ramps, and one with pinned workflows, need workers as well.
      [
        { a: { status: 'CURRENT' }, b: { status: 'RAMPING' }, c: { status: 'DRAINING', pinned: 1 } },
        { a: 1, b: 1, c: 1 },
      ],
      [
        { a: { status: 'CURRENT' }, b: { status: 'RAMPING', polls: true }, c: { status: 'DRAINED' } },
        { a: 1, b: 0, c: 0 },
      ],
      [
        { a: { status: 'CURRENT', polls: true }, b: { status: 'RAMPING' } },
        { a: 0, b: 1, c: 0 },
      ],
      // One that was never needed is not shown.
      [
        { a: { status: 'CURRENT', polls: true }, d: { status: 'INACTIVE' } },
        { a: 0, b: 0, c: 0 },
      ],
    ];
    for (const [builds, expected] of steps) {
      server.builds = builds;
      await next();
      const labels = Object.entries(expected).map(([build, value]) => [`build=gangway:${build}`, value]);
      expect(render(missing)).toEqual(Object.fromEntries(labels));
    }
  });

  // Alone notices that only the first deployment is read.
  it('are shown for each deployment whose workers poll', async () => {
    const { server, next, render } = watched();
    const deployment = 'former';
    server.builds = {
      a: { status: 'CURRENT', polls: true },
      b: { status: 'DRAINING', polls: true, pinned: 1, deployment },
      c: { status: 'DRAINING', pinned: 1, deployment },
    };
    await next();
    expect(render(missing)).toEqual({ 'build=gangway:a': 0, 'build=former:b': 0, 'build=former:c': 1 });
  });
});

it('a Temporal that does not respond shows each time, and the other gauges keep what they showed', async () => {
  const { server, next, render } = watched();
  for (const [isUp, waiting] of [
    [true, 1],
    [false, 2],
    [false, 3],
    [true, 4],
    [false, 5],
    [true, 0],
  ] as const) {
    const before = render('gangway_task_queue_workers');
    Object.assign(server, { isUp, workers: { 'gangway workflow': waiting } });
    await next();
    expect(render('gangway_temporal_reachable')).toEqual({ '': Number(isUp) });
    if (!isUp) expect(render('gangway_task_queue_workers')).toEqual(before);
  }
});

it('a credential or a key that is replaced shows when the new one ends or was made', () => {
  const { meter, shown: render } = gauges();
  const ages = credentialAgeGauges(meter);
  const jwt = (exp: number) => `x.${Buffer.from(JSON.stringify({ exp })).toString('base64url')}.x`;
  for (const end of [1_800_000_000, 1_700_000_000]) {
    ages.apiKey(jwt(end));
    expect(render('gangway_credential_expires_timestamp_seconds')).toEqual({ 'credential=api-key': end });
  }
  // The day of an id is one of UTC, wherever the worker runs.
  for (const id of ['k20260131-a', 'k20260301-b']) ages.payloadKey([{ id }] as never);
  const record = { 'key=k20260131-a': 1_769_817_600, 'key=k20260301-b': 1_772_323_200 };
  expect(render('gangway_payload_key_created_timestamp_seconds')).toEqual(record);
});
