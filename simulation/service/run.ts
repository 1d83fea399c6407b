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
import { Activity } from './activity.js';
import type { Service } from './service.js';

const { PARENT_CLOSE_POLICY_ABANDON } = proto.coresdk.child_workflow.ParentClosePolicy;

type Payloads = Readonly<Record<string, Payload>>;

/** A workflow to start. */
export interface Start {
  readonly workflowId: string;
  readonly type: string;
  readonly taskQueue: string;
  readonly args: Payload[];
  readonly memo: Payloads | undefined;
  readonly searchAttributes: Payloads | undefined;
  readonly headers: Payloads | undefined;
  /** Its start delay exceeds its timeout, so it never runs. */
  readonly neverRuns?: boolean;
  readonly parent?: { readonly run: Run; readonly seq: number };
  /** The run before this one, which continued as new. */
  readonly before?: Run;
}

/** As in queries and in the names of events. */
export const STATUSES = {
  ...{ RUNNING: 'Running', COMPLETED: 'Completed', FAILED: 'Failed', CANCELED: 'Canceled' },
  ...{ TERMINATED: 'Terminated', CONTINUED_AS_NEW: 'ContinuedAsNew' },
} as const;

type Status = keyof typeof STATUSES;

/** How a run ended. */
interface Closed {
  readonly status: Exclude<Status, 'RUNNING'>;
  readonly result?: Payload;
  readonly failure?: Failure;
}

/** What a task of a workflow did. */
export interface Step {
  readonly activation: Activation;
  readonly commands: readonly Commands[];
  readonly flags: readonly number[];
}

const WORKFLOW_TASK_MS = 10_000;

/** With these, nothing may have happened since the task began. */
const LAST = [
  ...(['completeWorkflowExecution', 'failWorkflowExecution'] as const),
  ...(['cancelWorkflowExecution', 'continueAsNewWorkflowExecution'] as const),
];

/** As the core hands them over: first the start, then signals and updates, then the rest in the order of the history. */
const RANKS: { readonly [Name in keyof Job]?: number } = {
  ...{ initializeWorkflow: 0, notifyHasPatch: 1, signalWorkflow: 2, doUpdate: 2 },
};

