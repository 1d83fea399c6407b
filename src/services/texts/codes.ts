import type { RequirementKind } from '../../messages/codes.js';
import { type Row, readDocsPage, tablesIn } from './docs.js';

/** The codes that people meet, as docs/ describes them: the tables of docs/codes.md, and the runbooks of docs/operations.md. */

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

/** The id of a note: `note-0e5ac65b83c0`, or `note-0e5ac65b83c0-2` where it is asked again. */
const NOTE = /^note-[0-9a-f]+(-\d+)?$/;

/** The prefix of the requirement IDs of a business. */
const PREFIX = /^business-/;

/** Everything that a code means. `not-sent` is `NotSent`, and the id of a requirement is its kind. */
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

/** A runbook is a list, whose points begin with their names. */
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
