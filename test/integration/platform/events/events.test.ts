import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { EventSettings } from '../../../../src/platform/events/sender.js';
import { destinationOf } from '../../../../src/platform/events/sender.js';
import { gangway } from '../../../rigs/command.js';
import { type Received, SECRET, type Subscriber, subscriber } from '../../../rigs/events/subscriber.js';
import { merchant } from '../../../rigs/inputs.js';
import { closedPort } from '../../../rigs/partners/servers.js';
import { jsonLines } from '../../../rigs/processes.js';
import { createRig, type Rig } from '../../../rigs/rig.js';
import { shared } from '../../../rigs/shared.js';
import { eventually } from '../../../rigs/waiting.js';

const publishingTo = (...subscribers: readonly Pick<Subscriber, 'url'>[]): EventSettings => ({
  secrets: [SECRET],
  toLoopback: true,
  destinations: subscribers.map(({ url }) => destinationOf(url)),
});

const typesAndMore = (received: readonly Received[]) =>
  [...received]
    .sort((one, other) => String(sequenceOf(one)).localeCompare(String(sequenceOf(other))))
    .map(({ type, data: { stage, outcome, kind } }) => [type, stage ?? outcome ?? kind]);

const sequenceOf = ({ body }: { body: string }) => (JSON.parse(body) as { sequence: string }).sequence;

const received = (to: Subscriber, count: number) =>
  eventually(
    async () => to.received,
    (events) => events.length >= count,
    `${count} events`,
  );

describe.concurrent('outbound events of an onboarding', () => {
  let crm: Subscriber;
  let rig: Rig;
  let closeCrm: () => unknown;
  beforeAll(async () => {
    crm = await subscriber(SECRET, (close) => {
      closeCrm = close;
    });
    rig = await createRig({ events: publishingTo(crm) });
  });
  afterAll(async () => {
    await rig.close();
    await closeCrm();
  });

  /** The events about an onboarding and its parts, when at least this many have arrived. */
  const eventsOf = ({ workflowId }: { workflowId: string }, count: number) => {
    const externalId = workflowId.replace(/^[a-z]+-[a-z]+-/, '');
    const about = async () => crm.received.filter(({ data }) => data.externalId === externalId);
    return eventually(about, (events) => events.length >= count, `${count} events of ${workflowId}`);
  };

  it('report each stage and the outcome, as signed CloudEvents without details', async () => {
    const input = merchant();
    const boarding = await rig.board(input);
    const outcome = await boarding.outcome();
    const events = await eventsOf(boarding, 5);
    expect(typesAndMore(events)).toEqual([
      ['onboarding.stage.changed.v1', 'preparing'],
      ['onboarding.stage.changed.v1', 'applying'],
      ['onboarding.stage.changed.v1', 'boarding'],
      ['onboarding.stage.changed.v1', 'boarded'],
      ['onboarding.completed.v1', 'boarded'],
    ]);
    const { runId } = await boarding.handle.describe();
    // A delivery is an activity of its own, and not in the list of workflows.
    const deliveries = `WorkflowId STARTS_WITH 'event-${boarding.workflowId}'`;
    expect(await rig.client.workflow.count(deliveries)).toMatchObject({ count: 0 });
    const last = events.find(({ type }) => type === 'onboarding.completed.v1');
    expect(JSON.parse(last?.body ?? '')).toEqual({
      specversion: '1.0',
      id: expect.stringMatching(new RegExp(`^${runId}\\.5\\.[0-9a-f]{8}$`)),
      source: '/gangway/default',
      type: 'onboarding.completed.v1',
      subject: `merchant-boarding-${input.externalId}`,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      sequence: '00000005',
      datacontenttype: 'application/json',
      data: {
        workflowId: `merchant-boarding-${input.externalId}`,
        workflowType: 'merchantBoarding',
        externalId: input.externalId,
        ...outcome,
      },
    });
    expect(last?.headers).toMatchObject({
      'content-type': 'application/cloudevents+json',
      'webhook-id': last?.id,
    });
    const all = events.map(({ body }) => body).join();
    for (const secret of ['Corner Bakery', 'Ada', 'Baker']) expect(all).not.toContain(secret);
  });

  it('report a requirement when it is raised, unclaimed and overdue', async () => {
    const hours = { dueInHours: 1 / 7_200, unclaimedInHours: 1 / 9_000 };
    const boarding = await rig.board(merchant('notes', hours));
    await boarding.until(({ timeline }) => timeline.some(({ event }) => event === 'requirement-overdue'));
    const { requirements } = await boarding.state();
    const events = await eventsOf(boarding, 9);
    const of = (type: string) => events.filter((event) => event.type === type).map(({ data }) => data);
    const expected = requirements.map(({ id: requirementId, kind, raisedAt, dueAt }) => ({
      workflowId: boarding.handle.workflowId,
      workflowType: 'merchantBoarding',
      externalId: boarding.handle.workflowId.slice('merchant-boarding-'.length),
      requirementId,
      kind,
      raisedAt,
      dueAt,
    }));
    expect(expected).toHaveLength(2);
    expect(of('requirement.raised.v1')).toEqual(expect.arrayContaining(expected));
    expect(of('requirement.unclaimed.v1')).toEqual(expect.arrayContaining(expected));
    expect(of('requirement.overdue.v1')).toEqual(expect.arrayContaining(expected));
    // The text of the underwriters is not published.
    expect(events.map(({ body }) => body).join()).not.toContain('voided');
    await boarding.handle.terminate();
  });
});

