import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { accountActivities } from '../../../src/activities/wake-activities.js';
import type { PartnerAccountActivities } from '../../../src/messages/partner-account.js';
import { answering, execution, grpcError, payloads } from '../../rigs/temporal/answering-service.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** Activities of workflows whose last attempt failed like this, and the activities of their account. */
function account(failures: Readonly<Record<string, object>>) {
  const { client, sent } = answering({
    listWorkflowExecutions: () => ({ executions: [] }),
    describeWorkflowExecution: ({ execution: { workflowId } }) => {
      const details = failures[workflowId];
      if (!details) throw grpcError('NOT_FOUND');
      const applicationFailureInfo = { type: 'PartnerError', details: { payloads: payloads(details) } };
      const nextAttemptScheduleTime = { seconds: Date.now() / 1_000 + 3_600 };
      const step = { activityId: 'step', state: 1, nextAttemptScheduleTime };
      const pendingActivities = [{ ...step, lastFailure: { applicationFailureInfo } }];
      return { workflowExecutionInfo: execution({ workflowId }), pendingActivities };
    },
    resetActivity: () => ({}),
  });
  const activities = accountActivities({ system: 'boarding', account: undefined, taskQueue: 'gangway' });
  const run = <Name extends keyof PartnerAccountActivities>(
    name: Name,
    ...request: Parameters<PartnerAccountActivities[Name]>
  ): Promise<unknown> =>
    new MockActivityEnvironment({ activityType: name }, { client }).run(
      activities[name] as (...args: unknown[]) => Promise<unknown>,
      ...request,
    );
  const countOf = (wanted: string) => sent.filter(([name]) => name === wanted).length;
  const reset = () =>
    sent.flatMap(([name, { execution, id }]) =>
      name === 'resetActivity' ? [[execution.workflowId, id]] : [],
    );
  return { run, countOf, reset };
}

describe('the workflow of an account', () => {
  const reads = [
    { operation: 'get-status', workflowIds: ['m-1', 'm-2'] },
    { operation: 'get-fees', workflowIds: ['m-3'] },
  ];
  const ofFees = { unreadable: 'get-fees' };
  const later = { type: 'StillUnreadable', nonRetryable: false, nextRetryDelay: 5_000 };

  it('waits until the responses of an operation can be read for every workflow, and learns which', async () => {
    const before = account({ 'm-2': { unreadable: 'get-status' }, 'm-3': ofFees });
    await expect(before.run('awaitReadable', { reads })).rejects.toMatchObject(later);
    const after = account({ 'm-2': ofFees, 'm-3': ofFees });
    expect(await after.run('awaitReadable', { reads })).toEqual(['get-status']);
  });

  it.each([
    ['NotSent', []],
    ['Rejected', ['get-status']],
  ] as const)('learns from a later call that ended as %s that it can read: %s', async (kind, readable) => {
    const { run } = account({ 'm-2': { operation: 'get-status', kind }, 'm-3': ofFees });
    const learned = run('awaitReadable', { reads });
    if (readable.length > 0) expect(await learned).toEqual(readable);
    else await expect(learned).rejects.toMatchObject({ type: 'StillUnreadable' });
  });

  it('makes the workflows read whose last response could not be read', async () => {
    const { run, reset } = account({ 'm-1': ofFees, 'm-2': { unreadable: 'get-status' } });
    await run('retryReads', { operation: 'get-status', workflowIds: ['m-1', 'm-2', 'm-3'] });
    expect(reset()).toEqual([['m-2', 'step']]);
  });

  it('wakes the refused steps a second after the credentials work, when their failures have arrived', async () => {
    const { run, countOf } = account({});
    const woken = run('wakeRefused');
    await vi.advanceTimersByTimeAsync(999);
    expect(countOf('listWorkflowExecutions')).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect([await woken, countOf('listWorkflowExecutions')]).toEqual([0, 1]);
  });
});
