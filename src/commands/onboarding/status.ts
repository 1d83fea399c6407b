import type { TypedSearchAttributes } from '@temporalio/common';
import { partsOfId } from '../../messages/ids.js';
import type { OnboardingState, TimelineEntry } from '../../messages/onboarding-state.js';
import { SEARCH_ATTRIBUTES } from '../../messages/search-attributes.js';
import { stateOf } from '../../temporal/onboardings.js';
import { failuresOf, UnreadableOnboarding } from '../../temporal/unreadable.js';
import { type CommandLine, withTemporal } from '../cli/command-line.js';
import { shortDate } from '../cli/output.js';
import { findById, type IdOptions } from '../cli/partner-account.js';
import { type PartState, partsOf } from '../cli/parts.js';
import { describeRequirement } from '../cli/requirements.js';
import { showInput } from './input.js';

interface StatusOptions extends IdOptions {
  readonly input?: true;
}

export async function status(cli: CommandLine, id: string, options: StatusOptions): Promise<void> {
  const { input, json } = options;
  await withTemporal(cli, async (context) => {
    const { client, link } = context;
    const { workflowId, runId, typedSearchAttributes } = await findById(context, id, options);
    if (input) return showInput(context, workflowId, json);
    const state = await stateOf(client, workflowId).catch((error: unknown) => {
      if (error instanceof UnreadableOnboarding && !json)
        printFacts(cli, { workflow: workflowId, ...indexed(typedSearchAttributes) });
      throw error;
    });
    if (json) return cli.json(state);
    const parts = await partsOf(client, workflowId, state);
    const ids = [workflowId, ...parts.map((part) => part.workflowId)];
    const failures = await Promise.all(ids.map((each) => failuresOf(client, each)));
    printState(cli, workflowId, state, parts, {
      'partner account': partsOfId(workflowId)?.account,
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
    workflow: workflowId,
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
    'waits for partner': waitOf(state),
    ...more,
  };
  printFacts(cli, facts);
  if (state.requirements.length > 0) cli.line('\nopen requirements:');
  for (const requirement of state.requirements) cli.line(describeRequirement(requirement));
  cli.line('');
  cli.table(['at', 'event', 'detail'], state.timeline.map(timelineRow));
}

function printFacts(cli: CommandLine, facts: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(facts)) {
    if (value !== undefined && value !== null) cli.line(`${name.padEnd(18)}${value}`);
  }
}

/** The search attributes of an onboarding whose state cannot be read. */
function indexed(attributes: TypedSearchAttributes) {
  const { stage, partnerStatus, merchantProfileId, mid, bankingProfileId } = SEARCH_ATTRIBUTES;
  return {
    stage: attributes.get(stage),
    'partner status': attributes.get(partnerStatus),
    merchant: attributes.get(merchantProfileId),
    mid: attributes.get(mid),
    profile: attributes.get(bankingProfileId),
  };
}

function waitOf({ waiting }: OnboardingState): string | undefined {
  if (!waiting) return undefined;
  const { step, since, until, reason } = waiting;
  return `since ${shortDate(since)}${until ? ` until ${shortDate(until)}` : ''}: ${step} (${reason})`;
}

function describePart({ workflowId, state, wasThereBefore }: PartState): string {
  if (state instanceof UnreadableOnboarding) return state.message;
  const { stage, partnerStatus, requirements } = state;
  const isAnsweredThere = wasThereBefore && requirements.length > 0;
  const where = isAnsweredThere ? `waits for a person: see ${workflowId}` : '';
  return [stage, partnerStatus, where].filter(Boolean).join(', ');
}

export function timelineRow({ at, event, detail = '', actor, reason }: TimelineEntry): string[] {
  const who = actor === undefined ? '' : ` (${actor}: ${reason ?? ''})`;
  return [at.slice(0, 19).replace('T', ' '), event, detail + who];
}
