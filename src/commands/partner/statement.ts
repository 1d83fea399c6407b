import type { Command } from 'commander';
import { z } from 'zod';
import type { GenerateStatementInput, SavedStatement } from '../../messages/banking-activities.js';
import { atAccount, splitAccount } from '../../messages/ids.js';
import { externalId } from '../../messages/inputs.js';
import { defined } from '../../messages/objects.js';
import { fullStatementRequest } from '../../partners/banking/requests.js';
import {
  findSchedule,
  listSchedules,
  runSchedule,
  type StatementSchedule,
  saveSchedule,
} from '../../temporal/statement-schedules.js';
import { check, numberWithin, withRecordFormats } from '../cli/arguments.js';
import { type CommandContext, type CommandLine, withTemporal } from '../cli/command-line.js';
import type { RecordFormat, TableColumns } from '../cli/output.js';
import {
  type IdOptions,
  idInAccount,
  type PartnerAccountOptions,
  partnerAccountOf,
  withPartnerAccount,
} from '../cli/partner-account.js';
import { keyOf, type OperationOptions, runOperation, withOperationOptions } from './operations.js';

export function statementCommand(program: Command, cli: CommandLine): void {
  const statement = program
    .command('statement')
    .summary('save account statements, now or each month')
    .description('Save statements of financial accounts in the statement store of the workers.');
  nowCommand(statement, cli);
  monthlyCommands(statement, cli);
}

const { financialAccountIds, email } = fullStatementRequest.shape;

/** The options of all statements. */
const statementOptions = z.object({
  '--account': financialAccountIds,
  '--format': z
    .string()
    .toUpperCase()
    .pipe(z.enum(['PDF', 'CSV', 'QBO', 'OFX'])),
  '--email': email,
});

interface StatementOptions {
  readonly account?: readonly string[];
  readonly format: string;
  readonly email?: string;
}

function withStatementOptions(command: Command): Command {
  return command
    .option('--account <id...>', 'financial accounts (required)')
    .option('--format <format>', 'PDF, CSV, QBO or OFX', 'PDF')
    .option('--email <address>', 'also send the statement to this address');
}

/** The given options by their names. */
function named({ account, format, email: address }: StatementOptions) {
  return { '--account': account, '--format': format, '--email': address };
}

function requestFrom(asked: z.output<typeof statementOptions>): Omit<GenerateStatementInput, 'period'> {
  const { '--account': accounts, '--format': fileFormat, '--email': address } = asked;
  return { financialAccountIds: accounts, fileFormat, ...defined({ email: address }) };
}

const statementOfMonth = statementOptions.extend({
  '--period': z
    .string()
    .regex(/^\d{4}-(0[1-9]|1[0-2])$/, { error: 'must be a month such as 2026-01', abort: true })
    .refine((month) => month <= new Date().toISOString().slice(0, 7), 'must not be in the future'),
});

interface NowOptions extends StatementOptions, OperationOptions {
  readonly period?: string;
}

type Saved = SavedStatement & { readonly emailed: boolean };

/** Adds `statement now`. */
function nowCommand(statement: Command, cli: CommandLine): void {
  const command = statement
    .command('now')
    .description('Save the statement of one month.')
    .option('--period <month>', 'the month, such as 2026-01 (required)');
  withOperationOptions(withStatementOptions(command)).action((options: NowOptions) => saveNow(cli, options));
}

async function saveNow(cli: CommandLine, options: NowOptions): Promise<void> {
  const asked = check(statementOfMonth, { ...named(options), '--period': options.period }, 'statement now');
  const period = asked['--period'];
  const input: GenerateStatementInput = { ...requestFrom(asked), period };
  await runOperation<Saved>(
    cli,
    {
      type: 'generateStatement',
      key: `now-${keyOf(input)}`,
      args: [input],
      summary: `statement of ${period}`,
      done: describeSaved,
    },
    options,
  );
}

function describeSaved({ fileName, bytes, emailed }: Saved): string {
  const sent = emailed ? ', and the partner sends it by e-mail' : '';
  return `${fileName} (${bytes} bytes) is in the statement store${sent}`;
}

const keyOnly = z.object({ key: externalId });

const monthlyStatements = statementOptions.extend({
  key: externalId,
  '--day': numberWithin(1, 28),
  '--hour': numberWithin(0, 23),
});

/** At this time, the month has ended in all of the United States. */
const DEFAULT_DAY = '1';
const DEFAULT_HOUR = '12';

interface MonthlyOptions extends StatementOptions, PartnerAccountOptions {
  readonly day: string;
  readonly hour: string;
  readonly json?: true;
}

