import { defineUpdate } from '@temporalio/workflow';
import type { OnboardingType } from './workflow-types.js';

/**
 * What `onboardingBatch` starts, and what it reports. A batch is cut into parts. The document store has a file with the rows of each
 * part until the batch ends, and then a file with their results.
 */

/** A row of a part: a checked input. */
export interface BatchRow {
  /** Its first line in the person's file, counted from 1. */
  readonly line: number;
  readonly externalId: string;
  readonly type: OnboardingType;
  readonly workflowId: string;
  readonly input: object;
}

/** The result of a row. `attached`: another start than that of this batch had created the onboarding. */
export interface RowResult extends Pick<BatchRow, 'line' | 'externalId' | 'workflowId'> {
  readonly result: 'started' | 'attached' | 'failed';
  readonly runId?: string;
  readonly error?: string;
}

export type ResultCounts = Readonly<Record<RowResult['result'], number>>;

/** The progress of a batch. It is in the memo, so it can be read without a worker. */
export interface BatchState {
  /**
   * `checked`: nobody has confirmed it yet. `discarded`: nobody confirmed it in time. `stopped`: a person stopped it; what was
   * started goes on.
   */
  readonly stage: 'checked' | 'running' | 'done' | 'stopped' | 'discarded';
  readonly name: string;
  /** The person who handed it over. */
  readonly actor: string;
  readonly rows: number;
  readonly kinds: Readonly<Partial<Record<BatchRow['type'], number>>>;
  /** The partner accounts of the rows, '' for the unnamed account. */
  readonly accounts: readonly string[];
  /** The number of parts with results. */
  readonly parts: number;
  /** The counts of the rows of these parts. */
  readonly counts: ResultCounts;
  /** The first rows of these parts that failed. */
  readonly failures: readonly RowResult[];
}

/** The warnings about the rows of a file, and the rows that its start would skip. */
export interface FileWarnings {
  readonly warnings: readonly { readonly line: number; readonly field: string; readonly message: string }[];
  readonly count: number;
  /** False when a partner could not be read. */
  readonly isComplete: boolean;
  /** Rows whose onboarding exists; undefined for a large file, where they are not counted. */
  readonly attached?: number | undefined;
  /** The names in the first rows. */
  readonly businesses?: readonly string[];
}

/** The field of the memo that has the {@link BatchState}. */
export const BATCH_MEMO = 'batch';

/** The field that has the {@link FileWarnings}, until the first run of the batch ends. Each change of the other field is a new copy of it. */
export const WARNINGS_MEMO = 'found';

/** The number of failures in the memo. The results have all. */
const MOST_FAILURES = 20;

export const NO_RESULTS = { started: 0, attached: 0, failed: 0 } as const satisfies ResultCounts;

export function summaryOf(results: readonly RowResult[]): Pick<BatchState, 'counts' | 'failures'> {
  const counts = { ...NO_RESULTS } as Record<RowResult['result'], number>;
  for (const { result } of results) counts[result] += 1;
  const failures = results.filter(({ result }) => result === 'failed');
  return { counts, failures: failures.slice(0, MOST_FAILURES) };
}

export function withResults(
  { counts, failures }: Pick<BatchState, 'counts' | 'failures'>,
  { counts: more, failures: further }: Pick<BatchState, 'counts' | 'failures'>,
): Pick<BatchState, 'counts' | 'failures'> {
  const { started, attached, failed } = counts;
  return {
    counts: {
      started: started + more.started,
      attached: attached + more.attached,
      failed: failed + more.failed,
    },
    failures: [...failures, ...further].slice(0, MOST_FAILURES),
  };
}

export interface StartLimits {
  /** Starts per second. Default: as many as Temporal accepts. */
  readonly rate?: number | undefined;
  readonly concurrency: number;
}

export interface BatchInput extends Partial<StartLimits> {
  readonly parts: number;
  /** In the stage `checked`, it waits for {@link confirmBatch}. */
  readonly state: BatchState;
}

/** Starts a batch in the stage `checked`. A second confirmation changes nothing. */
export const confirmBatch = defineUpdate<void, [StartLimits]>('confirmBatch');

/** The rows or results of one part. */
export interface PartOfBatch {
  /** Workflow id of the batch. */
  readonly batch: string;
  /** Counted from 0. */
  readonly part: number;
}

/** The results of a part, in short. */
export interface PartEnd extends Pick<BatchState, 'counts' | 'failures'> {
  /** A cancellation left rows of the part out. */
  readonly isStopped: boolean;
}

export interface BatchActivities {
  /** Keeps the rows of a part in the document store, in place of those of an earlier attempt. */
  keepRows(request: PartOfBatch & { readonly rows: readonly BatchRow[] }): Promise<void>;
  /**
   * Starts the rows of a part, and keeps their results in the document store. Each heartbeat has the results so far, from which a
   * later attempt goes on. After a cancellation it ends the starts in progress.
   */
  startRows(request: PartOfBatch & StartLimits & Pick<BatchState, 'actor'>): Promise<PartEnd>;
  readResults(request: PartOfBatch): Promise<readonly RowResult[]>;
  forgetRows(request: { readonly batch: string; readonly parts: number }): Promise<void>;
}
