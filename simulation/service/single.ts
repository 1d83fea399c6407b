import type { Payload } from '@temporalio/common';
import proto, { type coresdk, type temporal } from '@temporalio/proto';
import type { Given } from '../runtime.js';
import { Activity, type ActivityHost } from './activity.js';
import type { Fields } from './visibility.js';

const { TRY_CANCEL } = proto.coresdk.workflow_commands.ActivityCancellationType;

/** An activity without a workflow. */
export class Single {
  readonly #end = Promise.withResolvers<coresdk.activity_result.IActivityResolution>();
  readonly activity: Activity;

  constructor(
    request: Given<temporal.api.workflowservice.v1.IStartActivityExecutionRequest>,
    host: ActivityHost,
  ) {
    const { activityType, taskQueue, input, header, ...options } = request;
    const scheduled = {
      ...options,
      seq: 0,
      activityType: activityType.name,
      taskQueue: taskQueue.name,
      arguments: (input?.payloads ?? []) as Payload[],
      headers: header?.fields ?? {},
      startToCloseTimeout: options.startToCloseTimeout ?? options.scheduleToCloseTimeout,
      cancellationType: TRY_CANCEL,
    };
    this.activity = new Activity(scheduled as unknown as Activity['scheduled'], host, this.#end.resolve);
  }

  /** What lists have of it. */
  get fields(): Fields {
    const { type, scheduled, isOver } = this.activity;
    const ExecutionStatus = isOver ? 'Completed' : 'Running';
    return { ActivityType: type, TaskQueue: scheduled.taskQueue, ExecutionStatus };
  }

  /** @returns its response to a request for its result, once it has one */
  async outcome(): Promise<object> {
    const { completed, failed, cancelled } = await this.#end.promise;
    const { cause } = failed?.failure ?? cancelled?.failure ?? {};
    return { outcome: completed ? { result: { payloads: [completed.result] } } : { failure: cause } };
  }
}
