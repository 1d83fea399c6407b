import type { Command } from 'commander';
import type {
  BusinessOnboardingOutcome,
  CustomerOnboardingOutcome,
  MerchantBoardingOutcome,
  TerminalProvisioningOutcome,
  UnstartedPart,
} from '../../messages/onboardings.js';
import { BUSINESS, CUSTOMER, type Kind, MERCHANT } from '../../temporal/start.js';
import { check, readJson, sourceName } from '../cli/arguments.js';
import { type CommandLine, withTemporal } from '../cli/command-line.js';
import { follow, hasEnded, reportStarted } from '../cli/follow.js';

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

type PartOutcome =
  | MerchantBoardingOutcome
  | BusinessOnboardingOutcome
  | TerminalProvisioningOutcome
  | UnstartedPart;

/** How an onboarding of any kind ends. */
export type Outcome = MerchantBoardingOutcome | BusinessOnboardingOutcome | CustomerOnboardingOutcome;

/** One line; for a customer, one more for each of its parts. */
export function toldOf(outcome: Outcome): string[] {
  if (!('boarding' in outcome)) return [lineOf(outcome)];
  const { boarding, business, terminal } = outcome;
  return [
    outcome.outcome,
    `  merchant ${lineOf(boarding)}`,
    `  business ${lineOf(business)}`,
    ...(terminal ? [`  terminal ${lineOf(terminal)}`] : []),
  ];
}

function lineOf(outcome: PartOutcome): string {
  const detail = detailOf(outcome);
  return detail ? `${outcome.outcome}: ${detail}` : outcome.outcome;
}

function detailOf(outcome: PartOutcome): string {
  if ('mid' in outcome) return `mid ${outcome.mid}`;
  if ('bankingStatus' in outcome) {
    const { profileId, financialAccountId, bankingStatus } = outcome;
    const account = financialAccountId === null ? 'no financial account' : `account ${financialAccountId}`;
    return `profile ${profileId}, ${account}, ${bankingStatus}`;
  }
  if ('terminalId' in outcome) return `${outcome.terminalId} in account ${outcome.accountId}`;
  return 'comment' in outcome ? (outcome.comment ?? '') : '';
}
