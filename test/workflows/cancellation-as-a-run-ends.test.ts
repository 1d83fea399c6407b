import { afterEach, expect, it } from 'vitest';
import { partnerRecordId } from '../../src/messages/ids.js';
import { reportStatus } from '../../src/temporal/partner-accounts.js';
import { customer, merchant } from '../rigs/inputs.js';
import { Onboarding } from '../rigs/onboarding.js';
import { createRig, type Rig } from '../rigs/rig.js';
import { eventually } from '../rigs/waiting.js';

/** Events after which the server suggests a new run, where a real one waits for thousands. */
const LIMIT = 200;

let rig: Rig;
afterEach(() => rig.close());

/**
 * Lets one task of the workflow have both: a history long enough for a new run, and its cancellation. While no worker runs, signals
 * that change nothing lengthen the history.
 */
async function cancelAsItGrowsLong({ handle }: Onboarding<unknown>, stop: () => Promise<unknown>) {
  const { runId, historyLength } = await handle.describe();
  expect(historyLength).toBeLessThan(LIMIT);
  await stop();
  for (let signals = 0; signals <= LIMIT; signals += 1) await handle.signal('reportAgain');
  await handle.cancel();
  await rig.startWorker();
  const end = async () => (await rig.client.workflow.getHandle(handle.workflowId, runId).describe()).status;
  // The next run would know nothing of the cancellation.
  const { name } = await eventually(end, (status) => status.name !== 'RUNNING', 'the end of the run');
  expect(name).toBe('CANCELLED');
}

const withWorker = async () => {
  rig = await createRig({ continueAfter: LIMIT, worker: false });
  const worker = await rig.startWorker();
  return () => worker.stop();
};

it('a boarding that is canceled in the task that makes its history long does not continue as new', async () => {
  const stop = await withWorker();
  const boarding = await rig.board(merchant('notes'));
  await boarding.requirement('underwriting-note');
  await cancelAsItGrowsLong(boarding, stop);
});

it('nor does a business', async () => {
  const stop = await withWorker();
  const onboarding = await rig.onboard(customer({ boarding: 'waiting', business: 'waiting' }));
  const part = onboarding.parts.business;
  await onboarding.until(({ business: now }) => now?.partnerStatus === 'Submitted', 'the business');
  await cancelAsItGrowsLong(part, stop);
});

it('nor does a customer, whose parts are canceled with it', async () => {
  const stop = await withWorker();
  const onboarding = await rig.onboard(customer({ boarding: 'waiting', business: 'waiting' }));
  await onboarding.until(
    ({ boarding, business: now }) =>
      boarding?.partnerStatus === 'Pending' && now?.partnerStatus === 'Submitted',
    'both parts',
  );
  await cancelAsItGrowsLong(onboarding, stop);
  for (const { handle } of [onboarding.parts.boarding, onboarding.parts.business])
    expect((await handle.describe()).status.name).toBe('CANCELLED');
});

it('nor does the record of a partner', async () => {
  const stop = await withWorker();
  const { client, taskQueue } = rig;
  await reportStatus(client, { fourEyes: [], system: 'boarding', account: undefined, taskQueue }, 'On Hold');
  const record = new Onboarding(client, partnerRecordId('boarding', taskQueue));
  await record.requirement('new-status');
  await cancelAsItGrowsLong(record, stop);
});
