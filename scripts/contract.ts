import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { EXIT_CODES } from '../src/commands/cli/errors.js';
import { gangway } from '../src/commands/program.js';
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
import { eventTypes } from '../src/receiver/event-types.js';
import { recordSchema } from '../src/reports/record.js';
import { BUSINESS, CUSTOMER, MERCHANT } from '../src/temporal/start.js';
import { SECTIONS } from './settings/setting-sections.js';
import { settingsOf } from './settings/settings.js';

/** What programs, scripts and people may rely on, as docs/architecture.md promises. The tests compare it with that of each release. */

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
      ([name, kind]) =>
        fieldLines(
          `input ${name}`,
          z.toJSONSchema(kind.schema(NO_ACCOUNTS), { io: 'input', unrepresentable: 'any' }),
        ),
    ),
    ...fieldLines('export', recordSchema() as object).filter((line) => !line.startsWith(REQUIRED)),
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

/** The part of a JSON Schema that is read. */
interface Schema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

function fieldLines(what: string, schema: object): string[] {
  const root = schema as Schema;
  const lines: string[] = [];
  const add = (path: string, { $ref, ...own }: Schema, above: readonly string[]) => {
    // A schema may contain itself.
    if ($ref !== undefined && above.includes($ref)) return;
    const named = $ref?.split('/').pop();
    const part = named === undefined ? own : (root.$defs?.[named] ?? own);
    const within = $ref === undefined ? above : [...above, $ref];
    for (const [name, field] of Object.entries(part.properties ?? {})) {
      const at = path === '' ? name : `${path}.${name}`;
      lines.push([what, at, ...[field.type ?? []].flat()].join(' '));
      if (part.required?.includes(name)) lines.push(`${REQUIRED}${what} ${at}`);
      add(at, field, within);
    }
    if (part.items) add(`${path}[]`, part.items, within);
    for (const branch of [...(part.anyOf ?? []), ...(part.oneOf ?? []), ...(part.allOf ?? [])])
      add(path, branch, within);
  };
  add('', root, []);
  return lines;
}
