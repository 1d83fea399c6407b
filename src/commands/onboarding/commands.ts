import { type Command, Option } from 'commander';
import { REQUIREMENT_KINDS } from '../../messages/requirement-kinds.js';
import { STAGES } from '../../messages/stages.js';
import { SYSTEM_NAMES } from '../../partners/names.js';
import type { Act } from '../cli/definition.js';
import { limit, withId, withPartnerAccount, withRecordFormats, withYes } from '../cli/options.js';
import { pastTime, withListFilter } from './filters.js';

/** The commands that start, follow and end onboardings. */

export function boardCommand(program: Command, act: Act): void {
  withStartOptions(program.command('board'))
    .summary('board a merchant')
    .description(`Board the merchant in FILE (see examples/merchant.json). ${SAFE_TO_REPEAT}`)
    .action(act(async () => (await import('./start.js')).board));
}

export function onboardBusinessCommand(program: Command, act: Act): void {
  withStartOptions(program.command('onboard-business'))
    .summary('onboard a business at the bank')
    .description(`Onboard the business in FILE at the bank (see examples/business.json). ${SAFE_TO_REPEAT}`)
    .action(act(async () => (await import('./start.js')).onboardBusiness));
}

export function onboardCommand(program: Command, act: Act): void {
  withStartOptions(program.command('onboard'))
    .summary('onboard a customer: merchant and business')
    .description(
      'Onboard the customer in FILE: its merchant at the payment partner, its business at the bank (see ' +
        `examples/customer.json). ${SAFE_TO_REPEAT}`,
    )
    .action(act(async () => (await import('./start.js')).onboard));
}

const SAFE_TO_REPEAT =
  'The same externalId attaches to the first onboarding, running or ended, so a script can safely run this command again.';

function withStartOptions(command: Command): Command {
  return command
    .argument('<file>', 'JSON file, or - for standard input')
    .option('--wait', 'wait for the outcome and print it')
    .option('--again', 'start again although an earlier onboarding of this externalId has ended')
    .option('--json', 'print JSON lines');
}

export function statusCommand(program: Command, act: Act): void {
  withId(program.command('status'))
    .summary('show one onboarding or operation')
    .description(
      'Show the stage, the open requirements and the timeline of an onboarding or operation. With --json, print the result ' +
        'of query "state" and nothing else. With --input, show the input with its corrections, private values masked, and the ' +
        'fields that a correction can change now.',
    )
    .option('--input', 'show the input instead, and what can change')
    .option('--json', 'print JSON')
    .action(act(async () => (await import('./status.js')).status));
}

export function listCommand(program: Command, act: Act): void {
  const command = program
    .command('list')
    .summary('list onboardings, operations, or partner accounts')
    .description('List onboardings, newest first. This needs no worker.')
    .option('--operations', 'list single operations at the bank instead')
    .addOption(
      new Option('--accounts', 'list partner accounts with rejected credentials instead').conflicts(
        'operations',
      ),
    );
  withListFilter(command)
    .addOption(new Option('--stage <stage>', 'only this stage').choices(STAGES))
    .option('--action-required', 'only those that wait for a person')
    .option('--running', 'only those that have not ended')
    .option('--started-before <time>', 'only those that started before: 2d, yesterday, 2026-01-31', pastTime)
    .option('--ended-since <time>', 'only those that ended since: today, 12h, 2026-01-31', pastTime)
    .option('--query <query>', 'an additional visibility query: "PartnerStatus = \'Pending\'"')
    .option('--limit <n>', 'maximum number of rows, 0 for all', limit, 50)
    .action(act(async () => (await import('./list.js')).list));
  withRecordFormats(command);
}

