import type { Payload } from '@temporalio/common';
import type { Activation, Commands, Failure, Job } from '../runtime.js';

/** What a run of a workflow begins with, the tasks that it takes, and how it ends. */

export type Payloads = Readonly<Record<string, Payload>>;

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
  readonly parent?: {
    readonly workflowId: string;
    readonly runId: string;
    closed(runId: string, end: Closed): void;
  };
  /** The run before this one, which continued as new. */
  readonly before?: { readonly runId: string; readonly firstRunId: string };
}

/** As in queries and in the names of events. */
export const STATUSES = {
  RUNNING: 'Running',
  COMPLETED: 'Completed',
  FAILED: 'Failed',
  CANCELED: 'Canceled',
  TERMINATED: 'Terminated',
  CONTINUED_AS_NEW: 'ContinuedAsNew',
} as const;

export type Status = keyof typeof STATUSES;

/** What events have of it. */
export const startedAs = ({ type, taskQueue, args, memo, searchAttributes }: Start) => ({
  workflowType: { name: type },
  taskQueue: { name: taskQueue },
  input: { payloads: args },
  memo: { fields: memo },
  searchAttributes: { indexedFields: searchAttributes },
});

/** How a run ended. */
export interface Closed {
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

/** With these, nothing may have happened since the task began. The core moves them to the end of a task. */
const LAST = /^(complete|fail|cancel|continueAsNew)WorkflowExecution$/;

export const isLast = (command: Commands) => Object.keys(command).some((name) => LAST.test(name));

const rankOf = ({ initializeWorkflow, signalWorkflow, doUpdate }: Job) => {
  if (initializeWorkflow) return 0;
  return signalWorkflow || doUpdate ? 1 : 2;
};

/** As the core hands jobs over: first the start, then signals and updates, then the rest in the order of the history. */
export const inOrder = (jobs: readonly Job[]) => jobs.toSorted((one, other) => rankOf(one) - rankOf(other));

/** A step with what another one got before it. */
export const joined = (before: Activation, activation: Activation): Activation => ({
  ...activation,
  jobs: inOrder([...before.jobs, ...activation.jobs]),
});
