import proto from '@temporalio/proto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { generatePayloadKey } from '../../../src/temporal/payload-codec.js';
import { merchant } from '../../rigs/inputs.js';
import type { Onboarding } from '../../rigs/onboarding.js';
import { launch } from '../../rigs/processes.js';
import { createRig, type Rig } from '../../rigs/rig.js';
import { eventually } from '../../rigs/waiting.js';

const OLD = generatePayloadKey();
const NEW = generatePayloadKey();
const idOf = (key: string) => key.split(':')[0] ?? '';

/** Rigs on one server and task queue, as processes are that were restarted with other keys. */
let before: Rig;
let after: Rig;
beforeAll(async () => {
  // First everyone learns to read the new key, then everyone writes with it.
  before = await createRig({ worker: false, payloadKeys: `${OLD},${NEW}` });
  after = await createRig({ worker: false, payloadKeys: `${NEW},${OLD}` });
});
afterAll(async () => {
  await before.close();
  await after.close();
});

it('a boarding begins under one key and ends under the other, without a stop', async () => {
  const start = (keys: string) => launch('worker', { ...before.env, PAYLOAD_KEYS: keys }, 'worker is ready');
  const first = await start(`${OLD},${NEW}`);
  const boarding = await before.board(merchant('notes'));
  const [one, two] = (await boarding.until(({ requirements }) => requirements.length === 2)).requirements;
  const second = await start(`${NEW},${OLD}`);
  await boarding.resolve(one?.id ?? '', { kind: 'text', text: 'Answered before.' });
  first.child.kill('SIGTERM');
  await first.exit;

  const seen = after.client.workflow.getHandle(boarding.workflowId);
  expect(await seen.query('state')).toMatchObject({ requirements: [{ id: two?.id }] });
  await boarding.resolve(two?.id ?? '', { kind: 'text', text: 'Answered after.' });
  expect(await seen.result()).toMatchObject({ outcome: 'boarded' });
  expect(await keysUsed(boarding)).toEqual([idOf(OLD), idOf(NEW)].sort());
  second.child.kill('SIGTERM');
  await second.exit;
});

it('a worker without the key leaves the boarding unchanged until a worker with the key runs', async () => {
  const keys = { PAYLOAD_KEYS: generatePayloadKey() };
  const stranger = await launch('worker', { ...after.env, ...keys }, 'worker is ready');
  const boarding = await after.board(merchant());
  const hasStumbled = async () => {
    const { events } = await boarding.handle.fetchHistory();
    if (events?.some(({ workflowTaskFailedEventAttributes: failed }) => failed)) return true;
    // A first attempt may go to a worker that is gone, and time out. The history then has no failure of the next ones.
    const { raw } = await boarding.handle.describe();
    return (raw.pendingWorkflowTask?.attempt ?? 0) > 2;
  };
  await eventually(hasStumbled, Boolean, 'a workflow task that fails');
  expect((await boarding.handle.describe()).status.name).toBe('RUNNING');
  stranger.child.kill('SIGTERM');
  await stranger.exit;
  await after.startWorker();
  expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });
});

/** Ids of the keys that a history was written with. */
async function keysUsed(boarding: Onboarding): Promise<string[]> {
  const { History } = proto.temporal.api.history.v1;
  const bytes = Buffer.from(History.encode(await boarding.handle.fetchHistory()).finish()).toString('latin1');
  return [OLD, NEW]
    .map(idOf)
    .filter((id) => bytes.includes(id))
    .sort();
}
