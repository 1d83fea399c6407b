import { readFileSync, writeFileSync } from 'node:fs';
import type { z } from 'zod';
import { EXIT_CODES } from '../src/apps/command/cli/errors.js';
import { gangway } from '../src/apps/command/program.js';
import { eventTypes } from '../src/apps/receiver/event-routes.js';
import { inputQuery } from '../src/messages/activities.js';
import {
  claimRequirement,
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
import { placesIn, shapeOf } from '../src/platform/schemas/shape.js';
import { exportedRecord } from '../src/services/reports/record.js';
import { BUSINESS, CUSTOMER, MERCHANT } from '../src/temporal/start.js';
import { SECTIONS, settingsOf } from './settings.js';

// Keeps M3.
/**
 * What programs, scripts and people may rely on, as docs/architecture.md promises. `npm run record-contract -- 0.1.0` records that of a
 * release, and a test compares it with all that come after.
 */

const OUTBOUND: Readonly<Record<OutboundEventType, true>> = {
  'onboarding.stage.changed.v1': true,
  'requirement.raised.v1': true,
  'requirement.overdue.v1': true,
  'requirement.unclaimed.v1': true,
  'onboarding.completed.v1': true,
};

/** Begins the line of a field that an input must have. A release may have fewer of these lines than the one before, never more. */
export const REQUIRED = 'required ';

/** A line for each name, in order: `setting GANGWAY_DBA`, `command board --wait`, `input merchant merchant.dba string`. */
export function contractLines(): string[] {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  const { exports } = JSON.parse(manifest) as { exports: Readonly<Record<string, unknown>> };
  const lines = [
    `task queue ${DEFAULT_TASK_QUEUE}`,
    ...Object.entries(WORKFLOW_ID_PREFIXES).map(([type, prefix]) => `workflow ${type} ${prefix}-`),
    ...Object.values(SEARCH_ATTRIBUTES).map(({ name, type }) => `search attribute ${name} ${type}`),
    ...[stateQuery, inputQuery, proposedAnswer].map(({ name }) => `query ${name}`),
    ...[resolveRequirement, claimRequirement, proposeAnswer, confirmAnswer, withdrawProposal].map(
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
    ...Object.entries({ merchant: MERCHANT, business: BUSINESS, customer: CUSTOMER }).flatMap(
      ([name, kind]) => fieldLines(`input ${name}`, kind.schema(NO_ACCOUNTS)),
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

if (process.argv[1] === import.meta.filename) {
  const [release] = process.argv.slice(2);
  if (!release) throw new Error('name the release: npm run record-contract -- 0.1.0');
  const file = new URL(`../test/contract/${release}.txt`, import.meta.url);
  writeFileSync(file, `${contractLines().join('\n')}\n`);
}
