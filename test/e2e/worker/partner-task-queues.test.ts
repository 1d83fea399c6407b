import { afterAll, beforeAll, expect, it } from 'vitest';
import type { MerchantBoardingInput } from '../../../src/messages/inputs.js';
import { MERCHANT } from '../../../src/temporal/kinds/kinds.js';
import type { Urgency } from '../../../src/temporal/start.js';
import { merchant } from '../../rigs/inputs.js';
import { createRig, type Rig } from '../../rigs/rig.js';
import { eventually } from '../../rigs/waiting.js';

/** Slow enough that the batch is not over before a busy machine has started the others. */
const PER_SECOND = 1;

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

/** Merchants in the order in which the partner has them. */
async function createdSoFar(): Promise<(string | undefined)[]> {
  const created = await rig.sandbox.ledger({ operation: 'create-merchant' });
  return created.map(({ guid }) => guid);
}

// Proves R1.
it('a backlog at a partner lets an interactive onboarding go before a batch, and does not delay the row of another agent', async () => {
  const rows = Array.from({ length: 24 }, () => of(101));
  const [urgent, other] = [of(101), of(102)];
  await start(rows, 'batch');
  await rig.startWorker();
  await eventually(createdSoFar, (created) => created.length > 0, 'the first of the batch');
  await Promise.all([start([urgent], 'interactive'), start([other], 'batch')]);
  // The order at the partner counts, because the batch goes on at the same rate while a busy machine is slow.
  const created = await eventually(
    createdSoFar,
    (guids) => [urgent, other].every(({ externalId }) => guids.includes(externalId)),
    'the merchants of both',
  );
  for (const { externalId } of [urgent, other]) {
    const before = created.slice(0, created.indexOf(externalId));
    expect(rows.filter((row) => before.includes(row.externalId)).length).toBeLessThan(rows.length);
  }
});
