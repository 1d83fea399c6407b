import { ValueError } from '@temporalio/common';
import proto from '@temporalio/proto';
import { describe, expect, it } from 'vitest';
import { UnreadablePayload } from '../../../src/temporal/payload-codec.js';
import { isDenied, isUnavailable, rejectionOf, sentenceOf } from '../../../src/temporal/unavailable.js';
import { failuresOf, whyUnreadable } from '../../../src/temporal/unreadable.js';
import { answering, execution, grpcError } from '../../rigs/temporal/answering-service.js';

describe('an error of Temporal', () => {
  it.each<[error: unknown, isLater: boolean, isRejected: boolean]>([
    [grpcError('UNAVAILABLE'), true, false],
    [grpcError('RESOURCE_EXHAUSTED'), true, false],
    [grpcError('DEADLINE_EXCEEDED'), true, false],
    [grpcError('CANCELLED', 'Call cancelled'), true, false],
    [grpcError('CANCELLED', 'Cancelled on client'), false, false],
    [grpcError('PERMISSION_DENIED'), false, true],
    [grpcError('UNAUTHENTICATED'), false, true],
    [grpcError('NOT_FOUND'), false, false],
    [new Error('a bug'), false, false],
  ])('%s passes by itself: %s; rejects our credentials: %s', (error, isLater, isRejected) => {
    expect([isUnavailable(error), isDenied(error)]).toEqual([isLater, isRejected]);
  });

  it('about one start names its reason, and one about search attributes concerns all', () => {
    expect(rejectionOf(grpcError('INVALID_ARGUMENT', 'too large'))).toBe('too large');
    expect(rejectionOf(grpcError('INVALID_ARGUMENT', 'no Search Attribute Dba'))).toBeUndefined();
    expect(rejectionOf(grpcError('UNAVAILABLE', 'too large'))).toBeUndefined();
    expect(sentenceOf(grpcError('INVALID_ARGUMENT', 'no search attribute Dba'))).toBe(
      'Temporal: no search attribute Dba; run "gangway setup" first',
    );
    expect(sentenceOf(grpcError('UNIMPLEMENTED', 'Received HTTP status code 404'))).toBe(
      'the server at TEMPORAL_ADDRESS is not Temporal: Received HTTP status code 404',
    );
    expect(sentenceOf(new Error('private'))).toBeUndefined();
  });
});

const v1 = proto.temporal.api.enums.v1;
const version = (buildId: string) => ({ deploymentName: 'gangway', buildId });

