import { isDeepStrictEqual } from 'node:util';
import type { Client } from '@temporalio/client';
import { ActivityCancellationDetails, type ActivityFunction, type Payload } from '@temporalio/common';
import { msToNumber, tsToMs } from '@temporalio/common/lib/time.js';
import type { InjectedSinks } from '@temporalio/worker';
import type { Sinks } from '@temporalio/workflow';
import { batchActivities } from '../src/activities/batches.js';
import {
  type ActivityQueue,
  activityQueues,
  interceptorOptions,
  type WorkersConfig,
  workflowQueue,
} from '../src/worker/create-worker.js';
import { SHUTDOWN_FORCE, SHUTDOWN_GRACE } from '../src/worker/tuning.js';
import {
  type Commands,
  createInstance,
  decoded,
  encoded,
  type Instance,
  NAMESPACE,
  newAttempt,
} from './runtime.js';
import type { Activity } from './service/activity.js';
import { joined, type Step } from './service/history.js';
import { clientOf, type Link } from './service/requests.js';
import { Run } from './service/run.js';
import type { Service } from './service/service.js';
import { Process, type World } from './world.js';

/** How long a worker takes to report its last activities, in milliseconds. */
const REPORT_MS = 100;

interface RunningAttempt {
  readonly attempt: ReturnType<typeof newAttempt>;
  readonly end: Promise<unknown>;
}

/**
 * A worker process: the activities, clients and interceptors of production, and the SDK's runtime of workflows. A kill takes
 * everything that it holds; what has left it is on its way.
 */
export class Worker extends Process {
  readonly client: Client;
  readonly #sinks: InjectedSinks<Sinks>;
  readonly #queues: ReadonlyMap<string, ActivityQueue>;
  readonly #names: Set<string>;
  readonly #start: () => Promise<unknown>;
  /** Workflows in memory, and how many of their steps they have taken. */
  readonly #instances = new Map<string, { readonly instance: Instance; readonly steps: number }>();
  /** The running attempts of activities, by their tokens. */
  readonly #attempts = new Map<string, RunningAttempt>();
  /** What a workflow has to do next, one after the other. */
  readonly #lines = new Map<string, Promise<unknown>>();

  constructor(
    name: string,
    private readonly world: World,
    private readonly service: Service,
    link: Link,
    config: WorkersConfig,
    stores: Parameters<typeof activityQueues>[1],
  ) {
    super(name);
    this.client = clientOf(service, link);
    const { sinks, activities } = workflowQueue(config, this.client);
    this.#sinks = sinks;
    const ofWorkflows = { ...activities, ...batchActivities(config, async () => stores.documents) };
    const process = [config.taskQueue, ...name.split(' '), world.id().slice(0, 8)].join('-');
    const { queues, start } = world.within(this, () => activityQueues(config, stores, process));
    this.#start = () => start(this.client);
    const all = [{ taskQueue: config.taskQueue, activities: ofWorkflows }, ...queues];
    this.#queues = new Map(all.map((queue) => [queue.taskQueue, queue]));
    this.#names = new Set(all.flatMap((queue) => Object.keys(queue.activities)));
  }

  /** It starts: tasks reach it, and it finds out which credentials were corrected. */
  start(): void {
    this.service.join(this);
    this.world.within(this, () => void this.#start());
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
    for (const token of this.#attempts.keys()) this.cancelAttempt(token, 'WORKER_SHUTDOWN');
    await this.#activitiesEnd(forceMs - graceMs);
    await this.world.sleep(REPORT_MS);
    this.#die();
  }

  async #activitiesEnd(withinMs: number): Promise<void> {
    const ends = [...this.#attempts.values()].map(({ end }) => end);
    await Promise.race([Promise.all(ends), this.world.sleep(withinMs)]);
  }

  serves(taskQueue: string): boolean {
    return this.#queues.has(taskQueue);
  }

  holds(run: Run): boolean {
    return !this.service.hasFault('cold') && this.#instances.get(run.runId)?.steps === run.steps.length;
  }

  take(work: Run | Activity): void {
    this.world.within(this, () => {
      if (work instanceof Run) void this.#inLine(work, () => this.#task(work));
      else void this.#attempt(work);
    });
  }

  cancelAttempt(token: string, reason: 'CANCELLED' | 'NOT_FOUND' | 'WORKER_SHUTDOWN' = 'CANCELLED'): void {
    const details = new ActivityCancellationDetails({ cancelRequested: reason === 'CANCELLED' });
    this.world.within(this, () => this.#attempts.get(token)?.attempt.cancel(reason, details));
  }

  /** @param run a workflow that has taken a step */
  async query(run: Run, queryType: string, args: readonly Payload[]): Promise<Payload> {
    const response = await this.world.within(this, () =>
      this.#inLine(run, async () => {
        const instance = await this.#held(run);
        const { activation } = run.steps.at(-1) as Step;
        const jobs = [{ queryWorkflow: { queryId: 'q', queryType, arguments: [...args] } }];
        const { commands } = await this.world.outside(() => instance.activate({ ...activation, jobs }));
        return commands[0]?.respondToQuery;
      }),
    );
    // A workflow that has rejected its input answers none.
    if (!response?.succeeded) throw new Error(response?.failed?.message ?? 'no answer');
    return response.succeeded.response as Payload;
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

  /** The workflow, as far as its steps go. Without it in memory, they are repeated, and must ask for the same. */
  async #held(run: Run, steps = run.steps): Promise<Instance> {
    const held = this.#instances.get(run.runId);
    if (held && this.holds(run)) return held.instance;
    this.#evict(run);
    const instance = await this.world.outside(() => createInstance(run, this.#names));
    await this.#replay(run, instance, steps);
    if (steps === run.steps) this.#hold(run, instance);
    return instance;
  }

  async #replay(run: Run, instance: Instance, steps: readonly Step[]): Promise<void> {
    const flags = [...new Set(run.steps.flatMap((step) => step.flags))];
    for (const { activation, commands } of steps) {
      const again = await this.world.outside(() => instance.activate(activation, flags));
      if (isDeepStrictEqual(commands, again.commands)) continue;
      const [before, now] = [textOf(commands), textOf(again.commands)];
      throw new Error(`${run.start.workflowId} is not deterministic: ${before} became ${now}`);
    }
  }

  #hold(run: Run, instance: Instance): void {
    if (this.isAlive) this.#instances.set(run.runId, { instance, steps: run.steps.length });
  }

  #evict(run: Run): void {
    void this.#instances.get(run.runId)?.instance.dispose();
    this.#instances.delete(run.runId);
  }

