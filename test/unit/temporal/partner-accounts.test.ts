import proto from '@temporalio/proto';
import { describe, expect, it } from 'vitest';
import {
  blockingAccounts,
  checkNow,
  isHandlingRefusal,
  queryPartnerRecord,
  retryReads,
  waitsForReadable,
  wakePollsOf,
  wakeRefused,
  wakeWaiting,
} from '../../../src/temporal/partner-accounts.js';
import { pollersOf } from '../../../src/temporal/workers.js';
import {
  answering,
  execution,
  type Facts,
  grpcError,
  payloads,
  time,
} from '../../rigs/temporal/answering-service.js';

const HOUR_AHEAD = { seconds: Math.round(Date.now() / 1_000) + 3_600 };

/** An activity that waits for its next attempt after this error of a partner. */
const failed = (activityId: string, error: object, type = 'PartnerError') => ({
  activityId,
  activityType: { name: activityId },
  state: 1,
  attempt: 2,
  nextAttemptScheduleTime: HOUR_AHEAD,
  lastFailure: { applicationFailureInfo: { type, details: { payloads: payloads(error) } } },
});

/** Temporal with the pending activities of these workflows, all of which run. */
function temporal(pending: Readonly<Record<string, readonly object[]>>) {
  const { client, sent } = answering({
    countWorkflowExecutions: () => ({ count: Object.keys(pending).length }),
    listWorkflowExecutions: () => ({
      executions: Object.keys(pending).map((workflowId) => execution({ workflowId })),
    }),
    describeWorkflowExecution: ({ execution: { workflowId } }) => {
      const pendingActivities = pending[workflowId];
      if (!pendingActivities) throw grpcError('NOT_FOUND');
      return { workflowExecutionInfo: execution({ workflowId }), pendingActivities };
    },
    resetActivity: () => ({}),
  });
  const requests = (wanted: string) => sent.filter(([name]) => name === wanted).map(([, request]) => request);
  const reset = () =>
    requests('resetActivity').map(({ execution: { workflowId }, id }) => `${workflowId} ${id}`);
  return { client, reset, queries: () => requests('listWorkflowExecutions').map(({ query }) => query) };
}

const BOARDING = { system: 'boarding', account: undefined, taskQueue: 'gangway' } as const;
const refused = { system: 'boarding', kind: 'Unauthorized' };
const unreadable = { system: 'boarding', kind: 'Unreadable', unreadable: 'get-status' };
const ofBuild = { system: 'boarding', kind: 'Uncertain', operation: 'createMerchant', build: 'b-2' };

