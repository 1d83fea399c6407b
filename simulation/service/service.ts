import type { Payload } from '@temporalio/common';
import proto, { type temporal } from '@temporalio/proto';
import { grpcError } from '../../test/rigs/temporal/answering-service.js';
import type { Plan } from '../plan.js';
import { decoded } from '../runtime.js';
import type { Process, World } from '../world.js';
import { Activity } from './activity.js';
import { STATUSES, type Start } from './history.js';
import { Run, type RunHost } from './run.js';
import { Single } from './single.js';
import { type Fields, parsed } from './visibility.js';

/** How long a query waits for a worker, in milliseconds. */
const QUERY_MS = 10_000;

/** A worker, as the service knows it. */
interface Worker extends Pick<Process, 'name' | 'isAlive' | 'frozenUntil'> {
  serves(taskQueue: string): boolean;
  /** Whether it has the workflow in its memory. */
  holds(run: Run): boolean;
  take(work: Run | Activity): void;
  cancelAttempt(token: string): void;
  query(run: Run, name: string, args: readonly Payload[]): Promise<Payload>;
}

/** Temporal, as far as Gangway relies on it: workflows, their tasks and activities, and the workers that take them. */
export class Service implements RunHost {
  readonly runs: Run[] = [];
  workers: readonly Worker[] = [];
  /** The arguments of activities without a workflow, by their IDs. */
  readonly singles = new Map<string, readonly unknown[]>();
  /** The activities without a workflow that workers run. */
  readonly runningSingles = new Map<string, Single>();
  readonly attempts = new Map<string, Activity>();
  /** The task queues that clients poll for the time, by their identities. */
  readonly visitors = new Map<string, string>();
  /** Runs and activities without a worker. */
  readonly #waiting = new Set<Run | Activity>();
  readonly #seen = new Map<Run, Fields>();

  constructor(
    readonly world: World,
    private readonly limits: {
      /** Workflows continue as new from this many events on. */
      /** After how many events a workflow of this type should continue as new. */
      readonly continueAfter: (type: string) => number;
      /** What goes wrong with workflow tasks. Default: nothing. */
      readonly tasks?: Plan['tasks'];
      /** Workers run activities without a workflow. By default, nobody does. */
      readonly runsSingles?: true;
      /** How long at most until others see a change in lists, in milliseconds. */
      readonly visibleWithinMs: number;
    },
  ) {}

  hasFault(fault: NonNullable<Plan['tasks']>[number]): boolean {
    return this.limits.tasks?.includes(fault) ?? false;
  }

  /** Starts an activity without a workflow, unless there is one of its id. */
  startSingle(request: ConstructorParameters<typeof Single>[0]): void {
    const { activityId, input } = request;
    if (this.singles.has(activityId)) return;
    this.singles.set(activityId, (input?.payloads ?? []).map(decoded));
    if (this.limits.runsSingles) this.runningSingles.set(activityId, new Single(request, this));
  }

  /** The newest run of a workflow, or the run of that ID. */
  latest(workflowId: string, runId?: string | null): Run | undefined {
    return this.runs.findLast((run) => (runId ? run.runId === runId : run.start.workflowId === workflowId));
  }

  open(workflowId: string): Run | undefined {
    const run = this.latest(workflowId);
    return run?.isOpen ? run : undefined;
  }

  /** @returns undefined while a workflow of that id runs, or has run, as far as the policy forbids another one */
  start(start: Start, policy: temporal.api.enums.v1.WorkflowIdReusePolicy | null = null): Run | undefined {
    const before = this.latest(start.workflowId);
    if (before?.isOpen || (before && policy === REJECT_DUPLICATE)) return undefined;
    if (before?.status === 'COMPLETED' && policy === ALLOW_DUPLICATE_FAILED_ONLY) return undefined;
    const run = new Run(start, this, this.limits.continueAfter(start.type));
    this.runs.push(run);
    this.world.say('Temporal', `${start.workflowId} starts`);
    this.changed(run);
    return run;
  }

