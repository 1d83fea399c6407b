import proto from '@temporalio/proto';
import { afterAll, expect, it } from 'vitest';
import { generatePayloadKey } from '../../../../src/temporal/payload-codec.js';
import { merchant } from '../../../rigs/inputs.js';
import type { Onboarding } from '../../../rigs/onboarding.js';
import { createRig } from '../../../rigs/rig.js';
import { eventually } from '../../../rigs/waiting.js';

const OLD = generatePayloadKey();
const NEW = generatePayloadKey();
const idOf = (key: string) => key.split(':')[0] ?? '';

// First everyone learns to read the new key, then everyone writes with it.
const [before, after] = [
  await createRig({ worker: false, payloadKeys: `${OLD},${NEW}` }),
  await createRig({ worker: false, payloadKeys: `${NEW},${OLD}` }),
];
afterAll(() => Promise.all([before.close(), after.close()]));

it('a boarding begins under one key and ends under the other, without a stop', async () => {
  const first = await before.startWorker();
  const boarding = await before.board(merchant('notes'));
  const [one, two] = (await boarding.until(({ requirements }) => requirements.length === 2)).requirements;
  const second = await before.startWorker({ payloadKeys: `${NEW},${OLD}` });
  await boarding.resolve(one?.id ?? '', { kind: 'text', text: 'Answered before.' });
  await first.stop();

  const seen = after.client.workflow.getHandle(boarding.workflowId);
  expect(await seen.query('state')).toMatchObject({ requirements: [{ id: two?.id }] });
  await boarding.resolve(two?.id ?? '', { kind: 'text', text: 'Answered after.' });
  expect(await seen.result()).toMatchObject({ outcome: 'boarded' });
  expect(await keysUsed(boarding)).toEqual([idOf(OLD), idOf(NEW)].sort());
  await second.stop();
});

it('a worker without the key leaves the boarding unchanged until a worker with the key runs', async () => {
  const stranger = await after.startWorker({ payloadKeys: generatePayloadKey() });
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
  await stranger.stop();
  await after.startWorker();
  expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });
});

/** IDs of the keys that a history was written with. */
async function keysUsed(boarding: Onboarding): Promise<string[]> {
  const { History } = proto.temporal.api.history.v1;
  const bytes = Buffer.from(History.encode(await boarding.handle.fetchHistory()).finish()).toString('latin1');
  return [OLD, NEW]
    .map(idOf)
    .filter((id) => bytes.includes(id))
    .sort();
}
