import type { Writable } from 'node:stream';
import Table from 'cli-table3';
import type { AnswerKind, Requirement } from '../../messages/requirements.js';

/** A stream that may be a terminal. */
export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** Prints for people and scripts. */
export class Printer {
  readonly stdout: Output;
  readonly stderr: Output;

  constructor({ stdout, stderr }: Pick<Printer, 'stdout' | 'stderr'>) {
    this.stdout = stdout;
    this.stderr = stderr;
  }

  /** One JSON value on a line of its own: the only thing that `--json` puts on standard output. */
  json(value: unknown): void {
    this.stdout.write(`${JSON.stringify(value)}\n`);
  }

  line(text: string): void {
    this.stdout.write(`${harmless(text)}\n`);
  }

  /** A note for the person at the terminal; never on standard output, where scripts read. */
  note(text: string): void {
    this.stderr.write(`${harmless(text)}\n`);
  }

  table(head: readonly string[], rows: readonly (readonly string[])[]): void {
    this.line(tableOf(head, rows));
  }
}

/** What partners write must not steer the terminal: without control characters but tabs and ends of lines. */
function harmless(text: string): string {
  return text.replace(/[^\P{Cc}\t\n]/gu, '');
}

/** A table for people, without frames, so that it can be copied and cut. */
export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const frame = ['top', 'bottom', 'left', 'right'].flatMap((side) => [
    side,
    `${side}-mid`,
    `${side}-left`,
    `${side}-right`,
  ]);
  const inner = ['mid', 'left-mid', 'mid-mid', 'right-mid'];
  const table = new Table({
    head: head.map((title) => title.toUpperCase()),
    chars: { ...Object.fromEntries([...frame, ...inner].map((part) => [part, ''])), middle: '  ' },
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  table.push(...rows.map((row) => [...row]));
  return table.toString();
}

/** A date as people read it: `2026-03-01 14:05`, UTC. */
export function shortDate(date: string | Date | undefined): string {
  if (date === undefined) return '';
  return new Date(date).toISOString().slice(0, 16).replace('T', ' ');
}

/** How `gangway resolve` takes each kind of answer. */
const OPTIONS: Readonly<Record<AnswerKind, string>> = {
  text: '--text TEXT',
  documents: '--document FILE',
  correction: '--patch JSON',
  adopt: '--adopt ID --reason WHY',
  retry: '--retry --reason WHY',
  code: '--code CODE',
  'take-back': '--take-back --reason WHY',
  abandon: '--abandon --reason WHY',
};

export function describeRequirement({ id, kind, title, detail, dueAt, answers }: Requirement): string {
  const due = `${isOverdue(dueAt) ? 'OVERDUE since' : 'due'} ${shortDate(dueAt)}`;
  const indented = detail.replace(/^/gm, '    ');
  return `  ${id} (${kind}, ${due})\n    ${title}\n${indented}\n    takes: ${answers.join(', ')}`;
}

/** The commands that answer a requirement, a line each. */
export function waysToAnswer(workflowId: string, { id, answers }: Requirement): string {
  return answers.map((kind) => `    gangway resolve ${workflowId} ${id} ${OPTIONS[kind]}`).join('\n');
}

export function isOverdue(dueAt: string): boolean {
  return Date.parse(dueAt) < Date.now();
}
