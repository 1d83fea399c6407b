import { Client, type ConnectionLike, type WorkflowClientInterceptor } from '@temporalio/client';
import type { Headers } from '@temporalio/common';
import { msNumberToTs } from '@temporalio/common/lib/time.js';
import proto, { type temporal } from '@temporalio/proto';
import { clientInterceptors } from '../../src/temporal/connection.js';
import { type Answers, connectionTo, grpcError } from '../../test/rigs/temporal/answering-service.js';
import type { Network } from '../network.js';
import { NAMESPACE } from '../runtime.js';
import type { Activity } from './activity.js';
import type { Run } from './run.js';
import type { Service } from './service.js';
import type { Single } from './single.js';
import { parsed } from './visibility.js';

const { WorkflowExecutionStatus, HistoryEventFilterType, PendingActivityState } = proto.temporal.api.enums.v1;
const { UPDATE_WORKFLOW_EXECUTION_LIFECYCLE_STAGE_COMPLETED: COMPLETED } =
  proto.temporal.api.enums.v1.UpdateWorkflowExecutionLifecycleStage;

/** What carries the requests between a process and Temporal. It throws when a request, or its response, is lost. */
export type Link = Pick<Network, 'carry'>;

/** A connection whose requests go to the simulated service. */
export function connectionOf(service: Service, link: Link): ConnectionLike {
  const answers = answersOf(service);
  return connectionTo((name, request) => {
    const answer = answers[name];
    if (!answer) throw new Error(`the simulated service lacks ${name}`);
    return link.carry(name, async () => answer(request));
  });
}

/** The SDK's client, whose requests go to the simulated service. @param headers of each workflow that it starts */
export function clientOf(service: Service, link: Link, headers: Headers = {}): Client {
  const connection = connectionOf(service, link);
  const starting: WorkflowClientInterceptor = {
    start: (input, next) => next({ ...input, headers: { ...input.headers, ...headers } }),
  };
  const workflow = [...(clientInterceptors.workflow as readonly WorkflowClientInterceptor[]), starting];
  return new Client({ connection, namespace: NAMESPACE, interceptors: { ...clientInterceptors, workflow } });
}

type Execution = temporal.api.common.v1.IWorkflowExecution;