  closed(run: Run): void {
    this.world.say('Temporal', `${run.start.workflowId} is ${run.status}`);
    this.changed(run);
  }

  /** Lists show it after a while, and never again what was before. */
  changed(run: Run): void {
    const { workflowId, type, taskQueue } = run.start;
    const show = () =>
      this.#seen.set(run, {
        ...run.searchAttributes,
        WorkflowId: workflowId,
        WorkflowType: type,
        TaskQueue: taskQueue,
        ExecutionStatus: STATUSES[run.status],
        StartTime: new Date(run.startedAt),
        CloseTime: run.closedAt && new Date(run.closedAt),
      });
    this.world.after(this.world.chance.between(1, this.limits.visibleWithinMs), show, null);
  }

  /** What a list shows by now, the newest first. */
  list(query: string): Run[] {
    const matches = parsed(query);
    const results = [...this.#seen].filter(([, fields]) => matches(fields)).map(([run]) => run);
    return results.toSorted((one, other) => other.startedAt - one.startedAt);
  }

  join(worker: Worker): void {
    this.workers = [...this.workers, worker];
    this.handOut();
  }

  /** A worker is there for the runs and activities without one. */
  handOut(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const work of waiting) this.dispatch(work);
  }

  /** A worker has died. What it was about to take goes to another one, once the server notices. */
  died(): void {
    const handOver = () => {
      for (const run of this.runs) if (run.waitsForWorker) this.dispatch(run);
    };
    this.world.after(NOTICED_AFTER_MS, handOver, null);
  }

  /** It takes nothing any more. */
  leave(worker: Worker): void {
    this.workers = this.workers.filter((each) => each !== worker);
  }

  dispatch(work: Run | Activity): void {
    this.#later(() => {
      if (work instanceof Activity && work.isOver) return;
      const worker = this.#workerFor(work);
      if (worker) worker.take(work);
      else this.#waiting.add(work);
    });
  }

  cancelAttempt(token: string): void {
    this.#later(() => {
      for (const worker of this.#alive()) worker.cancelAttempt(token);
    });
  }

  async query(run: Run, name: string, args: readonly Payload[]): Promise<Payload> {
    // The first task comes before every query.
    const until = this.world.now + QUERY_MS;
    while (run.isOpen && run.steps.length === 0 && this.world.now < until) await this.world.sleep(100);
    if (!run.isOpen && run.steps.length === 0)
      throw grpcError('FAILED_PRECONDITION', 'Workflow execution closed before WorkflowTaskStarted event');
    const worker = this.#workerFor(run);
    if (!worker || run.steps.length === 0) throw new Error(`nobody answers a query: ${run.status}`);
    return worker.query(run, name, args);
  }

  /** The identities of those that poll a task queue. */
  pollersOf(taskQueue: string): string[] {
    const workers = this.#alive().filter((worker) => worker.serves(taskQueue));
    const visitors = [...this.visitors].filter(([, polled]) => polled === taskQueue);
    return [...workers.map(({ name }) => name), ...visitors.map(([identity]) => identity)];
  }

  #alive(): Worker[] {
    return this.workers.filter(({ isAlive, frozenUntil }) => isAlive && frozenUntil <= this.world.now);
  }

  /** One that has the workflow in its memory, if there is one, or any. */
  #workerFor(work: Run | Activity): Worker | undefined {
    const { taskQueue } = work instanceof Run ? work.start : work.scheduled;
    const alive = this.#alive().filter((worker) => worker.serves(taskQueue));
    const holder = work instanceof Run ? alive.find((worker) => worker.holds(work)) : undefined;
    return holder ?? alive[this.world.chance.between(0, alive.length - 1)];
  }

  #later(run: () => void): void {
    this.world.after(this.world.chance.between(1, 8), run, null);
  }
}

const {
  WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE: REJECT_DUPLICATE,
  WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY: ALLOW_DUPLICATE_FAILED_ONLY,
} = proto.temporal.api.enums.v1.WorkflowIdReusePolicy;

/** A worker that holds a workflow has this long, in milliseconds, to take its task. */
const NOTICED_AFTER_MS = 10_000;
