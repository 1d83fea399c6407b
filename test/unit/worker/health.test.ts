import { readFileSync } from 'node:fs';
import proto from '@temporalio/proto';
import { expect, it, vi } from 'vitest';
import { REQUIREMENT_KINDS } from '../../../src/messages/requirements.js';
import { SYSTEM_NAMES } from '../../../src/partners/system-names.js';
import { countExchanges, metricsOptions, serveHealth, startCounters } from '../../../src/worker/health.js';
import { loadWorkerSettings } from '../../../src/worker/settings.js';
import { credentialAgeGauges, needsWorkers, watchTemporal } from '../../../src/worker/watch.js';
import { stoppedAt } from '../../rigs/clock.js';
import { gauges, keyOf } from '../../rigs/gauges.js';
import { testEnds } from '../../rigs/shared.js';
import { answering, grpcError, time } from '../../rigs/temporal/answering-service.js';
import { makeCertificates } from '../../rigs/temporal/certificates.js';

it.each([
  ['RUNNING', true, 200, 200],
  ['RUNNING', false, 200, 503],
  ['INITIALIZED', true, 200, 503],
  ['DRAINING', true, 200, 503],
  ['FAILED', true, 503, 503],
])(
  'a worker that is %s (Temporal responds: %s) has the health %i and is ready %i',
  async (state, responds, ...statuses) => {
    const vitals = { worker: () => state, temporal: async () => responds };
    const { url, close } = await serveHealth({ host: '127.0.0.1', port: 0 }, vitals);
    testEnds(close);
    const replies = await Promise.all(['/healthz', '/readyz'].map((path) => fetch(url + path)));
    expect(replies.map(({ status }) => status)).toEqual(statuses);
    expect(await replies[1]?.json()).toEqual({ worker: state, temporal: responds ? 'ready' : 'unavailable' });
  },
);

it.each([
  ['current', 0, true],
  ['ramping', 0, true],
  ['draining', 1, true],
  ['draining', 0, false],
  ['inactive', 0, false],
] as const)(
  'a version that is %s, with %i pinned workflows, needs workers: %s',
  (status, pinned, isNeeded) => {
    expect(needsWorkers({ status, pinned })).toBe(isNeeded);
  },
);

/** A meter that keeps what it gets. */
function meter() {
  const entries: unknown[][] = [];
  const instrument = (name: string) => ({
    add: (...values: unknown[]) => entries.push([name, ...values]),
    set: (...values: unknown[]) => entries.push([name, ...values]),
    record: (value: number, labels: object) => entries.push([name, value >= 0, labels]),
  });
  const create = { createCounter: instrument, createGauge: instrument, createHistogram: instrument };
  return { entries, meter: create as never };
}

it('the ages of keys are shown where an id or a token has them', () => {
  const { entries, meter: of } = meter();
  const ages = credentialAgeGauges(of);
  const jwt = (claims: object) => `x.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`;
  for (const key of [jwt({ exp: 1_700_000_000 }), jwt({}), 'no token']) ages.apiKey(key);
  for (const id of ['k20260131-a', 'k20261331-a', 'k1', 'xk20260131-a']) ages.payloadKey([{ id }] as never);
  ages.certificate({ tls: true });
  ages.certificate({ tls: {} });
  expect(entries).toEqual([
    ['gangway_credential_expires_timestamp_seconds', 1_700_000_000, { credential: 'api-key' }],
    ['gangway_payload_key_created_timestamp_seconds', 1_769_817_600, { key: 'k20260131-a' }],
  ]);
});

it('the end of a certificate is shown in seconds since 1970', async () => {
  const { client, remove } = await makeCertificates();
  testEnds(remove);
  const { entries, meter: of } = meter();
  const [crt, key] = [readFileSync(client.cert), readFileSync(client.key)];
  const tomorrow = Date.now() / 1_000 + 86_400;
  credentialAgeGauges(of).certificate({ tls: { clientCertPair: { crt, key } } });
  const [[name, seconds, about] = []] = entries;
  expect([name, about]).toEqual([
    'gangway_credential_expires_timestamp_seconds',
    { credential: 'certificate' },
  ]);
  expect(Math.abs(Number(seconds) - tomorrow)).toBeLessThan(60);
});

