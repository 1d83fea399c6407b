/** Workflows that do nothing but what Temporal does for them: what Gangway's are held against. */
import { condition, defineSignal, proxyActivities, setHandler, sleep } from '@temporalio/workflow';

interface BareActivities {
  noOp(): Promise<void>;
  readStatus(merchantProfileId: number): Promise<unknown>;
}

/** Runs `count` activities that do nothing, one after the other; on another task queue where one is given. */
export async function noOps(count: number, taskQueue?: string): Promise<void> {
  const { noOp } = proxyActivities<BareActivities>({
    startToCloseTimeout: '1m',
    // As Gangway does on its lanes: what is dispatched eagerly is not counted by the limit of a task queue.
    ...(taskQueue !== undefined && { taskQueue, allowEagerDispatch: false }),
  });
  for (let run = 0; run < count; run++) await noOp();
}

/** Follows a status the common way: read, sleep, and again. */
export async function sleepLoop(merchantProfileId: number, rounds: number): Promise<void> {
  const { readStatus } = proxyActivities<BareActivities>({ startToCloseTimeout: '1m' });
  for (let round = 0; round < rounds; round++) {
    await readStatus(merchantProfileId);
    await sleep(1);
  }
}

export const go = defineSignal('go');

export async function untilSignalled(): Promise<void> {
  let gone = false;
  setHandler(go, () => {
    gone = true;
  });
  await condition(() => gone);
}
