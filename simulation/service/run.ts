import type { Payload } from '@temporalio/common';
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
  inOrder,
  isLast,
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
  dispatch(work: Run | Activity): void;
}

/** An update of a workflow. */
interface Update {
  readonly request: { readonly meta: object; readonly input: object };
  /** Resolves with undefined when the workflow ends before. */
  readonly outcome: PromiseWithResolvers<temporal.api.update.v1.IOutcome | undefined>;
  /** Its handler has begun. */
  isAccepted: boolean;
}

const WORKFLOW_TASK_MS = 10_000;

/**
 * One run of a workflow as the server keeps it: its history as the steps that it took, what has happened since, and what it waits
 * for. A worker takes a task with everything that has happened, and the commands of the task take effect together, or not at all.
 */
export class Run {
  readonly runId: string;
  readonly startedAt: number;
  closed: Closed | undefined;
  closedAt: number | undefined;
  /** Resolves when it ends. */
  readonly end = Promise.withResolvers<void>();
  /** Its history, as a client gets it. */
  readonly events: object[] = [];
  readonly steps: Step[] = [];
  readonly activities = new Map<number, Activity>();
  /** Children that have not ended. */
  readonly children = new Map<number, Run>();
  readonly updates = new Map<string, Update>();
  readonly memo: Record<string, Payload>;
  /** Its search attributes. */
  readonly indexed: Record<string, Payload>;
  readonly init: Init;
  /** The server forgets what the task that completes does to updates. */
  #losesUpdates = false;
  /** What has happened since the last task. */
  #jobs: Job[];
  #task: { readonly activation: Activation; readonly cancel: () => void } | undefined;
  /** Events that come after the commands of the running task. */
  #later: { readonly kind: string; readonly attributes: object; readonly job?: Job | undefined }[] = [];
  /** The events that schedule activities. */
  readonly #scheduled = new Map<number, number>();
  readonly #timers = new Map<number, { readonly cancel: () => void; readonly startedEventId: number }>();

  constructor(
    readonly start: Start,
    private readonly host: RunHost,
    private readonly continueAfter: number,
  ) {
    const { world } = host;
    const { parent, before, workflowId, type, args, headers, memo = {}, searchAttributes = {} } = start;
    this.runId = world.id();
    this.startedAt = world.now;
    this.memo = { ...memo };
    this.indexed = { ...searchAttributes };
    this.init = {
      workflowId,
      workflowType: type,
      arguments: args,
      attempt: 1,
      headers: headers ?? {},
      randomnessSeed: Long.fromNumber(world.chance.between(1, 2 ** 31)) as never,
      startTime: msNumberToTs(world.now),
      firstExecutionRunId: before?.firstRunId ?? this.runId,
      memo: { fields: memo },
      searchAttributes: { indexedFields: searchAttributes },
      ...(before && { continuedFromExecutionRunId: before.runId }),
      ...(parent && {
        parentWorkflowInfo: { namespace: NAMESPACE, workflowId: parent.workflowId, runId: parent.runId },
      }),
    };
    this.#jobs = start.neverRuns ? [] : [{ initializeWorkflow: this.init }];
    const attributes = {
      ...startedAs(start),
      workflowId,
      attempt: 1,
      continuedExecutionRunId: before?.runId,
    };
    this.#write('workflowExecutionStarted', attributes);
    if (!start.neverRuns) host.dispatch(this);
  }

  /** The values of its search attributes. */
  get searchAttributes(): Readonly<Record<string, unknown>> {
    const values = Object.entries(this.indexed).map(([name, payload]) => [
      name,
      decoded(payload) ?? undefined,
    ]);
    return Object.fromEntries(values);
  }

  /** A task has begun, or waits for a worker. */
  get hasTask(): boolean {
    return this.waitsForWorker || this.#task !== undefined;
  }

  /** A task waits, and nobody has taken it. */
  get waitsForWorker(): boolean {
    return this.isOpen && this.#task === undefined && this.#jobs.length > 0;
  }