export function inboxCommand(program: Command, act: Act): void {
  const command = program
    .command('inbox')
    .summary('list the open requirements')
    .description(
      'List the open requirements of all onboardings, operations and partner accounts, the first due first. This needs no ' +
        'worker. With --details it shows the words of the partner, which a worker has to read; "gangway resolve" answers.',
    );
  withListFilter(command)
    .addOption(new Option('--kind <kind>', 'only requirements of this kind').choices(REQUIREMENT_KINDS))
    .option('--overdue', 'only overdue requirements')
    .option(
      '--raised-before <time>',
      'only those that were raised before: 2d, yesterday, 2026-01-31',
      pastTime,
    )
    .option('--due-after <time>', 'only onboardings whose first requirement is due after this time', pastTime)
    .option('--details', 'show what exactly is asked')
    .option('--limit <n>', 'maximum number of onboardings, the most urgent ones, 0 for all', limit, 1_000)
    .action(act(async () => (await import('./inbox.js')).inbox));
  withRecordFormats(command);
}

export function resolveCommand(program: Command, act: Act): void {
  withId(program.command('resolve'))
    .summary('answer a requirement')
    .description(
      'Answer one requirement that "gangway inbox" or "gangway status" lists. Give exactly one answer.',
    )
    .argument('<requirement>', 'id of the requirement')
    .option('--text <text>', 'answer: this text')
    .option('--document <file...>', 'answer: these files')
    .option(
      '--set <field=value>',
      'answer: a correction of this field; repeatable. The value is JSON or text, null removes the field',
      (value: string, others: string[] = []) => [...others, value],
    )
    .option('--patch <json>', 'answer: a correction, as JSON merge patch, @file, or - for standard input')
    .option('--adopt <id>', 'answer: the write took effect and created this id; or this is the mid')
    .option('--retry', 'answer: the write did not take effect, or the obstacle is gone, so try again')
    .option('--code <code>', 'answer: this one-time code')
    .option('--take-back', 'withdraw an answer that was not sent yet; the requirement is open again')
    .option('--abandon', 'answer: give up')
    .option('--actor <name>', 'who answers (default: the user of this machine)')
    .option('--reason <why>', 'why; required for --adopt, --retry, --take-back and --abandon')
    .option('--dry-run', 'check the answer, show what it changes, and send nothing')
    .option('--yes', 'send a correction without a confirmation at the terminal')
    .option('--json', 'print JSON')
    .addHelpText('after', RESOLVE_EXAMPLES)
    .action(act(async () => (await import('./resolve.js')).resolve));
}

const RESOLVE_EXAMPLES = `
Examples:
  gangway status corner-bakery --input
  gangway resolve corner-bakery request-changes-1 --set application.volume=240000 --dry-run
  gangway resolve corner-bakery note-149967d738cb --document check.pdf`;

export function watchCommand(program: Command, act: Act): void {
  withId(program.command('watch'))
    .summary('follow the timeline')
    .description(
      'Show the timeline of an onboarding or operation as it grows, until it has ended or you press Ctrl-C. The timeline ' +
        'of a customer includes those of its parts. Ends with the outcome.',
    )
    .option('--json', 'print JSON lines')
    .action(act(async () => (await import('./watch.js')).watch));
}

export function nudgeCommand(program: Command, act: Act): void {
  const command = program
    .command('nudge')
    .summary('read the status and retry partner calls now')
    .description(
      'Make an onboarding read its status at the partner now instead of at its next poll, and retry its pending partner ' +
        'calls; for a customer, in all parts. With --system, do so for everything that waits for that partner, for example ' +
        'after an outage. Running attempts are left alone.',
    )
    .argument('[id]', 'workflow id, externalId or externalId@account; none with --system')
    .addOption(new Option('--system <name>', 'everything that waits for this partner').choices(SYSTEM_NAMES));
  withPartnerAccount(command)
    .option('--json', 'print JSON')
    .action(act(async () => (await import('./nudge.js')).nudge));
}

export function cancelCommand(program: Command, act: Act): void {
  withYes(withId(program.command('cancel')))
    .summary('cancel an onboarding or operation')
    .description(
      'Cancel an onboarding or operation; for a customer, all parts. A write in progress is completed first. ' +
        'What exists at the partner stays there; the timeline lists it.',
    )
    .option('--json', 'print JSON')
    .action(act(async () => (await import('./nudge.js')).cancel));
}
