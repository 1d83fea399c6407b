import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { z } from 'zod';
import { EXIT_CODES } from '../src/apps/command/cli/errors.js';
import { gangway } from '../src/apps/command/program.js';
import { eventTypes } from '../src/apps/receiver/event-routes.js';
import { inputQuery } from '../src/messages/activities.js';
import {
  assignRequirement,
  confirmAnswer,
  proposeAnswer,
  proposedAnswer,
  withdrawProposal,
} from '../src/messages/claims.js';
import { OUTCOMES, STAGES, TIMELINE_EVENTS } from '../src/messages/codes.js';
import { DEFAULT_TASK_QUEUE, WORKFLOW_ID_PREFIXES } from '../src/messages/ids.js';
import { NO_ACCOUNTS } from '../src/messages/inputs.js';
import { stateQuery } from '../src/messages/onboarding-state.js';
import type { OutboundEventType } from '../src/messages/outbound-events.js';
import { REQUIREMENT_KINDS, resolveRequirement } from '../src/messages/requirements.js';
import { SEARCH_ATTRIBUTES } from '../src/messages/search-attributes.js';
import { ONBOARDINGS } from '../src/messages/workflow-types.js';
import { placesIn, shapeOf } from '../src/platform/schemas/shape.js';
import { exportedRecord } from '../src/services/reports/exported-record.js';
import { EACH_KIND } from '../src/temporal/kinds/kinds.js';
import { SECTIONS, settingsOf } from './settings.js';

// Keeps M3.
/**
 * What programs, scripts and people may rely on, as docs/architecture.md promises. `npm run record-contract -- 0.1.0` records that of a
 * release. The record never changes, and a test compares it with the releases that must keep it.
 */

/** Holds `0.1.0.txt` for each release, and the SHA-256 of each, as `sha256sum` writes it. */
export const RELEASED = fileURLToPath(new URL('../test/contract/released/', import.meta.url));

const SUMS = 'SHA256SUMS';

const OUTBOUND: Readonly<Record<OutboundEventType, true>> = {
  'onboarding.stage.changed.v1': true,
  'requirement.raised.v1': true,
  'requirement.overdue.v1': true,
  'requirement.unclaimed.v1': true,
  'requirement.assigned.v1': true,
  'requirement.link.created.v1': true,
  'onboarding.completed.v1': true,
};

/** Begins the line of a field that an input must have. A release may have fewer of these lines than the one before, never more. */
const REQUIRED = 'required ';

/** A line for each name, in order: `setting GANGWAY_DBA`, `command board --wait`, `input merchant merchant.dba string`. */
export function contractLines(): string[] {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  const { exports } = JSON.parse(manifest) as { exports: Readonly<Record<string, unknown>> };
  const lines = [
    `task queue ${DEFAULT_TASK_QUEUE}`,
    ...Object.entries(WORKFLOW_ID_PREFIXES).map(([type, prefix]) => `workflow ${type} ${prefix}-`),
    ...Object.values(SEARCH_ATTRIBUTES).map(({ name, type }) => `search attribute ${name} ${type}`),
    ...[stateQuery, inputQuery, proposedAnswer].map(({ name }) => `query ${name}`),
    ...[resolveRequirement, assignRequirement, proposeAnswer, confirmAnswer, withdrawProposal].map(
      ({ name }) => `update ${name}`,
    ),
    ...REQUIREMENT_KINDS.map((kind) => `requirement ${kind}`),
    ...STAGES.map((stage) => `stage ${stage}`),
    ...OUTCOMES.map((outcome) => `outcome ${outcome}`),
    ...TIMELINE_EVENTS.map((event) => `timeline ${event}`),
    ...Object.keys(eventTypes(NO_ACCOUNTS)).map((type) => `event in ${type}`),
    ...Object.keys(OUTBOUND).map((type) => `event out ${type}`),
    ...SECTIONS.flatMap(settingsOf).map(({ name }) => `setting ${name}`),
    ...EXIT_CODES.map(([code, short]) => `exit code ${code} ${short}`),
    ...commandLines(),
    ...EACH_KIND.flatMap(({ type, schema }) =>
      fieldLines(`input ${ONBOARDINGS[type].nouns[0]}`, schema(NO_ACCOUNTS)),
    ),
    ...fieldLines('export', exportedRecord).filter((line) => !line.startsWith(REQUIRED)),
    ...Object.keys(exports).map((entry) => `package gangway${entry.slice(1)}`),
  ];
  return [...new Set(lines)].sort();
}

