import { defineUpdate } from '@temporalio/workflow';
import type { OnboardingType } from './workflow-types.js';

/**
 * The input and progress of `onboardingBatch`. A batch is split into parts. For each part, the document store has a file with the
 * rows until the batch ends, and then a file with the results.
 */

/** A row of a part, with a checked input. */
export interface BatchRow {
  /** Its first line in the person's file, counted from 1. */
  readonly line: number;
  readonly externalId: string;
  readonly type: OnboardingType;
  readonly workflowId: string;
  readonly input: object;
}

/** The result of a row. `attached`: the onboarding already existed, from another start. */
export interface RowResult extends Pick<BatchRow, 'line' | 'externalId' | 'workflowId'> {
  readonly result: 'started' | 'attached' | 'failed';
  readonly runId?: string;
  readonly error?: string;
}

export type ResultCounts = Readonly<Record<RowResult['result'], number>>;

/** The progress of a batch, in its memo, so that no worker is needed to read it. */
export interface BatchState {
  /**
   * `checked`: nobody has confirmed it yet. `discarded`: nobody confirmed it in time. `stopped`: a person stopped it, and started
   * onboardings continue.
   */
  readonly stage: 'checked' | 'running' | 'done' | 'stopped' | 'discarded';
  readonly name: string;
  /** The person who uploaded the file. */
  readonly actor: string;
  readonly rows: number;
  readonly kinds: Readonly<Partial<Record<BatchRow['type'], number>>>;
  /** The partner accounts of the rows, '' for the unnamed account. */
  readonly accounts: readonly string[];
  /** The number of parts with results. */
  readonly parts: number;
  /** The counts of rows in these parts, by result. */
  readonly counts: ResultCounts;
  /** The first failed rows of these parts. */
  readonly failures: readonly RowResult[];
}

/** The warnings about a file, and the number of rows that a start would skip. */
export interface FileWarnings {
  readonly warnings: readonly { readonly line: number; readonly field: string; readonly message: string }[];
  readonly count: number;
  /** False if a partner could not be read. */
  readonly isComplete: boolean;
  /** The number of rows whose onboarding exists; undefined for a large file, in which they are not counted. */
  readonly attached?: number | undefined;
  /** The names in the first rows. */
  readonly businesses?: readonly string[];
}

/** The memo field with the {@link BatchState}. */
export const BATCH_MEMO = 'batch';

/**
 * The memo field with the {@link FileWarnings}, until the first run ends. Each change of the other field stores a new copy of it.
 */
export const WARNINGS_MEMO = 'found';

/** The maximum number of failures in the memo. The results list them all. */
const MAX_FAILURES = 20;

export const NO_RESULTS = { started: 0, attached: 0, failed: 0 } as const satisfies ResultCounts;

export function summaryOf(results: readonly RowResult[]): Pick<BatchState, 'counts' | 'failures'> {
  const counts = { ...NO_RESULTS } as Record<RowResult['result'], number>;
  for (const { result } of results) counts[result] += 1;
  const failures = results.filter(({ result }) => result === 'failed');
  return { counts, failures: failures.slice(0, MAX_FAILURES) };
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
    failures: [...failures, ...further].slice(0, MAX_FAILURES),
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
  /** Workflow ID of the batch. */
  readonly batch: string;
  /** Counted from 0. */
  readonly part: number;
}

/** A summary of a part's results. */
export interface PartEnd extends Pick<BatchState, 'counts' | 'failures'> {
  /** The part was canceled before its last row. */
  readonly isStopped: boolean;
}

export interface BatchActivities {
  /** Saves the rows of a part in the document store. Replaces those of an earlier attempt. */
  keepRows(request: PartOfBatch & { readonly rows: readonly BatchRow[] }): Promise<void>;
  /**
   * Starts the rows of a part, and saves their results in the document store. Heartbeats contain the results so far, so a later
   * attempt resumes there. After a cancellation, finishes the starts in progress.
   */
  startRows(request: PartOfBatch & StartLimits & Pick<BatchState, 'actor'>): Promise<PartEnd>;
  readResults(request: PartOfBatch): Promise<readonly RowResult[]>;
  forgetRows(request: { readonly batch: string; readonly parts: number }): Promise<void>;
}
