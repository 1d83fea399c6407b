import type { TypedSearchAttributes } from '@temporalio/common';
import { partsOfId } from '../../messages/ids.js';
import type { OnboardingState, TimelineEntry } from '../../messages/onboarding-state.js';
import { SEARCH_ATTRIBUTES } from '../../messages/search-attributes.js';
import { portalLink } from '../../partners/account-settings.js';
import { stateOf } from '../../temporal/onboardings.js';
import { failuresOf, UnreadableOnboarding } from '../../temporal/unreadable.js';
import { type CommandLine, type CommandSettings, withTemporal } from '../cli/command-line.js';
import { findById, type IdOptions } from '../cli/partner-account.js';
import { type PartState, partsOf } from '../cli/parts.js';
import { describeRequirement } from '../cli/requirements.js';
import type { Times } from '../cli/time.js';
import { showInput } from './input.js';

interface StatusOptions extends IdOptions {
  readonly input?: true;
}

export async function status(cli: CommandLine, id: string, options: StatusOptions): Promise<void> {
  const { input, json } = options;
  await withTemporal(cli, async (context) => {
    const { client, config, link } = context;
    const { workflowId, runId, typedSearchAttributes } = await findById(context, id, options);
    if (input) return showInput(context, workflowId, json);
    const state = await stateOf(client, workflowId).catch((error: unknown) => {
      if (error instanceof UnreadableOnboarding && !json)
        printFacts(cli, { ...indexed(typedSearchAttributes), workflow: workflowId });
      throw error;
    });
    if (json) return cli.json(state);
    const parts = await partsOf(client, workflowId, state);
    const ids = [workflowId, ...parts.map((part) => part.workflowId)];
    const failures = await Promise.all(ids.map((each) => failuresOf(client, each)));
    printState(cli, workflowId, state, parts, {
      'partner account': partsOfId(workflowId)?.account,
      ...portalsOf(config, workflowId, state),
      'web ui': link(workflowId, runId),
      retrying: failures.flat().join('; ') || undefined,
    });
  });
}

function printState(
  cli: CommandLine,
  workflowId: string,
  state: OnboardingState,
  parts: readonly PartState[],
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
  if (state.requirements.length > 0) cli.line('\nopen requirements:');
  for (const requirement of state.requirements) cli.line(describeRequirement(cli, requirement));
  cli.line('');
  cli.table(
    ['at', 'event', 'detail'],
    state.timeline.map((entry) => timelineRow(cli, entry)),
  );
}

/** Where people find the merchant and the profile at the partners. */
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
    if (value !== undefined && value !== null) cli.line(`${name.padEnd(18)}${value}`);
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
  const who = actor === undefined ? '' : ` (${actor}: ${reason ?? ''})`;
  return [times.atSecond(at), event, detail + who];
}
