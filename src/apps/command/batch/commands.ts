import { type Command, Option } from 'commander';
import {
  type Action,
  csvOption,
  milliseconds,
  optionParser,
  perSecond,
  positiveInteger,
  withRecordFormats,
  withStrict,
  withYes,
} from '../cli/options.js';

const separator = optionParser(
  (value) => (value === 'tab' ? '\t' : /^[^"\r\n]$/u.exec(value)?.[0]),
  'must be one character, or tab',
);

export function addBatches(program: Command, action: Action): void {
  const batch = withStrict(withYes(program.command('batch')))
    .summary('onboard everyone in a file')
    .description(
      'Start an onboarding for each row of FILE: merchants, businesses, customers. Checks the whole file first, and ' +
        'starts nothing if any row is invalid. Then the workers start the rows, even if this command ends. ' +
        'The same externalId attaches to the first onboarding, running or ended, ' +
        'so the command is safe to run again: it starts what is missing. More than 20 rows are confirmed first.',
    )
    .argument('<file>', 'NDJSON or CSV, or - for standard input')
    .option('--dry-run', 'only check the file');
  withFileOptions(batch)
    .option('--wait', 'wait for all outcomes and print them')
    .option('--json', 'print JSON lines')
    .addOption(csvOption().conflicts('dryRun'))
    .addHelpText('after', HELP)
    .action(action(async () => (await import('./batch.js')).batchCommand));
  const batches = program
    .command('batches')
    .summary('follow or stop a batch')
    .description(
      'Without an ID, list the batches of this task queue, newest first. With an ID, print a line for each row of that batch, ' +
        'and wait until all are started. Ctrl-C ends the wait, not the batch.',
    )
    .argument('[id]', 'ID of a batch, onboarding-batch-...')
    .option('--stop', 'stop it after the starts in progress; what was started continues')
    .option('--wait', 'wait for all outcomes and print them')
    .option('--limit <n>', 'list at most this many', positiveInteger, 50)
    .addOption(giveUpOption());
  withRecordFormats(batches).action(action(async () => (await import('./batch.js')).batches));
  const importCommand = program
    .command('import')
    .summary('follow merchants and businesses that exist at their partners')
    .description(
      'Follow the merchants and banking profiles in FILE, which exist at their partners, to the end. Gangway creates, changes and ' +
        'submits nothing there: it sends only people’s answers. It checks the whole file first. A worker reads each ' +
        'row before any is started, within the rate limit of the partner. The same externalId attaches to the first ' +
        'onboarding, running or ended, so the command is safe to run again.',
    )
    .argument('<file>', 'NDJSON or CSV, or - for standard input')
    .option('--dry-run', 'read each row at its partner, show what would happen, and start nothing');
  withRecordFormats(withFileOptions(importCommand))
    .addHelpText('after', IMPORT_HELP)
    .action(action(async () => (await import('./import-file.js')).importFile));
}

function withFileOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--format <format>', 'format of the file (default: from its name, .csv or .ndjson)').choices(
        ['csv', 'ndjson'],
      ),
    )
    .option('--mapping <file>', 'CSV: maps its headers to fields (see examples/mapping.json)')
    .option('--delimiter <character>', 'CSV: the character between cells, such as ";" or tab', separator)
    .option('--rate <n>', 'start at most this many per second', perSecond)
    .option('--concurrency <n>', 'start this many concurrently', positiveInteger, 8)
    .addOption(giveUpOption());
}

function giveUpOption(): Option {
  return new Option('--give-up-after <duration>', 'stop when Temporal is unavailable for this long')
    .argParser(milliseconds)
    .default(120_000, '2m');
}

const HELP = `
Each line of NDJSON is an input of any kind, like the files in examples/.
The first row of CSV names the fields of the input: "gangway help columns merchant"
prints it. You can leave out columns. An empty cell is an absent field.

Exit code 0: all rows are started, or with --wait have ended with any outcome.
1: a row failed, or the batch was stopped. 3: --timeout ended the wait while a row waits for a person.
4: Temporal or a worker was unavailable. "gangway --help" lists the others.

Examples:
  gangway help columns merchant > merchants.csv
  gangway batch examples/merchants.csv --dry-run
  gangway batch examples/crm-export.csv --delimiter ";" --mapping examples/mapping.json
  gangway batch examples/merchants.ndjson --rate 5 --wait`;

const IMPORT_HELP = `
The first row of CSV names the fields of a row. Required are externalId, dba, and
an id: merchantProfileId at the boarding partner, profileId at the bank, or both.
A profileId alone also needs legalBusinessName and employerIdentificationNumber.
Optional are account, agentProfileId and dueInHours.

Exit code 0: all rows are started, or with --dry-run would be. 1: a row failed.
4: Temporal was unavailable. "gangway --help" lists the others.

Examples:
  gangway import examples/import.csv --dry-run
  gangway import examples/import.csv`;
