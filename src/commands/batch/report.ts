import type { CommandLine } from '../command-line.js';
import { toldOf } from '../outcome.js';
import type { Result } from './starting.js';
import type { End } from './waiting.js';

/** A row, as it is told of. */
export interface Told {
  readonly line: number;
  readonly externalId: string;
  readonly workflowId: string;
}

/** Prints what became of rows, a line each, and counts it. */
export class Report {
  readonly #counts = new Map<string, number>();

  constructor(
    private readonly cli: CommandLine,
    private readonly json: boolean,
  ) {}

  start(row: Told, result: Result): void {
    if ('refused' in result) {
      this.#failed(row, result.refused);
      return;
    }
    const { runId, started } = result;
    const word = started ? 'started' : 'attached';
    this.#tell(row, word, word, { runId, started });
  }

  end(row: Told, end: End): void {
    if ('failed' in end) {
      this.#failed(row, end.failed);
      return;
    }
    const told = toldOf(end).map((part) => part.trim());
    this.#tell(row, end.outcome, told.join('; '), end);
  }

  get failures(): number {
    return this.#counts.get('failed') ?? 0;
  }

  /** Tells of so many rows what became of how many. @param rest what is said of those nothing became of */
  summary(total: number, rest: string): void {
    const told = [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
    const counts = [...this.#counts, ...(told < total ? [[rest, total - told] as const] : [])];
    const text = `${rowsOf(total)}: ${counts.map(([word, count]) => `${count} ${word}`).join(', ')}`;
    this.json ? this.cli.note(text) : this.cli.line(text);
  }

  #failed(row: Told, error: string): void {
    this.#tell(row, 'failed', `failed: ${error}`, { error });
  }

  #tell({ line, externalId, workflowId }: Told, word: string, text: string, json: object): void {
    this.#counts.set(word, (this.#counts.get(word) ?? 0) + 1);
    if (this.json) this.cli.json({ line, externalId, workflowId, ...json });
    else this.cli.line(`${line} ${workflowId} ${text}`);
  }
}

/** `1 row`, `200 rows` */
export function rowsOf(count: number): string {
  return `${count} ${count === 1 ? 'row' : 'rows'}`;
}