describe('a step of a partner account is retried', () => {
  const poll = (more: object = {}) => ({ ...failed('await-status', { system: 'boarding' }), ...more });

  it('where the partner rejected its credentials', async () => {
    const { client, reset, queries } = temporal({
      'w-1': [failed('a', refused), failed('b', refused), failed('c', { ...refused, system: 'banking' })],
      'w-2': [
        failed('d', { ...refused, kind: 'Forbidden', needs: 'one-time-code' }),
        failed('e', refused, 'Other'),
      ],
      'w-3': [failed('f', { ...refused, kind: 'Forbidden' }), poll({ lastFailure: null })],
    });
    expect(await wakeRefused(client, BOARDING)).toEqual({ steps: 3, workflows: 2 });
    expect(reset().toSorted()).toEqual(['w-1 a', 'w-1 b', 'w-2 d']);
    expect(queries()).toEqual([
      "TaskQueue = 'gangway' AND PartnerAccount IS NULL AND ExecutionStatus = 'Running' AND WorkflowType IN ('merchantBoarding', 'partnerAccount', 'partnerRecord')",
    ]);
  });

  it('in its task queue, or every status poll', async () => {
    const at = (name: string) => ({
      activityOptions: { taskQueue: { name }, heartbeatTimeout: { seconds: 10 } },
    });
    const own = { ...failed('a', {}), ...at('gangway-boarding-acme') };
    const { client, reset, queries } = temporal({
      'w-1': [own, { ...failed('b', {}), ...at('gangway-boarding') }, poll()],
    });
    expect(await wakeWaiting(client, { ...BOARDING, account: 'acme' })).toEqual({ steps: 1, workflows: 1 });
    expect(await wakePollsOf(client, BOARDING)).toEqual({ steps: 1, workflows: 1 });
    expect(reset()).toEqual(['w-1 a', 'w-1 await-status']);
    expect(queries()[0]).toContain("PartnerAccount = 'acme'");
  });

  it('of the workflows that may call the partner, with a count, until the search is ended', async () => {
    const names = Array.from({ length: 40 }, (_, index) => `business-onboarding-${index}`);
    const { client, reset, queries } = temporal(Object.fromEntries(names.map((name) => [name, [poll()]])));
    const ended = new AbortController();
    const examined: string[] = [];
    const onExamined = (done: number, running: number) => {
      examined.push(`${done} of ${running}`);
      if (done === 3) ended.abort();
    };
    const place = { ...BOARDING, system: 'banking' } as const;
    await wakeWaiting(client, place, { signal: ended.signal, onExamined });
    expect(examined.slice(0, 3)).toEqual(['1 of 40', '2 of 40', '3 of 40']);
    // What was under way ends.
    expect(examined.length).toBeLessThan(20);
    expect(reset()).toEqual([]);
    const types = /WorkflowType IN \((.*)\)$/.exec(queries()[0] ?? '')?.[1];
    expect(types).toBe("'businessOnboarding', 'partnerOperation', 'partnerAccount', 'partnerRecord'");
  });

  it('where a response could not be read', async () => {
    const other = { ...unreadable, unreadable: 'get-notes' };
    const { client, reset } = temporal({
      'w-1': [failed('a', other), failed('b', unreadable)],
      'w-2': [failed('c', unreadable)],
    });
    const read = (operation: string, ...workflowIds: string[]) => ({ operation, workflowIds });
    expect(await waitsForReadable(client, read('get-status', 'gone', 'w-1'))).toBe(true);
    expect(await waitsForReadable(client, read('get-notes', 'w-2'))).toBe(false);
    await retryReads(client, read('get-status', 'w-1', 'gone', 'w-2'));
    expect(reset()).toEqual(['w-1 b', 'w-2 c']);
    expect(await waitsForReadable(client, read('get-status', 'gone', 'w-2'))).toBe(true);
  });
});

it('an operation whose first failed attempt has not ended still holds up its workflow', async () => {
  const running = { activityId: 'a', activityType: { name: 'createMerchant' }, attempt: 1, state: 2 };
  const { client } = temporal({ 'w-1': [running] });
  const read = { operation: 'create-merchant', workflowIds: ['w-1'] };
  expect(await waitsForReadable(client, read)).toBe(true);
});

describe('a build whose own code fails', () => {
  it('holds up the steps that wait for it, and a retry reaches these and nothing else', async () => {
    const { client, reset } = temporal({
      'w-1': [
        failed('a', ofBuild, 'SoftwareError'),
        failed('b', { ...ofBuild, build: 'b-3' }, 'SoftwareError'),
      ],
      'w-2': [failed('c', refused)],
    });
    const workflowIds = ['w-1', 'w-2'];
    expect(await waitsForReadable(client, { operation: 'build b-2', workflowIds })).toBe(true);
    expect(await waitsForReadable(client, { operation: 'build b-4', workflowIds })).toBe(false);
    await retryReads(client, { operation: 'build b-2', workflowIds });
    expect(reset()).toEqual(['w-1 a']);
  });
});