const rankOf = (job: Job) => RANKS[Object.keys(job)[0] as keyof Job] ?? 3;

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
  readonly events: object[] = [];
  /** What has happened since the last task. */
  #jobs: Job[];
  #task: { readonly jobs: readonly Job[]; readonly cancel: () => void } | undefined;
  readonly #timers = new Map<number, () => void>();

  constructor(
    readonly start: Start,
    private readonly host: Service,
    private readonly continueAfter: number,
  ) {
    const { world } = host;
    this.runId = world.id();
    this.startedAt = world.now;
    const { parent, before, workflowId, type, args, headers } = start;
    this.memo = { ...start.memo };
    this.#index(start.searchAttributes);
    this.init = {
      ...{ workflowId, workflowType: type, arguments: args, attempt: 1, headers: { ...headers } },
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
      ...{ workflowType: { name: type }, input: { payloads: args }, memo: { fields: { ...this.memo } } },
      continuedExecutionRunId: before?.runId,
    });
    if (!start.neverRuns) host.dispatchTask(this);
  }

  /** The event that closes a history is its last one, whatever commands follow in the same task. */
  #write(kind: string, attributes: object = {}): void {
    if (!this.isOpen) return;
    const [eventId, eventTime] = [this.events.length + 1, msNumberToTs(this.host.world.now)];
    this.events.push({ eventId, eventTime, [`${kind}EventAttributes`]: attributes });
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
    if (event) this.#write(event, attributes);
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
      ...{ at: world.now, jobs: jobs.toSorted((one, other) => rankOf(one) - rankOf(other)), historyLength },
      suggestsContinueAsNew: historyLength >= this.continueAfter,
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
  completeTask(step: Step): boolean {
    if (!this.#task || !this.isOpen) return true;
    const { commands } = step;
    if (this.#jobs.length > 0 && commands.some((command) => LAST.some((last) => command[last]))) {
      this.failTask();
      return false;
    }
    this.#task.cancel();
    this.#task = undefined;
    this.steps.push(step);
    this.#write('workflowTaskCompleted');
    for (const command of commands)
      for (const [name, of] of Object.entries(command)) {
        const effect = this.#effects[name as keyof Commands] as ((of: unknown) => unknown) | undefined;
        if (!effect) throw new Error(`the simulated service lacks ${name}`);
        effect(of);
      }
    if (this.isOpen && this.#jobs.length > 0) this.host.dispatchTask(this);
    return true;
  }

  terminate(): void {
    this.#close({ status: 'TERMINATED', failure: { terminatedFailureInfo: {} } });
  }

  /** What each command does. Its event has what tests read of it. */
  readonly #effects: { readonly [Name in keyof Commands]: (of: NonNullable<Commands[Name]>) => unknown } = {
    scheduleActivity: (scheduled) => {
      const { activityType, taskQueue, startToCloseTimeout, heartbeatTimeout, priority } = scheduled;
      this.#write('activityTaskScheduled', {
        ...{ activityType: { name: activityType }, taskQueue: { name: taskQueue }, priority },
        ...{ startToCloseTimeout, heartbeatTimeout, input: { payloads: scheduled.arguments } },
      });
      this.activities.set(scheduled.seq, new Activity(scheduled, this, this.host));
    },
    requestCancelActivity: ({ seq }) => {
      this.#write('activityTaskCancelRequested');
      this.activities.get(seq)?.requestCancel();
    },
    startTimer: ({ seq, startToFireTimeout }) => {
      this.#write('timerStarted');
      const fire = () => this.#happened({ fireTimer: { seq } }, 'timerFired');
      this.#timers.set(seq, this.host.world.after(tsToMs(startToFireTimeout), fire, null));
    },
    cancelTimer: ({ seq }) => {
      this.#write('timerCanceled');
      this.#timers.get(seq)?.();
      // It may have fired since.
      this.#jobs = this.#jobs.filter(({ fireTimer }) => fireTimer?.seq !== seq);
    },
    updateResponse: ({ protocolInstanceId, accepted, rejected, completed }) => {
      if (accepted) this.#write('workflowExecutionUpdateAccepted');
      if (completed) this.#write('workflowExecutionUpdateCompleted');
      const outcome = rejected ? { failure: rejected } : { success: { payloads: [completed] } };
      if (rejected ?? completed) this.updates.get(protocolInstanceId)?.resolve(outcome);
    },
    upsertWorkflowSearchAttributes: ({ searchAttributes }) => {
      this.#write('upsertWorkflowSearchAttributes');
      this.#index(searchAttributes.indexedFields ?? {});
    },
    modifyWorkflowProperties: ({ upsertedMemo }) => {
      this.#write('workflowPropertiesModified');
      Object.assign(this.memo, upsertedMemo.fields);
    },
    startChildWorkflowExecution: (child) => {
      this.#write('startChildWorkflowExecutionInitiated');
      this.#startChild(child);
    },
    signalExternalWorkflowExecution: ({ seq, signalName, args, workflowExecution: { workflowId } }) => {
      this.#write('signalExternalWorkflowExecutionInitiated');
      const target = this.host.open(workflowId ?? '');
      target?.signal(signalName, args ?? []);
      this.#happened(
        { resolveSignalExternalWorkflow: { seq, ...(!target && { failure: NOT_FOUND }) } },
        target ? 'externalWorkflowExecutionSignaled' : 'signalExternalWorkflowExecutionFailed',
      );
    },
    requestCancelExternalWorkflowExecution: ({ seq, workflowExecution: { workflowId } }) => {
      this.#write('requestCancelExternalWorkflowExecutionInitiated');
      this.host.open(workflowId ?? '')?.cancel();
      this.#happened(
        { resolveRequestCancelExternalWorkflow: { seq } },
        'externalWorkflowExecutionCancelRequested',
      );
    },
    completeWorkflowExecution: ({ result }) => this.#close({ status: 'COMPLETED', result }),
    failWorkflowExecution: ({ failure }) => this.#close({ status: 'FAILED', failure }),
    cancelWorkflowExecution: () => this.#close({ status: 'CANCELED', failure: { canceledFailureInfo: {} } }),
    continueAsNewWorkflowExecution: ({ arguments: args, memo, searchAttributes, headers }) => {
      const attributes = this.#close({ status: 'CONTINUED_AS_NEW' });
      const next = this.host.start({
        ...{ ...this.start, args, headers, before: this, memo: { ...this.start.memo, ...memo } },
        searchAttributes: { ...this.indexed, ...searchAttributes?.indexedFields },
      });
      Object.assign(attributes, { newExecutionRunId: next?.runId });
    },
    setPatchMarker: () => this.#write('markerRecorded'),
    userMetadata: () => {},
    eventGroupMarkers: () => {},
  };

  #startChild(child: Given<coresdk.workflow_commands.IStartChildWorkflowExecution>): void {
    const { seq, workflowId, workflowType, parentClosePolicy, searchAttributes } = child;
    if (parentClosePolicy !== PARENT_CLOSE_POLICY_ABANDON)
      throw new Error(`the simulated service lacks the policy ${parentClosePolicy} for children`);
    const run = this.host.start(
      {
        ...{ workflowId, type: workflowType, args: child.input, memo: child.memo, headers: child.headers },
        ...{ taskQueue: child.taskQueue || this.start.taskQueue, parent: { run: this, seq } },
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
      { workflowType: { name: workflowType }, workflowExecution: { workflowId, runId: run?.runId } },
    );
  }

  childClosed(seq: number, { start, runId }: Run, { status, result, failure = {} }: Closed): void {
    const workflowType = { name: start.type };
    const workflowExecution = { workflowId: start.workflowId, runId };
    const wrapped = {
      ...{ message: 'Child Workflow execution failed', cause: failure },
      childWorkflowExecutionFailureInfo: { namespace: NAMESPACE, workflowType, workflowExecution },
    };
    const end =
      status === 'COMPLETED'
        ? { completed: { result: result ?? null } }
        : { [status === 'CANCELED' ? 'cancelled' : 'failed']: { failure: wrapped } };
    this.children.delete(seq);
    const event = `childWorkflowExecution${STATUSES[status]}`;
    this.#happened({ resolveChildWorkflowExecution: { seq, result: end } }, event, { workflowType });
  }

  activityEnded(activity: Activity, result: coresdk.activity_result.IActivityResolution): void {
    const { seq } = activity.scheduled;
    const { completed, cancelled, failed } = result;
    this.activities.delete(seq);
    if (activity.hasStarted) this.#write('activityTaskStarted', { attempt: activity.attempt });
    const failure = failed?.failure?.cause?.timeoutFailureInfo ? 'TimedOut' : 'Failed';
    this.#write(
      `activityTask${completed ? 'Completed' : cancelled ? 'Canceled' : failure}`,
      completed?.result ? { result: { payloads: [completed.result] } } : {},
    );
    this.#happened({ resolveActivity: { seq, result } });
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
