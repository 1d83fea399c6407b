import type { TypedSearchAttributes } from '@temporalio/common';
import { asPartsHaveThem, type PartState, partsOf, timelinesOf } from '../../inbox/parts.js';
import { partsOfId } from '../../messages/ids.js';
import type { OnboardingState, TimelineEntry } from '../../messages/onboarding-state.js';
import { SEARCH_ATTRIBUTES } from '../../messages/search-attributes.js';
import { portalLink } from '../../partners/account-settings.js';
import { failuresOf, UnreadableOnboarding } from '../../temporal/unreadable.js';
import type { Times } from '../../texts/time.js';
import { answeredBefore, inZone } from '../../texts/timeline-entries.js';
import { type CommandLine, type CommandSettings, withTemporal } from '../cli/command-line.js';
import { gangwayOf } from '../cli/gangway.js';
import { findById, type IdOptions } from '../cli/partner-account.js';
import { whileShowing } from '../cli/progress.js';
import { describeRequirement, takeBackCommand } from '../cli/requirements.js';
import { NO_REASON } from './answers.js';
import { showInput } from './input.js';

interface StatusOptions extends IdOptions {
  readonly input?: true;
}

export async function status(cli: CommandLine, id: string, options: StatusOptions): Promise<void> {
  const { input, json } = options;
  await withTemporal(cli, async (context) => {
    const { client, config, link } = context;
    const { workflowId, runId, typedSearchAttributes, typed } = await findById(context, id, options);
    if (input) return showInput(context, { workflowId, typed }, json);
    const reading = () => gangwayOf(context).status(workflowId);
    const state = await whileShowing(cli, `${workflowId}: waiting for a worker`, reading).catch(
      (error: unknown) => {
        if (error instanceof UnreadableOnboarding && !json)
          printFacts(cli, { ...indexed(typedSearchAttributes), workflow: workflowId });
        throw error;
      },
    );
    if (json) return cli.json(state);
    const parts = await partsOf(client, workflowId, state);
    const ids = [workflowId, ...parts.map((part) => part.workflowId)];
    const failures = await Promise.all(ids.map((each) => failuresOf(client, each)));
    printState(
      cli,
      { workflowId, typed, state, parts },
      {
        'partner account': partsOfId(workflowId)?.account,
        ...portalsOf(config, workflowId, state),
        'web ui': link(workflowId, runId),
        retrying: failures.flat().join('; ') || undefined,
      },
    );
  });
}

/** An onboarding as status shows it. */
interface Shown {
  readonly workflowId: string;
  /** The person's name for it. */
  readonly typed: string;
  readonly state: OnboardingState;
  readonly parts: readonly PartState[];
}

function printState(
  cli: CommandLine,
  { workflowId, typed, state, parts }: Shown,
  more: Readonly<Record<string, string | undefined>>,
): void {
  const facts = {
    dba: state.dba,
    stage: state.stage,
    'partner status': state.partnerStatus,
    merchant: state.merchantProfileId,
    mid: state.mid,
    profile: state.profileId,
    account: state.financialAccountId,
    'payments account': state.paymentsAccountId,
    'terminal id': state.terminalId,
    ...Object.fromEntries(parts.map((part) => [part.part, describePart(part)])),
    polls: state.polls,
    'waits for partner': waitOf(cli.times, state),
    ...more,
  };
  printFacts(cli, { ...facts, workflow: workflowId });
  const requirements = asPartsHaveThem(state, parts);
  if (requirements.length > 0) cli.line('\nopen requirements:');
  for (const requirement of requirements) cli.prose(describeRequirement(cli, typed, requirement));
  printUnsent(cli, { typed, state, parts });
  cli.line('\ntimeline:');
  printTimeline(cli, state.timeline);
}

/** The answers that a person can still take back. */
function printUnsent(cli: CommandLine, { typed, state, parts }: Omit<Shown, 'workflowId'>): void {
  const { unsent = [] } = state;
  if (unsent.length > 0) cli.line('\nanswered, not sent yet:');
  const timeline = timelinesOf(state, parts);
  for (const id of unsent) {
    const { actor, detail = id } = answeredBefore(timeline, id) ?? {};
    cli.prose(`  ${detail}${actor === undefined ? '' : ` (${actor})`}`);
    cli.line(`    ${takeBackCommand(typed, id)}`);
  }
}

/** The details have a column of their own, whose texts are wrapped at a terminal. */
function printTimeline(cli: CommandLine, timeline: readonly TimelineEntry[]): void {
  const rows = timeline.map((entry) => timelineRow(cli, entry));
  const column = Math.max(...rows.map(([, event = '']) => event.length));
  for (const [at = '', event = '', detail = ''] of rows) {
    const begin = `${at}  ${event.padEnd(column)}  `;
    cli.line((begin + cli.hanging(detail.replace(/\s+/g, ' '), begin.length)).trimEnd());
  }
}

/** The pages of the merchant and the profile at the partners. */
function portalsOf(
  config: CommandSettings,
  workflowId: string,
  { merchantProfileId, profileId }: OnboardingState,
): Readonly<Record<string, string | undefined>> {
  const name = partsOfId(workflowId)?.account;
  // The command may lack the settings of an account.
  const account = name === undefined ? config : config.accounts[name];
  if (!account) return {};
  return {
    'merchant portal': portalLink(account, 'boarding', merchantProfileId),
    'bank portal': portalLink(account, 'banking', profileId),
  };
}

function printFacts(cli: CommandLine, facts: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(facts)) {
    if (value !== undefined && value !== null) cli.line(name.padEnd(18) + cli.hanging(String(value), 18));
  }
}

/** The search attributes of an onboarding whose state cannot be read. */
function indexed(attributes: TypedSearchAttributes) {
  const { dba, stage, partnerStatus, merchantProfileId, mid, bankingProfileId } = SEARCH_ATTRIBUTES;
  return {
    dba: attributes.get(dba),
    stage: attributes.get(stage),
    'partner status': attributes.get(partnerStatus),
    merchant: attributes.get(merchantProfileId),
    mid: attributes.get(mid),
    profile: attributes.get(bankingProfileId),
  };
}

function waitOf(times: Times, { waiting }: OnboardingState): string | undefined {
  if (!waiting) return undefined;
  const { step, since, until, reason } = waiting;
  const pause = until === undefined ? '' : `, paused until ${times.at(until)}`;
  return `${times.since(since)} (since ${times.at(since)}${pause}): ${step} (${reason})`;
}

function describePart({ workflowId, state, wasThereBefore }: PartState): string {
  if (state instanceof UnreadableOnboarding) return state.message;
  const { stage, partnerStatus, requirements } = state;
  const isAnsweredThere = wasThereBefore && requirements.length > 0;
  const where = isAnsweredThere ? `waits for a person: see ${workflowId}` : '';
  return [stage, partnerStatus, where].filter(Boolean).join(', ');
}

export function timelineRow(
  { times }: Pick<CommandLine, 'times'>,
  { at, event, detail = '', actor, reason }: TimelineEntry,
): string[] {
  const why = reason === NO_REASON ? undefined : reason;
  const who = actor === undefined ? '' : ` (${[actor, why].filter(Boolean).join(': ')})`;
  return [times.atSecond(at), event, inZone(detail, { event }, times) + who];
}
