import { Argument, type Command } from 'commander';
import { SYSTEM_NAMES } from '../../../partners/system-names.js';
import { type Action, listsItsCommands, withPartnerAccount, withYes } from '../cli/options.js';

function withOperationOptions(command: Command): Command {
  return withPartnerAccount(command)
    .option('--no-wait', 'do not wait for the outcome')
    .option('--json', 'print JSON lines');
}

/** For operations that run only once, in addition to {@link withOperationOptions}. */
function withAgain(command: Command): Command {
  return command.option('--again', 'start again even if an earlier one was done, canceled or abandoned');
}

export function addBankOperations(program: Command, action: Action): void {
  const closeCard = program
    .command('close-card')
    .summary('close a card for good')
    .description(
      'Close a payment card. This cannot be undone. Run again for the same card, it attaches to the first closing, ' +
        'running or done, or tries again after a rejection.',
    )
    .argument('<card>', 'id of the card, paymentCardId')
    .option('--last4 <digits>', 'the last 4 digits on the card, which the partner compares')
    .option('--notes <text>', 'the reason, at most 600 characters; kept by the partner');
  withOperationOptions(withYes(withAgain(closeCard))).action(
    action(async () => (await import('./operations.js')).closeCard),
  );
  const nickname = program
    .command('card-nickname')
    .summary('set or clear the nickname of a card')
    .description('Set the nickname of a payment card, or clear it with --clear.')
    .argument('<card>', 'id of the card, paymentCardId')
    .argument('[name]', 'the nickname, at most 18 characters')
    .option('--clear', 'clear the nickname');
  withOperationOptions(nickname).action(
    action(async () => (await import('./operations.js')).setCardNickname),
  );
  const address = program
    .command('change-address')
    .summary('change a postal address')
    .description(
      'Change your own postal address, or that of an associated person (see examples/address-change.json). With a ' +
        'secureOperationType and no oneTimeCode, the command asks for the code: at the terminal if there is one, otherwise ' +
        'as a requirement.',
    )
    .argument('<file>', 'JSON file, or - for standard input')
    .option('--id <key>', 'key of this change: the same key attaches to the first one (default: a new key)');
  withOperationOptions(withAgain(address)).action(
    action(async () => (await import('./operations.js')).changeAddress),
  );
  const restore = program
    .command('restore-sub-user')
    .summary('restore a removed or deactivated sub-user')
    .description(
      'Restore a removed or deactivated authorized sub-user. Requires an administrator at the partner.',
    )
    .argument('<sub-user>', 'id of the sub-user');
  withOperationOptions(restore).action(action(async () => (await import('./operations.js')).restoreSubUser));
  const webhooks = program
    .command('ensure-webhooks')
    .summary('register webhooks at the bank')
    .description(
      'Register the webhooks of FILE (see examples/webhooks.json). A webhook whose url and type are already registered ' +
        'stays as it is, so this command is safe to run again.',
    )
    .argument('<file>', 'JSON file with a list of {name, url, notificationType}, or - for standard input');
  withOperationOptions(webhooks).action(action(async () => (await import('./operations.js')).ensureWebhooks));
}

export function addStatements(program: Command, action: Action): void {
  const statement = program
    .command('statement')
    .summary('save account statements')
    .description('Save statements of financial accounts in the statement store of the workers.');
  const now = statement
    .command('now')
    .description('Save the statement of one month.')
    .option('--period <month>', 'previous-month, or a month such as 2026-01 (required)')
    .option('--account <id...>', 'financial accounts (required)')
    .option('--format <format>', 'PDF, CSV, QBO or OFX', 'PDF')
    .option('--email <address>', 'also send the statement to this address');
  withOperationOptions(now).action(action(async () => (await import('./statement.js')).saveNow));
}

export function addFees(program: Command, action: Action): void {
  const fees = program
    .command('fees')
    .summary('make and check fee plans')
    .description(
      'Make and check the file of fee plans that GANGWAY_FEE_PLANS names (see docs/onboardings.md).',
    );
  const check = fees
    .command('check')
    .summary('check a file of fee plans')
    .description('Check a file of fee plans. Changes nothing.')
    .argument('<file>', 'JSON file, or - for standard input')
    .option('--merchant <id>', 'warn of lines that this merchant does not have at the partner')
    .option('--json', 'print JSON lines');
  withPartnerAccount(check).action(action(async () => (await import('./fees.js')).checkPlans));
  const show = fees
    .command('show')
    .summary('print the fees of a merchant as a plan')
    .description('Read the fees of a merchant at the partner, and print them as a file with one plan.')
    .argument('<id>', 'merchant id, externalId, dba or workflow id')
    .option('--name <name>', 'name of the plan (default: merchant-<id>)');
  withPartnerAccount(show).action(action(async () => (await import('./fees.js')).showPlan));
}

export function addCalls(program: Command, action: Action): void {
  const call = program
    .command('call')
    .summary('call any operation of a partner')
    .description(
      'Call any operation of any partner system. A worker makes the call, with its own settings and credentials, and the ' +
        'Web UI shows it under Standalone Activities. Without arguments, the command lists the systems.',
    );
  listsItsCommands(call, 'system');
  // The catalogue takes long to build, so only this command builds it.
  program.hook('preSubcommand', (_, command) => (command === call ? fillCall(call, action) : undefined));
  program
    .command('probe')
    .summary('compare partners’ responses with the catalogue')
    .description(
      'Call the partners’ read operations, and report where a response differs from the catalogue: types and lengths, never ' +
        'values. Uses the credentials and the rate limit of the account. Sends no write. Exits with 1 if something differs ' +
        'that a workflow needs.',
    )
    .addArgument(new Argument('[system]', 'only this partner').choices(SYSTEM_NAMES))
    .option(
      '--account, --partner-account <name>',
      'use this account of GANGWAY_ACCOUNTS at the partners (default: the unnamed one)',
    )
    .option('--merchant <id>', 'merchant profile id, for reads that need one')
    .option('--profile <id>', 'id of a banking profile, for reads that need one')
    .option('--report <file>', 'also write a Markdown report for the partner to this new file')
    .option('--json', 'print JSON lines')
    .action(action(async () => (await import('./probe.js')).probe));
}

export async function fillCall(call: Command, action: Action): Promise<void> {
  if (call.commands.length === 0) (await import('./call-operations.js')).addOperations(call, action);
}
