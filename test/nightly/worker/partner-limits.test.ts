import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import type { MerchantBoardingInput } from '../../../src/messages/inputs.js';
import { MERCHANT } from '../../../src/temporal/kinds/kinds.js';
import type { Urgency } from '../../../src/temporal/start.js';
import { merchant } from '../../rigs/inputs.js';
import { launch } from '../../rigs/processes.js';
import { createRig, type Rig } from '../../rigs/rig.js';

const PER_SECOND = 5;

let rig: Rig;
beforeAll(async () => {
  rig = await createRig({ worker: false, activitiesPerSecond: { boarding: PER_SECOND } });
});
afterAll(() => rig.close());

const of = (agentProfileId: number) => merchant(undefined, { agentProfileId });

async function start(inputs: readonly MerchantBoardingInput[], urgency: Urgency): Promise<void> {
  const { client, taskQueue } = rig;
  await Promise.all(
    inputs.map((input) => MERCHANT.start(client, input, { fourEyes: [], taskQueue, urgency })),
  );
}

/** When the activities of a merchant's workflow began, and on which worker, as the server has written it down. */
async function begunBy({ externalId }: MerchantBoardingInput) {
  const { events } = await rig.client.workflow.getHandle(`merchant-boarding-${externalId}`).fetchHistory();
  return (events ?? []).flatMap(({ eventTime, activityTaskStartedEventAttributes: handle }) => {
    if (!handle) return [];
    const at = Number(eventTime?.seconds) * 1_000 + Number(eventTime?.nanos) / 1e6;
    return [{ at, worker: handle.identity }];
  });
}

it('a limit for a partner holds over all workers together', async () => {
  const env = { ...rig.env, BOARDING_ACTIVITIES_PER_SECOND: `${PER_SECOND}` };
  const workers = await Promise.all([1, 2].map(() => launch('worker', env, 'worker is ready')));
  onTestFinished(async () => void (await Promise.all(workers.map(({ stop }) => stop()))));
  const inputs = Array.from({ length: 6 }, () => of(101));
  await start(inputs, 'interactive');
  await Promise.all(inputs.map((i) => rig.client.workflow.result(`merchant-boarding-${i.externalId}`)));

  const handle = (await Promise.all(inputs.map(begunBy))).flat();
  expect(new Set(handle.map(({ worker }) => worker)).size).toBe(2);
  // Create, submission and wait, six times; repeated reads are not in the history.
  expect(handle.length).toBeGreaterThanOrEqual(18);
  const times = handle.map(({ at }) => at).sort((one, other) => one - other);
  const seconds = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1_000;
  // The server lets a second's worth go at once, and rounds for each of its four partitions.
  expect(handle.length - 2 * PER_SECOND).toBeLessThanOrEqual(PER_SECOND * seconds);
});
