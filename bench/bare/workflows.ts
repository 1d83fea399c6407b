/** Workflows without any logic of their own, with which Gangway's workflows are compared. */
import { condition, defineSignal, proxyActivities, setHandler, sleep } from '@temporalio/workflow';

interface BareActivities {
  noOp(): Promise<void>;
  readStatus(merchantProfileId: number): Promise<unknown>;
}

/** Runs `count` activities that do nothing, one after the other; default: on the task queue of the workflow. */
export async function noOps(count: number, taskQueue?: string): Promise<void> {
  const { noOp } = proxyActivities<BareActivities>({
    startToCloseTimeout: '1m',
    // As on the partner task queues of Gangway: the limit of a task queue does not count eager dispatches.
    ...(taskQueue !== undefined && { taskQueue, allowEagerDispatch: false }),
  });
  for (let run = 0; run < count; run++) await noOp();
}

/** Follows a status in the usual way: reads, sleeps, and repeats. */
export async function sleepLoop(merchantProfileId: number, rounds: number, pauseMs = 1): Promise<void> {
  const { readStatus } = proxyActivities<BareActivities>({ startToCloseTimeout: '1m' });
  for (let round = 0; round < rounds; round++) {
    await readStatus(merchantProfileId);
    await sleep(pauseMs);
  }
}

/** Reads a status once. Something outside starts it for each read. */
export async function singlePoll(merchantProfileId: number): Promise<unknown> {
  const { readStatus } = proxyActivities<BareActivities>({ startToCloseTimeout: '1m' });
  return readStatus(merchantProfileId);
}

export const go = defineSignal('go');

export async function untilSignalled(): Promise<void> {
  let gone = false;
  setHandler(go, () => {
    gone = true;
  });
  await condition(() => gone);
}
