import type { Command } from 'commander';
import { loadConfig } from '../config.js';
import type { MerchantBoardingOutcome } from '../messages/merchant-boarding.js';
import { merchantBoardingInput } from '../messages/merchant-boarding-input.js';
import { findOnboarding, outcomeOf, type Started, startMerchantBoarding } from '../temporal/onboardings.js';
import { type CommandContext, withTemporal } from './context.js';
import { check, readJson, sourceName } from './input-file.js';
import { printJson, printLine } from './output.js';

interface BoardOptions {
  readonly wait?: true;
  readonly again?: true;
  readonly json?: true;
}

export function boardCommand(program: Command): void {
  program
    .command('board')
    .summary('board a merchant')
    .description(
      'Board the merchant in FILE (see examples/). The same externalId attaches to the first boarding of it, ' +
        'running or ended, so that a script may call this again at any time.',
    )
    .argument('<file>', 'JSON file, or - for standard input')
    .option('--wait', 'wait until the boarding has ended, and print its outcome')
    .option('--again', 'board again although an earlier boarding of this externalId has ended')
    .option('--json', 'print JSON lines')
    .action(board);
}

async function board(file: string, { wait, again, json }: BoardOptions): Promise<void> {
  const input = check(merchantBoardingInput(loadConfig().posNames), await readJson(file), sourceName(file));
  await withTemporal(async (context) => {
    const { client, config } = context;
    const started = await startMerchantBoarding(client, input, {
      taskQueue: config.taskQueue,
      ...(again && { again }),
    });
    report(context, started, json);
    const { workflowId } = started;
    const hasEnded = !started.started && (await findOnboarding(client, workflowId)).status.name !== 'RUNNING';
    if (wait || hasEnded) reportOutcome(workflowId, await outcomeOf(client, workflowId), json);
  });
}

function report({ link }: CommandContext, { workflowId, runId, started }: Started, json?: true): void {
  const url = link(workflowId, runId);
  if (json) {
    printJson({ workflowId, runId, started, ...(url && { url }) });
    return;
  }
  printLine(`${started ? 'started' : 'already there, nothing new was started:'} ${workflowId}`);
  if (url) printLine(url);
}

function reportOutcome(workflowId: string, outcome: MerchantBoardingOutcome, json?: true): void {
  if (json) {
    printJson({ workflowId, ...outcome });
    return;
  }
  const detail = 'mid' in outcome ? `mid ${outcome.mid}` : (outcome.comment ?? '');
  printLine(`${workflowId} ${outcome.outcome}${detail ? `: ${detail}` : ''}`);
}
