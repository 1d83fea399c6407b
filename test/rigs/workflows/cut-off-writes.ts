import { merchant } from '../inputs.js';
import type { Onboarding } from '../onboarding.js';
import { launch } from '../processes.js';
import type { Rig } from '../rig.js';
import { eventually } from '../waiting.js';
import { creatorAlone } from './create-alone.js';
import { giveUp } from './give-up.js';

/** Longer than a worker waits for a response. */
const DELAY_MS = 120_000;

/**
 * Starts a worker and kills it in the middle of writes: they are marked and have taken effect, and their
 * responses are pending. Returns the writes once the server has given up on all of their attempts.
 */
export async function cutOffWrites(rig: Rig) {
  const createAlone = await creatorAlone(rig);
  const doomed = await launch('worker', rig.env, 'worker is ready');
  const slowly = (operation: string, times = 1) =>
    rig.sandbox.plan('delay-after-commit', operation, { times, milliseconds: DELAY_MS });
  const effects = (operation: string, count: number) =>
    eventually(
      async () => (await rig.sandbox.ledger({ operation })).length,
      (length) => length === count,
      `${count} of ${operation}`,
    );

  const inputs = {
    submitted: merchant(),
    created: merchant(),
    reset: merchant(),
    resetWithMarks: merchant(),
  };
  await slowly('submit-merchant');
  const submittingMerchant = await rig.board(inputs.submitted);
  await effects('submit-merchant', 1);
  await slowly('create-merchant', 3);
  const creating = await rig.board(inputs.created);
  const reset = await rig.board(inputs.reset);
  const resetWithMarks = await createAlone(inputs.resetWithMarks);
  await effects('create-merchant', 4);
  await resetCreate(rig, reset);

  doomed.child.kill('SIGKILL');
  await doomed.exit;
  await eventually(
    () => pendingCreate(resetWithMarks),
    (create) => Boolean(create?.lastFailure),
    'the end of the attempt',
  );
  await resetCreate(rig, resetWithMarks, { resetHeartbeat: true });
  await giveUp(rig);
  return {
    merchants: {
      submitting: { input: inputs.submitted, boarding: submittingMerchant },
      creating: { input: inputs.created, boarding: creating },
      reset: { input: inputs.reset, boarding: reset },
      resetWithMarks: { input: inputs.resetWithMarks, creating: resetWithMarks },
    },
  };
}

type Boarding = Pick<Onboarding, 'handle' | 'workflowId'>;

async function pendingCreate({ handle }: Boarding) {
  const pending = (await handle.describe()).raw.pendingActivities ?? [];
  return pending.find(({ activityType }) => activityType?.name === 'createMerchant');
}

/** Resets the activity as the `temporal` command does: attempts count from 1 again. */
async function resetCreate(
  { client }: Rig,
  boarding: Boarding,
  options: { readonly resetHeartbeat?: true } = {},
): Promise<void> {
  await client.workflowService.resetActivity({
    namespace: client.options.namespace,
    execution: { workflowId: boarding.workflowId },
    id: (await pendingCreate(boarding))?.activityId ?? '',
    ...options,
  });
}
