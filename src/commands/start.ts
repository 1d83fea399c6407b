import type { Client } from '@temporalio/client';
import type { Command } from 'commander';
import type { z } from 'zod';
import { loadConfig } from '../config.js';
import type { BusinessOnboardingOutcome } from '../messages/business-onboarding.js';
import { businessOnboardingInput } from '../messages/business-onboarding-input.js';
import type { CustomerOnboardingOutcome, Unfinished } from '../messages/customer-onboarding.js';
import { customerOnboardingInput } from '../messages/customer-onboarding-input.js';
import type { MerchantBoardingOutcome } from '../messages/merchant-boarding.js';
import { merchantBoardingInput } from '../messages/merchant-boarding-input.js';
import {
  type Started,
  type StartOptions,
  startBusinessOnboarding,
  startCustomerOnboarding,
  startMerchantBoarding,
} from '../temporal/onboardings.js';
import { withTemporal } from './context.js';
import { endOf, hasEnded } from './ended.js';
import { check, readJson, sourceName } from './input-file.js';
import { printJson, printLine } from './output.js';
import { reportStarted } from './started.js';

/** A kind of onboarding, as people start it from a file. */
interface Kind<Input> {
  /** Name of the command. */
  readonly command: string;
  /** What the command does, for people. */
  readonly summary: string;
  readonly description: string;
  readonly schema: (posNames: readonly string[]) => z.ZodType<Input>;
  readonly start: (client: Client, input: Input, options: StartOptions) => Promise<Started>;
}

export const boardCommand = startCommand({
  command: 'board',
  summary: 'board a merchant',
  description: 'Board the merchant in FILE (see examples/merchant.json).',
  schema: merchantBoardingInput,
  start: startMerchantBoarding,
});

export const onboardBusinessCommand = startCommand({
  command: 'onboard-business',
  summary: 'onboard a business at the bank',
  description: 'Onboard the business in FILE at the bank (see examples/business.json).',
  schema: () => businessOnboardingInput,
  start: startBusinessOnboarding,
});

export const onboardCommand = startCommand({
  command: 'onboard',
  summary: 'take a customer aboard: merchant and business',
  description:
    'Take the customer in FILE aboard: its merchant at the payment partner, its business at the bank (see ' +
    'examples/customer.json).',
  schema: customerOnboardingInput,
  start: startCustomerOnboarding,
});

interface StartingOptions {
  readonly wait?: true;
  readonly again?: true;
  readonly json?: true;
}

function startCommand<Input>(kind: Kind<Input>): (program: Command) => void {
  return (program) => {
    program
      .command(kind.command)
      .summary(kind.summary)
      .description(
        `${kind.description} The same externalId attaches to the first one, running or ended, so that a ` +
          'script may call this again at any time.',
      )
      .argument('<file>', 'JSON file, or - for standard input')
      .option('--wait', 'wait until it has ended, and print its outcome')
      .option('--again', 'start anew although an earlier one of this externalId has ended')
      .option('--json', 'print JSON lines')
      .action((file: string, options: StartingOptions) => startFrom(kind, file, options));
  };
}

async function startFrom<Input>(
  { schema, start }: Kind<Input>,
  file: string,
  { wait, again, json }: StartingOptions,
): Promise<void> {
  const input = check(schema(loadConfig().posNames), await readJson(file), sourceName(file));
  await withTemporal(async (context) => {
    const { client, config } = context;
    const started = await start(client, input, { taskQueue: config.taskQueue, ...(again && { again }) });
    reportStarted(context, started, json);
    const { workflowId } = started;
    const isOver = !started.started && (await hasEnded(client, workflowId));
    if (!wait && !isOver) return;
    const outcome = await endOf<Outcome>(client, workflowId, '--again starts it anew');
    if (json) return printJson({ workflowId, ...outcome });
    for (const line of toldOf(outcome)) printLine(line.startsWith(' ') ? line : `${workflowId} ${line}`);
  });
}

type PartOutcome = MerchantBoardingOutcome | BusinessOnboardingOutcome | Unfinished;
type Outcome = MerchantBoardingOutcome | BusinessOnboardingOutcome | CustomerOnboardingOutcome;

/** One line; for a customer, one more for its merchant and one for its business. */
function toldOf(outcome: Outcome): string[] {
  if (!('boarding' in outcome)) return [lineOf(outcome)];
  const { boarding, business } = outcome;
  return [outcome.outcome, `  merchant ${lineOf(boarding)}`, `  business ${lineOf(business)}`];
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
  return 'comment' in outcome ? (outcome.comment ?? '') : '';
}
