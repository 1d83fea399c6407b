import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { WorkflowType } from '../../messages/ids.js';
import type { OnboardingState, TimelineEntry } from '../../messages/onboarding-state.js';
import type { Part } from '../../messages/onboardings.js';
import { stateOf } from '../../temporal/onboardings.js';
import { UnreadableOnboarding } from '../../temporal/unreadable.js';
import { type CommandLine, withTemporal } from '../cli/command-line.js';
import { CommandFailed } from '../cli/errors.js';
import { findById, type IdOptions } from '../cli/partner-account.js';
import { partsOf } from '../cli/parts.js';
import { describeRequirement } from '../cli/requirements.js';
import { timelineRow } from './status.js';

/** How often to check, in milliseconds. */
const CHECK_EVERY_MS = 1_000;

export async function watch(cli: CommandLine, id: string, { json, ...options }: IdOptions): Promise<void> {
  await withTemporal(cli, async (context) => {
    const { client } = context;
    const { workflowId, type } = await findById(context, id, options);
    const isCustomer = type === ('customerOnboarding' satisfies WorkflowType);
    const shown = new Map<Owner, number>();
    const shownRequirements = new Set<string>();
    for (;;) {
      // Described before it is queried, so that the state of an ended workflow is its last one.
      const { status } = await client.workflow.getHandle(workflowId).describe();
      const state = await stateOf(client, workflowId);
      const timelines = isCustomer ? await timelinesOf(client, workflowId, state) : { '': state.timeline };
      for (const entry of newEntries(timelines, shown)) json ? cli.json(entry) : cli.line(lineOf(cli, entry));
      for (const requirement of state.requirements) {
        if (!json && !shownRequirements.has(requirement.id)) cli.line(describeRequirement(cli, requirement));
        shownRequirements.add(requirement.id);
      }
      if (status.name === 'COMPLETED') return;
      if (status.name !== 'RUNNING') throw new CommandFailed(`${workflowId} is ${status.name.toLowerCase()}`);
      await sleep(CHECK_EVERY_MS, undefined, { signal: cli.signal });
    }
  });
}

/** Owner timeline it is; empty where there is only one. */
type Owner = 'customer' | Part | '';

type Timelines = Readonly<Partial<Record<Owner, readonly TimelineEntry[]>>>;

/** An entry; of a customer, with the owner of the timeline. */
interface OwnedEntry extends TimelineEntry {
  readonly of?: Owner;
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

/** The entries that were not shown yet, oldest first. */
function newEntries(timelines: Timelines, shown: Map<Owner, number>): OwnedEntry[] {
  const entries = (Object.entries(timelines) as [Owner, readonly TimelineEntry[]][]).flatMap(
    ([of, timeline]) => {
      const added = timeline.slice(shown.get(of) ?? 0);
      shown.set(of, timeline.length);
      return added.map((entry) => (of ? { of, ...entry } : entry));
    },
  );
  return entries.sort((one, other) => one.at.localeCompare(other.at));
}

function lineOf(cli: CommandLine, { of, ...entry }: OwnedEntry): string {
  const [at = '', ...rest] = timelineRow(cli, entry);
  return [at, ...(of ? [of.padEnd('boarding'.length)] : []), ...rest].join('  ');
}
