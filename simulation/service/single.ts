import type { Payload } from '@temporalio/common';
import { msNumberToTs } from '@temporalio/common/lib/time.js';
import proto, { type coresdk, type temporal } from '@temporalio/proto';
import type { Given } from '../runtime.js';
import { Activity, type ActivityHost, type Owner, stateOf } from './activity.js';
import type { Fields } from './visibility.js';

const { TRY_CANCEL } = proto.coresdk.workflow_commands.ActivityCancellationType;

type Request = Given<temporal.api.workflowservice.v1.IStartActivityExecutionRequest>;

/** An activity without a workflow. */
export class Single implements Owner {
  readonly runId: string;
  readonly start = { workflowId: '', type: '' };
  readonly activities = new Map<number, Activity>();
  readonly #end = Promise.withResolvers<coresdk.activity_result.IActivityResolution>();
  readonly #activity: Activity;

  constructor(request: Request, host: ActivityHost) {
    const { activityId, activityType, taskQueue, input, header, ...options } = request;
    this.runId = host.world.id();
    const { startToCloseTimeout, scheduleToCloseTimeout, scheduleToStartTimeout } = options;
    const { heartbeatTimeout, retryPolicy } = options;
    const scheduled = {
      seq: 0,
      activityId,
      activityType: activityType.name,
      taskQueue: taskQueue.name,
      arguments: (input?.payloads ?? []) as Payload[],
      headers: header?.fields ?? {},
      startToCloseTimeout: startToCloseTimeout ?? scheduleToCloseTimeout,
      scheduleToCloseTimeout,
      scheduleToStartTimeout,
      heartbeatTimeout,
      retryPolicy,
      cancellationType: TRY_CANCEL,
    };
    this.#activity = new Activity(scheduled as Activity['scheduled'], this, host);
    this.activities.set(0, this.#activity);
  }

  /** What lists have of it. */
  get fields(): Fields {
    const { type, scheduled, isOver } = this.#activity;
    const ExecutionStatus = isOver ? 'Completed' : 'Running';
    return { ActivityType: type, TaskQueue: scheduled.taskQueue, ExecutionStatus };
  }

  activityEnded(_: Activity, end: coresdk.activity_result.IActivityResolution): void {
    this.#end.resolve(end);
  }

  /** @returns its response to a request for its result, once it has one */
  async outcome(): Promise<object> {
    const { completed, failed, cancelled } = await this.#end.promise;
    const payloads = [completed?.result];
    const { cause } = failed?.failure ?? cancelled?.failure ?? {};
    return { runId: this.runId, outcome: completed ? { result: { payloads } } : { failure: cause } };
  }

  described(): object {
    const { type, scheduled, attempt, lastFailure, scheduledAt } = this.#activity;
    const { activityId, taskQueue } = scheduled;
    const [runState, scheduleTime] = [stateOf(this.#activity), msNumberToTs(scheduledAt)];
    const info = { activityId, runId: this.runId, activityType: { name: type }, taskQueue, runState };
    return { info: { ...info, attempt, lastFailure, scheduleTime, status: 1 } };
  }
}
