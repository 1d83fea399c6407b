import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { newFolder } from '../../../rigs/folders.js';
import { merchant } from '../../../rigs/inputs.js';
import { Onboarding } from '../../../rigs/onboarding.js';
import { flood } from '../../../rigs/receiver/flood.js';
import {
  clientOf,
  event,
  problemOf,
  runReceiver,
  STRUCTURED,
  UNAVAILABLE,
} from '../../../rigs/receiver/running-receiver.js';
import { createRig } from '../../../rigs/rig.js';
import { startTemporal } from '../../../rigs/temporal-server.js';
import { eventually } from '../../../rigs/waiting.js';

/** `FLOOD_EVENTS=10000` sends more. */
const EVENTS = Number(process.env['FLOOD_EVENTS'] ?? 300);

/** The server is killed when this many events are accepted. */
const KILLED_AT = [40, 120];

it('each accepted event has one workflow, and an answer is applied once, although Temporal is killed twice during a flood', async () => {
  const folder = await newFolder();
  const databaseFile = join(folder, 'temporal.db');
  let server = await startTemporal({ databaseFile });
  const rig = await createRig({ address: server.address, payloadKeys: '' });
  onTestFinished(async () => {
    await rig.close();
    await server.stop();
  });
  const { address } = server;
  const taskQueue = `killed-${randomUUID()}`;
  // As the process has it: it reconnects by itself.
  const client = clientOf(address);
  const { url, log } = await runReceiver({ client, taskQueue }, { requestsPerMinute: 9_999_999 });
  const boarding = await rig.board(merchant('notes'));
  const { requirements } = await boarding.until((state) => state.requirements.length === 2, 'two notes');
  const [first, second] = requirements.map(({ id }) => id);
  const answering = await runReceiver({ client, taskQueue: rig.taskQueue });
  const who = { actor: 'olga', reason: 'asked the merchant', answer: { kind: 'text', text: 'Yes.' } };
  const answered = event('requirement.resolved.v1', {
    id: boarding.workflowId,
    requirementId: first,
    ...who,
  });
  const answer = () => answering.post(JSON.stringify(answered), { 'content-type': STRUCTURED });

  const accepted = new EventEmitter();
  const moments = KILLED_AT.map((count) => once(accepted, `${count}`));
  const flooding = flood(rig.client, taskQueue, `${url}/events`, EVENTS, (count) =>
    accepted.emit(`${count}`),
  );
  for (const moment of moments) {
    await moment;
    process.kill(server.pid, 'SIGKILL');
    await server.stop();
    expect(problemOf(await answer())).toEqual(UNAVAILABLE);
    server = await startTemporal({ port: Number(address.split(':')[1]), databaseFile });
    expect(server.address).toBe(address);
  }

  const { seconds: _, sentAgain: _1, ...figures } = await flooding;
  const [forged, repeated] = [EVENTS / 100, EVENTS / 10];
  const distinct = EVENTS - forged - repeated;
  expect(log()).not.toContain('The receiver has an internal error');
  expect(figures).toEqual({
    sent: EVENTS,
    repeated,
    forged,
    responses: { 202: EVENTS - forged, 401: forged },
    accepted: distinct,
    started: distinct,
    lost: 0,
    doubled: 0,
  });

  const statuses: number[] = [];
  const status = async () => statuses[statuses.push((await answer()).status) - 1];
  await eventually(status, (each) => each === 202, 'that the answer is accepted', 120_000);
  expect(await status()).toBe(202);
  expect(statuses.filter((each) => each !== 503 && each !== 202)).toEqual([]);
  const state = await new Onboarding(client, boarding.workflowId).state();
  expect(state.requirements.map(({ id }) => id)).toEqual([second]);
  expect(state.timeline.filter(({ actor }) => actor === 'olga')).toHaveLength(1);
}, 300_000);
