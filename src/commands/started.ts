import type { Started } from '../temporal/onboardings.js';
import type { CommandContext } from './context.js';
import { printJson, printLine } from './output.js';

/** Tells what was started, or that it was there before, and where to look at it. */
export function reportStarted({ link }: CommandContext, started: Started, json?: true): void {
  const { workflowId, runId } = started;
  const url = link(workflowId, runId);
  if (json) {
    printJson({ workflowId, runId, started: started.started, ...(url && { url }) });
    return;
  }
  printLine(`${started.started ? 'started' : 'already there, nothing new was started:'} ${workflowId}`);
  if (url) printLine(url);
}
