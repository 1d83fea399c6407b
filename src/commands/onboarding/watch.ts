import type { Outcome } from '../../client/outcome.js';
import type { OwnedEntry, Reading } from '../../client/watching.js';
import { isOnboarding } from '../../messages/ids.js';
import type { OperationOutcome } from '../../messages/partner-operations.js';
import { type CommandLine, withTemporal } from '../cli/command-line.js';
import { follow } from '../cli/follow.js';
import { printOutcome } from '../cli/outcomes.js';
import { findById, type IdOptions } from '../cli/partner-account.js';
import { timelineRow } from './status.js';

export async function watch(cli: CommandLine, id: string, { json, ...options }: IdOptions): Promise<void> {
  await withTemporal(cli, async (context) => {
    const { workflowId } = await findById(context, id, options);
    const onRead = ({ entries }: Reading) => {
      for (const entry of entries) json ? cli.json(entry) : cli.line(lineOf(cli, entry));
    };
    const restart = isOnboarding(workflowId)
      ? 'start it again with --again'
      : 'run its command to start it again';
    const outcome = await follow<Ending>(context, workflowId, { restart, onRead });
    if (json) cli.json({ workflowId, ...outcome });
    else printOutcome(cli, workflowId, outcome);
  });
}

type Ending = Outcome | OperationOutcome<object>;

function lineOf(cli: CommandLine, { of, ...entry }: OwnedEntry): string {
  const [at = '', ...rest] = timelineRow(cli, entry);
  return [at, ...(of ? [of.padEnd('boarding'.length)] : []), ...rest].join('  ');
}
