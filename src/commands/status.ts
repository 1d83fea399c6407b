import type { Command } from 'commander';
import { partsOfId } from '../messages/ids.js';
import type { OnboardingState, TimelineEntry } from '../messages/onboarding-state.js';
import { failuresOf } from '../temporal/failing-activities.js';
import { stateOf } from '../temporal/onboardings.js';
import type { CommandLine } from './command-line.js';
import { withTemporal } from './context.js';
import { findById, type IdOptions, withId } from './partner-account.js';
import { type PartState, partsOf } from './parts.js';
import { describeRequirement } from './requirement.js';

export function statusCommand(program: Command, cli: CommandLine): void {
  const command = program
    .command('status')
    .summary('show one onboarding or operation')
    .description(
      'Show where an onboarding or operation stands. With --json, prints the answer of query "state" ' +
        'and nothing else.',
    );
  withId(command)
    .option('--json', 'print JSON')
    .action(async (id: string, { json, ...options }: IdOptions) => {
      await withTemporal(cli, async (context) => {
        const { client, link } = context;
        const { workflowId, runId } = await findById(context, id, options);
        const state = await stateOf(client, workflowId);
        if (json) return cli.json(state);
        const parts = await partsOf(client, workflowId, state);
        const ids = [workflowId, ...parts.map((part) => part.workflowId)];
        const failures = await Promise.all(ids.map((each) => failuresOf(client, each)));
        printState(cli, workflowId, state, parts, {
          'partner account': partsOfId(workflowId)?.account,
          'web ui': link(workflowId, runId),
          'is retried': failures.flat().join('; ') || undefined,
        });
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
    ...more,
  };
  for (const [name, value] of Object.entries(facts)) {
    if (value !== undefined && value !== null) cli.line(`${name.padEnd(18)}${value}`);
  }
  if (state.requirements.length > 0) cli.line('\nwaiting for a person:');
  for (const requirement of state.requirements) cli.line(describeRequirement(requirement));
  cli.line('');
  cli.table(['at', 'event', 'detail'], state.timeline.map(timelineRow));
}

function describePart({ workflowId, state, wasThereBefore }: PartState): string {
  const { stage, partnerStatus, requirements } = state;
  const isAsking = wasThereBefore && requirements.length > 0;
  const asks = isAsking ? `waits for a person: see ${workflowId}` : '';
  return [stage, partnerStatus, asks].filter(Boolean).join(', ');
}

export function timelineRow({ at, event, detail = '', actor, reason }: TimelineEntry): string[] {
  const who = actor === undefined ? '' : ` (${actor}: ${reason ?? ''})`;
  return [at.slice(0, 19).replace('T', ' '), event, detail + who];
}
