import { OBSTACLE_TEXTS, PARTNER_ERROR_TEXTS, PROBLEM_TEXTS } from './error-texts.js';
import type { Explanation } from './explanation.js';
import { REQUIREMENT_TEXTS } from './requirement-texts.js';
import { OUTCOME_TEXTS, STAGE_TEXTS } from './stage-texts.js';
import { RECORD_ONLY_TEXTS, TIMELINE_TEXTS } from './timeline-texts.js';

/** The codes of a kind, which `gangway explain` describes. */
interface Group {
  /** The kind of the code: `requirement`. */
  readonly kind: string;
  /** The place where people see it. */
  readonly where: string;
  readonly texts: Readonly<Record<string, Explanation>>;
}

/** Every code that a person meets. The compiler asks for the text of a new one. */
export const CATALOGUE: readonly Group[] = [
  {
    kind: 'requirement',
    where: 'what a person is asked: "gangway inbox", and the details in the Web UI',
    texts: REQUIREMENT_TEXTS,
  },
  {
    kind: 'stage',
    where: 'where an onboarding stands: "gangway list" and "gangway status"',
    texts: STAGE_TEXTS,
  },
  { kind: 'outcome', where: 'how an onboarding or a single operation ended', texts: OUTCOME_TEXTS },
  {
    kind: 'timeline entry',
    where: 'what happened: "gangway status" and "gangway watch"',
    texts: TIMELINE_TEXTS,
  },
  {
    kind: 'entry of a record',
    where: 'what happened to a workflow from outside: "gangway export"',
    texts: RECORD_ONLY_TEXTS,
  },
  {
    kind: 'partner error',
    where: 'how a call of a partner failed: "gangway status", logs and metrics',
    texts: PARTNER_ERROR_TEXTS,
  },
  {
    kind: 'obstacle',
    where: 'why an onboarding cannot be read: the command, the console, and responses of the receiver',
    texts: OBSTACLE_TEXTS,
  },
  {
    kind: 'problem',
    where: 'how the receiver refuses a request: "urn:gangway:problem:..."',
    texts: PROBLEM_TEXTS,
  },
];

/** All codes, each once. */
export function codes(): string[] {
  return [...new Set(CATALOGUE.flatMap(({ texts }) => Object.keys(texts)))];
}

export interface Explained extends Explanation {
  readonly code: string;
  readonly kind: string;
}

/** The id of a note: `note-149967d738cb`, or `note-149967d738cb-2` where it is asked again. */
const NOTE = /^note-[0-9a-f]+(-\d+)?$/;

/** The prefix of requirement ids of some workflows. */
const PREFIX = /^(business|terminal)-/;

/** Everything that a code means. `not-sent` is `NotSent`, and the id of a requirement is its kind. */
export function explained(given: string): Explained[] {
  const kind = NOTE.test(given) ? 'underwriting-note' : given.replace(/-\d+$/, '');
  const wanted = [given, kind, ...(kind === given ? [] : [kind.replace(PREFIX, '')])].map(plain);
  return CATALOGUE.flatMap(({ kind, texts }) =>
    Object.entries(texts).flatMap(([code, text]) =>
      wanted.includes(plain(code)) ? [{ code, kind, ...text }] : [],
    ),
  );
}

function plain(code: string): string {
  return code
    .replace(/^urn:gangway:problem:/, '')
    .replace(/[-_\s]/g, '')
    .toLowerCase();
}
