import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, inject, it } from 'vitest';
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
async function cancelAsItGrowsLong(
  { handle }: Onboarding<unknown>,
  stop: () => Promise<unknown>,
  more: () => Promise<unknown> = async () => {},
) {
  const { historyLength } = await handle.describe();
  expect(historyLength).toBeLessThan(LIMIT);
  await stop();
  for (let signals = 0; signals <= LIMIT; signals += 1) await handle.signal('reportAgain');
  await more();
  await cancelWithoutWorker({ handle });
}

async function cancelWithoutWorker({ handle }: Pick<Onboarding<unknown>, 'handle'>) {
  const { runId } = await handle.describe();
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

/** A signal's handler has not finished when the cancellation arrives. A timer has none, so the run may end before the cancellation. */
it.runIf(inject('isSimulated'))('nor does one in the task of a timer that makes it long', async () => {
  const stop = await withWorker();
  const boarding = await rig.board(merchant('notes', { dueInHours: 48 }));
  await boarding.requirement('underwriting-note');
  const { handle } = boarding;
  const length = async () => (await handle.describe()).historyLength;
  // A timer and a cancellation add four events. So does a signal, with its task.
  for (let before = await length(); before + 4 < LIMIT; before = await length()) {
    await handle.signal('reportAgain');
    await eventually(length, (now) => now >= before + 4, 'the task of the signal');
  }
  expect(await length()).toBeLessThan(LIMIT);
  await stop();
  await sleep(49 * 60 * 60 * 1_000);
  await cancelWithoutWorker(boarding);
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
  // Another question, after which it would continue as new.
  await cancelAsItGrowsLong(record, stop, () => record.handle.signal('statusSeen', { status: 'Paused' }));
});
