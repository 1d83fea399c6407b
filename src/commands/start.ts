import type { Command } from 'commander';
import { BUSINESS, CUSTOMER, type Kind, MERCHANT } from '../temporal/onboarding-kinds.js';
import type { CommandLine } from './command-line.js';
import { withTemporal } from './context.js';
import { hasEnded } from './ended.js';
import { follow } from './follow.js';
import { check, readJson, sourceName } from './input-file.js';
import { type Outcome, toldOf } from './outcome.js';
import { reportStarted } from './started.js';

export const boardCommand = startCommand(MERCHANT, {
  summary: 'board a merchant',
  description: 'Board the merchant in FILE (see examples/merchant.json).',
});

export const onboardBusinessCommand = startCommand(BUSINESS, {
  summary: 'onboard a business at the bank',
  description: 'Onboard the business in FILE at the bank (see examples/business.json).',
});

export const onboardCommand = startCommand(CUSTOMER, {
  summary: 'take a customer aboard: merchant and business',
  description:
    'Take the customer in FILE aboard: its merchant at the payment partner, its business at the bank (see ' +
    'examples/customer.json).',
});

/** What a command does, for people. */
interface Words {
  readonly summary: string;
  readonly description: string;
}

interface StartingOptions {
  readonly wait?: true;
  readonly again?: true;
  readonly json?: true;
}

function startCommand<Input>(
  kind: Kind<Input>,
  { summary, description }: Words,
): (program: Command, cli: CommandLine) => void {
  return (program, cli) => {
    program
      .command(kind.command)
      .summary(summary)
      .description(
        `${description} The same externalId attaches to the first one, running or ended, so that a ` +
          'script may call this again at any time.',
      )
      .argument('<file>', 'JSON file, or - for standard input')
      .option('--wait', 'wait until it has ended, and print its outcome')
      .option('--again', 'start anew although an earlier one of this externalId has ended')
      .option('--json', 'print JSON lines')
      .action((file: string, options: StartingOptions) => startFrom(cli, kind, file, options));
  };
}

async function startFrom<Input>(
  cli: CommandLine,
  { schema, start }: Kind<Input>,
  file: string,
  { wait, again, json }: StartingOptions,
): Promise<void> {
  const input = check(schema(cli.config()), await readJson(cli, file), sourceName(file));
  await withTemporal(cli, async (context) => {
    const { client, config } = context;
    const started = await start(client, input, { taskQueue: config.taskQueue, ...(again && { again }) });
    reportStarted(context, started, json);
    const { workflowId } = started;
    const isOver = !started.started && (await hasEnded(client, workflowId));
    if (!wait && !isOver) return;
    const outcome = await follow<Outcome>(context, workflowId, {
      anew: '--again starts it anew',
      quiet: true,
    });
    if (json) return cli.json({ workflowId, ...outcome });
    for (const line of toldOf(outcome)) cli.line(line.startsWith(' ') ? line : `${workflowId} ${line}`);
  });
}
