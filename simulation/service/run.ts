import type { Payload, SearchAttributeValue } from '@temporalio/common';
import type { coresdk } from '@temporalio/proto';
import Long from 'long';
import {
  type Activation,
  type Command,
  decoded,
  encoded,
  type Init,
  type Job,
  timestampOf,
} from '../runtime.js';
import { Activity, type ActivityEnd, type Failure, ms } from './activity.js';
import type { Service } from './service.js';

/** A workflow to start. */
export interface Start {
  readonly workflowId: string;
  readonly type: string;
  readonly taskQueue: string;
  readonly args: readonly Payload[];
  readonly memo: Readonly<Record<string, Payload>>;
  readonly searchAttributes: Readonly<Record<string, Payload>>;
  readonly headers: Readonly<Record<string, Payload>>;
  readonly parent?: { readonly run: Run; readonly seq: number; readonly closePolicy: number };
  /** The run before this one, which continued as new. */
  readonly before?: Run;
}

/** As in queries and in the names of events. */
export const STATUSES = {
  ...{ RUNNING: 'Running', COMPLETED: 'Completed', FAILED: 'Failed', CANCELED: 'Canceled' },
  ...{ TERMINATED: 'Terminated', CONTINUED_AS_NEW: 'ContinuedAsNew' },
} as const;

export type Status = keyof typeof STATUSES;

/** How a run ended. */
export interface Closed {
  readonly status: Exclude<Status, 'RUNNING'>;
  readonly result?: Payload | undefined;
  readonly failure?: Failure;
}

/** An update that a workflow got. */
export interface Update {
  readonly id: string;
  readonly name: string;
  readonly args: readonly Payload[];
  outcome: { readonly success?: readonly Payload[]; readonly failure?: Failure } | undefined;
  /** The workflow ended before it. */
  isAborted: boolean;
  readonly waiting: (() => void)[];
}

/** An event of a history: what happened, without the private parts. */
export interface Event {
  /** As in the SDK's type, without `EventAttributes`: `activityTaskScheduled`. */
  readonly kind: string;
  readonly at: number;
  readonly attributes: object;
}

/** What a task of a workflow did: its steps, in their order. More than one when local activities ran within it. */
export interface Step {
  readonly activation: Activation;
  readonly commands: readonly Command[];
  readonly flags: readonly number[];
}

const WORKFLOW_TASK_MS = 10_000;

/**
 * One run of a workflow as the server keeps it: its history as the steps that it took, what has happened since, and what it waits
 * for. A worker takes a task with everything that has happened, and the commands of the task take effect together, or not at all.
 */
export class Run {
  readonly runId: string;
  readonly startedAt: number;
  status: Status = 'RUNNING';
  closed: Closed | undefined;
  closedAt: number | undefined;
  readonly steps: Step[] = [];
  readonly activities = new Map<number, Activity>();
  readonly updates = new Map<string, Update>();
  readonly memo: Record<string, Payload>;
  readonly searchAttributes: Record<string, SearchAttributeValue | undefined> = {};
  readonly init: Init;
  /** What has happened since the last task. */
  #jobs: Job[];
  /** The running task. */
  #task: { readonly jobs: readonly Job[]; readonly cancel: () => void } | undefined;
  readonly #timers = new Map<number, () => void>();
  readonly #closing: (() => void)[] = [];
  readonly events: Event[] = [];

