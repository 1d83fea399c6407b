import type { Command } from 'commander';
import { type CommandLine, withTemporal } from '../cli/command-line.js';
import { adoptionRules } from './adoption.js';
import { withFileOptions, withValidRows } from './batch.js';
import type { FormatOptions } from './format.js';
import { type RunOptions, run } from './run.js';

type AdoptOptions = FormatOptions & RunOptions;

export function adoptCommand(program: Command, cli: CommandLine): void {
  const command = program
    .command('adopt')
    .summary('follow merchants and businesses that exist at their partner')
    .description(
      'Follow each merchant and banking profile in FILE that exists at its partner, to its end. Nothing is created, changed ' +
        'or submitted there: Gangway sends only what a person answers. The whole file is checked first. A worker reads each ' +
        'row before it is started, within the rate limit of the partner. The same externalId attaches to the first ' +
        'onboarding, running or ended, so the command is safe to run again.',
    )
    .argument('<file>', 'NDJSON or CSV, or - for standard input')
    .option('--dry-run', 'read each row at its partner, show what would happen, and start nothing');
  withFileOptions(command)
    .option('--json', 'print JSON lines')
    .addHelpText('after', HELP)
    .action((file: string, options: AdoptOptions) => adopt(cli, file, options));
}

const HELP = `
The first row of CSV names the fields of a row. Required are externalId, dba, and
an id: merchantProfileId at the boarding partner, profileId at the bank, or both.
A profileId alone also needs legalBusinessName and employerIdentificationNumber.
Optional are account, agentProfileId and dueInHours.

Exit codes: 0 all rows are started (with --dry-run: would be), 1 a row failed
or Temporal was unavailable, 2 bad usage or input, 130 Ctrl-C.

Examples:
  gangway adopt examples/adopt.csv --dry-run
  gangway adopt examples/adopt.csv`;

async function adopt(cli: CommandLine, file: string, options: AdoptOptions): Promise<void> {
  const rules = adoptionRules(cli.config(), { dryRun: options.dryRun === true });
  await withValidRows(cli, file, options, rules, ({ validation, rows }) =>
    withTemporal(cli, (context) => run(context, rows(), validation.rows, options), { finishes: true }),
  );
}
