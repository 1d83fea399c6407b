import { Client, type ConnectionLike, type WorkflowClientInterceptor } from '@temporalio/client';
import type { Headers, Payload } from '@temporalio/common';
import { msToTs } from '@temporalio/common/lib/time.js';
import proto, { type temporal } from '@temporalio/proto';
import { clientInterceptors } from '../../src/temporal/connection.js';
import { grpcError } from '../../test/rigs/temporal/answering-service.js';
import { decoded, NAMESPACE, timestampOf } from '../runtime.js';
import type { Event, Run, Update } from './run.js';
import type { Service } from './service.js';

const v1 = proto.temporal.api.workflowservice.v1;
const { WorkflowExecutionStatus, PendingActivityState, HistoryEventFilterType } = proto.temporal.api.enums.v1;
const { EventType } = proto.temporal.api.enums.v1;

// biome-ignore lint/suspicious/noExplicitAny: each request has a type of its own
type Handler = (request: any) => object | Promise<object>;

/** How a request between a process and Temporal fares. */
export interface Link {
  /** @throws when the request, or its response, is lost */
  carry<Response>(name: string, request: () => Promise<Response>): Promise<Response>;
}

/** The SDK's client, whose requests go to the simulated service. @param headers of each workflow that it starts */
export function clientOf(service: Service, link: Link, headers: Headers = {}): Client {
  const handlers = requestsOf(service);
  const call = async (name: string, request: unknown) => {
    const handler = handlers[name];
    if (!handler) throw new Error(`the simulated service lacks ${name}`);
    const message = `${name[0]?.toUpperCase()}${name.slice(1)}Response` as keyof typeof v1;
    return link.carry(name, async () =>
      (v1[message] as { fromObject(of: object): object }).fromObject(await handler(request)),
    );
  };
  const workflowService = new Proxy({}, { get: (_, name: string) => call.bind(undefined, name) });
  const run = (_: unknown, within: () => unknown) => within();
  const connection = {
    ...{ workflowService, plugins: [], close: async () => {}, ensureConnected: async () => {} },
    ...{ withDeadline: run, withMetadata: run, withAbortSignal: run },
  };
  const { workflow } = clientInterceptors;
  const starting: WorkflowClientInterceptor = {
    start: (input, next) => next({ ...input, headers: { ...input.headers, ...headers } }),
  };
  return new Client({
    connection: connection as unknown as ConnectionLike,
    namespace: NAMESPACE,
    interceptors: {
      ...clientInterceptors,
      workflow: [...(workflow as readonly WorkflowClientInterceptor[]), starting],
    },
  });
}