  constructor(
    readonly start: Start,
    private readonly host: Service,
    private readonly continueAfter: number,
  ) {
    const { world } = host;
    this.runId = world.id();
    this.startedAt = world.now;
    this.memo = { ...start.memo };
    this.#index(start.searchAttributes);
    const { parent, before, workflowId, type } = start;
    this.init = {
      ...{ workflowId, workflowType: type, arguments: [...start.args], attempt: 1 },
      randomnessSeed: Long.fromNumber(world.chance.between(1, 2 ** 31)) as never,
      startTime: timestampOf(world.now) as never,
      firstExecutionRunId: before?.init.firstExecutionRunId ?? this.runId,
      memo: { fields: { ...start.memo } },
      headers: { ...start.headers },
      searchAttributes: { indexedFields: { ...start.searchAttributes } },
      ...(before && { continuedFromExecutionRunId: before.runId }),
      ...(parent && {
        parentWorkflowInfo: {
          ...{ namespace: 'default', workflowId: parent.run.start.workflowId, runId: parent.run.runId },
        },
      }),
    };
    this.#jobs = [{ initializeWorkflow: this.init }];
    this.#write('workflowExecutionStarted', {
      workflowType: { name: type },
      ...{ input: { payloads: [...start.args] }, memo: { fields: start.memo } },
      ...(before && { continuedExecutionRunId: before.runId }),
    });
    host.dispatchTask(this);
  }

  get historyLength(): number {
    return this.events.length;
  }

  /** The event that closes a history is its last one, whatever commands follow in the same task. */
  #write(kind: string, attributes: object = {}): void {
    if (!this.isOpen) return;
    this.events.push({ kind, attributes, at: this.host.world.now });
  }

  /** A task has begun, or waits for a worker. */
  get hasTask(): boolean {
    return this.waitsForWorker || (this.isOpen && this.#task !== undefined);
  }

  /** A task waits, and nobody has taken it. */
  get waitsForWorker(): boolean {
    return this.isOpen && this.#task === undefined && this.#jobs.length > 0;
  }

  get isOpen(): boolean {
    return this.status === 'RUNNING';
  }

  /** Something has happened. */
  happened(job: Job, event?: string, attributes?: object): void {
    if (!this.isOpen) return;
    if (event) this.#write(event, attributes);
    this.#jobs.push(job);
    if (!this.#task && this.#jobs.length === 1) this.host.dispatchTask(this);
  }

  whenClosed(then: () => void): void {
    if (this.isOpen) this.#closing.push(then);
    else then();
  }

  signal(signalName: string, input: readonly object[]): void {
    this.happened(
      { signalWorkflow: { signalName, input: [...input], identity: 'simulation', headers: {} } },
      'workflowExecutionSignaled',
      { signalName, input: { payloads: input } },
    );
  }

  cancel(): void {
    this.happened({ cancelWorkflow: {} }, 'workflowExecutionCancelRequested');
  }

  update(update: Update): void {
    this.updates.set(update.id, update);
    this.happened({
      doUpdate: {
        ...{ id: update.id, protocolInstanceId: update.id, name: update.name, input: [...update.args] },
        ...{ headers: {}, meta: { identity: 'simulation', updateId: update.id }, runValidator: true },
      },
    });
  }

  /** A worker takes a task. @returns undefined when there is nothing to do */
  takeTask(): Activation | undefined {
    if (!this.isOpen || this.#task || this.#jobs.length === 0) return undefined;
    const jobs = this.#jobs.splice(0);
    this.#write('workflowTaskScheduled');
    this.#write('workflowTaskStarted');
    const cancel = this.host.world.after(WORKFLOW_TASK_MS, () => this.failTask(), null);
    this.#task = { jobs, cancel };
    return {
      ...{ at: this.host.world.now, jobs: inOrder(jobs), historyLength: this.historyLength },
      suggestsContinueAsNew: this.historyLength >= this.continueAfter,
    };
  }

  /** Whether that is the task that runs. */
  isRunning(activation: Activation): boolean {
    return this.#task !== undefined && activation.jobs.every((job) => this.#task?.jobs.includes(job));
  }

  /** The task is over without a result: another one gets what it got. */
  failTask(): void {
    if (!this.#task) return;
    this.#task.cancel();
    this.#jobs.unshift(...this.#task.jobs);
    this.#task = undefined;
    this.host.dispatchTask(this);
  }

  /**
   * The commands of the running task take effect.
   *
   * @returns false when the workflow wants to end although something has happened meanwhile (`UnhandledCommand`)
   */
  completeTask(steps: readonly Step[]): boolean {
    if (!this.#task || !this.isOpen) return true;
    const commands = steps.flatMap((step) => step.commands);
    if (commands.some(isLast) && this.#jobs.length > 0) {
      this.failTask();
      return false;
    }
    this.#task.cancel();
    this.#task = undefined;
    this.steps.push(...steps);
    this.#write('workflowTaskCompleted');
    for (const command of commands) this.#apply(command);
    if (this.isOpen && this.#jobs.length > 0) this.host.dispatchTask(this);
    return true;
  }

  terminate(): void {
    this.#close({ status: 'TERMINATED', failure: { terminatedFailureInfo: {} } });
  }

  #apply(command: Command): void {
    const { world } = this.host;
    const { scheduleActivity, requestCancelActivity, startTimer, cancelTimer, updateResponse } = command;
    const event = EVENTS.find(([key]) => command[key]);
    if (event) this.#write(event[1], eventOf(command));
    if (scheduleActivity) {
      const activity = new Activity(scheduleActivity, this, this.host);
      this.activities.set(activity.seq, activity);
    } else if (requestCancelActivity) this.activities.get(requestCancelActivity.seq ?? 0)?.requestCancel();
    else if (startTimer) {
      const seq = startTimer.seq ?? 0;
      const fire = () => this.happened({ fireTimer: { seq } }, 'timerFired');
      this.#timers.set(seq, world.after(ms(startTimer.startToFireTimeout) ?? 0, fire, null));
    } else if (cancelTimer) {
      this.#timers.get(cancelTimer.seq ?? 0)?.();
      // It may have fired since.
      this.#jobs = this.#jobs.filter(({ fireTimer }) => fireTimer?.seq !== cancelTimer.seq);
    } else if (updateResponse) this.#respond(updateResponse);
    else if (command.upsertWorkflowSearchAttributes)
      this.#index(command.upsertWorkflowSearchAttributes.searchAttributes?.indexedFields ?? {});
    else if (command.modifyWorkflowProperties)
      Object.assign(this.memo, command.modifyWorkflowProperties.upsertedMemo?.fields);
    else this.#applyToOthers(command);
  }

  #applyToOthers(command: Command): void {
    const { startChildWorkflowExecution: child, signalExternalWorkflowExecution: signal } = command;
    if (child) this.#startChild(child);
    else if (command.cancelChildWorkflowExecution) {
      const seq = command.cancelChildWorkflowExecution.childWorkflowSeq ?? 0;
      this.#children.get(seq)?.cancel();
    } else if (signal) {
      const target = this.host.open(signal.childWorkflowId ?? signal.workflowExecution?.workflowId ?? '');
      const { seq = 0, signalName = '', args } = signal;
      target?.signal(signalName ?? '', args ?? []);
      const failure = target ? undefined : NOT_FOUND;
      this.happened(
        { resolveSignalExternalWorkflow: { seq, ...(failure && { failure }) } },
        target ? 'externalWorkflowExecutionSignaled' : 'signalExternalWorkflowExecutionFailed',
      );
    } else if (command.requestCancelExternalWorkflowExecution) {
      const { seq = 0, workflowExecution } = command.requestCancelExternalWorkflowExecution;
      this.host.open(workflowExecution?.workflowId ?? '')?.cancel();
      this.happened(
        { resolveRequestCancelExternalWorkflow: { seq } },
        'externalWorkflowExecutionCancelRequested',
      );
    } else this.#applyLast(command);
  }

  #applyLast(command: Command): void {
    const { completeWorkflowExecution, failWorkflowExecution, continueAsNewWorkflowExecution } = command;
    if (completeWorkflowExecution)
      this.#close({ status: 'COMPLETED', result: completeWorkflowExecution.result as Payload | undefined });
    else if (failWorkflowExecution)
      this.#close({ status: 'FAILED', failure: failWorkflowExecution.failure ?? {} });
    else if (command.cancelWorkflowExecution)
      this.#close({ status: 'CANCELED', failure: { canceledFailureInfo: {} } });
    else if (continueAsNewWorkflowExecution) {
      const { arguments: args, memo, searchAttributes, headers } = continueAsNewWorkflowExecution;
      const { parent, ...start } = this.start;
      const payloads = { ...this.indexed, ...searchAttributes?.indexedFields } as Record<string, Payload>;
      this.#close({ status: 'CONTINUED_AS_NEW' });
      const next = this.host.start({
        ...{ ...start, args: (args ?? []) as Payload[], before: this, searchAttributes: payloads },
        memo: { ...this.start.memo, ...(memo as Record<string, Payload>) },
        headers: (headers ?? {}) as Record<string, Payload>,
        ...(parent && { parent }),
      });
      Object.assign(this.events.at(-1)?.attributes ?? {}, { newExecutionRunId: next?.runId });
    } else if (!isWithoutEffect(command))
      throw new Error(`the simulated service lacks ${Object.keys(command)}`);
  }

  readonly #children = new Map<number, Run>();

  #startChild(child: coresdk.workflow_commands.IStartChildWorkflowExecution): void {
    const seq = child.seq ?? 0;
    const {
      workflowId = '',
      workflowType = '',
      taskQueue,
      input,
      memo,
      headers,
      searchAttributes,
      parentClosePolicy,
    } = child;
    const start = {
      ...{ workflowId: workflowId ?? '', type: workflowType ?? '', args: (input ?? []) as Payload[] },
      taskQueue: taskQueue || this.start.taskQueue,
      memo: (memo ?? {}) as Record<string, Payload>,
      headers: (headers ?? {}) as Record<string, Payload>,
      searchAttributes: (searchAttributes?.indexedFields ?? {}) as Record<string, Payload>,
      parent: { run: this, seq, closePolicy: parentClosePolicy ?? 0 },
    };
    const run = this.host.start(start, child.workflowIdReusePolicy);
    if (run) {
      this.#children.set(seq, run);
      this.happened(
        { resolveChildWorkflowExecutionStart: { seq, succeeded: { runId: run.runId } } },
        'childWorkflowExecutionStarted',
        { workflowType: { name: workflowType }, workflowExecution: { workflowId, runId: run.runId } },
      );
    } else {
      const failed = { workflowId, workflowType, cause: 1 };
      this.happened(
        { resolveChildWorkflowExecutionStart: { seq, failed } },
        'startChildWorkflowExecutionFailed',
      );
    }
  }

  /** A child has ended. */
  childClosed(seq: number, child: Run, closed: Closed): void {
    const childWorkflowExecutionFailureInfo = {
      ...{ namespace: 'default', workflowType: { name: child.start.type }, retryState: 0 },
      workflowExecution: { workflowId: child.start.workflowId, runId: child.runId },
      ...{ initiatedEventId: 0, startedEventId: 0 },
    };
    const message = 'Child Workflow execution failed';
    const failure = (cause: Failure) =>
      ({ message, cause, childWorkflowExecutionFailureInfo }) as unknown as Failure;
    const result =
      closed.status === 'COMPLETED'
        ? { completed: { result: closed.result ?? null } }
        : {
            [closed.status === 'CANCELED' ? 'cancelled' : 'failed']: {
              failure: failure(closed.failure ?? {}),
            },
          };
    this.#children.delete(seq);
    const event = `childWorkflowExecution${STATUSES[closed.status]}`;
    const workflowType = { name: child.start.type };
    this.happened({ resolveChildWorkflowExecution: { seq, result } }, event, { workflowType });
  }

  /** Children that have not ended. */
  get children(): readonly Run[] {
    return [...this.#children.values()];
  }

  activityEnded(activity: Activity, end: ActivityEnd): void {
    this.activities.delete(activity.seq);
    if (activity.hasStarted) this.#write('activityTaskStarted', { attempt: activity.attempt });
    const how = end.completed ? 'Completed' : end.cancelled ? 'Canceled' : 'Failed';
    const isTimeout = Boolean(end.failed?.failure?.cause?.timeoutFailureInfo);
    const { result } = end.completed ?? {};
    this.#write(
      `activityTask${isTimeout ? 'TimedOut' : how}`,
      result ? { result: { payloads: [result] } } : {},
    );
    this.happened({ resolveActivity: { seq: activity.seq, result: end, isLocal: false } });
  }

  #respond(response: coresdk.workflow_commands.IUpdateResponse): void {
    const { protocolInstanceId, accepted, rejected, completed } = response;
    const update = this.updates.get(protocolInstanceId ?? '');
    if (accepted) this.#write('workflowExecutionUpdateAccepted');
    if (!update || (!rejected && !completed)) return;
    if (completed) this.#write('workflowExecutionUpdateCompleted');
    update.outcome = rejected ? { failure: rejected } : { success: [completed as Payload] };
    for (const resolve of update.waiting.splice(0)) resolve();
  }

  #index(fields: Readonly<Record<string, unknown>>): void {
    for (const [name, payload] of Object.entries(fields)) {
      const value = decoded(payload as Payload);
      this.searchAttributes[name] = (value === null ? undefined : value) as SearchAttributeValue | undefined;
      this.indexed[name] = payload as Payload;
    }
  }

  readonly indexed: Record<string, Payload> = {};

  #close(closed: Closed): void {
    if (!this.isOpen) return;
    const { status, failure, result = encoded(undefined)[0] } = closed;
    this.#write(`workflowExecution${STATUSES[status]}`, { failure, result: { payloads: [result] } });
    this.status = status;
    this.closed = closed;
    this.closedAt = this.host.world.now;
    this.#task?.cancel();
    this.#task = undefined;
    this.#jobs = [];
    for (const cancel of this.#timers.values()) cancel();
    for (const activity of this.activities.values()) activity.drop();
    for (const update of this.updates.values()) {
      if (update.outcome) continue;
      update.isAborted = true;
      for (const resolve of update.waiting.splice(0)) resolve();
    }
    for (const then of this.#closing.splice(0)) then();
    this.host.closed(this);
  }
}

