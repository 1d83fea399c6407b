import type { FieldProblem } from '../../partners/partner-error.js';

/** A row of a file, or what keeps it from being one. */
export interface Row {
  /** The line it begins in, counted from 1. */
  readonly line: number;
  /** An input as people write it; not checked. */
  readonly value?: unknown;
  /** Why there is no value. */
  readonly problems?: readonly FieldProblem[];
}

/** Longest row, in bytes: far below what Temporal takes as input of a workflow. */
export const MAX_ROW_BYTES = 1024 * 1024;

export const TOO_LONG = 'is longer than 1 MiB';

/** Said of a row after which nothing can be told apart. */
export const NO_FURTHER = 'nothing after it was read';

/** Stands for bytes that are no UTF-8: a name with it in would reach the partner mutilated. */
const REPLACEMENT_CHARACTER = '\uFFFD';

const NOT_UTF8 = 'is not UTF-8; save the file as UTF-8';

/** A row that is no row. */
export function unreadable(line: number, message: string): Row {
  return { line, problems: [{ field: '', message }] };
}

/** @returns undefined when the text is as it was written */
export function mutilated(line: number, texts: readonly string[]): Row | undefined {
  return texts.some((text) => text.includes(REPLACEMENT_CHARACTER)) ? unreadable(line, NOT_UTF8) : undefined;
}
