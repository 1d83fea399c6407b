import { z } from 'zod';
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
import { check } from '../../texts/invalid-input.js';
import {
  type IdOptions,
  idInAccount,
  numberWithin,
  type PartnerAccountOptions,
  partnerAccountOf,
} from '../cli/arguments.js';
import { type CommandContext, type CommandLine, withTemporal } from '../cli/command-line.js';
import type { Texts } from '../cli/options.js';
import type { RecordFormat, TableColumns } from '../cli/output.js';
import { keyOf, type Operation, type OperationOptions, runOperation } from './operations.js';

const { financialAccountIds, email } = fullStatementRequest.shape;

const statementOptions = z.object({
  '--account': financialAccountIds,
  '--format': z
    .string()
    .toUpperCase()
    .pipe(z.enum(['PDF', 'CSV', 'QBO', 'OFX'])),
  '--email': email,
});

interface StatementOptions extends Texts<'email'> {
  readonly account?: readonly string[];
  readonly format: string;
}

function named({ account, format, email: address }: StatementOptions) {
  return { '--account': account, '--format': format, '--email': address };
}

function requestFrom(asked: z.output<typeof statementOptions>) {
  const { '--account': accounts, '--format': fileFormat, '--email': address } = asked;
  return { financialAccountIds: accounts, fileFormat, ...defined({ email: address }) };
}

const statementOfMonth = statementOptions.extend({
  '--period': z
    .string()
    .regex(/^\d{4}-(0[1-9]|1[0-2])$/, { error: 'must be a month such as 2026-01', abort: true })
    .refine((month) => month <= new Date().toISOString().slice(0, 7), 'must not be in the future'),
});

type NowOptions = StatementOptions & OperationOptions & Texts<'period'>;

export async function saveNow(cli: CommandLine, options: NowOptions): Promise<void> {
  const asked = check(statementOfMonth, { ...named(options), '--period': options.period }, 'statement now');
  const request = { ...requestFrom(asked), period: asked['--period'] };
  const operation: Operation<'statement'> = {
    ...{ operation: 'statement', key: `now-${keyOf(request)}`, request },
    done({ fileName, bytes, emailed, warning }) {
      const sent = emailed ? ', and the partner sends it by email' : '';
      const doubt = warning ? `. Check it: ${warning}` : '';
      return `${fileName} (${bytes} bytes) is in the statement store${sent}${doubt}`;
    },
  };
  await runOperation(cli, operation, options);
}

const monthlyStatements = statementOptions.extend({
  key: externalId,
  '--day': numberWithin(1, 28),
  '--hour': numberWithin(0, 23),
});

interface MonthlyOptions extends StatementOptions, IdOptions {
  readonly day: string;
  readonly hour: string;
}

/** @throws {InvalidInput} when it is not a key, with or without an account */
function checkKey(given: string, command: string): void {
  check(z.object({ key: externalId }), { key: splitAccount(given).key }, `statement ${command}`);
}

export async function plan(cli: CommandLine, key: string, { day, hour, json, ...options }: MonthlyOptions) {
  const asked = { key, ...named(options), '--day': day, '--hour': hour };
  const checked = check(monthlyStatements, asked, 'statement monthly');
  const account = partnerAccountOf(cli.config(), options, 'statement monthly');
  const when = { day: checked['--day'], hour: checked['--hour'] };
  const monthly = { key, account, ...when, request: requestFrom(checked) };
  await withTemporal(cli, async ({ client, config }) => {
    const { created, schedule } = await saveSchedule(client, monthly, config.taskQueue);
    if (json) return cli.json({ created, ...jsonOf(schedule) });
    const next = schedule.isPaused ? 'it is paused' : `next run ${cli.times.at(schedule.nextRunAt)}`;
    cli.line(`${schedule.scheduleId} ${created ? 'created' : 'changed'}: ${next}`);
  });
}

export async function list(cli: CommandLine, format: RecordFormat): Promise<void> {
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

const FIELDS = [
  ...['key', 'partnerAccount', 'scheduleId', 'accounts', 'format', 'email'],
  ...['paused', 'nextRunAt', 'lastWorkflowId'],
];

export async function stop(cli: CommandLine, key: string, { json, ...options }: IdOptions): Promise<void> {
  checkKey(key, 'stop');
  const { scheduleId } = await withTemporal(cli, async (context) => {
    const schedule = await scheduleBy(context, key, options);
    await schedule.delete();
    return schedule;
  });
  if (json) return cli.json({ scheduleId, stopped: true });
  cli.line(`${scheduleId} deleted; a statement in progress is still saved`);
}

export async function run(cli: CommandLine, key: string, { json, ...options }: IdOptions): Promise<void> {
  checkKey(key, 'run');
  const workflowId = await withTemporal(cli, async (context) =>
    runSchedule(await scheduleBy(context, key, options)),
  );
  if (json) return cli.json({ key, workflowId: workflowId ?? null });
  cli.line(
    workflowId
      ? `started ${workflowId}`
      : 'requested; "gangway statement list" shows the run once it has started',
  );
}

/** @throws {UnknownSchedule} */
function scheduleBy({ client, config }: CommandContext, key: string, options: PartnerAccountOptions) {
  return findSchedule(client, idInAccount(config, key, options), Object.keys(config.accounts));
}

function jsonOf({ request, isPaused, ...schedule }: StatementSchedule) {
  const { key, account, scheduleId, nextRunAt = null, lastWorkflowId = null } = schedule;
  return {
    ...{ key, scheduleId, ...defined({ partnerAccount: account }) },
    accounts: request?.financialAccountIds ?? null,
    format: request?.fileFormat ?? null,
    ...defined({ email: request?.email }),
    ...{ paused: isPaused, nextRunAt, lastWorkflowId },
  };
}
