import type { Payload, SearchAttributeValue } from '@temporalio/common';
import { msNumberToTs, tsToMs } from '@temporalio/common/lib/time.js';
import proto, { type coresdk, type temporal } from '@temporalio/proto';
import Long from 'long';
import {
  type Activation,
  type Commands,
  decoded,
  encoded,
  type Failure,
  type Given,
  type Init,
  type Job,
  NAMESPACE,
} from '../runtime.js';
import { Activity, type ActivityHost } from './activity.js';
import {
  type Closed,
  Events,
  isLast,
  type Kin,
  type Payloads,
  rankOf,
  STATUSES,
  type Start,
  type Status,
  type Step,
  startedAs,
} from './history.js';

const { PARENT_CLOSE_POLICY_ABANDON } = proto.coresdk.child_workflow.ParentClosePolicy;

/** The service, as its runs know it. */
export interface RunHost extends ActivityHost {
  hasFault(fault: 'again'): boolean;
  open(workflowId: string): Run | undefined;
  start(start: Start, policy?: temporal.api.enums.v1.WorkflowIdReusePolicy | null): Run | undefined;
  closed(run: Run): void;
  dispatchTask(run: Run): void;
}

const WORKFLOW_TASK_MS = 10_000;

/**
 * One run of a workflow as the server keeps it: its history as the steps that it took, what has happened since, and what it waits
 * for. A worker takes a task with everything that has happened, and the commands of the task take effect together, or not at all.
 */
export class Run implements Kin {
  readonly runId: string;
  readonly startedAt: number;
  status: Status = 'RUNNING';
  closed: Closed | undefined;
  closedAt: number | undefined;
  /** Resolves when it ends. */
  readonly end = Promise.withResolvers<void>();
  readonly steps: Step[] = [];
  readonly activities = new Map<number, Activity>();
  /** Children that have not ended. */
  readonly children = new Map<number, Run>();
  /** Outcomes of updates. Undefined when the workflow ended before. */
  readonly updates = new Map<string, PromiseWithResolvers<temporal.api.update.v1.IOutcome | undefined>>();
  readonly memo: Record<string, Payload>;
  readonly searchAttributes: Record<string, SearchAttributeValue | undefined> = {};
  readonly indexed: Record<string, Payload> = {};
  readonly init: Init;
  readonly #events: Events;
  readonly #updating = new Map<string, { readonly meta: object; readonly input: object }>();
  /** The updates that their handlers have begun. */
  readonly #accepted = new Set<string>();
  /** The server forgets what the task that completes does to updates. */
  #losesUpdates = false;
  /** What has happened since the last task. */
  #jobs: Job[];
  #task: { readonly jobs: readonly Job[]; readonly cancel: () => void } | undefined;
  readonly #timers = new Map<number, () => void>();