describe('a subscriber that fails', () => {
  const world = shared(async (until) => {
    const [failing, broken, crm] = [
      await subscriber(SECRET, until),
      await subscriber(SECRET, until),
      await subscriber(SECRET, until),
    ];
    failing.response = { status: 500 };
    broken.response = { status: 302, headers: { location: 'http://127.0.0.1:1/' } };
    const down = { url: `http://127.0.0.1:${await closedPort()}/` };
    const rig = await createRig({ events: publishingTo(failing, broken, down, crm) });
    until(() => rig.close());
    const boarding = await rig.board(merchant());
    return { failing, crm, rig, boarding };
  });

  it('gets the same event again, and delays no onboarding', async () => {
    const { failing, boarding } = world();
    await boarding.outcome();
    await received(failing, 5);
    failing.response = { status: 204 };
    const first = failing.received[0];
    const same = await eventually(
      async () => failing.received.filter(({ id }) => id === first?.id),
      (events) => events.length >= 2,
      'the same event again',
    );
    expect(new Set(same.map(({ body }) => body)).size).toBe(1);
    // Each attempt is signed with its own timestamp.
    expect(new Set(same.map(({ headers }) => headers['webhook-signature'])).size).toBe(same.length);
  });

  it('does not affect other subscribers', async () => {
    const { crm, rig, boarding } = world();
    await received(crm, 5);
    const waiting = await eventually(
      async () => {
        const all = await deliveries(rig, ['list', boarding.handle.workflowId, '--waiting']);
        // Those of the subscriber that fails may still wait.
        return all.filter(({ problem }) => problem !== 'HTTP 500');
      },
      (all) => all.length === 10 && all.every(({ problem }) => problem !== undefined),
      'deliveries that wait to be tried again',
    );
    expect(new Set(waiting.map(({ problem }) => problem))).toEqual(new Set(['HTTP 302', 'ECONNREFUSED']));
  });
});

/** `gangway events` as a process. */
async function deliveries(rig: Rig, args: readonly string[]) {
  const done = await gangway(rig.env, ['events', ...args, '--json']);
  expect(done).toMatchObject({ code: 0, stderr: '' });
  return jsonLines<{ event: { id: string; type: string }; status: string; problem?: string }>(done);
}

describe('gangway events', () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await createRig({ worker: false });
  });
  afterAll(() => rig.close());

  it('lists undeliverable events, and sends them again with the same IDs', async () => {
    const crm = await subscriber();
    crm.response = { status: 410 };
    const worker = await rig.startWorker({ events: publishingTo(crm) });
    onTestFinished(() => worker.stop());
    const boarding = await rig.board(merchant());
    await boarding.outcome();
    const id = boarding.handle.workflowId;
    const lost = await eventually(
      () => deliveries(rig, ['list', id, '--failed']),
      (listed) => listed.length === 5,
      'five that were given up',
    );
    expect(lost[0]).toMatchObject({ status: 'given-up', problem: 'HTTP 410' });
    const asTable = await gangway({ ...rig.env, TZ: 'Asia/Tokyo' }, ['events', 'list', id, '--limit', '2']);
    expect(asTable.stdout).toMatch(
      /^EVENT +OF +AT +TO +DELIVERY +ATTEMPTS +PROBLEM\n(\S+ +merchant-boarding-\S+ +[-\d]+ [:\d]+ GMT\+9 +\S+ +given-up +1 {2}HTTP 410\n){2}$/,
    );
    expect(asTable.stderr).toBe('the first 2; --limit 0 for all\n');
    const asCsv = await gangway(rig.env, ['events', 'list', id, '--limit', '0', '--csv']);
    const [head, ...rows] = asCsv.stdout.trimEnd().split('\r\n');
    expect(head).toMatch(/^event\.type,event\.subject,event\.time,event\.id,.*,event\.data\.stage/);
    expect([rows.length, asCsv.stderr]).toEqual([5, '']);
    // Rejected for good, so there is no automatic retry.
    expect(crm.received).toHaveLength(5);

    crm.response = { status: 200 };
    const externalId = id.slice('merchant-boarding-'.length);
    const again = await deliveries(rig, ['redeliver', externalId]);
    expect(again.map(({ event }) => event.id).sort()).toEqual(lost.map(({ event }) => event.id).sort());
    await received(crm, 10);
    expect(new Set(crm.received.map(({ body }) => body)).size).toBe(5);
    await eventually(
      () => deliveries(rig, ['list', id]),
      (listed) => listed.length === 5 && listed.every(({ status }) => status === 'delivered'),
      'five that were delivered',
    );
    expect(await deliveries(rig, ['redeliver', id])).toEqual([]);
    expect(await deliveries(rig, ['redeliver', id, '--all'])).toHaveLength(5);
    await received(crm, 15);
  });

  it('sends waiting events at once on request', async () => {
    const crm = await subscriber();
    crm.response = { status: 503, headers: { 'retry-after': '3600' } };
    const worker = await rig.startWorker({ events: publishingTo(crm) });
    onTestFinished(() => worker.stop());
    const boarding = await rig.board(merchant());
    await boarding.outcome();
    const id = boarding.handle.workflowId;
    await received(crm, 5);
    await eventually(
      () => deliveries(rig, ['list', id, '--waiting']),
      (listed) => listed.length === 5 && listed.every(({ problem }) => problem === 'HTTP 503'),
      'five that wait',
    );
    crm.response = { status: 200 };
    expect(await deliveries(rig, ['redeliver', id])).toEqual([]);
    expect(await deliveries(rig, ['redeliver', id, '--waiting'])).toHaveLength(5);
    await received(crm, 10);
  });

  it('requires the onboardings whose events to send again', async () => {
    const { code, stderr } = await gangway(rig.env, ['events', 'redeliver', '--all']);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: '--all needs the id of an onboarding: gangway events redeliver ID --all\n',
    });
  });
});