  async #task(run: Run): Promise<void> {
    const idle = this.holds(run) ? undefined : run.idleStep;
    const instance = await this.#held(run, idle ? run.steps.slice(0, -1) : run.steps);
    const activation = run.takeTask();
    if (!activation) {
      if (idle) void instance.dispose();
      return;
    }
    const isAtOnce = activation.jobs.every((job) => job.doUpdate);
    if (idle && !isAtOnce) await this.#replay(run, instance, [idle]);
    const input = idle && isAtOnce ? joined(idle.activation, activation) : activation;
    const { calls, ...done } = await this.world.outside(() => instance.activate(input));
    // The SDK awaits the sinks, and logs what they throw.
    const called = calls.map(async ({ ifaceName, fnName, workflowInfo, args }) =>
      this.#sinks[ifaceName]?.[fnName]?.fn(workflowInfo, ...args),
    );
    await Promise.allSettled(called);
    await this.world.sleep(this.world.chance.between(1, 10));
    if (!run.completeTask({ activation, ...done })) return this.#evict(run);
    this.#hold(run, instance);
    this.service.changed(run);
  }

  async #attempt(activity: Activity): Promise<void> {
    const token = activity.start();
    const { scheduled, attempt, details, heartbeatMs, workflow } = activity;
    const { taskQueue, activityId, activityType, arguments: args, headers, startToCloseTimeout } = scheduled;
    let last: Payload[] | undefined;
    const beat = async (details: unknown) => {
      const sent = encoded(details);
      last = sent;
      await this.world.sleep(this.world.chance.between(1, 10));
      const accepted = this.service.attempts.get(token)?.heartbeat(sent);
      if (!accepted) this.cancelAttempt(token, 'NOT_FOUND');
      else if (accepted.cancelRequested) this.cancelAttempt(token);
    };
    const queue = this.#queues.get(taskQueue);
    const run = (queue?.activities as Readonly<Record<string, ActivityFunction>> | undefined)?.[activityType];
    if (!run) throw new Error(`no activity ${activityType} on ${taskQueue}`);
    const info = {
      taskQueue,
      activityId,
      activityType,
      attempt,
      inWorkflow: workflow !== undefined,
      scheduledTimestampMs: activity.scheduledAt,
      currentAttemptScheduledTimestampMs: activity.nextAt,
      startToCloseTimeoutMs: tsToMs(startToCloseTimeout),
      ...(heartbeatMs && { heartbeatTimeoutMs: heartbeatMs }),
      heartbeatDetails: details?.[0] && decoded(details[0]),
      ...workflow,
      namespace: NAMESPACE,
      taskToken: Buffer.from(token),
    };
    const interceptors = interceptorOptions(queue?.interceptors).activity;
    const running = newAttempt(info, run, this.client, interceptors, beat);
    const end = running.run({ args: args?.map(decoded) ?? [], headers });
    this.#attempts.set(token, { attempt: running, end });
    const result = await end;
    if (this.#attempts.get(token)?.end === end) this.#attempts.delete(token);
    if (result.willCompleteAsync) return;
    // The core tries to report for some seconds.
    await this.world.sleep(this.world.chance.between(1, 10));
    this.service.attempts.get(token)?.report(result, last);
  }
}

function textOf(commands: readonly Commands[]): string {
  return JSON.stringify(commands, (_, value) =>
    value instanceof Uint8Array ? Buffer.from(value).toString() : value,
  );
}