  constructor(
    readonly start: Start,
    private readonly host: RunHost,
    private readonly continueAfter: number,
  ) {
    const { world } = host;
    this.#events = new Events(world);
    this.runId = world.id();
    this.startedAt = world.now;
    const { parent, before, workflowId, type, args, headers } = start;
    this.memo = { ...start.memo };
    this.#index(start.searchAttributes);
    this.init = {
      workflowId,
      workflowType: type,
      arguments: args,
      attempt: 1,
      headers: { ...headers },
      randomnessSeed: Long.fromNumber(world.chance.between(1, 2 ** 31)) as never,
      startTime: msNumberToTs(world.now),
      firstExecutionRunId: before?.init.firstExecutionRunId ?? this.runId,
      memo: { fields: { ...this.memo } },
      searchAttributes: { indexedFields: { ...this.indexed } },
      ...(before && { continuedFromExecutionRunId: before.runId }),
      parentWorkflowInfo: parent
        ? { namespace: NAMESPACE, workflowId: parent.run.start.workflowId, runId: parent.run.runId }
        : null,
    };
    this.#jobs = start.neverRuns ? [] : [{ initializeWorkflow: this.init }];
    this.#write('workflowExecutionStarted', {
      ...startedAs(start),
      workflowId,
      attempt: 1,
      continuedExecutionRunId: before?.runId,
    });
    if (!start.neverRuns) host.dispatchTask(this);
  }

  /** The event that closes a history is its last one, whatever commands follow in the same task. */
  #write(kind: string, attributes: object = {}): void {
    if (this.isOpen) this.#events.write(kind, attributes);
  }

  get events(): object[] {
    return this.#events.all;
  }

  /** @param job which a worker gets with the event */
  #writeOnceIdle(kind: string, attributes: object, job?: Job): void {
    if (this.#task) this.#events.later(kind, attributes, job);
    else this.#write(kind, attributes);
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
  #happened(job: Job, event?: string, attributes?: object): void {
    if (!this.isOpen) return;
    if (event) this.#writeOnceIdle(event, attributes ?? {}, job);
    this.#jobs.push(job);
    if (!this.#task && this.#jobs.length === 1) this.host.dispatchTask(this);
  }

  signal(signalName: string, input: Payload[]): void {
    this.#happened(
      { signalWorkflow: { signalName, input: [...input], identity: 'simulation' } },
      'workflowExecutionSignaled',
      { signalName, input: { payloads: input } },
    );
  }

  cancel(cause?: string): void {
    this.#happened({ cancelWorkflow: {} }, 'workflowExecutionCancelRequested', { cause });
  }

  update(id: string, name: string, input: Payload[]): void {
    this.updates.set(id, Promise.withResolvers());
    const meta = { identity: 'simulation', updateId: id };
    this.#updating.set(id, { meta, input: { name, args: { payloads: input } } });
    this.#happened({ doUpdate: { id, protocolInstanceId: id, name, input, meta, runValidator: true } });
  }

  /** A worker takes a task. @returns undefined when there is nothing to do */
  takeTask(): Activation | undefined {
    if (!this.waitsForWorker) return undefined;
    const jobs = this.#jobs.splice(0);
    this.#write('workflowTaskScheduled');
    this.#write('workflowTaskStarted');
    const { world } = this.host;
    this.#task = { jobs, cancel: world.after(WORKFLOW_TASK_MS, () => this.failTask(), null) };
    const historyLength = this.events.length;
    return {
      at: world.now,
      jobs: jobs.toSorted((one, other) => rankOf(one) - rankOf(other)),
      historyLength,
      suggestsContinueAsNew: historyLength >= this.continueAfter,
    };
  }

  /**
   * The last task, if nothing came of it and of the one before. When a task for updates follows at once, a worker without the workflow
   * in its memory takes both as one: the core's `find_end_index_of_next_wft_seq` takes the empty one for a heartbeat.
   */
  get idleStep(): Step | undefined {
    return this.steps.slice(-2).every(({ commands }) => commands.length === 0)
      ? this.steps.at(-1)
      : undefined;
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
    this.#events.flush();
    this.host.dispatchTask(this);
  }

  /**
   * The commands of the running task take effect.
   *
   * @returns false when the workflow wants to end although something has happened meanwhile (`UnhandledCommand`)
   */
  completeTask(step: Step): boolean {
    if (!this.#task || !this.isOpen) return true;
    const { commands } = step;
    if (this.#jobs.length > 0 && commands.some(isLast)) {
      this.failTask();
      return false;
    }
    this.#task.cancel();
    this.#losesUpdates =
      this.host.hasFault('again') && commands.some((each) => each.continueAsNewWorkflowExecution);
    // A task that only rejects updates leaves no trace.
    const isSpeculative =
      step.activation.jobs.every((job) => job.doUpdate) &&
      commands.every(
        ({ updateResponse: of }) => of?.rejected && !this.#accepted.has(of.protocolInstanceId ?? ''),
      );
    if (isSpeculative) this.events.splice(-2);
    else {
      this.steps.push(step);
      this.#write('workflowTaskCompleted');
    }
    for (const command of commands.toSorted((one, other) => Number(isLast(one)) - Number(isLast(other))))
      for (const [name, of] of Object.entries(command)) {
        const effect = this.#effects[name as keyof Commands] as ((of: unknown) => unknown) | undefined;
        if (!effect) throw new Error(`the simulated service lacks ${name}`);
        effect(of);
      }
    this.#task = undefined;
    this.#events.flush();
    if (this.isOpen && this.#jobs.length > 0) this.host.dispatchTask(this);
    return true;
  }

  terminate(): void {
    this.#close({ status: 'TERMINATED', failure: { terminatedFailureInfo: {} } });
  }

  /** What each command does. Its event has what tests read of it. */
  readonly #effects: { readonly [Name in keyof Commands]: (of: NonNullable<Commands[Name]>) => unknown } = {
    scheduleActivity: (scheduled) => {
      const { seq, activityType, taskQueue, arguments: payloads, headers: fields, ...options } = scheduled;
      const of = { activityType: { name: activityType }, taskQueue: { name: taskQueue } };
      const attributes = { ...options, ...of, input: { payloads }, header: { fields } };
      this.#events.begin('activity', seq, 'activityTaskScheduled', attributes);
      this.activities.set(seq, new Activity(scheduled, this, this.host));
    },
    requestCancelActivity: ({ seq }) => {
      this.#write('activityTaskCancelRequested', this.#events.of('activity', seq));
      this.activities.get(seq)?.requestCancel();
    },
    startTimer: ({ seq, startToFireTimeout }) => {
      this.#events.begin('timer', seq, 'timerStarted', { startToFireTimeout });
      const fire = () => this.#happened({ fireTimer: { seq } }, 'timerFired', this.#events.of('timer', seq));
      this.#timers.set(seq, this.host.world.after(tsToMs(startToFireTimeout), fire, null));
    },
    cancelTimer: ({ seq }) => {
      this.#write('timerCanceled', this.#events.of('timer', seq));
      this.#timers.get(seq)?.();
      // It may have fired since.
      this.#jobs = this.#jobs.filter(({ fireTimer }) => fireTimer?.seq !== seq);
      this.#events.forgetTimer(seq);
    },
    updateResponse: ({ protocolInstanceId, accepted, rejected, completed }) => {
      const outcome = rejected ? { failure: rejected } : { success: { payloads: [completed] } };
      const of = this.#updating.get(protocolInstanceId);
      if (accepted) this.#write('workflowExecutionUpdateAccepted', { acceptedRequest: of });
      if (accepted) this.#accepted.add(protocolInstanceId);
      // An accepted one that is rejected has failed.
      if (completed || (rejected && this.#accepted.has(protocolInstanceId)))
        this.#write('workflowExecutionUpdateCompleted', { meta: of?.meta, outcome });
      if ((rejected ?? completed) && !this.#losesUpdates)
        this.updates.get(protocolInstanceId)?.resolve(outcome);
    },
    upsertWorkflowSearchAttributes: ({ searchAttributes }) => {
      this.#write('upsertWorkflowSearchAttributes', { searchAttributes });
      this.#index(searchAttributes.indexedFields ?? {});
    },
    modifyWorkflowProperties: ({ upsertedMemo }) => {
      this.#write('workflowPropertiesModified', { upsertedMemo });
      Object.assign(this.memo, upsertedMemo.fields);
    },
    startChildWorkflowExecution: (child) => {
      const { seq, workflowId, workflowType, input: payloads, memo: fields, searchAttributes } = child;
      const attributes = {
        workflowId,
        workflowType: { name: workflowType },
        input: { payloads },
        memo: { fields },
        searchAttributes,
        taskQueue: { name: child.taskQueue || this.start.taskQueue },
      };
      this.#events.begin('child', seq, 'startChildWorkflowExecutionInitiated', attributes);
      this.#soon(() => this.#startChild(child));
    },
    signalExternalWorkflowExecution: ({ seq, signalName, args, workflowExecution: { workflowId } }) => {
      const attributes = { workflowExecution: { workflowId }, signalName, input: { payloads: args } };
      this.#events.begin('signal', seq, 'signalExternalWorkflowExecutionInitiated', attributes);
      this.#soon(() => {
        const target = this.host.open(workflowId ?? '');
        target?.signal(signalName, args ?? []);
        this.#happened(
          { resolveSignalExternalWorkflow: { seq, ...(!target && { failure: NOT_FOUND }) } },
          target ? 'externalWorkflowExecutionSignaled' : 'signalExternalWorkflowExecutionFailed',
          { workflowExecution: { workflowId }, ...this.#events.of('signal', seq) },
        );
      });
    },
    requestCancelExternalWorkflowExecution: ({ seq, workflowExecution: { workflowId } }) => {
      const attributes = { workflowExecution: { workflowId } };
      this.#events.begin('cancel', seq, 'requestCancelExternalWorkflowExecutionInitiated', attributes);
      this.#soon(() => {
        this.host.open(workflowId ?? '')?.cancel();
        this.#happened(
          { resolveRequestCancelExternalWorkflow: { seq } },
          'externalWorkflowExecutionCancelRequested',
          { ...attributes, ...this.#events.of('cancel', seq) },
        );
      });
    },
    completeWorkflowExecution: ({ result }) => this.#close({ status: 'COMPLETED', result }),
    failWorkflowExecution: ({ failure }) => this.#close({ status: 'FAILED', failure }),
    cancelWorkflowExecution: () => this.#close({ status: 'CANCELED', failure: { canceledFailureInfo: {} } }),
    continueAsNewWorkflowExecution: ({ arguments: args, memo, searchAttributes, headers }) => {
      const attributes = this.#close({ status: 'CONTINUED_AS_NEW' });
      const start = {
        ...this.start,
        args,
        headers,
        before: this,
        memo: { ...this.start.memo, ...memo },
        searchAttributes: { ...this.indexed, ...searchAttributes?.indexedFields },
      };
      const next = this.host.start(start);
      Object.assign(attributes, { ...startedAs(start), newExecutionRunId: next?.runId });
    },
    setPatchMarker: () => this.#write('markerRecorded'),
    userMetadata: () => {},
    eventGroupMarkers: () => {},
  };

  /** The server does it after all commands of a task. */
  #soon(run: () => void): void {
    const { world } = this.host;
    world.after(world.chance.between(1, 40), run, null);
  }

  #startChild(child: Given<coresdk.workflow_commands.IStartChildWorkflowExecution>): void {
    const { seq, workflowId, workflowType, parentClosePolicy, searchAttributes } = child;
    if (parentClosePolicy !== PARENT_CLOSE_POLICY_ABANDON)
      throw new Error(`the simulated service lacks the policy ${parentClosePolicy} for children`);
    const run = this.host.start(
      {
        workflowId,
        type: workflowType,
        args: child.input,
        memo: child.memo,
        headers: child.headers,
        taskQueue: child.taskQueue || this.start.taskQueue,
        parent: { run: this, seq },
        searchAttributes: searchAttributes?.indexedFields ?? {},
      },
      child.workflowIdReusePolicy,
    );
    if (run) this.children.set(seq, run);
    const how = run
      ? { succeeded: { runId: run.runId } }
      : { failed: { workflowId, workflowType, cause: 1 } };
    this.#happened(
      { resolveChildWorkflowExecutionStart: { seq, ...how } },
      run ? 'childWorkflowExecutionStarted' : 'startChildWorkflowExecutionFailed',
      {
        workflowType: { name: workflowType },
        workflowExecution: { workflowId, runId: run?.runId },
        ...this.#events.of('child', seq),
      },
    );
  }

  childClosed(seq: number, { start, runId }: Kin, { status, result, failure = {} }: Closed): void {
    const workflowType = { name: start.type };
    const workflowExecution = { workflowId: start.workflowId, runId };
    const wrapped = {
      message: 'Child Workflow execution failed',
      cause: failure,
      childWorkflowExecutionFailureInfo: { namespace: NAMESPACE, workflowType, workflowExecution },
    };
    const end =
      status === 'COMPLETED'
        ? { completed: { result: result ?? null } }
        : { [status === 'CANCELED' ? 'cancelled' : 'failed']: { failure: wrapped } };
    this.children.delete(seq);
    const event = `childWorkflowExecution${STATUSES[status]}`;
    const input = result && { result: { payloads: [result] } };
    const attributes = {
      workflowType,
      workflowExecution,
      ...input,
      failure,
      ...this.#events.of('child', seq),
    };
    this.#happened({ resolveChildWorkflowExecution: { seq, result: end } }, event, attributes);
  }

  activityEnded(activity: Activity, result: coresdk.activity_result.IActivityResolution): void {
    const { seq } = activity.scheduled;
    const { completed, cancelled, failed } = result;
    this.activities.delete(seq);
    const of = this.#events.of('activity', seq);
    if (activity.hasStarted) this.#writeOnceIdle('activityTaskStarted', { attempt: activity.attempt, ...of });
    const failure = failed?.failure?.cause;
    const failing = failure?.timeoutFailureInfo ? 'TimedOut' : 'Failed';
    this.#happened(
      { resolveActivity: { seq, result } },
      `activityTask${completed ? 'Completed' : cancelled ? 'Canceled' : failing}`,
      { ...(completed?.result ? { result: { payloads: [completed.result] } } : { failure }), ...of },
    );
  }

  #index(fields: Payloads = {}): void {
    Object.assign(this.indexed, fields);
    for (const [name, payload] of Object.entries(fields))
      this.searchAttributes[name] = (decoded(payload) ?? undefined) as SearchAttributeValue | undefined;
  }

  /** @returns the attributes of the event */
  #close(closed: Closed): object {
    const { status, failure, result = encoded(undefined)[0] } = closed;
    const attributes = { failure, result: { payloads: [result] } };
    if (!this.isOpen) return attributes;
    this.#events.flush();
    this.#write(`workflowExecution${STATUSES[status]}`, attributes);
    this.status = status;
    this.closed = closed;
    this.closedAt = this.host.world.now;
    this.#task?.cancel();
    this.#task = undefined;
    this.#jobs = [];
    for (const cancel of this.#timers.values()) cancel();
    for (const activity of this.activities.values()) activity.drop();
    for (const { resolve } of this.updates.values()) resolve(undefined);
    this.end.resolve();
    this.host.closed(this);
    return attributes;
  }
}

const NOT_FOUND: Failure = {
  message: 'external workflow execution not found',
  applicationFailureInfo: { type: 'ExternalWorkflowExecutionNotFound', nonRetryable: true },
};
