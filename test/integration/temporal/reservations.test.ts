import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { type Reservation, reservationOf, reserve } from '../../../src/activities/reservations.js';
import { reservationId } from '../../../src/messages/ids.js';
import { sharedRig } from '../../rigs/shared-rig.js';

const { client } = await sharedRig();
const taskQueue = randomUUID();
let records = 5_000;

/** A record, and what onboardings do with its reservation. */
function record() {
  const id = reservationId('boarding', taskQueue, records++, 'acme');
  const take = (owner: string, from?: Reservation) => reserve(client, { id, owner, taskQueue }, from);
  const owner = async () => (await reservationOf(client, id))?.owner;
  return { id, take, owner };
}

it('a record is reserved for one of many onboardings that want it at the same moment', async () => {
  const { take, owner } = record();
  const owners = Array.from({ length: 8 }, (_, index) => `merchant-boarding-m-${index}@acme`);
  expect(await owner()).toBeUndefined();
  const taken = await Promise.all(owners.map((each) => take(each)));
  expect(taken.filter(Boolean)).toHaveLength(1);
  expect(await owner()).toBe(owners[taken.indexOf(true)]);
});

it('one of many onboardings takes a reservation over', async () => {
  const { id, take, owner } = record();
  await take('first');
  const held = await reservationOf(client, id);
  const owners = ['second', 'third', 'fourth'];
  const taken = await Promise.all(owners.map((each) => take(each, held)));
  expect(taken.filter(Boolean)).toHaveLength(1);
  expect(await owner()).toBe(owners[taken.indexOf(true)]);
});

it('a reservation that was ended by hand is none that a response can take, but one to take over', async () => {
  const { id, take, owner } = record();
  await take('first');
  await client.workflow.getHandle(id).terminate();
  expect([await take('second'), await owner()]).toEqual([false, 'first']);
  expect([await take('second', await reservationOf(client, id)), await owner()]).toEqual([true, 'second']);
});

it('a reservation never runs, lasts for ten years, and no queue of a worker has it', async () => {
  const { id, take } = record();
  await take('first');
  const { status, taskQueue: its, raw } = await client.workflow.getHandle(id).describe();
  expect([status.name, its]).toEqual(['RUNNING', `${taskQueue}-reservations`]);
  const { workflowExecutionTimeout: timeout } = raw.executionConfig ?? {};
  expect(Number(timeout?.seconds)).toBe(3_650 * 86_400);
  expect(raw.pendingWorkflowTask ?? null).toBeNull();
});
