import { isDeepStrictEqual } from 'node:util';
import type { Client } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { msToNumber } from '@temporalio/common/lib/time.js';
import type { ActivityInterceptorsFactory, InjectedSinks } from '@temporalio/worker';
import type { SinkCall, Sinks } from '@temporalio/workflow';
import type { AccountAccess } from '../src/activities/account-access.js';
import { batchActivities } from '../src/activities/batches.js';
import type { FileStore } from '../src/documents/file-store.js';
import { type ActivityQueue, activityQueues } from '../src/worker/create-worker.js';
import { SHUTDOWN_FORCE, SHUTDOWN_GRACE } from '../src/worker/tuning.js';
import { intercepted, type WorkersConfig, workflowQueue } from '../src/worker/workflow-worker.js';
import {
  type Command,
  createInstance,
  decoded,
  encoded,
  type Instance,
  type Job,
  type RunningActivity,
  runActivity,
} from './runtime.js';
import { type Activity, ms } from './service/activity.js';
import { clientOf, type Link } from './service/requests.js';
import type { Run, Step } from './service/run.js';
import type { Service } from './service/service.js';
import { Process, type World } from './world.js';

/** How long a worker takes to report its last activities, in milliseconds. */
const REPORT_MS = 100;

type ActivityFunction = (...args: unknown[]) => Promise<unknown>;

interface Queue {
  readonly activities: Readonly<Record<string, ActivityFunction>>;
  readonly interceptors: readonly ActivityInterceptorsFactory[];
  readonly access: AccountAccess | undefined;
}

/** Where documents and statements are. */
export interface Stores {
  readonly documents: FileStore;
  readonly statements: FileStore;
}

/**
 * A worker process: the activities, clients and interceptors of production, and the SDK's runtime of workflows. A kill takes
 * everything that it holds; what has left it is on its way.
 */
export class Worker extends Process {
  readonly client: Client;
  readonly #sinks: InjectedSinks<Sinks>;
  readonly #queues: ReadonlyMap<string, Queue>;
  readonly #names: ReadonlySet<string>;
  /** Workflows in memory, and how many of their steps they have taken. */
  readonly #instances = new Map<string, { readonly instance: Instance; readonly steps: number }>();
  readonly #attempts = new Map<string, RunningActivity>();
  /** What a workflow has to do next, one after the other. */
  readonly #lines = new Map<string, Promise<unknown>>();

  constructor(
    name: string,
    private readonly world: World,
    private readonly service: Service,
    link: Link,
    config: WorkersConfig,
    stores: Stores,
  ) {
    super(name);
    this.client = clientOf(service, link);
    const { sinks, activities } = workflowQueue(config, this.client);
    this.#sinks = sinks;
    const ofWorkflows = { ...activities, ...batchActivities(config, async () => stores.documents) };
    this.#queues = world.within(this, () => queuesOf(config, stores, ofWorkflows));
    this.#names = new Set([...this.#queues.values()].flatMap(({ activities }) => Object.keys(activities)));
  }

