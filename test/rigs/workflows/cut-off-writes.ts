import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Worker } from '@temporalio/worker';
import type { CreateMerchantRequest } from '../../../src/messages/boarding-activities.js';
import { partnerTaskQueue } from '../../../src/messages/ids.js';
import type { MerchantBoardingInput } from '../../../src/messages/inputs.js';
import { dataConverter } from '../../../src/temporal/payload-codec.js';
import { merchant } from '../inputs.js';
import { Onboarding } from '../onboarding.js';
import { launch } from '../processes.js';
import type { Rig } from '../rig.js';
import { eventually } from '../waiting.js';
import { keysFrom } from '../worker-config.js';
import type { creatingAlone } from './creating-alone.js';
import { giveUp } from './give-up.js';

/** Longer than a worker waits for a response. */
const DELAY_MS = 120_000;

/** Has the sandbox commit the next writes and keep their responses. @returns waits until so many have taken effect */
async function slowWrites({ sandbox }: Rig, operation: string, times = 1) {
  await sandbox.plan('delay-after-commit', operation, { times, milliseconds: DELAY_MS });
  return (count: number) =>
    eventually(
      async () => (await sandbox.ledger({ operation })).length,
      (length) => length === count,
      `${count} of ${operation}`,
    );
}

/**
 * Starts a worker and kills it in the middle of writes: their intents are recorded, they have taken effect, and their
 * responses are pending. Returns the writes once the server has given up on all of their attempts.
 */
export async function cutOffWrites(rig: Rig, beforeKill: () => Promise<unknown>) {
  const doomed = await launch('worker', rig.env, 'worker is ready');
  const inputs = { submitted: merchant(), created: merchant(), reset: merchant() };
  const submissions = await slowWrites(rig, 'submit-merchant');
  const submittingMerchant = await rig.board(inputs.submitted);
  await submissions(1);
  const creates = await slowWrites(rig, 'create-merchant', 2);
  const creating = await rig.board(inputs.created);
  const reset = await rig.board(inputs.reset);
  await creates(3);
  await resetCreate(rig, reset);
  await beforeKill();

  await doomed.stop('SIGKILL');
  await giveUp(rig);
  return {
    merchants: {
      submitting: { input: inputs.submitted, boarding: submittingMerchant },
      creating: { input: inputs.created, boarding: creating },
      reset: { input: inputs.reset, boarding: reset },
    },
  };
}

/** The same of a create whose activity is reset together with its intent. */
export async function resetWithIntent(rig: Rig) {
  const createAlone = await creatorAlone(rig);
  const doomed = await launch('worker', rig.env, 'worker is ready');
  const input = merchant();
  const creates = await slowWrites(rig, 'create-merchant');
  const creating = await createAlone(input);
  await creates(1);
  await doomed.stop('SIGKILL');
  await eventually(
    () => pendingCreate(creating),
    (create) => Boolean(create?.lastFailure),
    'the end of the attempt',
  );
  await resetCreate(rig, creating, { resetHeartbeat: true });
  return { input, creating };
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

/**
 * Creates merchants outside a boarding, because the attempt after a reset compares times with its timeout.
 *
 * @returns creates one, as soon as it is called: the worker, which takes seconds to make, is there
 */
async function creatorAlone({ client, taskQueue, env, atClose }: Rig) {
  const connection = await NativeConnection.connect({ address: env['TEMPORAL_ADDRESS'] ?? '' });
  const converter = dataConverter(keysFrom(env['PAYLOAD_KEYS'] ?? ''));
  const own = `${taskQueue}-alone`;
  const worker = await Worker.create({
    connection,
    namespace: client.options.namespace,
    taskQueue: own,
    dataConverter: converter,
    workflowBundle: await bundleWorkflowCode({
      workflowsPath: fileURLToPath(new URL('creating-alone.ts', import.meta.url)),
      logger: new DefaultLogger('ERROR'),
      ...(converter.failureConverterPath && { failureConverterPath: converter.failureConverterPath }),
    }),
  });
  const running = worker.run();
  atClose(async () => {
    worker.shutdown();
    await running;
    await connection.close();
  });
  return async ({ externalId, merchant: fields }: MerchantBoardingInput) => {
    const request: CreateMerchantRequest = {
      version: 'v2',
      guid: externalId,
      merchant: fields,
      references: { agentProfileId: 101, boardingSettingsId: 11 },
      saved: [],
    };
    const workflowId = `create-${externalId}`;
    await client.workflow.start<typeof creatingAlone>('creatingAlone', {
      workflowId,
      taskQueue: own,
      args: [partnerTaskQueue(taskQueue, 'boarding'), request],
    });
    return new Onboarding(client, workflowId);
  };
}
