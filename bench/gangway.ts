import type { Client } from '@temporalio/client';
import { freePort } from '../src/apps/demo/dev-server.js';
import { startReceiver } from '../src/apps/receiver/server.js';
import { loadReceiverSettings } from '../src/apps/receiver/settings.js';
import { createLogger } from '../src/platform/process/logging.js';
import { merchant } from '../test/rigs/inputs.js';
import { launch, type RunningProcess } from '../test/rigs/processes.js';
import { SECRET } from '../test/rigs/receiver/running-receiver.js';
import { createRig, type Rig, type RigOptions } from '../test/rigs/rig.js';
import { SandboxControl } from '../test/rigs/sandbox-control.js';
import type { Bench } from './bench.js';

export interface RunningGangway extends Rig {
  readonly worker: RunningProcess;
}

/**
 * Gangway as in production: the built worker and the partners run in their own processes, and payloads are encrypted.
 *
 * @param settings of the worker, in addition to those of the rig; by default it polls every 100 ms to 1 s. An empty
 *   `PAYLOAD_KEYS` leaves the payloads of the client in plain text, too
 */
export async function gangway(
  bench: Bench,
  settings: Readonly<Record<string, string>> = {},
): Promise<RunningGangway> {
  const { PAYLOAD_KEYS: payloadKeys } = settings;
  const input = payloadKeys === undefined ? {} : { payloadKeys };
  const rig = await rigOn(bench, { worker: false, ...input });
  const sandbox = await partners(bench);
  const env = { ...withPartnersAt(rig.env, sandbox.url), ...settings };
  return { ...rig, env, sandbox, worker: await runningWorker(bench, env) };
}

/**
 * Boards a merchant, and waits for the result as the bare side does: `outcome()` of the test rigs also describes the workflow every
 * 250 ms.
 */
export async function boarding({ board }: Rig, scenario?: string): Promise<unknown> {
  return (await board(merchant(scenario))).handle.result();
}

/** The partners' sandbox, which takes a step with each status read. */
export async function partners(bench: Bench): Promise<SandboxControl> {
  const address = `127.0.0.1:${await freePort()}`;
  const pace = { SANDBOX_ADDRESS: address, SANDBOX_PACE: '1reads' };
  const sandbox = await launch('sandbox', pace, 'sandbox is ready');
  bench.atEnd(() => stopped(sandbox));
  return new SandboxControl(`http://${address}`);
}

/** Replaces the URLs of all partners. */
export function withPartnersAt(env: Readonly<Record<string, string>>, url: string): Record<string, string> {
  const moved = Object.entries(env).map(([name, value]) => [name, name.endsWith('_URL') ? url : value]);
  return Object.fromEntries(moved);
}

/** The built worker, once it is ready. */
export async function runningWorker(
  bench: Bench,
  env: Readonly<Record<string, string>>,
): Promise<RunningProcess> {
  const worker = await launch('worker', env, 'worker is ready');
  bench.atEnd(() => stopped(worker));
  return worker;
}

/** A setting that has a worker serve metrics, and where they are. */
export async function metricsAt(): Promise<{ setting: Readonly<Record<string, string>>; url: string }> {
  const address = `127.0.0.1:${await freePort()}`;
  return { setting: { GANGWAY_METRICS_ADDRESS: address }, url: `http://${address}/metrics` };
}

/** Ends a process as an operator does, if it still runs. */
export async function stopped({ child, exit }: RunningProcess): Promise<void> {
  child.kill('SIGTERM');
  await exit;
}

/** A client, a sandbox and a worker in this process: for counts, which do not depend on time. */
export async function rigOn(bench: Bench, options: RigOptions = {}): Promise<Rig> {
  const rig = await createRig({ address: await bench.address(), ...options });
  bench.atEnd(() => rig.close());
  return rig;
}

/** Starts a receiver without a rate limit. @returns its URL */
export async function receiving(bench: Bench, client: Client, taskQueue: string): Promise<string> {
  const env = { RECEIVER_ADDRESS: '127.0.0.1:0', RECEIVER_SECRETS: SECRET, RECEIVER_BANKING_AUTH: 'none' };
  const settings = { ...loadReceiverSettings(env), requestsPerMinute: 9_999_999 };
  const receiver = await startReceiver({ ...settings, client, taskQueue, logger: createLogger('error') });
  bench.atEnd(() => receiver.close());
  return receiver.url;
}
