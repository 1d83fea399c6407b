import { isOnboarding, partsOfId } from '../../../messages/ids.js';
import type { OnboardingState, TimelineEntry } from '../../../messages/onboarding-state.js';
import type { OperationOutcome } from '../../../messages/partner-operations.js';
import type { Requirement } from '../../../messages/requirements.js';
import { portalLink } from '../../../partners/account-settings.js';
import { escapeText, withoutPrivate } from '../../../platform/privacy/private-fields.js';
import type { Outcome, OwnedEntry, Reading } from '../../../services/client/watching.js';
import {
  type ChangeableField,
  changeableFields,
  formatValue,
  isCorrectable,
} from '../../../services/forms/corrections.js';
import {
  type PartState,
  readParts,
  requirementsWithClaims,
  timelinesOf,
  workflowIdsOf,
} from '../../../services/inbox/waiting-state.js';
import { InvalidInput } from '../../../services/texts/invalid-input.js';
import { harmlessJson } from '../../../services/texts/text.js';
import type { Times } from '../../../services/texts/time.js';
import { answeredBefore, inZone } from '../../../services/texts/timeline-entries.js';
import { inputOf, queryState } from '../../../temporal/find-onboarding.js';
import { toListed } from '../../../temporal/search.js';
import { failuresOf, UnreadableOnboarding } from '../../../temporal/unreadable.js';
import { findById, type IdOptions } from '../cli/arguments.js';
import { atTemporal, type CommandContext, type CommandLine } from '../cli/command-line.js';
import { describeRequirement, printOutcome, takeBackCommand } from '../cli/descriptions.js';
import { follow, gangwayOf } from '../cli/follow.js';
import type { Flags } from '../cli/options.js';
import { withProgress } from '../cli/progress.js';
import { NO_REASON } from './resolve.js';

export const status = atTemporal(async (context, id: string, options: IdOptions & Flags<'input'>) => {
  const { input, json } = options;
  const { cli, client, config, link } = context;
  const execution = await findById(context, id, options);
  const { workflowId, runId, typed } = execution;
  if (input) return showInput(context, workflowId, typed, json);
  const reading = () => gangwayOf(context).status(workflowId);
  const state = await withProgress(cli, `${workflowId}: waiting for a worker`, reading).catch(
    async (error: unknown) => {
      if (error instanceof UnreadableOnboarding && !json)
        printFacts(cli, { ...factsOf(await toListed(client, execution)), workflow: workflowId });
      throw error;
    },
  );
  if (json) return cli.json(state);
  const parts = await readParts(client, workflowId, state);
  const failures = await failuresOf(client, workflowIdsOf(workflowId, parts));
  const name = partsOfId(workflowId)?.account;
  // The command may lack the settings of an account.
  const account = name === undefined ? config : config.accounts[name];
  printFacts(cli, {
    ...factsOf({ ...state, bankingProfileId: state.profileId }),
    account: state.financialAccountId,
    ...Object.fromEntries(parts.map((part) => [part.part, describePart(part)])),
    'waits for partner': state.waiting && waitOf(cli.times, state.waiting),
    'partner account': name,
    'merchant portal': account && portalLink(account, 'boarding', state.merchantProfileId),
    'bank portal': account && portalLink(account, 'banking', state.profileId),
    'web ui': link(workflowId, runId),
    retrying: failures.join('; ') || undefined,
    workflow: workflowId,
  });
  const requirements = requirementsWithClaims(state, parts);
  if (requirements.length > 0) cli.line('\nopen requirements:');
  for (const requirement of requirements) cli.prose(describeRequirement(cli, typed, requirement));
  printUnsent(cli, typed, state, parts);
  cli.line('\ntimeline:');
  printTimeline(cli, state.timeline);
});

/** Returns the first facts, which the list of workflows also has. */
function factsOf(
  facts: Partial<
    Record<'dba' | 'stage' | 'partnerStatus' | 'merchantProfileId' | 'mid' | 'bankingProfileId', unknown>
  >,
): Readonly<Record<string, unknown>> {
  return {
    dba: facts.dba,
    stage: facts.stage,
    'partner status': facts.partnerStatus,
    merchant: facts.merchantProfileId,
    mid: facts.mid,
    profile: facts.bankingProfileId,
  };
}

function printUnsent(cli: CommandLine, typed: string, state: OnboardingState, parts: readonly PartState[]) {
  const { unsent = [] } = state;
  if (unsent.length > 0) cli.line('\nanswered, not sent yet:');
  const timeline = timelinesOf(state, parts);
  for (const id of unsent) {
    const { actor, detail = id } = answeredBefore(timeline, id) ?? {};
    cli.prose(`  ${detail}${actor === undefined ? '' : ` (${actor})`}`);
    cli.line(`    ${takeBackCommand(typed, id)}`);
  }
}

/** Prints a timeline, with the details in a column that wraps at a terminal. */
function printTimeline(cli: CommandLine, timeline: readonly TimelineEntry[]): void {
  const rows = timeline.map((entry) => timelineRow(cli, entry));
  const column = Math.max(...rows.map(([, event = '']) => event.length));
  for (const [at = '', event = '', detail = ''] of rows) {
    const begin = `${at}  ${event.padEnd(column)}  `;
    cli.line((begin + cli.hanging(detail.replace(/\s+/g, ' '), begin.length)).trimEnd());
  }
}

