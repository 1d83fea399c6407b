import type { Payload } from '@temporalio/common';
import type { Run } from './run.js';

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
  readonly parent?: { readonly run: Run; readonly seq: number };
  /** The run before this one, which continued as new. */
  readonly before?: Run;
}

/** As in queries and in the names of events. */
export const STATUSES = {
  ...{ RUNNING: 'Running', COMPLETED: 'Completed', FAILED: 'Failed', CANCELED: 'Canceled' },
  ...{ TERMINATED: 'Terminated', CONTINUED_AS_NEW: 'ContinuedAsNew' },
} as const;

export type Status = keyof typeof STATUSES;

/** What events have of it. */
export const startedAs = ({ type, taskQueue, args, memo, searchAttributes }: Start) => ({
  ...{ workflowType: { name: type }, taskQueue: { name: taskQueue }, input: { payloads: args } },
  ...{ memo: { fields: memo }, searchAttributes: { indexedFields: searchAttributes } },
});
