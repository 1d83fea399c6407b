import type { RequirementKind } from '../../messages/codes.js';
import { type Row, readDocsPage, tablesIn } from './docs.js';

/** The codes that people see, from the tables of docs/codes.md and the runbooks of docs/operations.md. */

export interface Code {
  readonly code: string;
  /** The heading of its table: `timeline entry`. */
  readonly kind: string;
  /** Its texts: `what happened`. */
  readonly facts: Row;
}

export const CODES: readonly Code[] = [
  ...runbooksIn(readDocsPage('operations')),
  ...tablesIn(readDocsPage('codes')).flatMap(({ heading, rows }) =>
    rows.flatMap(({ code: codes = '', ...facts }) =>
      codes
        .replaceAll('`', '')
        .split(', ')
        .map((code): Code => ({ code, kind: heading.toLowerCase(), facts })),
    ),
  ),
];

/** The runbook of a requirement: `what happened`, `see it`, `do`, `then`, `do not`, `answers`. */
export function runbookOf(requirement: RequirementKind): Row {
  return CODES.find(({ kind, code }) => kind === 'requirement' && code === requirement)?.facts ?? {};
}

export function whatHappened(kind: 'stage' | 'outcome' | 'timeline entry', code: string): string | undefined {
  return CODES.find((each) => each.kind === kind && each.code === code)?.facts['what happened'];
}

/** The ID of a note: `note-0e5ac65b83c0`, or `note-0e5ac65b83c0-2` if it is asked again. */
const NOTE = /^note-[0-9a-f]+(-\d+)?$/;

/** The prefix of the requirement IDs of a business. */
const PREFIX = /^business-/;

/** Finds all meanings of a code. `not-sent` means `NotSent`, and the ID of a requirement means its kind. */
export function findCodes(code: string): Code[] {
  const kind = NOTE.test(code) ? 'underwriting-note' : code.replace(/-\d+$/, '');
  const wanted = [code, kind, ...(kind === code ? [] : [kind.replace(PREFIX, '')])].map(plain);
  return CODES.filter(({ code }) => wanted.includes(plain(code)));
}

function plain(code: string): string {
  return code
    .replace(/^urn:gangway:problem:/, '')
    .replace(/[-_\s]/g, '')
    .toLowerCase();
}

/** Parses runbooks, which are lists of points that begin with their names. */
function runbooksIn(markdown: string): Code[] {
  return [...markdown.matchAll(/^### Requirement: `(.+)`\n\n((?:[- ] .*\n)+)/gm)].map(
    ([, code = '', list = '']) => {
      const points = list.replace(/\n {2}/g, ' ').matchAll(/^- \*\*(.+?):?\*\* (.*)$/gm);
      const facts = Object.fromEntries(
        [...points].map(([, name = '', text = '']) => [name.toLowerCase(), text]),
      );
      return { code, kind: 'requirement', facts };
    },
  );
}
