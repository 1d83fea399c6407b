import { expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../../src/temporal/dev-server.js';
import { expressions, parsed } from '../../rigs/deploy/monitoring.js';
import { SECRET, subscriber } from '../../rigs/events/subscriber.js';
import { business, merchant } from '../../rigs/inputs.js';
import { Onboarding } from '../../rigs/onboarding.js';
import { launch, type RunningProcess } from '../../rigs/processes.js';
import { createRig, type Rig } from '../../rigs/rig.js';
import { type Scrape, scrape } from '../../rigs/scrape.js';
import { eventually } from '../../rigs/waiting.js';

/** What Prometheus makes itself (names with a colon as well), and what is there with a certificate, with builds, and with a partner that has changed its API: test/deploy/alerts.test.ts. */
const ELSEWHERE = [
  ...['up', 'ALERTS', 'gangway_credential_expires_timestamp_seconds', 'gangway_build_without_workers'],
  'gangway_partner_drift_total',
];

/** Names of the metrics of a process, which serves them at an address of its own only. */
async function namesOf(
  name: 'console' | 'codec-server',
  settings: Record<string, string>,
): Promise<ReadonlySet<string>> {
  const process = await launch(name, settings, `${name.replace('-', ' ')} is ready`);
  onTestFinished(() => void process.child.kill('SIGKILL'));
  const { url, metrics } = addressesOf(process);
  expect((await fetch(`${url}/metrics`)).status).not.toBe(200);
  return (await scrape(`${metrics}/metrics`)).names;
}

/** Where a process is ready. */
function addressesOf({ stderr }: RunningProcess): { readonly url: string; readonly metrics: string } {
  const line = stderr()
    .split('\n')
    .find((each) => each.includes('is ready'));
  return JSON.parse(line ?? '{}');
}

/** Any free ports. */
const CONSOLE = { CONSOLE_ADDRESS: '127.0.0.1:0', CONSOLE_METRICS_ADDRESS: '127.0.0.1:0' };
const CODEC_SERVER = {
  ...{ CODEC_ADDRESS: '127.0.0.1:0', CODEC_METRICS_ADDRESS: '127.0.0.1:0' },
  CODEC_TOKENS: '6f1d0c5e8b7a4932a1b0c9d8e7f60512',
};

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
  expect({
    merchantsStarted: counted('gangway_workflows_started_total', merchants),
    businessesStarted: counted('gangway_workflows_started_total', businesses),
    boarded: counted('gangway_workflows_ended_total', { ...merchants, outcome: 'boarded' }),
    declined: counted('gangway_workflows_ended_total', { ...merchants, outcome: 'declined' }),
    onboarded: counted('gangway_workflows_ended_total', { ...businesses, outcome: 'onboarded' }),
    ended: counted('gangway_workflows_ended_total'),
    notesRaised: counted('gangway_requirements_raised_total', { ...merchants, kind: 'underwriting-note' }),
    notesAnswered: counted('gangway_requirements_answered_total', { kind: 'underwriting-note' }),
    doubtsRaised: counted('gangway_requirements_raised_total', { kind: 'uncertain-write' }),
    doubtsOverdue: counted('gangway_requirements_overdue_total', { kind: 'uncertain-write' }),
    raised: counted('gangway_requirements_raised_total'),
    answered: counted('gangway_requirements_answered_total'),
    closed: counted('gangway_requirements_closed_total'),
    uncertain: counted('gangway_uncertain_writes_total', {
      system: 'boarding',
      operation: 'create-merchant',
    }),
    created: calls(counted, 'create-merchant', '200'),
    lost: calls(counted, 'create-merchant', 'Uncertain'),
    submitted: calls(counted, 'submit-merchant', '200'),
    reviewed: calls(counted, 'request-underwriting-review', '200'),
    timed: counted('gangway_partner_call_duration_seconds_count', { operation: 'create-merchant' }),
    longest: counted('gangway_partner_call_duration_seconds_bucket', {
      operation: 'create-merchant',
      le: '45',
    }),
  }).toEqual({
    merchantsStarted: 4,
    businessesStarted: 1,
    boarded: 2,
    declined: 1,
    onboarded: 1,
    ended: 4,
    notesRaised: 2,
    notesAnswered: 2,
    doubtsRaised: 1,
    doubtsOverdue: 1,
    raised: 3,
    answered: 2,
    closed: 0,
    uncertain: 1,
    created: 3,
    lost: 1,
    submitted: 3,
    reviewed: 1,
    timed: 4,
    longest: 4,
  });
  // Each read of a status is a poll that saw a change or none, or comes just before one of three submissions and a review, or just
  // after a submission.
  const readsAroundWrites = 4 + 3;
  const polls = { activityType: 'awaitStatusChange' };
  expect(counted('gangway_polls_total', polls)).toBe(calls(counted, 'get-status', '200') - readsAroundWrites);
  expect(counted('gangway_polls_total', { ...polls, result: 'changed' })).toBeGreaterThan(2);

  const received = await scrape(receiver.metrics);
  expect({
    accepted: received('gangway_receiver_requests_total', {
      method: 'POST',
      route: '/events',
      status: '202',
    }),
    refused: received('gangway_receiver_requests_total', { method: 'POST', route: '/events', status: '422' }),
    timed: received('gangway_receiver_request_duration_seconds_count', { route: '/events' }),
    invalid: received('gangway_receiver_problems_total', { problem: 'invalid' }),
    problems: received('gangway_receiver_problems_total'),
  }).toEqual({ accepted: 5, refused: 1, timed: 6, invalid: 1, problems: 1 });

  // What people watch is there to be watched.
  const watched = expressions().flatMap(({ promql }) => parsed(promql).metrics);
  const exported = [
    ...[...counted.names, ...received.names],
    ...(await namesOf('console', { ...rig.env, ...CONSOLE })),
    ...(await namesOf('codec-server', { ...rig.env, ...CODEC_SERVER })),
  ];
  const ofProcesses = watched.filter((name) => !name.includes(':') && !ELSEWHERE.includes(name));
  expect(ofProcesses.filter((name) => !exported.includes(name))).toEqual([]);

  await worker.stop();
  const next = await workerOf(rig);
  const { requirements: open } = await boarding(inputs.lost).state();
  expect(open.map(({ kind }) => kind)).toEqual(['uncertain-write']);
  const shown = await eventually(
    () => scrape(next.metrics),
    (page) => page('gangway_workflows_waiting') >= 0 && page('gangway_workflows_overdue') >= 0,
    'the numbers that wait',
  );
  expect({
    waiting: shown('gangway_workflows_waiting'),
    overdue: shown('gangway_workflows_overdue'),
    started: shown.names.has('gangway_workflows_started_total'),
    raised: shown('gangway_requirements_raised_total', { kind: 'uncertain-write' }),
  }).toEqual({ waiting: 1, overdue: 1, started: false, raised: 0 });
  await next.stop();
}, 240_000);

function calls(counted: Scrape, operation: string, status: string): number {
  return counted('gangway_partner_calls_total', { system: 'boarding', operation, status });
}

async function workerOf(rig: Rig, more: Readonly<Record<string, string>> = {}) {
  const address = `127.0.0.1:${await freePort()}`;
  const env = { ...rig.env, ...more, GANGWAY_METRICS_ADDRESS: address };
  const worker = await launch('worker', env, 'worker is ready');
  return { metrics: `http://${address}/metrics`, stop: () => ended(worker) };
}

async function receiverOf(rig: Rig) {
  const receiver = await launch(
    'receiver',
    { ...rig.env, RECEIVER_ADDRESS: '127.0.0.1:0', RECEIVER_METRICS_ADDRESS: '127.0.0.1:0' },
    'receiver is ready',
  );
  onTestFinished(() => ended(receiver));
  const { url, metrics } = addressesOf(receiver);
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

async function ended({ child, exit }: RunningProcess): Promise<void> {
  child.kill('SIGTERM');
  await exit;
}
