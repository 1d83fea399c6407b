import { readFileSync } from 'node:fs';
import vm from 'node:vm';
import type { Info } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { type ActivityFunction, noopMetricMeter, type Payload } from '@temporalio/common';
import { defaultDataConverter } from '@temporalio/common/lib/converter/data-converter.js';
import proto, { type coresdk, type google, type temporal } from '@temporalio/proto';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { Activity } from '@temporalio/worker/lib/activity.js';
import { parseWorkflowCode } from '@temporalio/worker/lib/worker.js';
import { ReusableVMWorkflowCreator } from '@temporalio/worker/lib/workflow/reusable-vm.js';
import { globalHandlers } from '@temporalio/worker/lib/workflow/vm-shared.js';
import type { WorkflowInfo } from '@temporalio/workflow';
import Long from 'long';
import { WORKFLOW_BUNDLES } from '../src/worker/bundles.js';

/**
 * The SDK's own runtime of workflows and activities, without its core and without a server. These are internal entries of the SDK,
 * and no other module imports them.
 */

export const NAMESPACE = 'default';

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
  readonly timestamp: google.protobuf.ITimestamp;
  readonly jobs: readonly Job[];
  readonly historyLength: number;
  readonly continueAsNewSuggested: boolean;
}

/** One for all workers and worlds, because the runtime isolates workflows from each other. */
let creator: Promise<ReusableVMWorkflowCreator> | undefined;

async function create(activityNames: Set<string>): Promise<ReusableVMWorkflowCreator> {
  const path = WORKFLOW_BUNDLES.plain;
  const bundle = parseWorkflowCode(readFileSync(path, 'utf8'), path);
  const { createContext } = vm;
  // Its global object has no interceptors, through which workflows would look up every name.
  vm.createContext = (_, options) => createContext(vm.constants.DONT_CONTEXTIFY, options);
  const noLimit = undefined as unknown as number;
  const result = await ReusableVMWorkflowCreator.create(bundle, noLimit, activityNames);
  vm.createContext = createContext;
  // They record where a workflow waits, which nobody asks here, and take half of the time.
  globalHandlers.uninstall();
  globalHandlers.promiseHookInstalled = false;
  return result;
}

/** Begins a run of a workflow. */
export async function createInstance(
  run: {
    readonly runId: string;
    readonly init: Init;
    readonly start: { readonly taskQueue: string };
    readonly startedAt: number;
  },
  activityNames: Set<string>,
) {
  const { runId, startedAt } = run;
  const { workflowId, workflowType, firstExecutionRunId, ...init } = run.init;
  const info = {
    workflowId,
    workflowType,
    runId,
    firstExecutionRunId,
    taskQueue: run.start.taskQueue,
    namespace: NAMESPACE,
    taskTimeoutMs: 10_000,
    ...(init.parentWorkflowInfo && { parent: init.parentWorkflowInfo }),
    continuedFromExecutionRunId: init.continuedFromExecutionRunId,
    runStartTime: new Date(startedAt),
    unsafe: { now: () => startedAt },
  };
  creator ??= create(activityNames);
  const workflow = await (await creator).createWorkflow({
    info: info as unknown as WorkflowInfo,
    randomnessSeed: Long.fromValue(init.randomnessSeed ?? 1).toBytes(),
    now: startedAt,
    showStackTraceSources: false,
  });
  return {
    /** Takes a step. @param replayed the flags of a history that is replayed */
    async activate(activation: Activation, replayed?: readonly number[]) {
      const { successful, failed } = await workflow.activate(
        proto.coresdk.workflow_activation.WorkflowActivation.fromObject({
          ...activation,
          runId,
          historySizeBytes: activation.historyLength * 100,
          isReplaying: replayed !== undefined,
          availableInternalFlags: replayed,
        }),
      );
      const calls = await workflow.getAndResetSinkCalls();
      const what = `a ${replayed ? 'replay' : 'step'} of ${workflowId} failed`;
      if (!successful) throw new Error(`${what}: ${failed?.failure?.message}`);
      const { commands, usedInternalFlags } = successful as Given<typeof successful>;
      return { commands: commands as readonly Commands[], flags: usedInternalFlags, calls };
    },
    dispose: () => workflow.dispose(),
  };
}

/** A workflow in the memory of a worker. */
export type Instance = Awaited<ReturnType<typeof createInstance>>;

const QUIET = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, log() {} };

/** An attempt of an activity. */
export function newAttempt(
  info: object,
  run: ActivityFunction | undefined,
  client: Client,
  interceptors: ActivityInterceptorsFactory[],
  heartbeat: (details: unknown) => Promise<void>,
): Activity {
  return new Activity(
    info as Info,
    run,
    defaultDataConverter,
    undefined as never,
    undefined,
    (details) => void heartbeat(details),
    client,
    QUIET,
    noopMetricMeter,
    interceptors,
  );
}

export { payloads as encoded } from '../test/rigs/temporal/answering-service.js';

export function decoded(payload: Payload): unknown {
  return defaultDataConverter.payloadConverter.fromPayload(payload);
}
