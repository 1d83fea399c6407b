import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Worker } from '@temporalio/worker';
import type { CreateMerchantRequest } from '../../../src/messages/boarding-activities.js';
import { partnerTaskQueue } from '../../../src/messages/ids.js';
import type { MerchantBoardingInput } from '../../../src/messages/inputs.js';
import { dataConverter } from '../../../src/temporal/payload-codec.js';
import { Onboarding } from '../onboarding.js';
import type { Rig } from '../rig.js';
import { keysFrom } from '../worker.js';
import type { creatingAlone } from './creating-alone.js';

/**
 * Creates merchants outside a boarding, because the attempt after a reset compares times with its time-out.
 *
 * @returns creates one, as soon as it is called: the worker, which takes seconds to make, is there
 */
export async function creatorAlone({ client, taskQueue, env, atClose }: Rig) {
  const connection = await NativeConnection.connect({ address: env['TEMPORAL_ADDRESS'] ?? '' });
  const converter = dataConverter(keysFrom(env['PAYLOAD_KEYS'] ?? ''));
  const own = `${taskQueue}-alone`;
  const worker = await Worker.create({
    ...{ connection, namespace: client.options.namespace, taskQueue: own, dataConverter: converter },
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
      ...{ version: 'v2', guid: externalId, merchant: fields },
      references: { agentProfileId: 101, boardingSettingsId: 11 },
    };
    const workflowId = `create-${externalId}`;
    await client.workflow.start<typeof creatingAlone>('creatingAlone', {
      ...{ workflowId, taskQueue: own },
      args: [partnerTaskQueue(taskQueue, 'boarding'), request],
    });
    return new Onboarding(client, workflowId);
  };
}