/** Adds `statement monthly`, `list`, `stop` and `run`. */
function monthlyCommands(statement: Command, cli: CommandLine): void {
  const monthly = statement
    .command('monthly')
    .description(
      'Save the statement of the previous month each month, with a Temporal schedule. Run it again with the same key to ' +
        'change the schedule.',
    )
    .argument('<key>', 'your name for the schedule');
  withPartnerAccount(withStatementOptions(monthly))
    .option('--day <day>', 'day of the month, 1 to 28', DEFAULT_DAY)
    .option('--hour <hour>', 'hour of that day in UTC, 0 to 23', DEFAULT_HOUR)
    .option('--json', 'print JSON')
    .action((key: string, options: MonthlyOptions) => plan(cli, key, options));
  withRecordFormats(
    statement.command('list').description('List the schedules of monthly statements.'),
  ).action((options: RecordFormat) => list(cli, options));
  byKey(statement.command('stop').description('Delete a schedule of monthly statements.')).action(
    (key: string, options: IdOptions) => stop(cli, checkedKey(key, 'stop'), options),
  );
  byKey(statement.command('run').description('Save the statement of the previous month now.')).action(
    (key: string, options: IdOptions) => run(cli, checkedKey(key, 'run'), options),
  );
}

function byKey(command: Command): Command {
  return withPartnerAccount(
    command.argument(
      '<key>',
      'as given to "statement monthly", or key@account as "statement list" prints it',
    ),
  ).option('--json', 'print JSON');
}

/** @returns the given key @throws {InvalidInput} when it is not a key, with or without an account */
function checkedKey(given: string, command: string): string {
  check(keyOnly, { key: splitAccount(given).key }, `statement ${command}`);
  return given;
}

async function plan(
  cli: CommandLine,
  key: string,
  { day, hour, json, ...options }: MonthlyOptions,
): Promise<void> {
  const asked = { key, ...named(options), '--day': day, '--hour': hour };
  const checked = check(monthlyStatements, asked, 'statement monthly');
  const account = partnerAccountOf(cli.config(), options, 'statement monthly');
  const monthly = {
    key,
    account,
    day: checked['--day'],
    hour: checked['--hour'],
    request: requestFrom(checked),
  };
  await withTemporal(cli, async ({ client, config }) => {
    const { created, schedule } = await saveSchedule(client, monthly, config.taskQueue);
    if (json) return cli.json({ created, ...jsonOf(schedule) });
    const next = schedule.isPaused ? 'it is paused' : `next run ${cli.times.at(schedule.nextRunAt)}`;
    cli.line(`${schedule.scheduleId} ${created ? 'created' : 'changed'}: ${next}`);
  });
}

async function list(cli: CommandLine, format: RecordFormat): Promise<void> {
  const schedules = await withTemporal(cli, ({ client }) => listSchedules(client));
  cli.records(schedules, { columns: COLUMNS, ...format, toJson: jsonOf, fields: FIELDS });
}

const COLUMNS: TableColumns<StatementSchedule> = {
  key: { value: ({ key, account }) => atAccount(key, account), keep: true },
  accounts: ({ request }) => request?.financialAccountIds.join(', ') ?? 'key not in PAYLOAD_KEYS',
  format: { value: ({ request }) => request?.fileFormat, priority: 2 },
  'next run': ({ isPaused, nextRunAt }) => (isPaused ? 'paused' : nextRunAt),
  'last run': { value: ({ lastWorkflowId }) => lastWorkflowId, priority: 3 },
};

/** All that {@link jsonOf} may have. */
const FIELDS = [
  ...['key', 'partnerAccount', 'scheduleId', 'accounts', 'format', 'email'],
  ...['paused', 'nextRunAt', 'lastWorkflowId'],
];

async function stop(cli: CommandLine, key: string, { json, ...options }: IdOptions): Promise<void> {
  const { scheduleId } = await withTemporal(cli, async (context) => {
    const schedule = await scheduleBy(context, key, options);
    await schedule.delete();
    return schedule;
  });
  if (json) return cli.json({ scheduleId, stopped: true });
  cli.line(`${scheduleId} deleted; a running statement is completed`);
}

async function run(cli: CommandLine, key: string, { json, ...options }: IdOptions): Promise<void> {
  const workflowId = await withTemporal(cli, async (context) =>
    runSchedule(await scheduleBy(context, key, options)),
  );
  if (json) return cli.json({ key, workflowId: workflowId ?? null });
  cli.line(
    workflowId
      ? `started ${workflowId}`
      : 'requested; "gangway statement list" shows the run when it has started',
  );
}

/** @throws {UnknownSchedule} */
function scheduleBy({ client, config }: CommandContext, key: string, options: PartnerAccountOptions) {
  return findSchedule(client, idInAccount(config, key, options), Object.keys(config.accounts));
}

function jsonOf({
  key,
  account,
  scheduleId,
  request,
  isPaused,
  nextRunAt,
  lastWorkflowId,
}: StatementSchedule) {
  return {
    key,
    scheduleId,
    ...defined({ partnerAccount: account }),
    accounts: request?.financialAccountIds ?? null,
    format: request?.fileFormat ?? null,
    ...defined({ email: request?.email }),
    paused: isPaused,
    nextRunAt: nextRunAt ?? null,
    lastWorkflowId: lastWorkflowId ?? null,
  };
}
