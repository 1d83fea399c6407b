import type { Client } from '@temporalio/client';
import type { OperationOutcome } from '../../messages/banking-activities.js';
import { isCustomer, isOnboarding } from '../../messages/ids.js';
import type { OnboardingState, TimelineEntry } from '../../messages/onboarding-state.js';
import type { Part } from '../../messages/onboardings.js';
import type { PartState } from '../../operators/parts.js';
import { type Waits, waitsOf } from '../../operators/waits.js';
import { UnreadableOnboarding } from '../../temporal/unreadable.js';
import { type CommandLine, withTemporal } from '../cli/command-line.js';
import { follow } from '../cli/follow.js';
import { EndedWithoutOutcome, type Outcome, printOutcome } from '../cli/outcomes.js';
import { findById, type IdOptions } from '../cli/partner-account.js';
import { timelineRow } from './status.js';

export async function watch(cli: CommandLine, id: string, { json, ...options }: IdOptions): Promise<void> {
  await withTemporal(cli, async (context) => {
    const { client } = context;
    const { workflowId } = await findById(context, id, options);
    const shown = new Map<Owner, number>();
    const onRead = ({ state, parts }: Pick<Waits, 'state' | 'parts'>) => {
      if (!state) return;
      const timelines = isCustomer(workflowId) ? timelinesOf(state, parts) : { '': state.timeline };
      for (const entry of newEntries(timelines, shown)) json ? cli.json(entry) : cli.line(lineOf(cli, entry));
    };
    const restart = isOnboarding(workflowId)
      ? 'start it again with --again'
      : 'run its command to start it again';
    try {
      const outcome = await follow<Ending>(context, workflowId, { restart, onRead });
      await showRest(client, workflowId, onRead);
      if (json) cli.json({ workflowId, ...outcome });
      else printOutcome(cli, workflowId, outcome);
    } catch (error) {
      if (error instanceof EndedWithoutOutcome) await showRest(client, workflowId, onRead);
      throw error;
    }
  });
}

type Ending = Outcome | OperationOutcome<object>;

/** Shows what happened after the last read. */
async function showRest(client: Client, workflowId: string, onRead: (waits: Waits) => void): Promise<void> {
  onRead(await waitsOf(client, workflowId, 0));
}

/** Whose timeline it is; empty where there is only one. */
type Owner = 'customer' | Part | '';

type Timelines = Readonly<Partial<Record<Owner, readonly TimelineEntry[]>>>;

/** An entry; of a customer, with the owner of the timeline. */
interface OwnedEntry extends TimelineEntry {
  readonly of?: Owner;
}

function timelinesOf(state: OnboardingState, parts: readonly PartState[]): Timelines {
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