const { WORKER_DEPLOYMENT_VERSION_STATUS_CURRENT: status } =
  proto.temporal.api.enums.v1.WorkerDeploymentVersionStatus;
const { WORKER_VERSIONING_MODE_VERSIONED: workerVersioningMode } =
  proto.temporal.api.enums.v1.WorkerVersioningMode;

it('a build without workers is shown until it has some, and so is a Temporal that does not respond', async () => {
  vi.useFakeTimers({ fakeNodeBuiltins: true, now: Date.parse('2026-02-01T00:00:00Z') });
  testEnds(() => void vi.useRealTimers());
  const version = { deploymentName: 'gangway', buildId: '2' };
  const deploymentOptions = { ...version, workerVersioningMode };
  const polled = { lastAccessTime: time('2026-02-01T00:00:30Z'), identity: 'w', deploymentOptions };
  let server: 'without workers' | 'with workers' | 'away' = 'without workers';
  const { client } = answering({
    countWorkflowExecutions: () => ({ count: 0 }),
    listWorkflowExecutions: () => ({ executions: [] }),
    describeTaskQueue() {
      if (server === 'away') throw grpcError('UNAVAILABLE');
      const versioningInfo = { currentDeploymentVersion: version };
      return { versioningInfo, pollers: server === 'with workers' ? [polled] : [] };
    },
    describeWorkerDeployment: () => ({
      workerDeploymentInfo: { versionSummaries: [{ deploymentVersion: version, status }] },
    }),
  });
  const { entries, meter: of } = meter();
  const last = (name: string) => entries.findLast(([each]) => each === name)?.slice(1);
  const lines = () => [
    last('gangway_build_without_workers'),
    last('gangway_task_queue_workers')?.[0],
    last('gangway_temporal_reachable'),
  ];
  testEnds(watchTemporal(client, loadWorkerSettings({}), of));
  // The clock of the server is asked as well.
  await vi.advanceTimersByTimeAsync(5_000);
  expect(lines()).toEqual([[1, { build: 'gangway:2' }], 0, [1]]);
  server = 'with workers';
  await vi.advanceTimersByTimeAsync(30_000);
  expect(lines()).toEqual([[0, { build: 'gangway:2' }], 1, [1]]);
  server = 'away';
  await vi.advanceTimersByTimeAsync(30_000);
  expect(lines()).toEqual([[0, { build: 'gangway:2' }], 1, [0]]);
});

