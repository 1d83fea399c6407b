import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import vm from 'node:vm';
import type { Client } from '@temporalio/client';
import { type LoadedDataConverter, noopMetricMeter, type Payload, toPayloads } from '@temporalio/common';
import { defaultDataConverter } from '@temporalio/common/lib/converter/data-converter.js';
import { tsToMs } from '@temporalio/common/lib/time.js';
import proto, { type coresdk } from '@temporalio/proto';
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
export type Command = coresdk.workflow_commands.IWorkflowCommand;
export type Init = coresdk.workflow_activation.IInitializeWorkflow;
export type ActivityResult = coresdk.activity_result.IActivityExecutionResult;

/** One step of a workflow: the jobs that it gets at a time. */
export interface Activation {
  readonly at: number;
  readonly jobs: readonly Job[];
  readonly historyLength: number;
  readonly suggestsContinueAsNew: boolean;
}

/** The flags of the SDK that were in force are part of a history. */
export type Activated =
  | {
      readonly commands: readonly Command[];
      readonly flags: readonly number[];
      readonly calls: readonly SinkCall[];
    }
  | { readonly failure: string };

/** A workflow in the memory of a worker. */
export interface Instance {
  /** @param replayed the flags of a history that is replayed */
  activate(activation: Activation, replayed?: readonly number[]): Promise<Activated>;
  dispose(): Promise<void>;
}

type Creator = { createWorkflow(options: object): Promise<RawInstance> };

interface RawInstance {
  activate(activation: object): Promise<coresdk.workflow_completion.IWorkflowActivationCompletion>;
  getAndResetSinkCalls(): Promise<readonly SinkCall[]>;
  dispose(): Promise<void>;
}

/** One for all workers and worlds, because the runtime isolates workflows from each other. No time limit: nothing waits. */
let creator: Promise<Creator> | undefined;

async function create(activityNames: ReadonlySet<string>): Promise<Creator> {
  const path = WORKFLOW_BUNDLES.plain;
  const bundle = parseWorkflowCode(readFileSync(path, 'utf8'), path);
  const { createContext } = vm;
  // Its global object has no interceptors, through which workflows would look up every name.
  vm.createContext = (_, options) => createContext(vm.constants.DONT_CONTEXTIFY, options);
  const made = await ReusableVMWorkflowCreator.create(bundle, undefined, activityNames);
  vm.createContext = createContext;
  // They record where a workflow waits, which nobody asks here, and take half of the time.
  globalHandlers.uninstall();
  globalHandlers.promiseHookInstalled = false;
  return made;
}

export async function createInstance(
  { workflowId, workflowType, startTime, firstExecutionRunId, continuedFromExecutionRunId, ...init }: Init,
  { runId, taskQueue, at }: { readonly runId: string; readonly taskQueue: string; readonly at: number },
  activityNames: ReadonlySet<string>,
): Promise<Instance> {
  const { parentWorkflowInfo: parent, randomnessSeed, attempt } = init;
  const info = {
    ...{ workflowId, workflowType, runId, firstExecutionRunId, taskQueue, namespace: NAMESPACE, attempt },
    ...{ searchAttributes: {}, originalExecutionRunId: runId, taskTimeoutMs: 10_000 },
    ...(continuedFromExecutionRunId && { continuedFromExecutionRunId }),
    ...(parent && { parent: { ...parent } }),
    ...{ startTime: new Date(tsToMs(startTime)), runStartTime: new Date(at) },
    ...{ historyLength: 3, historySize: 300, continueAsNewSuggested: false },
    unsafe: { now: () => at, isReplaying: false, isReplayingHistoryEvents: false },
  };
  const options = { info, randomnessSeed: Long.fromValue(randomnessSeed ?? 1).toBytes(), now: at };
  creator ??= create(activityNames);
  const raw = await (await creator).createWorkflow({
    ...options,
    showStackTraceSources: false,
  });
  return {
    async activate({ at: now, jobs, historyLength, suggestsContinueAsNew }, replayed) {
      const timestamp = timestampOf(now);
      const isReplaying = replayed !== undefined;
      const activation = { runId, timestamp, historyLength, isReplaying, jobs: [...jobs] };
      const { successful, failed } = await raw.activate(
        Activation.fromObject({
          ...activation,
          ...{ continueAsNewSuggested: suggestsContinueAsNew, historySizeBytes: historyLength * 100 },
          availableInternalFlags: [...(replayed ?? [])],
        }),
      );
      const calls = await raw.getAndResetSinkCalls();
      if (successful)
        return { commands: successful.commands ?? [], flags: successful.usedInternalFlags ?? [], calls };
      return { failure: failed?.failure?.message ?? 'the activation failed' };
    },
    dispose: () => raw.dispose(),
  };
}

/** What an attempt of an activity gets, and how its worker runs it. */
export interface ActivityRun {
  readonly info: object;
  readonly args: readonly Payload[];
  readonly headers: Readonly<Record<string, Payload>>;
  readonly run: (...args: unknown[]) => Promise<unknown>;
  readonly interceptors: readonly ActivityInterceptorsFactory[];
  readonly client: Client;
  readonly heartbeat: (details: unknown) => void;
}

export interface RunningActivity {
  readonly result: Promise<ActivityResult>;
  cancel(reason: string): void;
}

const QUIET = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, log() {} };

export function runActivity(attempt: ActivityRun): RunningActivity {
  const { info, args, headers, run, interceptors, client, heartbeat } = attempt;
  const converter: LoadedDataConverter = defaultDataConverter;
  const activity = new Activity(
    ...[info, run, converter, undefined, undefined, heartbeat, client, QUIET, noopMetricMeter],
    interceptors,
  );
  const values = args.map((payload) => converter.payloadConverter.fromPayload(payload));
  return {
    result: activity.run({ args: values, headers }),
    cancel: (reason) => activity.cancel(reason, { cancelRequested: reason === 'CANCELLED' }),
  };
}

export function timestampOf(at: number) {
  return { seconds: Long.fromNumber(Math.floor(at / 1_000)), nanos: (at % 1_000) * 1_000_000 };
}

/** Values as payloads in plain text. */
export function encoded(...values: unknown[]): Payload[] {
  return toPayloads(defaultDataConverter.payloadConverter, ...values) ?? [];
}

export function decoded(payload: Payload | null | undefined): unknown {
  return payload ? defaultDataConverter.payloadConverter.fromPayload(payload) : undefined;
}
