import { expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../../src/apps/demo/dev-server.js';
import { expressions, parsed } from '../../rigs/deploy/monitoring.js';
import { SECRET, subscriber } from '../../rigs/events/subscriber.js';
import { business, merchant } from '../../rigs/inputs.js';
import { Onboarding } from '../../rigs/onboarding.js';
import { launch } from '../../rigs/processes.js';
import { createRig, type Rig } from '../../rigs/rig.js';
import { type Scrape, scrape } from '../../rigs/scrape.js';
import { eventually } from '../../rigs/waiting.js';

/** What Prometheus makes itself (names with a colon as well), and what is there with a certificate, with builds, with a partner that has changed its API, with a bug, and with another key: test/deploy/alerts.test.ts. */
const ELSEWHERE = [
  'up',
  'ALERTS',
  'gangway_credential_expires_timestamp_seconds',
  'gangway_build_without_workers',
  'gangway_partner_drift_total',
  'gangway_software_errors_total',
  'gangway_payloads_unreadable_total',
  // Below.
  'gangway_requirements_open',
];

/** Names of the metrics of a process, which serves them at an address of its own only. */
async function namesOf(
  name: 'console' | 'codec-server' | 'link',
  settings: Record<string, string>,
): Promise<ReadonlySet<string>> {
  const process = await launch(name, settings, `${name.replace('-', ' ')} is ready`);
  onTestFinished(() => void process.child.kill('SIGKILL'));
  const { url, metrics } = process.addresses();
  expect((await fetch(`${url}/metrics`)).status).not.toBe(200);
  return (await scrape(`${metrics}/metrics`)).names;
}

/** Any free ports. */
const CONSOLE = { CONSOLE_ADDRESS: '127.0.0.1:0', CONSOLE_METRICS_ADDRESS: '127.0.0.1:0' };
const CODEC_SERVER = {
  CODEC_ADDRESS: '127.0.0.1:0',
  CODEC_METRICS_ADDRESS: '127.0.0.1:0',
  CODEC_TOKENS: '6f1d0c5e8b7a4932a1b0c9d8e7f60512',
};
const LINK = {
  LINK_ADDRESS: '127.0.0.1:0',
  LINK_METRICS_ADDRESS: '127.0.0.1:0',
  LINK_URL: 'http://localhost',
  LINK_API_URL: 'http://127.0.0.1:9',
  LINK_API_TOKEN: CODEC_SERVER.CODEC_TOKENS,
  LINK_COMPANY: 'Acme Payments',
};

const CALLS = 'gangway_partner_calls_total';

const DUE_AT_ONCE = { dueInHours: 0.000_01 };

it('worker and receiver count exactly, and do not count a replay again', async () => {
  const rig = await createRig({ worker: false });
  onTestFinished(() => rig.close());
  const crm = await subscriber();
  const eventSettings = { EVENTS_URLS: crm.url, EVENTS_SECRETS: SECRET, EVENTS_TO_LOOPBACK: 'true' };
  const [worker, receiver] = await Promise.all([workerOf(rig, eventSettings), receiverOf(rig)]);

  const inputs = {
    straight: merchant(undefined, { fees: { minimumDiscountAmount: 25 } }),
    notes: merchant('notes'),
    declined: merchant('declined'),
    lost: merchant(undefined, DUE_AT_ONCE),
  };
  // The SDK counts failed attempts of reads. Those of writes report themselves, and are counted as calls.
  await rig.sandbox.plan('500-before-commit', 'get-fees');
  for (const input of [inputs.straight, inputs.notes, inputs.declined])
    await receiver.start('merchant', input);
  const bank = business();
  await receiver.start('business', bank);
  expect(await receiver.post({ specversion: '1.0' })).toBe(422);

  const boarding = (input: { externalId: string }) =>
    new Onboarding(rig.client, `merchant-boarding-${input.externalId}`);
  const { requirements } = await boarding(inputs.notes).until(
    (state) => state.requirements.length === 2,
    'two notes',
  );
  for (const { id } of requirements) {
    await boarding(inputs.notes).resolve(id, { kind: 'text', text: 'One in ten.' });
  }
  const ended = [inputs.straight, inputs.notes, inputs.declined].map(
    async (input) => (await boarding(input).outcome()).outcome,
  );
  expect(await Promise.all(ended)).toEqual(['boarded', 'boarded', 'declined']);
  expect(await new Onboarding(rig.client, `business-onboarding-${bank.externalId}`).outcome()).toMatchObject({
    outcome: 'onboarded',
  });

  await rig.sandbox.plan('drop-after-commit', 'create-merchant');
  await receiver.start('merchant', inputs.lost);
  await boarding(inputs.lost).until(
    ({ timeline }) => timeline.some(({ event }) => event === 'requirement-overdue'),
    'an overdue requirement',
  );

  // A workflow that no release has: its tasks fail.
  await rig.client.workflow.start('unheardOf', {
    taskQueue: rig.taskQueue,
    workflowId: `unheard-of-${rig.taskQueue}`,
  });
  const counted = await eventually(
    () => scrape(worker.metrics),
    (page) =>
      page('temporal_workflow_task_execution_failed', { workflow_type: 'unheardOf' }) > 0 &&
      crm.received.filter(({ type }) => type === 'onboarding.completed.v1').length === 4 &&
      page('gangway_event_deliveries_total', { result: 'delivered' }) === crm.received.length,
    'all that is counted in passing',
  );
  const merchants = { workflowType: 'merchantBoarding', system: 'boarding', account: '' };
  const businesses = { workflowType: 'businessOnboarding' };
  const [note, warning] = [{ kind: 'underwriting-note' }, { kind: 'uncertain-write' }];
  const create = { system: 'boarding', operation: 'create-merchant' };
  expectCounts(counted, [
    ['gangway_workflows_started_total', merchants, 4],
    ['gangway_workflows_started_total', businesses, 1],
    ['gangway_workflows_ended_total', { ...merchants, outcome: 'boarded' }, 2],
    ['gangway_workflows_ended_total', { ...merchants, outcome: 'declined' }, 1],
    ['gangway_workflows_ended_total', { ...businesses, outcome: 'onboarded' }, 1],
    ['gangway_workflows_ended_total', {}, 4],
    ['gangway_requirements_raised_total', { ...merchants, ...note }, 2],
    ['gangway_requirements_answered_total', note, 2],
    ['gangway_requirements_raised_total', warning, 1],
    ['gangway_requirements_overdue_total', warning, 1],
    ['gangway_requirements_raised_total', {}, 3],
    ['gangway_requirements_answered_total', {}, 2],
    ['gangway_requirements_closed_total', {}, 0],
    ['gangway_uncertain_writes_total', create, 1],
    [CALLS, { ...create, status: '200' }, 3],
    [CALLS, { ...create, status: 'Uncertain' }, 1],
    [CALLS, { system: 'boarding', operation: 'submit-merchant', status: '200' }, 3],
    [CALLS, { system: 'boarding', operation: 'request-underwriting-review', status: '200' }, 1],
    ['gangway_partner_call_duration_seconds_count', create, 4],
    ['gangway_partner_call_duration_seconds_bucket', { ...create, le: '45' }, 4],
  ]);
  // Each read of a status is a poll that saw a change or none, or comes just before one of three submissions and a review, or just
  // after a create or a submission.
  const readsAroundWrites = 4 + 3 + 3;
  const reads = counted(CALLS, { system: 'boarding', operation: 'get-status', status: '200' });
  const polls = { activityType: 'awaitStatusChange' };
  // On a slow machine, an answer can cancel a poll during a read, at most once for each of the four merchants.
  const canceled = reads - readsAroundWrites - counted('gangway_polls_total', polls);
  expect([0, 1, 2, 3, 4]).toContain(canceled);
  expect(counted('gangway_polls_total', { ...polls, result: 'changed' })).toBeGreaterThan(2);

  const received = await scrape(receiver.metrics);
  const events = { method: 'POST', route: '/events' };
  expectCounts(received, [
    ['gangway_receiver_requests_total', { ...events, status: '202' }, 5],
    ['gangway_receiver_requests_total', { ...events, status: '422' }, 1],
    ['gangway_receiver_request_duration_seconds_count', { route: '/events' }, 6],
    ['gangway_receiver_problems_total', { problem: 'invalid' }, 1],
    ['gangway_receiver_problems_total', {}, 1],
  ]);

  // What people watch is there to be watched.
  const watched = expressions().flatMap(({ promql }) => parsed(promql).metrics);
  const exported = [
    ...counted.names,
    ...received.names,
    ...(await namesOf('console', { ...rig.env, ...CONSOLE })),
    ...(await namesOf('codec-server', { ...rig.env, ...CODEC_SERVER })),
    ...(await namesOf('link', LINK)),
  ];
  const ofProcesses = watched.filter((name) => !name.includes(':') && !ELSEWHERE.includes(name));
  expect(ofProcesses.filter((name) => !exported.includes(name))).toEqual([]);

  await worker.stop();
  const next = await workerOf(rig);
  const { requirements: open } = await boarding(inputs.lost).state();
  expect(open.map(({ kind }) => kind)).toEqual(['uncertain-write']);
  const output = await eventually(
    () => scrape(next.metrics),
    (page) => page('gangway_workflows_waiting') >= 0 && page('gangway_requirements_open') >= 1,
    'the numbers that wait',
  );
  expect({
    waiting: output('gangway_workflows_waiting'),
    overdue: output('gangway_workflows_overdue'),
    open: output('gangway_requirements_open', { kind: 'uncertain-write', system: 'boarding', account: '' }),
    started: output.names.has('gangway_workflows_started_total'),
    raised: output('gangway_requirements_raised_total', { kind: 'uncertain-write' }),
  }).toEqual({ waiting: 1, overdue: 1, open: 1, started: false, raised: 0 });
  await next.stop();
}, 240_000);

type Count = readonly [name: string, labels: Readonly<Record<string, string>>, count: number];

function expectCounts(page: Scrape, counts: readonly Count[]): void {
  expect(counts.map(([name, labels]) => [name, labels, page(name, labels)])).toEqual(counts);
}

async function workerOf(rig: Rig, more: Readonly<Record<string, string>> = {}) {
  const address = `127.0.0.1:${await freePort()}`;
  const env = { ...rig.env, ...more, GANGWAY_METRICS_ADDRESS: address };
  const { stop } = await launch('worker', env, 'worker is ready');
  return { metrics: `http://${address}/metrics`, stop };
}

async function receiverOf(rig: Rig) {
  const receiver = await launch(
    'receiver',
    { ...rig.env, RECEIVER_ADDRESS: '127.0.0.1:0', RECEIVER_METRICS_ADDRESS: '127.0.0.1:0' },
    'receiver is ready',
  );
  onTestFinished(async () => void (await receiver.stop()));
  const { url, metrics } = receiver.addresses();
  const post = async (event: object): Promise<number> => {
    const headers = { 'content-type': 'application/cloudevents+json' };
    const answer = await fetch(`${url}/events`, { method: 'POST', headers, body: JSON.stringify(event) });
    return answer.status;
  };
  return {
    metrics: `${metrics}/metrics`,
    post,
    async start(kind: 'merchant' | 'business', data: { externalId: string }): Promise<void> {
      const type =
        kind === 'merchant' ? 'merchant.boarding.requested.v1' : 'business.onboarding.requested.v1';
      expect(await post({ specversion: '1.0', id: data.externalId, source: '/crm', type, data })).toBe(202);
    },
  };
}
