import type { Started } from '../temporal/onboardings.js';
import type { CommandContext } from './context.js';

/** Tells what was started, or that it was there before, and where to look at it. */
export function reportStarted({ cli, link }: CommandContext, started: Started, json?: true): void {
  const { workflowId, runId } = started;
  const url = link(workflowId, runId);
  if (json) {
    cli.json({ workflowId, runId, started: started.started, ...(url && { url }) });
    return;
  }
  cli.line(`${started.started ? 'started' : 'already there, nothing new was started:'} ${workflowId}`);
  if (url) cli.line(url);
}
