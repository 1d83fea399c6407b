import { fileURLToPath } from 'node:url';
import { type NativeConnection, Worker } from '@temporalio/worker';
import { bankingActivities } from '../activities/banking.js';
import { boardingActivities } from '../activities/boarding.js';
import { onboardingActivities } from '../activities/onboardings.js';
import type { Config } from '../config.js';
import { folderStore } from '../documents/folder-store.js';
import { statementFolder } from '../documents/statement-folder.js';
import { type BankingClient, bankingClient, bankingOff } from '../partners/banking/client.js';
import { type BoardingClient, boardingClient, boardingOff } from '../partners/boarding/client.js';
import { dataConverter } from '../temporal/data-converter.js';

const bundle = (name: string) => fileURLToPath(new URL(`../../dist/${name}`, import.meta.url));

/**
 * The workflows as `npm run build` bundled them; the same files for the built worker and for tests of the sources. Failures
 * are converted inside of the bundle, so that there is one that encodes them, for workers with keys.
 */
export const WORKFLOW_BUNDLES = {
  plain: bundle('workflow-bundle.js'),
  encoding: bundle('workflow-bundle-encoding.js'),
} as const;

/** Longer than a partner call may take, so that a worker told to stop hears the answer to what it has sent. */
const SHUTDOWN_GRACE = '50s';

/** After this a worker goes in any case, also when the server is away and cannot be told. */
const SHUTDOWN_FORCE = '60s';

export interface WorkerSetup {
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly config: Pick<
    Config,
    | 'taskQueue'
    | 'poll'
    | 'boarding'
    | 'banking'
    | 'posNames'
    | 'documentDir'
    | 'statementDir'
    | 'payloadKeys'
  >;
}

/** A worker with all workflows and activities. Closing the partner clients is up to `close`. */
export async function createWorker(
  setup: WorkerSetup,
): Promise<{ worker: Worker; close: () => Promise<void> }> {
  const { connection, namespace, config } = setup;
  const { poll, documentDir, statementDir, payloadKeys } = config;
  const boarding = boardingFrom(config);
  const banking = bankingFrom(config);
  const worker = await Worker.create({
    connection,
    namespace,
    taskQueue: config.taskQueue,
    workflowBundle: { codePath: payloadKeys ? WORKFLOW_BUNDLES.encoding : WORKFLOW_BUNDLES.plain },
    dataConverter: dataConverter(payloadKeys),
    activities: {
      ...boardingActivities({ client: boarding, documents: folderStore(documentDir), poll }),
      ...bankingActivities({ client: banking, statements: statementFolder(statementDir), poll }),
      ...onboardingActivities(poll),
    },
    shutdownGraceTime: SHUTDOWN_GRACE,
    shutdownForceTime: SHUTDOWN_FORCE,
    workflowTaskPollerBehavior: { type: 'autoscaling' },
    activityTaskPollerBehavior: { type: 'autoscaling' },
  });
  return {
    worker,
    async close() {
      await Promise.all([boarding.close(), banking.close()]);
    },
  };
}

function boardingFrom({ boarding, posNames }: WorkerSetup['config']): BoardingClient {
  return boarding ? boardingClient({ ...boarding, posNames }) : boardingOff('BOARDING_URL is not set');
}

function bankingFrom({ banking }: WorkerSetup['config']): BankingClient {
  return banking ? bankingClient(banking) : bankingOff('BANKING_URL is not set');
}
