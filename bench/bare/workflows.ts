/** Workflows without any logic of their own, with which Gangway's workflows are compared. */
import { defineSearchAttributeKey } from '@temporalio/common';
import {
  condition,
  defineSignal,
  proxyActivities,
  setHandler,
  sleep,
  upsertSearchAttributes,
} from '@temporalio/workflow';

interface BareActivities {
  noOp(): Promise<void>;
  readStatus(merchantProfileId: number): Promise<unknown>;
  createMerchant(basics: unknown): Promise<number>;
  submitMerchant(merchantProfileId: number): Promise<void>;
  readMerchant(merchantProfileId: number): Promise<{ readonly status: string; readonly mid: string | null }>;
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

const PARTNER_STATUS = defineSearchAttributeKey('PartnerStatus', 'KEYWORD');

/**
 * A boarding as people write it by hand: the partner calls of Gangway, a loop of reads and sleeps, and one search attribute. A call
 * whose response is lost is sent again, so a merchant may exist twice.
 */
export async function boardByHand(basics: unknown, pauseMs: number): Promise<string> {
  const { createMerchant, submitMerchant, readMerchant } = proxyActivities<BareActivities>({
    startToCloseTimeout: '1m',
  });
  const id = await createMerchant(basics);
  await submitMerchant(id);
  for (let text = ''; ; await sleep(pauseMs)) {
    const { status, mid } = await readMerchant(id);
    if (status !== text) upsertSearchAttributes([{ key: PARTNER_STATUS, value: status }]);
    text = status;
    if (mid !== null || status === 'Declined') return mid ?? status;
  }
}