/** The event that a command writes, where there is one. */
const EVENTS: readonly (readonly [keyof Command, string])[] = [
  ['scheduleActivity', 'activityTaskScheduled'],
  ['requestCancelActivity', 'activityTaskCancelRequested'],
  ['startTimer', 'timerStarted'],
  ['cancelTimer', 'timerCanceled'],
  ['upsertWorkflowSearchAttributes', 'upsertWorkflowSearchAttributes'],
  ['modifyWorkflowProperties', 'workflowPropertiesModified'],
  ['startChildWorkflowExecution', 'startChildWorkflowExecutionInitiated'],
  ['signalExternalWorkflowExecution', 'signalExternalWorkflowExecutionInitiated'],
  ['requestCancelExternalWorkflowExecution', 'requestCancelExternalWorkflowExecutionInitiated'],
  ['setPatchMarker', 'markerRecorded'],
  ['scheduleLocalActivity', 'markerRecorded'],
];

/** What tests read of such an event. */
function eventOf({
  scheduleActivity: activity,
  startTimer,
  startChildWorkflowExecution: child,
}: Command): object {
  if (activity) {
    const { activityId, activityType, startToCloseTimeout, heartbeatTimeout, taskQueue, priority } = activity;
    const names = { activityId, activityType: { name: activityType }, taskQueue: { name: taskQueue } };
    return {
      ...names,
      startToCloseTimeout,
      heartbeatTimeout,
      priority,
      input: { payloads: activity.arguments },
    };
  }
  if (startTimer) return { startToFireTimeout: startTimer.startToFireTimeout };
  return child ? { workflowId: child.workflowId } : {};
}

const NOT_FOUND: Failure = {
  message: 'external workflow execution not found',
  applicationFailureInfo: { type: 'ExternalWorkflowExecutionNotFound', nonRetryable: true },
};

function isLast(command: Command): boolean {
  return Boolean(
    command.completeWorkflowExecution ??
      command.failWorkflowExecution ??
      command.cancelWorkflowExecution ??
      command.continueAsNewWorkflowExecution,
  );
}

/** Markers of the history, and what a local activity leaves. */
function isWithoutEffect(command: Command): boolean {
  return Boolean(
    command.setPatchMarker ??
      command.scheduleLocalActivity ??
      command.requestCancelLocalActivity ??
      command.cancelSignalWorkflow ??
      command.respondToQuery,
  );
}

/** As the core hands them over: first the start, then signals and updates, then the rest in the order of the history. */
function inOrder(jobs: readonly Job[]): Job[] {
  const rank = (job: Job) =>
    job.initializeWorkflow ? 0 : job.notifyHasPatch ? 1 : job.signalWorkflow || job.doUpdate ? 2 : 3;
  return jobs.toSorted((one, other) => rank(one) - rank(other));
}