describe('a workflow that does not respond', () => {
  /** Why, with these pollers, this pinned build, and these last events while its task is retried. */
  async function why(pollers: readonly string[], pinned?: string, events: readonly object[] = []) {
    const polled = pollers.map((buildId) => ({
      identity: buildId,
      lastAccessTime: { seconds: Math.ceil(Date.now() / 1_000) },
      deploymentOptions: {
        ...version(buildId),
        workerVersioningMode: v1.WorkerVersioningMode.WORKER_VERSIONING_MODE_VERSIONED,
      },
    }));
    const versioningInfo = {
      behavior: v1.VersioningBehavior.VERSIONING_BEHAVIOR_PINNED,
      deploymentVersion: pinned === undefined ? undefined : version(pinned),
    };
    const { client } = answering({
      describeWorkflowExecution: () => ({
        workflowExecutionInfo: { ...execution({}), versioningInfo },
        pendingWorkflowTask: { attempt: events.length > 0 ? 2 : 1 },
      }),
      describeTaskQueue: () => ({
        pollers: polled,
        versioningInfo: { currentDeploymentVersion: version('2') },
      }),
      getWorkflowExecutionHistoryReverse: () => ({ history: { events } }),
    });
    return whyUnreadable(client, 'merchant-boarding-m-1', grpcError('DEADLINE_EXCEEDED'));
  }

  const failed = (message: string) => ({ workflowTaskFailedEventAttributes: { failure: { message } } });
  const late = (timeoutType: number) => ({ workflowTaskTimedOutEventAttributes: { timeoutType } });
  const { TIMEOUT_TYPE_START_TO_CLOSE, TIMEOUT_TYPE_SCHEDULE_TO_START } = v1.TimeoutType;
  const DONE = { workflowTaskCompletedEventAttributes: {} };

  it.each<[obstacle: string, pollers: string[], pinned?: string | undefined, events?: object[]]>([
    ['no-worker', []],
    ['no-worker', ['1']],
    ['no-response', ['2']],
    ['build-gone', ['2'], '1'],
    ['build-gone', [], '1'],
    ['no-response', ['1'], '1'],
    ['task-fails', ['2'], undefined, [{}, failed('a bug')]],
    ['task-fails', ['2'], undefined, [late(TIMEOUT_TYPE_START_TO_CLOSE)]],
    ['no-response', ['2'], undefined, [late(TIMEOUT_TYPE_SCHEDULE_TO_START)]],
    ['no-response', ['2'], undefined, [DONE, failed('a bug')]],
    ['no-key', ['2'], undefined, [failed('an encrypted payload needs key k1, which is not among the keys')]],
  ])(
    'has the obstacle %s with pollers %j, pinned to %s, after %j',
    async (obstacle, pollers, pinned, events) => {
      expect((await why(pollers, pinned, events))?.obstacle).toBe(obstacle);
    },
  );

  // Catches that a customer or an operator waits for a worker to read what has no state.
  it.each<[string, obstacle: string, status: 'TERMINATED' | 'RUNNING', page: object]>([
    ['ended before its first task', 'never-ran', 'TERMINATED', { history: { events: [{}, {}] } }],
    ['ended after a task', 'no-worker', 'TERMINATED', { history: { events: [{}, DONE] } }],
    ['has a history of more than a page', 'no-worker', 'TERMINATED', { nextPageToken: Buffer.from('2') }],
    ['waits for its first task', 'no-worker', 'RUNNING', {}],
  ])('that %s has the obstacle %s', async (_, obstacle, status, page) => {
    const { client } = answering({
      describeWorkflowExecution: () => ({ workflowExecutionInfo: execution({ status }) }),
      describeTaskQueue: () => ({ pollers: [] }),
      getWorkflowExecutionHistory: () => page,
    });
    const result = await whyUnreadable(client, 'merchant-boarding-m-1', grpcError('FAILED_PRECONDITION'));
    expect(result?.obstacle).toBe(obstacle);
  });

  it('names the worker that cannot decrypt it', async () => {
    const message = 'an encrypted payload cannot be read with key k1: it is damaged';
    const attributes = { failure: { message }, identity: '4711@host#12345678' };
    const result = await why(['2'], undefined, [{ workflowTaskFailedEventAttributes: attributes }]);
    expect(result?.detail).toBe(`worker 4711@host cannot decrypt it: ${message}`);
  });

  it('is encrypted with a key that this process lacks, or has with another value', async () => {
    const { client } = answering({});
    const detail = async (error: Error) => (await whyUnreadable(client, 'w', error))?.detail;
    const lacks = new UnreadablePayload('an encrypted payload needs key k1', {}, 'k1');
    for (const error of [lacks, new ValueError('Unknown encoding: binary/encrypted')])
      expect(await detail(error)).toBe('its key is not in PAYLOAD_KEYS');
    const damaged = 'an encrypted payload cannot be read with key k1: it is damaged';
    const advice = '"gangway doctor" names the process whose key differs';
    expect(await detail(new UnreadablePayload(damaged))).toBe(`${damaged}; ${advice}`);
  });

  it('is not the reason of another error', async () => {
    const { client } = answering({});
    expect(await whyUnreadable(client, 'merchant-boarding-m-1', new Error('a bug'))).toBeUndefined();
  });

  it('has the failures of its activities, and none of a poll that found no change or of a workflow that has ended', async () => {
    const { APPLICATION_ERROR_CATEGORY_BENIGN: category } = v1.ApplicationErrorCategory;
    const values = [
      { message: 'HTTP 500', applicationFailureInfo: { type: 'PartnerError' } },
      { message: 'no change', applicationFailureInfo: { category } },
      { message: 'too late', timeoutFailureInfo: {} },
    ];
    const pendingActivities = [{}, ...values.map((lastFailure) => ({ lastFailure }))];
    const { client } = answering({
      describeWorkflowExecution: ({ execution: { workflowId } }) => ({
        workflowExecutionInfo: execution({ status: workflowId === 'ended' ? 'TERMINATED' : 'RUNNING' }),
        pendingActivities,
      }),
    });
    const failures = ['HTTP 500', 'too late'];
    expect(await failuresOf(client, ['one', 'ended', 'another'])).toEqual([...failures, ...failures]);
  });

  describe('has, of an activity that waits at a partner that is off,', () => {
    const onboarding = 'business-onboarding-b-1@north-iso';
    const nobody = 'no worker polls task queue gangway-banking-north-iso';
    const { PENDING_ACTIVITY_STATE_SCHEDULED: waits, PENDING_ACTIVITY_STATE_STARTED: runs } =
      v1.PendingActivityState;
    /** @param polled the task queues that a worker polls */
    const failures = (polled: readonly string[], state = waits, queue = 'gangway-banking-north-iso') => {
      const { APPLICATION_ERROR_CATEGORY_BENIGN: category } = v1.ApplicationErrorCategory;
      // A status poll that found no change looks the same while its next read is not due.
      const lastFailure = { message: 'no change', applicationFailureInfo: { category } };
      const { client } = answering({
        describeWorkflowExecution: () => ({
          workflowExecutionInfo: execution({ workflowId: onboarding }),
          pendingActivities: [{ state, lastFailure, activityOptions: { taskQueue: { name: queue } } }],
        }),
        pollWorkflowTaskQueue: () => ({}),
        describeTaskQueue: ({ taskQueue: { name } }) => ({
          pollers: polled.includes(name)
            ? [{ identity: 'w-1', lastAccessTime: { seconds: Math.ceil(Date.now() / 1_000) } }]
            : [],
        }),
      });
      return failuresOf(client, [onboarding]);
    };

    it('the setting that turns the partner on, in the account of the onboarding', async () => {
      const set = 'set NORTH_ISO_BANKING_URL, and north-iso in GANGWAY_ACCOUNTS, for a worker';
      expect(await failures(['gangway', 'gangway-banking'])).toEqual([`${nobody}: ${set}`]);
    });

    it.each([
      ['a worker of the account polls', ['gangway', 'gangway-banking-north-iso'], waits, undefined],
      ['no worker runs at all, which shows otherwise', [], waits, undefined],
      ['a worker runs it', ['gangway'], runs, undefined],
      ['it is none of a partner', ['gangway'], waits, 'gangway-events'],
    ])('nothing where %s', async (_, polled, state, queue) => {
      expect(await failures(polled, state, queue)).toEqual([]);
    });
  });
});
