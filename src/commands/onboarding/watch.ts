import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Command } from 'commander';
import type { WorkflowType } from '../../messages/ids.js';
import type { OnboardingState, TimelineEntry } from '../../messages/onboarding-state.js';
import type { Part } from '../../messages/onboardings.js';
import { stateOf } from '../../temporal/onboardings.js';
import { UnreadableOnboarding } from '../../temporal/unreadable.js';
import { type CommandLine, withTemporal } from '../cli/command-line.js';
import { CommandFailed } from '../cli/errors.js';
import { describeRequirement } from '../cli/output.js';
import { findById, type IdOptions, withId } from '../cli/partner-account.js';
import { partsOf, timelineRow } from './status.js';

/** How often to look, in milliseconds. */
const GLANCE_MS = 1_000;

export function watchCommand(program: Command, cli: CommandLine): void {
  const command = program
    .command('watch')
    .summary('show the timeline live')
    .description(
      'Show the timeline of an onboarding or operation as it grows, until it has ended or you press ' +
        'Ctrl-C. That of a customer has those of its parts in it.',
    );
  withId(command)
    .option('--json', 'print JSON lines')
    .action((id: string, options: IdOptions) => watch(cli, id, options));
}

async function watch(cli: CommandLine, id: string, { json, ...options }: IdOptions): Promise<void> {
  await withTemporal(cli, async (context) => {
    const { client } = context;
    const { workflowId, type } = await findById(context, id, options);
    const isCustomer = type === ('customerOnboarding' satisfies WorkflowType);
    const shown = new Map<Whose, number>();
    const asked = new Set<string>();
    for (;;) {
      // Described before it is queried: what it did last is then in the state.
      const { status } = await client.workflow.getHandle(workflowId).describe();
      const state = await stateOf(client, workflowId);
      const timelines = isCustomer ? await timelinesOf(client, workflowId, state) : { '': state.timeline };
      for (const entry of news(timelines, shown)) json ? cli.json(entry) : cli.line(lineOf(entry));
      for (const requirement of state.requirements) {
        if (!json && !asked.has(requirement.id)) cli.line(describeRequirement(requirement));
        asked.add(requirement.id);
      }
      if (status.name === 'COMPLETED') return;
      if (status.name !== 'RUNNING') throw new CommandFailed(`${workflowId} is ${status.name.toLowerCase()}`);
      await sleep(GLANCE_MS, undefined, { signal: cli.signal });
    }
  });
}

/** Whose timeline; empty where there is only one. */
type Whose = 'customer' | Part | '';

type Timelines = Readonly<Partial<Record<Whose, readonly TimelineEntry[]>>>;

/** An entry; of a customer it says in whose timeline it is. */
interface OutboundEvent extends TimelineEntry {
  readonly of?: Whose;
}

async function timelinesOf(client: Client, workflowId: string, state: OnboardingState): Promise<Timelines> {
  const parts = await partsOf(client, workflowId, state);
  return {
    customer: state.timeline,
    ...Object.fromEntries(
      parts.flatMap(({ part, state: own }) =>
        own instanceof UnreadableOnboarding ? [] : [[part, own.timeline]],
      ),
    ),
  };
}

/** What was not shown yet, in the order in which it happened. */
function news(timelines: Timelines, shown: Map<Whose, number>): OutboundEvent[] {
  const fresh = (Object.entries(timelines) as [Whose, readonly TimelineEntry[]][]).flatMap(
    ([of, timeline]) => {
      const entries = timeline.slice(shown.get(of) ?? 0);
      shown.set(of, timeline.length);
      return entries.map((entry) => (of ? { of, ...entry } : entry));
    },
  );
  return fresh.sort((one, other) => one.at.localeCompare(other.at));
}

function lineOf({ of, ...entry }: OutboundEvent): string {
  const [at = '', ...rest] = timelineRow(entry);
  return [at, ...(of ? [of.padEnd('boarding'.length)] : []), ...rest].join('  ');
}
