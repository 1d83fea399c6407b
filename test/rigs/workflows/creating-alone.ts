import { proxyActivities, type UntypedActivities } from '@temporalio/workflow';

/** A workflow with one activity, `createMerchant`. */
export async function creatingAlone(taskQueue: string, request: object): Promise<unknown> {
  const { createMerchant } = proxyActivities<UntypedActivities>({
    taskQueue,
    startToCloseTimeout: '20 seconds',
  });
  return createMerchant?.(request);
}