function answersOf(service: Service): Answers {
  function found({ workflowId, runId }: Execution): Run {
    const run = service.latest(workflowId ?? '', runId);
    if (!run) throw grpcError('NOT_FOUND', `workflow not found for ID: ${workflowId}`);
    return run;
  }

  function single(activityId: string): Single {
    const result = service.runningSingles.get(activityId);
    if (!result) throw grpcError('NOT_FOUND', `activity not found for ID: ${activityId}`);
    return result;
  }

  function running(execution: Execution): Run {
    const run = found(execution);
    if (!run.isOpen) throw grpcError('NOT_FOUND', 'workflow execution already completed');
    return run;
  }

  function started(request: Parameters<NonNullable<Answers['startWorkflowExecution']>>[0]): Run {
    const { workflowId, workflowType, taskQueue, input, memo, searchAttributes, header } = request;
    const run = service.start(
      {
        workflowId,
        type: workflowType.name,
        taskQueue: taskQueue.name,
        args: input?.payloads ?? [],
        memo: memo?.fields,
        searchAttributes: searchAttributes?.indexedFields,
        headers: header?.fields,
        neverRuns: Boolean(request.workflowStartDelay),
      },
      request.workflowIdReusePolicy,
    );
    if (!run) throw grpcError('ALREADY_EXISTS', 'Workflow execution already started');
    return run;
  }

  /** The activity whose running attempt has the token. */
  function attempted(taskToken: Uint8Array): Activity {
    const activity = service.attempts.get(Buffer.from(taskToken).toString());
    if (!activity) throw grpcError('NOT_FOUND', 'activity not found or already completed');
    return activity;
  }

  async function outcomeOf({ updates, start, runId }: Run, updateId: string): Promise<object> {
    const outcome = await updates.get(updateId)?.outcome.promise;
    if (!outcome) throw grpcError('NOT_FOUND', 'update not found, or workflow execution already completed');
    const workflowExecution = { workflowId: start.workflowId, runId };
    return { updateRef: { workflowExecution, updateId }, outcome, stage: COMPLETED };
  }

  return {
    getSystemInfo() {},
    describeNamespace: () => ({ config: { workflowExecutionRetentionTtl: msNumberToTs(RETENTION_MS) } }),

    pollWorkflowTaskQueue({ taskQueue, identity }) {
      service.visitors.set(identity, taskQueue.name);
    },

    describeTaskQueue({ taskQueue: { name } }) {
      const lastAccessTime = msNumberToTs(service.world.now);
      return { pollers: service.pollersOf(name).map((identity) => ({ identity, lastAccessTime })) };
    },

    startWorkflowExecution: (request) => ({ runId: started(request).runId, started: true }),

    signalWithStartWorkflowExecution({ signalName, signalInput, ...request }) {
      const open = service.open(request.workflowId);
      const run = open ?? started({ ...request, workflowIdReusePolicy: null });
      run.signal(signalName, signalInput?.payloads ?? []);
      return { runId: run.runId, started: !open };
    },

    signalWorkflowExecution: ({ workflowExecution, signalName, input }) =>
      running(workflowExecution).signal(signalName, input?.payloads ?? []),
    requestCancelWorkflowExecution: ({ workflowExecution, reason }) =>
      running(workflowExecution).cancel(reason),
    terminateWorkflowExecution: ({ workflowExecution }) => running(workflowExecution).terminate(),

    async updateWorkflowExecution({ workflowExecution, request: { meta, input } }) {
      const { updateId } = meta;
      for (;;) {
        const run = found(workflowExecution);
        if (!run.updates.has(updateId))
          running(workflowExecution).update(updateId, input.name, input.args?.payloads ?? []);
        const outcome = await run.updates.get(updateId)?.outcome.promise;
        // What a run that continues as new has not completed, the next one gets.
        if (outcome || run.status !== 'CONTINUED_AS_NEW' || workflowExecution.runId)
          return outcomeOf(run, updateId);
      }
    },

    pollWorkflowExecutionUpdate: ({ updateRef: { workflowExecution, updateId } }) =>
      outcomeOf(found(workflowExecution), updateId),

    async queryWorkflow({ execution, query }) {
      const result = await service.query(found(execution), query.queryType, query.queryArgs?.payloads ?? []);
      return { queryResult: { payloads: [result] } };
    },

    startActivityExecution(request) {
      service.startSingle(request);
      return { runId: request.activityId, started: true };
    },

    pollActivityExecution: ({ activityId }) => single(activityId).outcome(),

    countActivityExecutions({ query }) {
      const matches = parsed(query);
      return { count: [...service.runningSingles.values()].filter(({ fields }) => matches(fields)).length };
    },

    describeActivityExecution({ activityId }) {
      const info = activityInfo(single(activityId).activity, service.world.now);
      return { info: { ...info, runState: info.state, scheduleTime: info.scheduledTime, status: 1 } };
    },

    describeWorkflowExecution: ({ execution }) => described(found(execution), service.world.now),

    async getWorkflowExecutionHistory({ execution, historyEventFilterType, waitNewEvent }) {
      const run = found(execution);
      const isOfEnd = historyEventFilterType === HistoryEventFilterType.HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT;
      if (isOfEnd && waitNewEvent) await run.end.promise;
      return { history: { events: isOfEnd ? run.events.slice(-1) : run.events } };
    },

    listWorkflowExecutions({ query, pageSize, nextPageToken }) {
      const begin = Number(Buffer.from(nextPageToken ?? []).toString());
      const end = begin + (pageSize || LARGEST_PAGE);
      const all = service.list(query);
      const executions = all.slice(begin, end).map(executionInfo);
      return { executions, ...(end < all.length && { nextPageToken: Buffer.from(`${end}`) }) };
    },

    countWorkflowExecutions: ({ query }) => ({ count: service.list(query).length }),

    resetActivity({ execution, id }) {
      const all = [...running(execution).activities.values()];
      const activity = all.find(({ scheduled }) => scheduled.activityId === id);
      if (!activity) throw grpcError('NOT_FOUND', `workflow execution doesn't have activity ${id}`);
      activity.reset();
    },

    recordActivityTaskHeartbeat: ({ taskToken, details }) =>
      attempted(taskToken).heartbeat(details?.payloads),
    respondActivityTaskCompleted: ({ taskToken, result }) =>
      attempted(taskToken).report({ completed: { result: result?.payloads?.[0] } }),
    respondActivityTaskFailed: ({ taskToken, failure }) =>
      attempted(taskToken).report({ failed: { failure } }),
    respondActivityTaskCanceled: ({ taskToken }) => attempted(taskToken).report({ cancelled: {} }),
  };
}

const RETENTION_MS = 24 * 3_600_000;

/** Workflows of a list that the server returns at once. */
const LARGEST_PAGE = 1_000;

function executionInfo({ start, runId, status, startedAt, closedAt, memo, indexed, events }: Run) {
  return {
    execution: { workflowId: start.workflowId, runId },
    type: { name: start.type },
    taskQueue: start.taskQueue,
    historyLength: events.length,
    status: WorkflowExecutionStatus[`WORKFLOW_EXECUTION_STATUS_${status}`],
    startTime: msNumberToTs(startedAt),
    executionTime: msNumberToTs(startedAt),
    closeTime: closedAt && msNumberToTs(closedAt),
    memo: { fields: memo },
    searchAttributes: { indexedFields: indexed },
  };
}

function activityInfo(activity: Activity, now: number) {
  const { type, scheduled, attempt, scheduledAt, nextAt, delayMs, lastFailure, details } = activity;
  const { activityId, taskQueue, heartbeatTimeout } = scheduled;
  return {
    activityId,
    activityType: { name: type },
    taskQueue,
    attempt,
    state: PendingActivityState[`PENDING_ACTIVITY_STATE_${activity.token ? 'STARTED' : 'SCHEDULED'}`],
    scheduledTime: msNumberToTs(scheduledAt),
    ...(nextAt > now && {
      nextAttemptScheduleTime: msNumberToTs(nextAt),
      currentRetryInterval: msNumberToTs(delayMs),
    }),
    lastFailure,
    heartbeatDetails: details && { payloads: details },
    activityOptions: { taskQueue: { name: taskQueue }, heartbeatTimeout },
  };
}

function described(run: Run, now: number) {
  const pendingChildren = [...run.children.values()].map(({ start, runId }) => ({
    workflowId: start.workflowId,
    runId,
    workflowTypeName: start.type,
  }));
  return {
    workflowExecutionInfo: executionInfo(run),
    pendingActivities: [...run.activities.values()].map((activity) => activityInfo(activity, now)),
    pendingChildren,
    executionConfig: {},
    ...(run.hasTask && { pendingWorkflowTask: { attempt: 1 } }),
  };
}