  get isOpen(): boolean {
    return this.closed === undefined;
  }

  get status(): Status {
    return this.closed?.status ?? 'RUNNING';
  }

  /** @returns the id of the event */
  #write(kind: string, attributes: object = {}): number {
    const eventId = this.events.length + 1;
    const eventTime = msNumberToTs(this.host.world.now);
    this.events.push({ eventId, eventTime, [`${kind}EventAttributes`]: attributes });
    return eventId;
  }

  /** Something has happened. */
  #happened(job: Job, kind: string, attributes: object): void {
    if (!this.isOpen) return;
    this.#writeOnceIdle(kind, attributes, job);
    this.#add(job);
  }

  /** @param job which a worker gets with the event */
  #writeOnceIdle(kind: string, attributes: object, job?: Job): void {
    this.#later.push({ kind, attributes, job });
    if (!this.#task) this.#writeLater();
  }

  #writeLater(): void {
    for (const { kind, attributes } of this.#later.splice(0)) this.#write(kind, attributes);
  }

  #add(job: Job): void {
    this.#jobs.push(job);
    if (!this.#task && this.#jobs.length === 1) this.host.dispatch(this);
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
    const meta = { identity: 'simulation', updateId: id };
    const request = { meta, input: { name, args: { payloads: input } } };
    this.updates.set(id, { request, outcome: Promise.withResolvers(), isAccepted: false });
    this.#add({ doUpdate: { id, protocolInstanceId: id, name, input, meta, runValidator: true } });
  }

  /** A worker takes a task. @returns undefined when there is nothing to do */
  takeTask(): Activation | undefined {
    if (!this.waitsForWorker) return undefined;
    this.#write('workflowTaskScheduled');
    const historyLength = this.#write('workflowTaskStarted');
    const { world } = this.host;
    const activation = {
      timestamp: msNumberToTs(world.now),
      jobs: inOrder(this.#jobs.splice(0)),
      historyLength,
      continueAsNewSuggested: historyLength >= this.continueAfter,
    };
    this.#task = { activation, cancel: world.after(WORKFLOW_TASK_MS, () => this.#failTask(), null) };
    return activation;
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

  /** The task is over without a result: another one gets what it got. */
  #failTask(): void {
    if (!this.#task) return;
    this.#task.cancel();
    this.#jobs.unshift(...this.#task.activation.jobs);
    this.#task = undefined;
    this.#writeLater();
    this.host.dispatch(this);
  }

  /**
   * The commands of the running task take effect.
   *
   * @returns false when another task runs, or the workflow wants to end although something has happened meanwhile
   *   (`UnhandledCommand`)
   */
  completeTask(step: Step): boolean {
    const { activation, commands } = step;
    if (this.#task?.activation !== activation) return false;
    if (this.#jobs.length > 0 && commands.some(isLast)) {
      this.#failTask();
      return false;
    }
    this.#task.cancel();
    this.#losesUpdates =
      this.host.hasFault('again') && commands.some((each) => each.continueAsNewWorkflowExecution);
    // A task that only rejects updates leaves no trace.
    const isSpeculative =
      activation.jobs.every((job) => job.doUpdate) &&
      commands.every(
        ({ updateResponse: of }) => of?.rejected && !this.updates.get(of.protocolInstanceId)?.isAccepted,
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
    this.#writeLater();
    if (this.isOpen && this.#jobs.length > 0) this.host.dispatch(this);
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
      this.#scheduled.set(seq, this.#write('activityTaskScheduled', attributes));
      const workflowExecution = { workflowId: this.start.workflowId, runId: this.runId };
      const workflow = { workflowType: this.start.type, workflowExecution };
      const onEnd = this.#activityEnded.bind(this, seq);
      this.activities.set(seq, new Activity(scheduled, this.host, onEnd, workflow));
    },
    requestCancelActivity: ({ seq }) => {
      this.#write('activityTaskCancelRequested', { scheduledEventId: this.#scheduled.get(seq) });
      this.activities.get(seq)?.requestCancel();
    },
    startTimer: ({ seq, startToFireTimeout }) => {
      const startedEventId = this.#write('timerStarted', { startToFireTimeout });
      const fire = () => this.#happened({ fireTimer: { seq } }, 'timerFired', { startedEventId });
      const cancel = this.host.world.after(tsToMs(startToFireTimeout), fire, null);
      this.#timers.set(seq, { cancel, startedEventId });
    },
    cancelTimer: ({ seq }) => {
      const { cancel, startedEventId } = this.#timers.get(seq) ?? {};
      this.#write('timerCanceled', { startedEventId });
      cancel?.();
      // It may have fired since.
      this.#jobs = this.#jobs.filter(({ fireTimer }) => fireTimer?.seq !== seq);
      this.#later = this.#later.filter(({ job }) => job?.fireTimer?.seq !== seq);
    },
    updateResponse: ({ protocolInstanceId, accepted, rejected, completed }) => {
      const update = this.updates.get(protocolInstanceId) as Update;
      const outcome = rejected ? { failure: rejected } : { success: { payloads: [completed] } };
      if (accepted) this.#write('workflowExecutionUpdateAccepted', { acceptedRequest: update.request });
      if (accepted) update.isAccepted = true;
      if (!(rejected ?? completed)) return;
      // An accepted one that is rejected has failed.
      if (update.isAccepted)
        this.#write('workflowExecutionUpdateCompleted', { meta: update.request.meta, outcome });
      if (!this.#losesUpdates) update.outcome.resolve(outcome);
    },
    upsertWorkflowSearchAttributes: ({ searchAttributes }) => {
      this.#write('upsertWorkflowSearchAttributes', { searchAttributes });
      Object.assign(this.indexed, searchAttributes.indexedFields);
    },
    modifyWorkflowProperties: ({ upsertedMemo }) => {
      this.#write('workflowPropertiesModified', { upsertedMemo });
      Object.assign(this.memo, upsertedMemo.fields);
    },
    startChildWorkflowExecution: (child) => this.#startChild(child),
    signalExternalWorkflowExecution: ({ seq, signalName, args, workflowExecution: { workflowId } }) => {
      const attributes = { workflowExecution: { workflowId }, signalName, input: { payloads: args } };
      const initiatedEventId = this.#write('signalExternalWorkflowExecutionInitiated', attributes);
      this.#soon(() => {
        const target = this.host.open(workflowId ?? '');
        target?.signal(signalName, args ?? []);
        this.#happened(
          { resolveSignalExternalWorkflow: { seq, ...(!target && { failure: NOT_FOUND }) } },
          target ? 'externalWorkflowExecutionSignaled' : 'signalExternalWorkflowExecutionFailed',
          { workflowExecution: { workflowId }, initiatedEventId },
        );
      });
    },
    requestCancelExternalWorkflowExecution: ({ seq, workflowExecution: { workflowId } }) => {
      const attributes = { workflowExecution: { workflowId } };
      const initiatedEventId = this.#write('requestCancelExternalWorkflowExecutionInitiated', attributes);
      this.#soon(() => {
        this.host.open(workflowId ?? '')?.cancel();
        const job = { resolveRequestCancelExternalWorkflow: { seq } };
        const kind = 'externalWorkflowExecutionCancelRequested';
        this.#happened(job, kind, { ...attributes, initiatedEventId });
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
        before: { runId: this.runId, firstRunId: this.init.firstExecutionRunId ?? this.runId },
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
    const { seq, workflowId, workflowType, parentClosePolicy } = child;
    if (parentClosePolicy !== PARENT_CLOSE_POLICY_ABANDON)
      throw new Error(`the simulated service lacks the policy ${parentClosePolicy} for children`);
    const start: Start = {
      workflowId,
      type: workflowType,
      args: child.input,
      memo: child.memo,
      headers: child.headers,
      taskQueue: child.taskQueue || this.start.taskQueue,
      searchAttributes: child.searchAttributes?.indexedFields ?? {},
    };
    const attributes = { ...startedAs(start), workflowId };
    const initiatedEventId = this.#write('startChildWorkflowExecutionInitiated', attributes);
    const about = (runId: string | undefined) => ({
      workflowType: { name: workflowType },
      workflowExecution: { workflowId, runId },
    });
    const closed = (runId: string, end: Closed) =>
      this.#childClosed(seq, about(runId), initiatedEventId, end);
    const parent = { workflowId: this.start.workflowId, runId: this.runId, closed };
    this.#soon(() => {
      const run = this.host.start({ ...start, parent }, child.workflowIdReusePolicy);
      if (run) this.children.set(seq, run);
      const result = run
        ? { succeeded: { runId: run.runId } }
        : { failed: { workflowId, workflowType, cause: 1 } };
      this.#happened(
        { resolveChildWorkflowExecutionStart: { seq, ...result } },
        run ? 'childWorkflowExecutionStarted' : 'startChildWorkflowExecutionFailed',
        { ...about(run?.runId), initiatedEventId },
      );
    });
  }

  #childClosed(
    seq: number,
    child: object,
    initiatedEventId: number,
    { status, result, failure = {} }: Closed,
  ): void {
    const wrapped = {
      message: 'Child Workflow execution failed',
      cause: failure,
      childWorkflowExecutionFailureInfo: { namespace: NAMESPACE, ...child },
    };
    const end =
      status === 'COMPLETED'
        ? { completed: { result: result ?? null } }
        : { [status === 'CANCELED' ? 'cancelled' : 'failed']: { failure: wrapped } };
    this.children.delete(seq);
    const payloads = result && { result: { payloads: [result] } };
    const attributes = { ...child, ...payloads, failure, initiatedEventId };
    const job = { resolveChildWorkflowExecution: { seq, result: end } };
    this.#happened(job, `childWorkflowExecution${STATUSES[status]}`, attributes);
  }

  #activityEnded(seq: number, result: coresdk.activity_result.IActivityResolution): void {
    const { completed, cancelled, failed } = result;
    const { hasStarted, attempt } = this.activities.get(seq) ?? {};
    this.activities.delete(seq);
    const of = { scheduledEventId: this.#scheduled.get(seq) };
    if (hasStarted) this.#writeOnceIdle('activityTaskStarted', { attempt, ...of });
    const failure = failed?.failure?.cause;
    const failing = failure?.timeoutFailureInfo ? 'TimedOut' : 'Failed';
    this.#happened(
      { resolveActivity: { seq, result } },
      `activityTask${completed ? 'Completed' : cancelled ? 'Canceled' : failing}`,
      { ...(completed?.result ? { result: { payloads: [completed.result] } } : { failure }), ...of },
    );
  }

  /** @returns the attributes of the event */
  #close(closed: Closed): object {
    const { status, failure, result = encoded(undefined)[0] } = closed;
    const attributes = { failure, result: { payloads: [result] } };
    this.#writeLater();
    this.#write(`workflowExecution${STATUSES[status]}`, attributes);
    this.closed = closed;
    this.closedAt = this.host.world.now;
    this.#task?.cancel();
    this.#task = undefined;
    this.#jobs = [];
    for (const { cancel } of this.#timers.values()) cancel();
    for (const activity of this.activities.values()) activity.drop();
    for (const { outcome } of this.updates.values()) outcome.resolve(undefined);
    this.end.resolve();
    this.host.closed(this);
    // A run that continues as new leaves it to the last one to tell the parent.
    if (status !== 'CONTINUED_AS_NEW') this.start.parent?.closed(this.runId, closed);
    return attributes;
  }
}

const NOT_FOUND: Failure = {
  message: 'external workflow execution not found',
  applicationFailureInfo: { type: 'ExternalWorkflowExecutionNotFound', nonRetryable: true },
};