function commandLines(): string[] {
  const { stdin, stdout, stderr } = process;
  const program = gangway({ env: {}, stdin, stdout, stderr, signal: AbortSignal.abort() });
  return program.commands.flatMap((command) => {
    const names = command.options.flatMap(({ long }) => long ?? []);
    return [`command ${command.name()}`, ...names.map((name) => `command ${command.name()} ${name}`)];
  });
}

/** A line for each field, and another one if it is required. */
function fieldLines(what: string, schema: z.ZodType): string[] {
  const places = [...placesIn(shapeOf(schema), () => ['[]'])].filter(({ path }) => path.at(-1) !== '[]');
  return places.flatMap(({ path, shape: { types, isRequired } }) => {
    const at = path.join('.').replaceAll('.[]', '[]');
    return [[what, at, ...types].join(' '), ...(isRequired ? [`${REQUIRED}${what} ${at}`] : [])];
  });
}

const sumsIn = (folder: string) => readFileSync(join(folder, SUMS), 'utf8');

function sumLine(folder: string, file: string): string {
  const hash = createHash('sha256').update(readFileSync(join(folder, file)));
  return `${hash.digest('hex')}  ${file}`;
}

/** Records the contract of a release. Recording it again changes nothing. @throws if it was another contract */
export function recordContract(release: string, lines: readonly string[], folder = RELEASED): void {
  if (!/^\d+\.\d+\.\d+$/.test(release)) throw new Error('name the release: npm run record-contract -- 0.1.0');
  const [file, text] = [`${release}.txt`, `${lines.join('\n')}\n`];
  const path = join(folder, file);
  if (existsSync(path)) {
    if (readFileSync(path, 'utf8') === text) return;
    throw new Error(
      `the contract of ${release} is recorded, and differs: record another release. If nobody has ${release} yet, delete ` +
        `test/contract/released/${file} and its line in ${SUMS} first`,
    );
  }
  writeFileSync(path, text);
  writeFileSync(join(folder, SUMS), `${sumsIn(folder)}${sumLine(folder, file)}\n`);
}

/** The contracts that releases had, by release. */
export function releasedContracts(folder = RELEASED): ReadonlyMap<string, readonly string[]> {
  const files = readdirSync(folder).filter((file) => file !== SUMS);
  return new Map(
    files.map((file) => [
      file.replace(/\.txt$/, ''),
      readFileSync(join(folder, file), 'utf8').trimEnd().split('\n'),
    ]),
  );
}

/** The records, and lines of sums, that are not as the release left them. */
export function changedRecords(folder = RELEASED): string[] {
  const expected = sumsIn(folder).split('\n').filter(Boolean);
  const files = readdirSync(folder).filter((file) => file !== SUMS);
  const real = files.map((file) => sumLine(folder, file));
  const differ = [...expected, ...real].filter((line) => !(expected.includes(line) && real.includes(line)));
  return [...new Set(differ.map((line) => line.replace(/^\w+ +/, '')))];
}

/** Reports whether a version must keep the contract of a release: the same major, and before 1.0.0 the same minor. */
export function mustKeep(release: string, version: string): boolean {
  const promised = (of: string) => of.split('.').slice(0, of.startsWith('0.') ? 2 : 1);
  return promised(release).join('.') === promised(version).join('.');
}

/** The lines of a released contract that another one breaks: a name or a type that is gone, or a field that is now required. */
export function brokenPromises(released: readonly string[], now: readonly string[]): string[] {
  const gone = released.filter((line) => !line.startsWith(REQUIRED) && !now.includes(line));
  const required = now.filter((line) => line.startsWith(REQUIRED) && !released.includes(line));
  // A new optional part may have fields that the part needs.
  const isKnown = (field: string) => released.some((line) => line.startsWith(`${field} `));
  return [...gone, ...required.filter((line) => isKnown(partOf(line.slice(REQUIRED.length))))];
}

/** `input merchant merchant` for `input merchant merchant.dba`, and `input merchant` for a field that is in no part. */
function partOf(field: string): string {
  const [input = '', kind = '', path = ''] = field.split(' ');
  const part = path.split('.').slice(0, -1).join('.').replace(/\[\]$/, '');
  return [input, kind, ...(part === '' ? [] : [part])].join(' ');
}

if (process.argv[1] === import.meta.filename) recordContract(process.argv[2] ?? '', contractLines());