  /** It starts: tasks reach it, and it finds out which credentials were corrected. */
  start(): void {
    this.service.join(this);
    for (const { access } of this.#queues.values())
      if (access) this.world.within(this, () => void access.probeNow(this.client).catch(() => undefined));
  }

  /** Its workflows leave its memory. Each is replayed when it is next needed. */
  forget(): void {
    this.world.say(this.name, 'forgets all workflows');
    this.world.within(this, () => {
      for (const run of this.service.runs)
        if (this.#instances.has(run.runId)) void this.#inLine(run, async () => this.#evict(run));
    });
  }

  kill(): void {
    this.world.say(this.name, 'is killed');
    this.#die();
  }

  #die(): void {
    this.isAlive = false;
    this.service.died();
    for (const { instance } of this.#instances.values()) void instance.dispose();
    this.#instances.clear();
  }

  /** It takes no more tasks, and ends once its activities have, as after a signal. */
  async stop(): Promise<void> {
    this.world.say(this.name, 'ends');
    this.service.leave(this);
    const [graceMs, forceMs] = [msToNumber(SHUTDOWN_GRACE), msToNumber(SHUTDOWN_FORCE)];
    await this.#activitiesEnd(graceMs);
    for (const attempt of this.#attempts.values()) attempt.cancel('WORKER_SHUTDOWN');
    await this.#activitiesEnd(forceMs - graceMs);
    await this.world.sleep(REPORT_MS);
    this.#die();
  }

  async #activitiesEnd(withinMs: number): Promise<void> {
    const results = [...this.#attempts.values()].map(({ result }) => result);
    await Promise.race([Promise.all(results), this.world.sleep(withinMs)]);
  }

  serves(taskQueue: string): boolean {
    return this.#queues.has(taskQueue);
  }

  holds(run: Run): boolean {
    return this.#instances.get(run.runId)?.steps === run.steps.length;
  }

  runTask(run: Run): void {
    this.world.within(this, () => this.#inLine(run, () => this.#task(run)));
  }

  runActivity(activity: Activity): void {
    this.world.within(this, () => void this.#attempt(activity));
  }

  cancelAttempt(token: string): void {
    this.world.within(this, () => this.#attempts.get(token)?.cancel('CANCELLED'));
  }

  async query(run: Run, queryType: string, args: readonly Payload[]): Promise<Payload> {
    const answer = await this.world.within(this, () =>
      this.#inLine(run, async () => {
        const instance = await this.#held(run);
        const queryWorkflow = { queryId: 'q', queryType, arguments: [...args], headers: {} };
        const at = run.steps.at(-1)?.activation.at ?? run.startedAt;
        const { historyLength } = run;
        const step = { at, historyLength, suggestsContinueAsNew: false, jobs: [{ queryWorkflow }] };
        const result = await this.world.outside(() => instance.activate(step));
        if ('failure' in result) throw new Error(result.failure);
        return result.commands.flatMap(({ respondToQuery }) => respondToQuery ?? [])[0];
      }),
    );
    // A workflow that has rejected its input answers none.
    if (answer?.failed || !answer?.succeeded) throw new Error(answer?.failed?.message ?? 'no answer');
    return answer.succeeded.response as Payload;
  }

  #inLine<Result>(run: Run, work: () => Promise<Result>): Promise<Result> {
    const before = this.#lines.get(run.runId) ?? Promise.resolve();
    const result = before.then(work);
    this.#lines.set(
      run.runId,
      result.catch((error: unknown) => void this.world.failures.push(error)),
    );
    return result;
  }

  /** The workflow, as far as its history goes. Without it in memory, its steps are repeated, and must ask for the same. */
  async #held(run: Run): Promise<Instance> {
    const held = this.#instances.get(run.runId);
    if (held?.steps === run.steps.length) return held.instance;
    this.#evict(run);
    const { taskQueue, workflowId } = run.start;
    const place = { runId: run.runId, taskQueue, at: run.startedAt };
    const instance = await this.world.outside(() => createInstance(run.init, place, this.#names));
    const flags = [...new Set(run.steps.flatMap((step) => step.flags))];
    for (const { activation, commands } of run.steps) {
      const again = await this.world.outside(() => instance.activate(activation, flags));
      if ('failure' in again) throw new Error(`${workflowId} cannot be replayed: ${again.failure}`);
      if (isDeepStrictEqual(commands, again.commands)) continue;
      const [before, now] = [textOf(commands), textOf(again.commands)];
      throw new Error(`${workflowId} is not deterministic: ${before} became ${now}`);
    }
    this.#hold(run, instance);
    return instance;
  }

  #hold(run: Run, instance: Instance): void {
    if (this.isAlive) this.#instances.set(run.runId, { instance, steps: run.steps.length });
  }

  #evict(run: Run): void {
    void this.#instances.get(run.runId)?.instance.dispose();
    this.#instances.delete(run.runId);
  }

  async #task(run: Run): Promise<void> {
    const instance = await this.#held(run);
    const activation = run.takeTask();
    if (!activation) return;
    const steps: Step[] = [];
    const local: Promise<Job>[] = [];
    const activate = async (jobs: readonly Job[]) => {
      const step = { ...activation, at: this.world.now, jobs };
      const result = await this.world.outside(() => instance.activate(step));
      if ('failure' in result) throw new Error(`a task of ${run.start.workflowId} failed: ${result.failure}`);
      const { calls, ...done } = result;
      steps.push({ activation: step, ...done });
      await this.#callSinks(calls);
      for (const command of result.commands) {
        local.push(...this.#local(run, command));
      }
    };
    await activate(activation.jobs);
    for (let next = local.shift(); next; next = local.shift()) await activate([await next]);
    await this.world.sleep(this.world.chance.between(1, 10));
    if (!run.isRunning(activation) || !run.completeTask(steps)) return this.#evict(run);
    this.#hold(run, instance);
    this.service.changed(run);
  }

  /** The SDK awaits the sinks, and logs what they throw. */
  async #callSinks(calls: readonly SinkCall[]): Promise<void> {
    const called = calls.map(async ({ ifaceName, fnName, workflowInfo, args }) =>
      this.#sinks[ifaceName]?.[fnName]?.fn(workflowInfo, ...args),
    );
    await Promise.allSettled(called);
  }