describe('a partner account', () => {
  it('holds up a workflow for each of its reasons', async () => {
    const all = [
      failed('a', refused),
      failed('b', refused),
      failed('c', unreadable),
      failed('d', { system: 'banking' }),
      failed('e', ofBuild, 'SoftwareError'),
      failed('f', ofBuild, 'SoftwareError'),
    ];
    const { client } = temporal({ 'merchant-boarding-1@acme': all });
    const workflowId = 'partner-account-boarding@acme';
    expect(await blockingAccounts(client, 'merchant-boarding-1@acme')).toEqual([
      { workflowId, kinds: ['credentials', 'one-time-code'] },
      { workflowId, kinds: ['unreadable'] },
      { workflowId, kinds: ['software-error'] },
    ]);
  });

  it.each<[string, boolean]>([
    ['checkCredentials', true],
    ['wakeRefused', true],
    ['searchTickets', false],
  ])('with a pending %s handles rejected credentials: %s', async (activity, isHandling) => {
    const { client, reset } = temporal({ 'partner-account-boarding': [failed(activity, {})] });
    expect(await isHandlingRefusal(client, BOARDING)).toBe(isHandling);
    expect(await isHandlingRefusal(client, { ...BOARDING, account: 'acme' })).toBe(false);
    await checkNow(client, BOARDING);
    expect(reset()).toHaveLength(activity === 'checkCredentials' ? 1 : 0);
  });

  const [record] = payloads({ statuses: [] }) as [object];
  it.each<[string, Facts | undefined, object | undefined]>([
    ['runs', { memo: { record } }, { statuses: [] }],
    ['has ended', { memo: { record }, status: 'TERMINATED' }, undefined],
    ['has nothing yet', {}, undefined],
    ['does not exist', undefined, undefined],
  ])('has what its record keeps while that %s', async (_, facts, stored) => {
    const { client, sent } = answering({
      describeWorkflowExecution: () => {
        if (!facts) throw grpcError('NOT_FOUND');
        return { workflowExecutionInfo: execution(facts) };
      },
    });
    expect(await queryPartnerRecord(client, BOARDING)).toEqual(stored);
    expect(sent[0]?.[1].execution).toEqual({ workflowId: 'partner-record-boarding.gangway' });
  });
});

describe('the workers of a task queue', () => {
  const { WORKER_VERSIONING_MODE_VERSIONED: versioned } = proto.temporal.api.enums.v1.WorkerVersioningMode;
  const version = (buildId: string) => ({ deploymentName: 'gangway', buildId });
  const at = '2026-02-01T00:01:00Z';
  const poller = (identity: string, seen: string, buildId?: string) => ({
    identity,
    lastAccessTime: time(seen),
    ...(buildId && { deploymentOptions: { ...version(buildId), workerVersioningMode: versioned } }),
  });
  const [now, minuteAgo] = [at, '2026-02-01T00:00:00Z'];
  const both = [poller('a', now, '1'), poller('b', now, '2')];
  const ramping = (rampingVersionPercentage: number) => ({
    currentDeploymentVersion: version('1'),
    rampingDeploymentVersion: version('2'),
    rampingVersionPercentage,
  });

  it.each<[string, pollers: object[], versioningInfo: object, taking: number, target?: string]>([
    ['a minute ago do not count', [poller('a', now), poller('b', minuteAgo)], {}, 1],
    ['twice count once', [poller('a', now), poller('a', now)], {}, 1],
    ['with a version take no tasks without a current version', [poller('a', now, '1')], {}, 0],
    ['of the current version take tasks', [...both, poller('c', now)], ramping(99), 1, '1'],
    ['of a version that has ramped up take all tasks', both, ramping(100), 1, '2'],
  ])('that polled %s', async (_, pollers, versioningInfo, taking, target) => {
    const stats = { approximateBacklogAge: { seconds: 7 } };
    const { client } = answering({ describeTaskQueue: () => ({ pollers, versioningInfo, stats }) });
    expect(await pollersOf(client, 'gangway', 'workflow', Date.parse(at))).toMatchObject({
      taking,
      backlogSeconds: 7,
      target: target === undefined ? undefined : version(target),
    });
  });
});