function printFacts(cli: CommandLine, facts: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(facts)) {
    if (value !== undefined && value !== null) cli.line(name.padEnd(18) + cli.hanging(String(value), 18));
  }
}

function waitOf(times: Times, { step, since, until, reason }: NonNullable<OnboardingState['waiting']>) {
  const pause = until === undefined ? '' : `, paused until ${times.at(until)}`;
  return `${times.since(since)} (since ${times.at(since)}${pause}): ${step} (${reason})`;
}

function describePart({ workflowId, state, isAttached }: PartState): string {
  if (state instanceof UnreadableOnboarding) return state.message;
  const { stage, partnerStatus, requirements } = state;
  const isAnsweredThere = isAttached && requirements.length > 0;
  const where = isAnsweredThere ? `waits for a person: see ${workflowId}` : '';
  return [stage, partnerStatus, where].filter(Boolean).join(', ');
}

function timelineRow({ times }: CommandLine, entry: TimelineEntry): string[] {
  const { at, event, detail = '', actor, reason } = entry;
  const why = reason === NO_REASON ? undefined : reason;
  const who = actor === undefined ? '' : ` (${[actor, why].filter(Boolean).join(': ')})`;
  return [times.atSecond(at), event, inZone(detail, { event }, times) + who];
}

export const watch = atTemporal(async (context, id: string, { json, ...options }: IdOptions) => {
  const { cli } = context;
  const { workflowId } = await findById(context, id, options);
  const onRead = ({ entries }: Reading) => {
    for (const entry of entries) json ? cli.json(entry) : cli.line(lineOf(cli, entry));
  };
  const restart = isOnboarding(workflowId)
    ? 'start it again with --again'
    : 'run its command to start it again';
  const how = { restart, onRead };
  const outcome = await follow<Outcome | OperationOutcome<object>>(context, workflowId, how);
  if (json) cli.json({ workflowId, ...outcome });
  else printOutcome(cli, workflowId, outcome);
});

function lineOf(cli: CommandLine, { of, ...entry }: OwnedEntry): string {
  const [at = '', ...rest] = timelineRow(cli, entry);
  return [at, ...(of ? [of.padEnd('boarding'.length)] : []), ...rest].join('  ');
}

/** Prints an onboarding's current input, and the fields that can change now, also those of a customer's parts. */
async function showInput(context: CommandContext, workflowId: string, typed: string, json?: true) {
  const { cli, client, config } = context;
  for (const id of await correctableIds(context, workflowId)) {
    const correctable = await inputOf(client, id);
    const input = withoutPrivate(correctable.input);
    const fields = changeableFields(correctable, config);
    if (json) {
      const canChange = fields.map(({ name, isRequired, type, rule }) => ({
        field: name,
        required: isRequired,
        type,
        ...(rule !== '' && { rule }),
      }));
      cli.json({ workflowId: id, input, canChange });
      continue;
    }
    cli.line(`${id}: input with its corrections, private values masked`);
    cli.line(harmlessJson(JSON.stringify(input, undefined, 2)));
    const { requirements } = await queryState(client, id);
    const asking = requirements.filter(({ answers }) => answers.includes('correction'));
    printChangeable(cli, typed, fields, asking);
  }
}

async function correctableIds({ client }: CommandContext, workflowId: string): Promise<string[]> {
  if (isCorrectable(workflowId)) return [workflowId];
  const parts = await readParts(client, workflowId, await queryState(client, workflowId));
  if (parts.length > 0) return parts.map((part) => part.workflowId);
  throw new InvalidInput(`${workflowId}: has no input that a correction can change`);
}

function printChangeable(
  cli: CommandLine,
  typed: string,
  fields: readonly ChangeableField[],
  asking: readonly Requirement[],
): void {
  const questions = asking.map(({ detail }) => detail).join('\n');
  const isAsked = ({ name }: ChangeableField) => {
    const path = escapeText(name).replace(/\bN\b/g, '\\d+');
    return new RegExp(`(^|[^\\w.])${path}($|[^\\w.])`, 'm').test(questions);
  };
  const request = fields.filter(isAsked);
  if (request.length > 0) {
    cli.line('\nfields that an open requirement names:');
    for (const field of request) printField(cli, field);
  }
  cli.line(`\n${request.length > 0 ? 'other ' : ''}fields that a correction can change now:`);
  for (const field of fields.filter((each) => !request.includes(each))) printField(cli, field);
  cli.line('');
  if (fields.some(({ name }) => /\bN\b/.test(name)))
    cli.prose('N is the index of an item, from 0. A field of type object can hold any fields.');
  if (asking.length === 0) cli.prose('No open requirement takes a correction now.');
  for (const { id } of asking)
    cli.line(`change one: gangway resolve ${typed} ${id} --set FIELD=VALUE --dry-run`);
}

/** Prints a field. Never cuts its name, because people copy it. */
function printField(cli: CommandLine, { name, now, isRequired, type, rule }: ChangeableField): void {
  const value =
    now === undefined || (typeof now === 'object' && now !== null) ? '' : ` = ${formatValue(now)}`;
  const rules = [type, isRequired && 'required', rule].filter(Boolean).join('; ');
  cli.line(`  ${cli.hanging(`${name}${value}: ${rules}`, 6)}`);
}
