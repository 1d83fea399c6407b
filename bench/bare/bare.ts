import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { dataConverter } from '../../src/temporal/payload-codec.js';
import { TUNING } from '../../src/worker/tuning.js';
import { launchNode, type RunningProcess } from '../../test/rigs/processes.js';
import { keysFrom } from '../../test/rigs/worker-config.js';
import type { Bench } from '../bench.js';
import { stopped } from '../gangway.js';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

export interface BareWorker {
  readonly client: Client;
  readonly pid: number;
  readonly taskQueue: string;
  /** For activities that do not run on the task queue of the workflows. */
  readonly activityTaskQueue: string;
}

/**
 * A bare worker in its own process. Its activities read from `partner`, the URL of a sandbox.
 *
 * @param payloadKeys encrypt the payloads; '' leaves them in plain text
 */
export async function bareWorker(bench: Bench, partner: string, payloadKeys = ''): Promise<BareWorker> {
  const bare = await bareProcess(bench, partner, payloadKeys);
  const worker = await bare.start();
  bench.atEnd(() => stopped(worker));
  const connection = await Connection.connect({ address: await bench.address() });
  bench.atEnd(() => connection.close());
  const client = new Client({ connection, dataConverter: dataConverter(keysFrom(payloadKeys)) });
  return { ...bare, client, pid: worker.child.pid ?? 0 };
}

/**
 * Runs a bare workflow with activities that do nothing.
 *
 * @param hasPartnerQueue runs them on a task queue of their own, as Gangway does
 */
export async function runNoOps(
  { client, taskQueue, activityTaskQueue }: BareWorker,
  count: number,
  hasPartnerQueue: boolean,
): Promise<void> {
  const workflowId = `no-ops-${randomUUID()}`;
  const args = hasPartnerQueue ? [count, activityTaskQueue] : [count];
  await client.workflow.execute('noOps', { workflowId, taskQueue, args });
}

/** A bare worker that is not started yet. */
interface BareProcess extends Omit<BareWorker, 'client' | 'pid'> {
  start(): Promise<RunningProcess>;
}

export async function bareProcess(bench: Bench, partner: string, payloadKeys = ''): Promise<BareProcess> {
  const taskQueue = `bare-${randomUUID()}`;
  const activityTaskQueue = `${taskQueue}-activities`;
  const bundle = await bundled(bench);
  const env = {
    TEMPORAL_ADDRESS: await bench.address(),
    BARE_TASK_QUEUE: taskQueue,
    BARE_ACTIVITY_TASK_QUEUE: activityTaskQueue,
    BARE_BUNDLE: bundle,
    BARE_TUNING: JSON.stringify(TUNING),
    BOARDING_URL: partner,
    PAYLOAD_KEYS: payloadKeys,
  };
  const start = () => launchNode([path('./worker.mjs')], env, 'bare worker is ready');
  return { taskQueue, activityTaskQueue, start };
}

/** Bundles the workflows of this folder. @returns the path of the bundle */
async function bundled(bench: Bench): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'gangway-bench-'));
  bench.atEnd(() => rm(folder, { recursive: true }));
  const { code } = await bundleWorkflowCode({
    workflowsPath: path('./workflows.ts'),
    logger: new DefaultLogger('WARN'),
  });
  const bundle = join(folder, 'bundle.js');
  await writeFile(bundle, code);
  return bundle;
}
