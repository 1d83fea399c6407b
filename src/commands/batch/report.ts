import { rowsOf } from '../../batches/validation.js';
import type { RowResult } from '../../messages/batches.js';
import type { CommandLine } from '../cli/command-line.js';
import { outcomeLines } from '../cli/in-words.js';
import { bar } from '../cli/progress.js';
import type { Preview } from './partner-reads.js';
import type { End } from './waiting.js';

/** Prints a batch: a line for each row, the counts, and a progress bar at a terminal. */

export type Results = Map<number, object>;

export type Progress = ReturnType<typeof progressOf>;

/** A bar. @param done the label of what is done: `ended` */
export function progressOf({ status }: CommandLine, total: number, done: string) {
  const beganAt = Date.now();
  let count = 0;
  let waiting = 0;
  const draw = () =>
    bar(count, total, done, beganAt) + (waiting > 0 ? `, ${waiting} waiting for a person` : '');
  status.show(draw);
  return {
    step() {
      count += 1;
      status.show(draw);
    },
    /** The number of remaining rows that wait for a person. */
    asked(number: number) {
      waiting = number;
    },
    end: () => status.end(),
  };
}

interface RowId {
  readonly line: number;
  readonly externalId: string;
  readonly workflowId: string;
}

/** Prints the result of each row on a line, and counts the results. */
export class Report {
  readonly #counts = new Map<string, number>();

  constructor(
    private readonly cli: CommandLine,
    private readonly json: boolean,
    private readonly results: Results | undefined,
  ) {}

  preview(row: RowId, { word, text, json }: Preview): void {
    this.#print(row, word, text, json);
  }

  start({ result, runId, error, ...row }: RowResult): void {
    if (result === 'failed') this.failed(row, error ?? '');
    else this.#print(row, result, result, { runId, started: result === 'started' });
  }

  end(row: RowId, end: End): void {
    if ('failed' in end) {
      this.failed(row, end.failed);
      return;
    }
    const lines = outcomeLines(end).map((part) => part.trim());
    this.#print(row, end.outcome, lines.join('; '), end);
  }

  get failures(): number {
    return this.#counts.get('failed') ?? 0;
  }

  /** Prints how many rows had each result. @param rest the word for rows without a result */
  summary(total: number, rest: string): void {
    const done = [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
    const counts = [...this.#counts, ...(done < total ? [[rest, total - done] as const] : [])];
    const text = `${rowsOf(total)}: ${counts.map(([word, count]) => `${count} ${word}`).join(', ')}`;
    this.json || this.results ? this.cli.note(text) : this.cli.line(text);
  }

  failed(row: RowId, error: string): void {
    this.#print(row, 'failed', `failed: ${error}`, { error });
  }

  #print({ line, externalId, workflowId }: RowId, word: string, text: string, json: object): void {
    this.#counts.set(word, (this.#counts.get(word) ?? 0) + 1);
    const record = { line, externalId, workflowId, ...json };
    if (this.results) this.results.set(line, { ...this.results.get(line), ...record });
    else if (this.json) this.cli.json(record);
    else this.cli.line(`${line} ${workflowId} ${text}`);
  }
}