function requestsOf(service: Service): Readonly<Record<string, Handler>> {
  const { world } = service;

  function found({ workflowId, runId }: temporal.api.common.v1.IWorkflowExecution): Run {
    const run = service.latest(workflowId ?? '', runId);
    if (!run) throw grpcError('NOT_FOUND', `workflow not found for ID: ${workflowId}`);
    return run;
  }

  function running(execution: temporal.api.common.v1.IWorkflowExecution): Run {
    const run = found(execution);
    if (!run.isOpen) throw grpcError('NOT_FOUND', 'workflow execution already completed');
    return run;
  }

  function started(request: temporal.api.workflowservice.v1.IStartWorkflowExecutionRequest): Run {
    const { workflowId, workflowType, taskQueue, input, memo, searchAttributes, header } = request;
    const start = {
      ...{ workflowId: workflowId ?? '', type: workflowType?.name ?? '', taskQueue: taskQueue?.name ?? '' },
      args: (input?.payloads ?? []) as Payload[],
      memo: (memo?.fields ?? {}) as Record<string, Payload>,
      headers: (header?.fields ?? {}) as Record<string, Payload>,
      searchAttributes: (searchAttributes?.indexedFields ?? {}) as Record<string, Payload>,
    };
    const run = service.start(start, request.workflowIdReusePolicy);
    if (!run) throw grpcError('ALREADY_EXISTS', 'Workflow execution already started');
    return run;
  }

  const outcomeOf = async (run: Run, update: Update): Promise<object> => {
    if (!update.outcome && !update.isAborted)
      await new Promise<void>((resolve) => update.waiting.push(resolve));
    if (!update.outcome) throw grpcError('NOT_FOUND', 'workflow execution already completed');
    const { success, failure } = update.outcome;
    return {
      updateRef: {
        workflowExecution: { workflowId: run.start.workflowId, runId: run.runId },
        updateId: update.id,
      },
      outcome: failure ? { failure } : { success: { payloads: success } },
      stage: 3,
    };
  };

  return {
    getSystemInfo: () => ({ capabilities: {}, serverVersion: '1.32.0' }),

    startWorkflowExecution: (request) => ({ runId: started(request).runId, started: true }),

    signalWithStartWorkflowExecution(request) {
      const open = service.open(request.workflowId);
      const run = open ?? started({ ...request, workflowIdReusePolicy: 0 });
      run.signal(request.signalName, request.signalInput?.payloads ?? []);
      return { runId: run.runId, started: !open };
    },

    signalWorkflowExecution({ workflowExecution, signalName, input }) {
      running(workflowExecution).signal(signalName, input?.payloads ?? []);
      return {};
    },

    requestCancelWorkflowExecution({ workflowExecution }) {
      running(workflowExecution).cancel();
      return {};
    },

    terminateWorkflowExecution({ workflowExecution }) {
      running(workflowExecution).terminate();
      return {};
    },

    async updateWorkflowExecution({ workflowExecution, request }) {
      const { meta, input } = request;
      const run = found(workflowExecution);
      const known = run.updates.get(meta.updateId);
      if (known) return outcomeOf(run, known);
      const { name, args } = input;
      const update: Update = {
        ...{ id: meta.updateId || world.id(), name, args: args?.payloads ?? [], waiting: [] },
        ...{ outcome: undefined, isAborted: false },
      };
      running(workflowExecution).update(update);
      return outcomeOf(run, update);
    },

    async pollWorkflowExecutionUpdate({ updateRef }) {
      const run = found(updateRef.workflowExecution);
      const known = run.updates.get(updateRef.updateId);
      if (!known) throw grpcError('NOT_FOUND', `unknown update ${updateRef.updateId}`);
      return outcomeOf(run, known);
    },

    async queryWorkflow({ execution, query }) {
      const result = await service.query(found(execution), query.queryType, query.queryArgs?.payloads ?? []);
      return { queryResult: { payloads: [result] } };
    },

    startActivityExecution({ activityId, input }) {
      if (!service.singles.has(activityId))
        service.singles.set(activityId, (input?.payloads ?? []).map(decoded));
      return { runId: activityId, started: true };
    },

    describeWorkflowExecution: ({ execution }) => described(found(execution), world.now),

    async getWorkflowExecutionHistory(request) {
      const { execution, historyEventFilterType, waitNewEvent } = request;
      const run = found(execution);
      if (historyEventFilterType !== HistoryEventFilterType.HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT)
        return { history: { events: run.events.map(historyEvent) } };
      if (waitNewEvent) await new Promise<void>((resolve) => run.whenClosed(resolve));
      return { history: { events: run.events.map(historyEvent).slice(-1) } };
    },

    listWorkflowExecutions: ({ query }) => ({
      executions: service.list(query ?? '').map((run) => executionInfo(run)),
    }),

    countWorkflowExecutions: ({ query }) => ({ count: service.list(query ?? '').length }),

    resetActivity({ execution, id, resetHeartbeat }) {
      const activity = [...running(execution).activities.values()].find((each) => each.id === id);
      if (!activity) throw grpcError('NOT_FOUND', `workflow execution doesn't have activity ${id}`);
      activity.reset(!resetHeartbeat);
      return {};
    },

    recordActivityTaskHeartbeat({ taskToken, details }) {
      const beat = service.heartbeat(tokenIn(taskToken), details?.payloads);
      if (!beat) throw grpcError('NOT_FOUND', 'activity not found or already completed');
      return beat;
    },

    respondActivityTaskCompleted({ taskToken, result }) {
      return reported(taskToken, { completed: { result: result?.payloads?.[0] } });
    },

    respondActivityTaskFailed({ taskToken, failure }) {
      return reported(taskToken, { failed: { failure } });
    },

    respondActivityTaskCanceled: ({ taskToken }) => reported(taskToken, { cancelled: {} }),
  };

  function reported(taskToken: Uint8Array, result: Parameters<Service['report']>[1]): object {
    if (!service.report(tokenIn(taskToken), result))
      throw grpcError('NOT_FOUND', 'activity not found or already completed');
    return {};
  }
}

export const tokenIn = (taskToken: Uint8Array) => Buffer.from(taskToken).toString();

function executionInfo(run: Run) {
  const { start, runId, status: is, startedAt, closedAt } = run;
  return {
    execution: { workflowId: start.workflowId, runId },
    ...{ type: { name: start.type }, taskQueue: start.taskQueue, historyLength: run.historyLength },
    status: WorkflowExecutionStatus[`WORKFLOW_EXECUTION_STATUS_${is}`],
    ...{ startTime: timestampOf(startedAt), ...(closedAt && { closeTime: timestampOf(closedAt) }) },
    ...{ memo: { fields: run.memo }, searchAttributes: { indexedFields: run.indexed } },
  };
}

function described(run: Run, now: number) {
  const pendingActivities = [...run.activities.values()].map((activity) => ({
    ...{ activityId: activity.id, activityType: { name: activity.type }, attempt: activity.attempt },
    state: activity.isStarted
      ? PendingActivityState.PENDING_ACTIVITY_STATE_STARTED
      : PendingActivityState.PENDING_ACTIVITY_STATE_SCHEDULED,
    scheduledTime: timestampOf(activity.scheduledAt),
    ...(activity.nextAt > now && { nextAttemptScheduleTime: timestampOf(activity.nextAt) }),
    ...(activity.lastFailure && { lastFailure: activity.lastFailure }),
    ...(activity.nextAt > now && { currentRetryInterval: msToTs(activity.delayMs) }),
    ...(activity.details && { heartbeatDetails: { payloads: activity.details } }),
    activityOptions: {
      taskQueue: { name: activity.queue },
      ...(activity.heartbeatMs && { heartbeatTimeout: msToTs(activity.heartbeatMs) }),
    },
  }));
  const pendingChildren = run.children.map(({ start, runId }) => ({
    ...{ workflowId: start.workflowId, runId, workflowTypeName: start.type },
  }));
  return {
    ...{ workflowExecutionInfo: executionInfo(run), pendingActivities, pendingChildren, executionConfig: {} },
    ...(run.hasTask && { pendingWorkflowTask: { attempt: 1 } }),
  };
}

function historyEvent({ kind, at, attributes }: Event, index: number) {
  const type = `EVENT_TYPE_${kind.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
  const eventType = EventType[type as keyof typeof EventType];
  return {
    eventId: index + 1,
    eventTime: timestampOf(at),
    eventType,
    [`${kind}EventAttributes`]: attributes,
  };
}
