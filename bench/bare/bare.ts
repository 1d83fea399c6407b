import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { launchNode, type RunningProcess } from '../../test/rigs/processes.js';
import type { Bench } from '../bench.js';
import { stopped } from '../gangway.js';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

export interface BareWorker {
  /** Does not encrypt payloads. */
  readonly client: Client;
  readonly taskQueue: string;
  /** For activities that do not run on the task queue of the workflows. */
  readonly activityTaskQueue: string;
}

/** A bare worker in its own process. Its activities read from `partner`, the URL of a sandbox. */
export async function bareWorker(bench: Bench, partner: string): Promise<BareWorker> {
  const { start, taskQueue, activityTaskQueue } = await bareProcess(bench, './workflows.ts', partner);
  const worker = await start();
  bench.atEnd(() => stopped(worker));
  const connection = await Connection.connect({ address: await bench.address() });
  bench.atEnd(() => connection.close());
  return { client: new Client({ connection }), taskQueue, activityTaskQueue };
}

/** Bundles the workflows of a bare worker, as Gangway does. @returns how to start it */
export async function bareProcess(
  bench: Bench,
  workflows: string,
  partner: string,
): Promise<Omit<BareWorker, 'client'> & { start: () => Promise<RunningProcess> }> {
  const taskQueue = `bare-${randomUUID()}`;
  const activityTaskQueue = `${taskQueue}-activities`;
  const env = {
    TEMPORAL_ADDRESS: await bench.address(),
    BARE_TASK_QUEUE: taskQueue,
    BARE_ACTIVITY_TASK_QUEUE: activityTaskQueue,
    BARE_BUNDLE: await bundled(bench, workflows),
    BOARDING_URL: partner,
  };
  const start = () => launchNode([path('./worker.mjs')], env, 'bare worker is ready');
  return { start, taskQueue, activityTaskQueue };
}

/** Bundles workflows of this folder. @returns the path of the bundle */
async function bundled(bench: Bench, workflows: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'gangway-bench-'));
  bench.atEnd(() => rm(folder, { recursive: true }));
  const { code } = await bundleWorkflowCode({
    workflowsPath: path(workflows),
    logger: new DefaultLogger('WARN'),
  });
  const bundle = join(folder, 'bundle.js');
  await writeFile(bundle, code);
  return bundle;
}
