import type { Command } from 'commander';
import { BUSINESS, CUSTOMER, type Kind, MERCHANT } from '../../temporal/start.js';
import { check, readJson, sourceName } from '../cli/arguments.js';
import { type CommandLine, withTemporal } from '../cli/command-line.js';
import { followStarted } from '../cli/follow.js';
import { type Outcome, outcomeLines } from '../cli/outcomes.js';

export const boardCommand = startCommand(MERCHANT, {
  summary: 'board a merchant',
  description: 'Board the merchant in FILE (see examples/merchant.json).',
});

export const onboardBusinessCommand = startCommand(BUSINESS, {
  summary: 'onboard a business at the bank',
  description: 'Onboard the business in FILE at the bank (see examples/business.json).',
});

export const onboardCommand = startCommand(CUSTOMER, {
  summary: 'onboard a customer: merchant and business',
  description:
    'Onboard the customer in FILE: its merchant at the payment partner, its business at the bank (see ' +
    'examples/customer.json).',
});

interface HelpTexts {
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
  { summary, description }: HelpTexts,
): (program: Command, cli: CommandLine) => void {
  return (program, cli) => {
    program
      .command(kind.command)
      .summary(summary)
      .description(
        `${description} The same externalId attaches to the first onboarding, running or ended, so a script can ` +
          'safely run this command again.',
      )
      .argument('<file>', 'JSON file, or - for standard input')
      .option('--wait', 'wait for the outcome and print it')
      .option('--again', 'start again although an earlier onboarding of this externalId has ended')
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
    const {
      client,
      config: { taskQueue, dbaForm },
    } = context;
    const started = await start(client, input, { taskQueue, dbaForm, again: again === true });
    const restart = 'start it again with --again';
    const outcome = await followStarted<Outcome>(context, started, {
      ...{ wait: wait === true, json, restart },
      quiet: true,
    });
    if (!outcome || json) return;
    const [first, ...parts] = outcomeLines(outcome);
    for (const line of [`${started.workflowId} ${first}`, ...parts]) cli.line(line);
  });
}
