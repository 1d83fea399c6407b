import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { merchant } from '../inputs.js';
import { launch, type RunningProcess } from '../processes.js';
import type { Rig } from '../rig.js';
import { eventually } from '../waiting.js';

/** A worker in the middle of a create, which has received the signal. */
export async function interruptedWorker(rig: Rig, signal: NodeJS.Signals) {
  const worker = await launch('worker', rig.env, 'worker is ready');
  onTestFinished(() => void worker.child.kill('SIGKILL'));
  const input = merchant();
  const held = await rig.sandbox.hold('create-merchant', input.externalId, 'delay-after-commit');
  const boarding = await rig.board(input);
  await held.underWay();
  const { health } = worker.addresses();
  worker.child.kill(signal);
  const isReady = async () => (await fetch(`${health}/readyz`)).status === 200;
  await eventually(isReady, (answer) => !answer, 'the begin of the shutdown');
  return { worker, input, boarding, held };
}

/** How a process ends. */
export async function endOf({ child }: RunningProcess) {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return { code: child.exitCode, signal: child.signalCode };
}