  /** The core runs local activities within the task, and tries them again until they succeed. */
  #local(run: Run, { scheduleLocalActivity: local }: Command): Promise<Job>[] {
    if (!local) return [];
    const attempt = async (number: number): Promise<Job> => {
      const info = this.#info(run, {
        ...{ id: local.activityId ?? '', type: local.activityType ?? '', queue: run.start.taskQueue },
        ...{ token: `${run.runId}/local/${local.seq}`, attempt: number, isLocal: true },
        ...{ scheduledAt: this.world.now, attemptScheduledAt: this.world.now },
        ...{ startToCloseMs: ms(local.startToCloseTimeout) ?? 10_000 },
      });
      const running = this.#run(run.start.taskQueue, local.activityType ?? '', info, {
        args: (local.arguments ?? []) as Payload[],
        headers: (local.headers ?? {}) as Record<string, Payload>,
      });
      const { completed, failed, cancelled } = await running.result;
      if (failed && !failed.failure?.applicationFailureInfo?.nonRetryable) {
        await this.world.sleep(1_000);
        return attempt(number + 1);
      }
      const result = completed ? { completed } : failed ? { failed } : { cancelled: cancelled ?? {} };
      return { resolveActivity: { seq: local.seq ?? 0, isLocal: true, result } };
    };
    return [attempt(1)];
  }

  async #attempt(activity: Activity): Promise<void> {
    activity.start();
    const { token = '' } = activity;
    const info = this.#info(activity.run, {
      ...activity,
      ...{ token, startToCloseMs: activity.startToCloseMs, isLocal: false },
      heartbeatMs: activity.heartbeatMs,
    });
    let last: readonly Payload[] | undefined;
    const beat = (details: unknown) => {
      last = encoded(details);
      void this.#beat(token, last);
    };
    const running = this.#run(activity.queue, activity.type, info, activity, beat);
    this.#attempts.set(token, running);
    const result = await running.result;
    this.#attempts.delete(token);
    if (result.willCompleteAsync) return;
    // The core tries to report for some seconds.
    await this.world.sleep(this.world.chance.between(1, 10));
    this.service.report(token, result, last);
  }

  async #beat(token: string, payloads: readonly Payload[]): Promise<void> {
    await this.world.sleep(this.world.chance.between(1, 10));
    const beat = this.service.heartbeat(token, payloads);
    if (!beat) this.#attempts.get(token)?.cancel('NOT_FOUND');
    else if (beat.cancelRequested) this.#attempts.get(token)?.cancel('CANCELLED');
  }

  #run(
    queueName: string,
    type: string,
    info: object,
    { args, headers }: Pick<Activity, 'args' | 'headers'>,
    heartbeat: (details: unknown) => void = () => {},
  ): RunningActivity {
    const queue = this.#queues.get(queueName);
    const run = queue?.activities[type];
    if (!queue || !run) throw new Error(`no activity ${type} on ${queueName}`);
    const { interceptors } = queue;
    return runActivity({ info, args, headers, run, interceptors, client: this.client, heartbeat });
  }

  #info(run: Run, of: AttemptOf): object {
    const { workflowId, type } = run.start;
    const { queue: taskQueue, token, id: activityId, type: activityType, attempt, isLocal, details } = of;
    return {
      ...{ activityId, activityType, attempt, isLocal, taskQueue, namespace: 'default' },
      ...{ taskToken: Buffer.from(token), base64TaskToken: Buffer.from(token).toString('base64') },
      ...{ workflowExecution: { workflowId, runId: run.runId }, workflowType: type },
      ...{ workflowNamespace: 'default', activityNamespace: 'default', inWorkflow: true },
      ...{ scheduledTimestampMs: of.scheduledAt, currentAttemptScheduledTimestampMs: of.attemptScheduledAt },
      ...{ startToCloseTimeoutMs: of.startToCloseMs, scheduleToCloseTimeoutMs: 0 },
      heartbeatTimeoutMs: of.heartbeatMs,
      heartbeatDetails: decoded(details?.[0]),
    };
  }
}

type AttemptOf = Pick<Activity, 'id' | 'type' | 'queue' | 'attempt' | 'scheduledAt' | 'attemptScheduledAt'> &
  Pick<Activity, 'startToCloseMs'> &
  Partial<Pick<Activity, 'heartbeatMs' | 'details'>> & { readonly token: string; readonly isLocal: boolean };

/** What production runs on each task queue. */
function queuesOf(config: WorkersConfig, stores: Stores, ofWorkflows: object): ReadonlyMap<string, Queue> {
  const own = { taskQueue: config.taskQueue, activities: ofWorkflows };
  const queues: readonly ActivityQueue[] = [own, ...activityQueues(config, stores).queues];
  return new Map(
    queues.map(({ taskQueue: name, activities, interceptors, partner }) => [
      name,
      {
        activities: activities as Queue['activities'],
        interceptors: intercepted(interceptors).activity,
        access: partner?.access,
      },
    ]),
  );
}

function textOf(commands: readonly Command[]): string {
  return JSON.stringify(commands, (_, value) =>
    value instanceof Uint8Array ? Buffer.from(value).toString() : value,
  );
}
