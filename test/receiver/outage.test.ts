import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { expect, it, onTestFinished } from 'vitest';
import { loadReceiverSettings } from '../../src/receiver/settings.js';
import { lazyClient } from '../../src/temporal/connection.js';
import { startDevServer } from '../../src/temporal/dev-server.js';
import { registerSearchAttributes } from '../../src/temporal/search-attributes.js';
import { createRig, merchant, Onboarding } from '../rig.js';
import { BATCHED, event, problemOf, type Reply, runReceiver, STRUCTURED } from './running-receiver.js';

const AWAY = {
  type: 'urn:gangway:problem:temporal-away',
  title: 'Temporal does not answer now',
  status: 503,
  detail: 'send the same again after Retry-After seconds: nothing is lost, and nothing happens twice',
};

/** A client that connects when it is first used, as that of the receiver's process. */
function clientOf(address: string): Client {
  const before = process.env['TEMPORAL_ADDRESS'];
  process.env['TEMPORAL_ADDRESS'] = address;
  const client = lazyClient(undefined);
  if (before === undefined) delete process.env['TEMPORAL_ADDRESS'];
  else process.env['TEMPORAL_ADDRESS'] = before;
  onTestFinished(() => client.connection.close());
  return client;
}

it('an event, or a hint, is accepted only once Temporal has it', async () => {
  const client = clientOf('127.0.0.1:9');
  const { hints } = loadReceiverSettings({ RECEIVER_BANKING_AUTH: 'none' });
  const { post, call, log } = await runReceiver({ client, taskQueue: 'q' }, { hints });
  const body = event('merchant.boarding.requested.v1', merchant());
  const began = Date.now();
  const [one, batch, ready, hint] = await Promise.all([
    post(JSON.stringify(body), { 'content-type': STRUCTURED }),
    post(JSON.stringify([body]), { 'content-type': BATCHED }),
    call('GET /readyz'),
    call('POST /webhooks/banking', '{"profileId": 3001}', { 'content-type': 'application/json' }),
  ]);
  expect(Date.now() - began).toBeLessThan(10_000);
  expect(problemOf(one)).toEqual(AWAY);
  expect(one.headers.get('retry-after')).toBe('5');
  expect(problemOf(hint)).toEqual(AWAY);
  expect(hint.headers.get('retry-after')).toBe('5');
  expect(log()).toContain('"partner":"banking","result":"failed"');
  expect(problemOf(batch)).toEqual({
    ...AWAY,
    detail: 'not all of the batch was accepted: send the same again',
    events: [AWAY],
  });
  expect(batch.headers.get('retry-after')).toBe('5');
  expect([ready.status, (await call('GET /healthz')).status]).toEqual([503, 200]);
  expect(log()).toContain('Temporal does not answer now');
});

it('an answer is accepted only once a worker has taken it', async () => {
  const rig = await createRig({ worker: false });
  onTestFinished(() => rig.close());
  const worker = await rig.startWorker();
  const { post } = await runReceiver(rig);
  const input = merchant('notes');
  const boarding = await rig.board(input);
  const { requirements } = await boarding.until((state) => state.requirements.length === 2, 'two notes');
  await worker.stop();

  const answer = { kind: 'text', text: 'Yes.' };
  const data = {
    id: input.externalId,
    requirementId: requirements[0]?.id,
    answer,
    actor: 'olga',
    reason: 'r',
  };
  const body = JSON.stringify(event('requirement.resolved.v1', data));
  const send = () => post(body, { 'content-type': STRUCTURED });
  expect(problemOf(await send())).toEqual(AWAY);
  await rig.startWorker();
  await expect.poll(async () => (await send()).status, { timeout: 20_000 }).toBe(202);
  const { requirements: open } = await boarding.state();
  expect(open.map(({ id }) => id)).toEqual([requirements[1]?.id]);
});

it('a batch is accepted only once all of it is: what was accepted is named, and the sender sends it all again', async () => {
  const rig = await createRig({ worker: false });
  onTestFinished(() => rig.close());
  const { post } = await runReceiver(rig);
  const input = merchant();
  const answer = { kind: 'text', text: 'Yes.' };
  const data = { id: input.externalId, requirementId: 'r', answer, actor: 'olga', reason: 'r' };
  const batch = [
    event('merchant.boarding.requested.v1', input),
    // No worker takes it.
    event('requirement.resolved.v1', data, { id: 'e-2' }),
  ];
  const reply = await post(JSON.stringify(batch), { 'content-type': BATCHED });
  expect(problemOf(reply)).toEqual({
    ...AWAY,
    detail: 'not all of the batch was accepted: send the same again',
    events: [{ status: 202, workflowId: `merchant-boarding-${input.externalId}` }, AWAY],
  });
  await rig.client.workflow.getHandle(`merchant-boarding-${input.externalId}`).terminate();
});

