import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import vm from 'node:vm';
import type { Client } from '@temporalio/client';
import { noopMetricMeter, type Payload, toPayloads } from '@temporalio/common';
import { defaultDataConverter } from '@temporalio/common/lib/converter/data-converter.js';
import { msNumberToTs, tsToMs } from '@temporalio/common/lib/time.js';
import proto, { type coresdk, type temporal } from '@temporalio/proto';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { SinkCall } from '@temporalio/workflow';
import Long from 'long';
import { WORKFLOW_BUNDLES } from '../src/worker/bundles.js';

/**
 * The SDK's own runtime of workflows and activities, without its core and without a server. These are internal entries of the SDK,
 * and no other module imports them.
 */

const { WorkflowActivation: Activation } = proto.coresdk.workflow_activation;

export const NAMESPACE = 'default';

const load = createRequire(import.meta.url);
const { ReusableVMWorkflowCreator } = load('@temporalio/worker/lib/workflow/reusable-vm.js');
const { globalHandlers } = load('@temporalio/worker/lib/workflow/vm-shared.js');
const { parseWorkflowCode } = load('@temporalio/worker/lib/worker.js');
const { Activity } = load('@temporalio/worker/lib/activity.js');

export type Job = coresdk.workflow_activation.IWorkflowActivationJob;
export type Init = coresdk.workflow_activation.IInitializeWorkflow;
export type ActivityResult = coresdk.activity_result.IActivityExecutionResult;
export type Failure = temporal.api.failure.v1.IFailure;

/** A message as the SDK makes it: without the nulls that protobuf allows. */
export type Given<Message> = { readonly [Field in keyof Message]-?: NonNullable<Message[Field]> };

/** A command: a message by its name. */
export type Commands = {
  readonly [Name in keyof coresdk.workflow_commands.IWorkflowCommand]: Given<
    NonNullable<coresdk.workflow_commands.IWorkflowCommand[Name]>
  >;
};

/** One step of a workflow: the jobs that it gets at a time. */
export interface Activation {
  readonly at: number;
  readonly jobs: readonly Job[];
  readonly historyLength: number;
  readonly suggestsContinueAsNew: boolean;
}

/** What a workflow did in a step. The flags of the SDK that were in force are part of a history. */
interface Activated {
  readonly commands: readonly Commands[];
  readonly flags: readonly number[];
  readonly calls: readonly SinkCall[];
}

/** A workflow in the memory of a worker. */
export interface Instance {
  /**
   * @param what as the error says it when the workflow fails
   * @param replayed the flags of a history that is replayed
   */
  activate(what: string, activation: Activation, replayed?: readonly number[]): Promise<Activated>;
  dispose(): Promise<void>;
}

interface RawInstance {
  activate(activation: object): Promise<coresdk.workflow_completion.IWorkflowActivationCompletion>;
  getAndResetSinkCalls(): Promise<readonly SinkCall[]>;
  dispose(): Promise<void>;
}

type Creator = { createWorkflow(options: object): Promise<RawInstance> };

/** One for all workers and worlds, because the runtime isolates workflows from each other. No time limit: nothing waits. */
let creator: Promise<Creator> | undefined;

async function create(activityNames: ReadonlySet<string>): Promise<Creator> {
  const path = WORKFLOW_BUNDLES.plain;
  const bundle = parseWorkflowCode(readFileSync(path, 'utf8'), path);
  const { createContext } = vm;
  // Its global object has no interceptors, through which workflows would look up every name.
  vm.createContext = (_, options) => createContext(vm.constants.DONT_CONTEXTIFY, options);
  const record = await ReusableVMWorkflowCreator.create(bundle, undefined, activityNames);
  vm.createContext = createContext;
  // They record where a workflow waits, which nobody asks here, and take half of the time.
  globalHandlers.uninstall();
  globalHandlers.promiseHookInstalled = false;
  return record;
}

export async function createInstance(
  init: Init,
  { runId, taskQueue, at }: { readonly runId: string; readonly taskQueue: string; readonly at: number },
  activityNames: ReadonlySet<string>,
): Promise<Instance> {
  const { workflowId, workflowType, firstExecutionRunId, attempt, parentWorkflowInfo: parent } = init;
  const info = {
    workflowId,
    workflowType,
    runId,
    firstExecutionRunId,
    taskQueue,
    namespace: NAMESPACE,
    attempt,
    originalExecutionRunId: runId,
    taskTimeoutMs: 10_000,
    ...(parent && { parent }),
    continuedFromExecutionRunId: init.continuedFromExecutionRunId,
    startTime: new Date(tsToMs(init.startTime)),
    runStartTime: new Date(at),
    unsafe: { now: () => at },
  };
  const randomnessSeed = Long.fromValue(init.randomnessSeed ?? 1).toBytes();
  creator ??= create(activityNames);
  const raw = await (await creator).createWorkflow({
    info,
    randomnessSeed,
    now: at,
    showStackTraceSources: false,
  });
  return {
    async activate(what, { at, jobs, historyLength, suggestsContinueAsNew }, replayed) {
      const { successful, failed } = await raw.activate(
        Activation.fromObject({
          runId,
          timestamp: msNumberToTs(at),
          historyLength,
          historySizeBytes: historyLength * 100,
          jobs,
          continueAsNewSuggested: suggestsContinueAsNew,
          isReplaying: replayed !== undefined,
          availableInternalFlags: replayed,
        }),
      );
      const calls = await raw.getAndResetSinkCalls();
      if (!successful) throw new Error(`${what}: ${failed?.failure?.message}`);
      const { commands, usedInternalFlags } = successful as Given<typeof successful>;
      return { commands: commands as Commands[], flags: usedInternalFlags, calls };
    },
    dispose: () => raw.dispose(),
  };
}

export type ActivityFunction = (...args: unknown[]) => Promise<unknown>;

/** What an attempt of an activity gets, and how its worker runs it. */
interface Attempt {
  readonly info: object;
  readonly args: readonly Payload[] | undefined;
  readonly headers: Readonly<Record<string, Payload>>;
  readonly run: ActivityFunction;
  readonly interceptors: readonly ActivityInterceptorsFactory[];
  readonly client: Client;
  readonly heartbeat: (details: unknown) => void;
}

export interface RunningActivity {
  readonly result: Promise<ActivityResult>;
  cancel(reason: string): void;
}

const QUIET = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, log() {} };

export function runActivity(attempt: Attempt): RunningActivity {
  const { info, args, headers, run, interceptors, client, heartbeat } = attempt;
  const activity = new Activity(
    info,
    run,
    defaultDataConverter,
    undefined,
    undefined,
    heartbeat,
    client,
    QUIET,
    noopMetricMeter,
    interceptors,
  );
  return {
    result: activity.run({ args: args?.map(decoded) ?? [], headers }),
    cancel: (reason) => activity.cancel(reason, { cancelRequested: reason === 'CANCELLED' }),
  };
}

/** Values as payloads in plain text. */
export function encoded(...values: unknown[]): Payload[] {
  return toPayloads(defaultDataConverter.payloadConverter, ...values) ?? [];
}

export function decoded(payload: Payload): unknown {
  return defaultDataConverter.payloadConverter.fromPayload(payload);
}
