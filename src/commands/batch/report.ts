import { rowsOf } from '../../batches/validation.js';
import type { RowResult } from '../../messages/batches.js';
import type { CommandLine } from '../cli/command-line.js';
import { outcomeLines } from '../cli/in-words.js';
import { bar } from '../cli/progress.js';
import type { Preview } from './partner-reads.js';
import type { End } from './waiting.js';

export type Results = Map<number, object>;

export type Progress = ReturnType<typeof progressOf>;

/** A bar. @param done the label of what is done: `ended` */
export function progressOf({ status }: CommandLine, total: number, done: string) {
  const beganAt = Date.now();
  let [count, waiting] = [0, 0];
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

export type Report = ReturnType<typeof reportOf>;

/** Prints the result of each row on a line, and counts the results. */
export function reportOf(cli: CommandLine, isJson: boolean, results: Results | undefined) {
  const counts = new Map<string, number>();
  const print = ({ line, externalId, workflowId }: RowId, word: string, text: string, json: object) => {
    counts.set(word, (counts.get(word) ?? 0) + 1);
    const record = { line, externalId, workflowId, ...json };
    if (results) results.set(line, { ...results.get(line), ...record });
    else if (isJson) cli.json(record);
    else cli.line(`${line} ${workflowId} ${text}`);
  };
  const failed = (row: RowId, error: string) => print(row, 'failed', `failed: ${error}`, { error });
  return {
    failed,
    preview: (row: RowId, { word, text, json }: Preview) => print(row, word, text, json),
    start({ result, runId, error = '', ...row }: RowResult) {
      if (result === 'failed') failed(row, error);
      else print(row, result, result, { runId, started: result === 'started' });
    },
    end(row: RowId, end: End) {
      if ('failed' in end) return failed(row, end.failed);
      print(
        row,
        end.outcome,
        outcomeLines(end)
          .map((part) => part.trim())
          .join('; '),
        end,
      );
    },
    get failures(): number {
      return counts.get('failed') ?? 0;
    },
    /** Prints how many rows had each result. @param rest the word for rows without a result */
    summary(total: number, rest: string) {
      const left = total - [...counts.values()].reduce((sum, count) => sum + count, 0);
      const words = [...counts, ...(left > 0 ? [[rest, left] as const] : [])];
      const text = `${rowsOf(total)}: ${words.map(([word, count]) => `${count} ${word}`).join(', ')}`;
      isJson || results ? cli.note(text) : cli.line(text);
    },
  };
}