it('nothing is lost or doubled when Temporal goes away under load and senders try again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gangway-test-'));
  const databaseFile = join(folder, 'temporal.db');
  let server = await startDevServer({ databaseFile });
  const port = Number(server.address.split(':')[1]);
  try {
    await prepare(server.address);
    const client = clientOf(server.address);
    const { post } = await runReceiver({ client, taskQueue: 'nobody-works-here' });
    const inputs = Array.from({ length: 60 }, () => merchant());
    let refused = 0;
    let answered = 0;
    const send = async (position: number): Promise<Reply> => {
      const body = JSON.stringify(
        event('merchant.boarding.requested.v1', inputs[position], { id: `e-${position}` }),
      );
      for (;;) {
        const reply = await post(body, { 'content-type': STRUCTURED });
        if (reply.status !== 503) {
          answered += 1;
          return reply;
        }
        refused += 1;
        await sleep(200);
      }
    };
    const queue = inputs.map((_, position) => position);
    const replies = new Map<number, Reply>();
    const sender = async () => {
      for (let position = queue.shift(); position !== undefined; position = queue.shift()) {
        replies.set(position, await send(position));
      }
    };
    const senders = Array.from({ length: 6 }, sender);
    await expect.poll(() => answered, { timeout: 10_000 }).toBeGreaterThan(5);
    await server.stop();
    await expect.poll(() => refused, { timeout: 15_000 }).toBeGreaterThan(0);
    server = await startDevServer({ port, databaseFile });
    expect(server.address).toBe(`127.0.0.1:${port}`);
    await Promise.all(senders);

    expect(inputs.map((_, position) => replies.get(position)?.status)).toEqual(inputs.map(() => 202));
    const started = inputs.map(({ externalId }) => `merchant-boarding-${externalId}`);
    expect(inputs.map((_, position) => JSON.parse(replies.get(position)?.text ?? '{}').workflowId)).toEqual(
      started,
    );
    const listed: string[] = [];
    const listing = async () => {
      listed.length = 0;
      for await (const { workflowId } of client.workflow.list()) listed.push(workflowId);
      return listed.length;
    };
    await expect.poll(listing, { timeout: 10_000 }).toBe(inputs.length);
    expect(listed.toSorted()).toEqual(started.toSorted());
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}, 90_000);

it('an answer is taken once when Temporal goes away and its sender tries again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gangway-test-'));
  const databaseFile = join(folder, 'temporal.db');
  let server = await startDevServer({ databaseFile });
  const port = Number(server.address.split(':')[1]);
  await prepare(server.address);
  const rig = await createRig({ address: server.address, payloadKeys: '' });
  try {
    const client = clientOf(server.address);
    const { post } = await runReceiver({ client, taskQueue: rig.taskQueue });
    const boarding = await rig.board(merchant('notes'));
    const { workflowId } = boarding;
    const { requirements } = await boarding.until((state) => state.requirements.length === 2, 'two notes');
    const [first, second] = requirements.map(({ id }) => id);
    const who = { actor: 'olga', reason: 'asked the merchant' };
    const data = { id: workflowId, requirementId: first, answer: { kind: 'text', text: 'Yes.' }, ...who };
    const body = JSON.stringify(event('requirement.resolved.v1', data));
    const send = () => post(body, { 'content-type': STRUCTURED });

    await server.stop();
    expect(problemOf(await send())).toEqual(AWAY);
    server = await startDevServer({ port, databaseFile });
    const statuses: number[] = [];
    const answered = async () => statuses[statuses.push((await send()).status) - 1];
    await expect.poll(answered, { timeout: 40_000 }).toBe(202);
    expect(await answered()).toBe(202);
    expect(statuses.filter((status) => status !== 503 && status !== 202)).toEqual([]);
    const state = await new Onboarding(client, workflowId).state();
    expect(state.requirements.map(({ id }) => id)).toEqual([second]);
    expect(state.timeline.filter(({ actor }) => actor === 'olga')).toHaveLength(1);
  } finally {
    await rig.close();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}, 90_000);

async function prepare(address: string): Promise<void> {
  const connection = await Connection.connect({ address });
  await registerSearchAttributes(new Client({ connection }));
  await connection.close();
}
