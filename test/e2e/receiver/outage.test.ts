import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { startDevServer } from '../../../src/temporal/dev-server.js';
import { registerSearchAttributes } from '../../../src/temporal/search-attributes.js';
import { merchant } from '../../rigs/inputs.js';
import { Onboarding } from '../../rigs/onboarding.js';
import {
  clientOf,
  event,
  problemOf,
  type Reply,
  type RunningReceiver,
  runReceiver,
  STRUCTURED,
  UNAVAILABLE,
} from '../../rigs/receiver/running-receiver.js';
import { createRig, type Rig } from '../../rigs/rig.js';
import { eventually } from '../../rigs/waiting.js';

/** Time for a server to start and for the receiver to find it, while other tests run. */
const PATIENCE_MS = 120_000;

const SENDERS = 6;
const SENDER_PAUSE_MS = 200;

it(
  'nothing is lost or doubled, and an answer is applied once, when Temporal becomes unavailable and senders try again',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gangway-test-'));
    const databaseFile = join(folder, 'temporal.db');
    let server = await startDevServer({ databaseFile });
    const { address } = server;
    const rig = await createRig({ address, payloadKeys: '' });
    onTestFinished(async () => {
      await rig.close();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    });
    await registerSearchAttributes(rig.client);
    const client = clientOf(address);
    const boarding = await rig.board(merchant('notes'));
    const { requirements } = await boarding.until((state) => state.requirements.length === 2, 'two notes');
    const [first, second] = requirements.map(({ id }) => id);
    const answering = await runReceiver({ client, taskQueue: rig.taskQueue });
    const answer = answerTo(answering, boarding.workflowId, first);
    const taskQueue = `nobody-works-here-${rig.taskQueue}`;
    const load = startLoad(await runReceiver({ client, taskQueue }), 60);
    await eventually(load.accepted, (count) => count > 5, 'the first events');

    await server.stop();
    await eventually(load.refused, (count) => count > 0, 'an event that is refused');
    expect(problemOf(await answer())).toEqual(UNAVAILABLE);
    server = await startDevServer({ port: Number(address.split(':')[1]), databaseFile });
    expect(server.address).toBe(address);

    const replies = await load.replies;
    expect(replies.map(({ status }) => status)).toEqual(load.started.map(() => 202));
    expect(replies.map(({ text }) => JSON.parse(text).workflowId)).toEqual(load.started);
    const listed = await eventually(
      () => idsOf(rig, taskQueue),
      (ids) => ids.length >= load.started.length,
      'all that were started',
    );
    expect(listed.toSorted()).toEqual(load.started.toSorted());

    const statuses: number[] = [];
    const status = async () => statuses[statuses.push((await answer()).status) - 1];
    await eventually(status, (each) => each === 202, 'that the answer is accepted', PATIENCE_MS);
    expect(await status()).toBe(202);
    expect(statuses.filter((each) => each !== 503 && each !== 202)).toEqual([]);
    const state = await new Onboarding(client, boarding.workflowId).state();
    expect(state.requirements.map(({ id }) => id)).toEqual([second]);
    expect(state.timeline.filter(({ actor }) => actor === 'olga')).toHaveLength(1);
  },
  3 * PATIENCE_MS,
);

/** Sends an answer to a requirement; the same each time. */
function answerTo({ post }: RunningReceiver, id: string, requirementId: string | undefined) {
  const who = { actor: 'olga', reason: 'asked the merchant' };
  const data = { id, requirementId, answer: { kind: 'text', text: 'Yes.' }, ...who };
  const body = JSON.stringify(event('requirement.resolved.v1', data));
  return () => post(body, { 'content-type': STRUCTURED });
}

/** Several senders, each of which sends an event again until it is accepted. */
function startLoad({ post }: RunningReceiver, count: number) {
  const inputs = Array.from({ length: count }, () => merchant());
  let refused = 0;
  let accepted = 0;
  const send = async (position: number): Promise<Reply> => {
    const data = event('merchant.boarding.requested.v1', inputs[position], { id: `e-${position}` });
    for (; ; await sleep(SENDER_PAUSE_MS)) {
      const reply = await post(JSON.stringify(data), { 'content-type': STRUCTURED });
      if (reply.status !== 503) {
        accepted += 1;
        return reply;
      }
      refused += 1;
    }
  };
  const queue = inputs.map((_, position) => position);
  const replies: Reply[] = [];
  const sender = async () => {
    for (let position = queue.shift(); position !== undefined; position = queue.shift()) {
      replies[position] = await send(position);
    }
  };
  return {
    started: inputs.map(({ externalId }) => `merchant-boarding-${externalId}`),
    replies: Promise.all(Array.from({ length: SENDERS }, sender)).then(() => replies),
    accepted: async () => accepted,
    refused: async () => refused,
  };
}

async function idsOf({ client }: Rig, taskQueue: string): Promise<string[]> {
  const ids: string[] = [];
  const query = `TaskQueue = '${taskQueue}'`;
  for await (const { workflowId } of client.workflow.list({ query })) ids.push(workflowId);
  return ids;
}