it('requirements and changes whose reads webhooks may nudge count from zero, at each partner of an account that is on', () => {
  const { entries, meter: of } = meter();
  const worker = { namespace: 'default', taskQueue: 'gangway' };
  // At acme, only two partners are on.
  const atAcme = ['boarding', 'banking'] as const;
  startCounters(of, worker, [
    [undefined, SYSTEM_NAMES],
    ['acme', atAcme],
  ]);
  const note = { ...worker, workflowType: 'merchantBoarding', system: 'boarding', kind: 'underwriting-note' };
  for (const what of ['raised', 'answered', 'closed', 'overdue', 'unclaimed'])
    for (const account of ['', 'acme'])
      expect(entries).toContainEqual([`gangway_requirements_${what}_total`, 0, { ...note, account }]);
  // Whoever may ask a person: each kind, at each partner.
  const raised = entries.filter(([name]) => name === 'gangway_requirements_raised_total');
  const askers = [
    ['merchantBoarding', 'boarding'],
    ['businessOnboarding', 'banking'],
    ['partnerOperation', 'banking'],
    ...['partnerAccount', 'partnerRecord'].flatMap((type) => SYSTEM_NAMES.map((system) => [type, system])),
  ];
  const expected = askers.flatMap(([workflowType, system]) =>
    REQUIREMENT_KINDS.flatMap((kind) =>
      (atAcme.some((on) => on === system) ? ['', 'acme'] : ['']).map((account) =>
        keyOf({ ...worker, workflowType, system, kind, account }),
      ),
    ),
  );
  const raising = raised.map(([, , labels]) => keyOf(labels as object as never));
  expect(raising).toEqual(expect.arrayContaining(expected));
  expect(raising.filter((key) => /customerOnboarding|onboardingBatch/.test(key))).toEqual([]);
  const merchants = { activityType: 'awaitStatusChange', workflowType: 'merchantBoarding' };
  const businesses = { activityType: 'awaitProfileChange', workflowType: 'businessOnboarding' };
  const boarding = { namespace: 'default', system: 'boarding', result: 'changed', ...merchants };
  const banking = { namespace: 'default', system: 'banking', result: 'changed', ...businesses };
  const polls = [
    ['gangway_polls_total', 0, { ...boarding, account: '', taskQueue: 'gangway-boarding' }],
    ['gangway_polls_total', 0, { ...boarding, account: 'acme', taskQueue: 'gangway-boarding-acme' }],
    ['gangway_polls_total', 0, { ...banking, account: '', taskQueue: 'gangway-banking' }],
    ['gangway_polls_total', 0, { ...banking, account: 'acme', taskQueue: 'gangway-banking-acme' }],
  ];
  expect(entries).toEqual(expect.arrayContaining(polls));
});

it('an exchange counts by its status, or by what failed', () => {
  const { entries, meter: of } = meter();
  const exchange = { system: 'boarding', operation: 'create-merchant' } as never;
  const start = countExchanges(of, 'north')(exchange, {} as never);
  for (const end of [{ status: 201 }, { failure: 'timeout' }, { failure: 'Paused' }]) start(end as never);
  const about = { system: 'boarding', account: 'north', operation: 'create-merchant' };
  expect(entries.filter(([name]) => name === 'gangway_partner_calls_total')).toEqual([
    ['gangway_partner_calls_total', 1, { ...about, status: '201' }],
    ['gangway_partner_calls_total', 1, { ...about, status: 'timeout' }],
    ['gangway_partner_calls_total', 1, { ...about, status: 'Paused' }],
  ]);
  // What was not sent has no duration.
  expect(entries.filter(([name]) => name === 'gangway_partner_call_duration_seconds')).toHaveLength(2);
  expect(entries[0]).toEqual(['gangway_partner_call_duration_seconds', true, about]);
  expect(metricsOptions({ metricsAddress: undefined })).toEqual({});
});

it('exchanges count one by one for each operation, account and status, and take from their beginning to their end', () => {
  stoppedAt(0, ['performance']);
  const { meter: of, shown: render } = gauges();
  const operations = ['create-merchant', 'get-status'].map((operation) => ({
    system: 'boarding',
    operation,
  }));
  const ends = [{ status: 200 }, { status: 204 }, { status: 503 }, { failure: 'ECONNREFUSED' }];
  const expected: Record<string, number> = {};
  for (const account of ['', 'north']) {
    const observe = countExchanges(of, account);
    for (const exchange of operations)
      for (const [times, end] of ends.entries())
        for (let time = 0; time <= times; time += 1) {
          const ended = observe(exchange as never, {} as never);
          vi.advanceTimersByTime(500);
          ended?.(end as never);
          const status = String('status' in end ? end.status : end.failure);
          expected[keyOf({ account, ...exchange, status })] = time + 1;
        }
  }
  expect(render('gangway_partner_calls_total')).toEqual(expected);
  const seconds = ['', 'north'].flatMap((account) =>
    operations.map((exchange) => [keyOf({ account, ...exchange }), 0.5 * (1 + 2 + 3 + 4)]),
  );
  expect(render('gangway_partner_call_duration_seconds')).toEqual(Object.fromEntries(seconds));
});
