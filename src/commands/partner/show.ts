import type { Command } from 'commander';
import { z } from 'zod';
import type { BankingLists, Listed } from '../../messages/banking-activities.js';
import { defined } from '../../messages/objects.js';
import { externalActivityRequest, notificationQuery } from '../../partners/banking/requests.js';
import { dateTime, text } from '../../partners/banking/rules.js';
import { check, numericId, positiveInteger } from '../cli/arguments.js';
import { type CommandLine, withTemporal } from '../cli/command-line.js';
import { shortDate } from '../cli/output.js';
import { type PartnerAccountOptions, partnerAccountOf, withPartnerAccount } from '../cli/partner-account.js';
import { readList } from '../cli/single-activity.js';

/** A day stands for its first moment, or for its last where a range ends; a time for itself. */
const momentOf = (time: string) =>
  z
    .string()
    .transform((given) => (/^\d{4}-\d{2}-\d{2}$/.test(given) ? `${given}T${time}Z` : given))
    .refine(
      (moment) => dateTime.safeParse(moment).success,
      'must be a day such as 2026-01-05, or a time such as 2026-01-05T12:00:00Z',
    )
    .optional();

const range = { '--from': momentOf('00:00:00'), '--to': momentOf('23:59:59.999') };

const notificationOptions = z.object({
  ...range,
  '--level': notificationQuery.shape.level,
  '--search': text.optional(),
});

const activityOptions = z.object({
  profile: numericId,
  ...range,
  '--account': text.optional(),
  '--provider': externalActivityRequest.shape.provider,
});

const accountOptions = z.object({
  '--dba': text.optional(),
  '--agent': z.array(numericId).optional(),
  '--iso': numericId.optional(),
});

export function showCommand(program: Command, cli: CommandLine): void {
  const show = program
    .command('show')
    .summary('list what the bank has')
    .description('List what the bank has. A worker reads it, as a standalone activity.');
  const list = (name: string, description: string) => show.command(name).description(description);
  withListOptions(list('tickets', 'List the new tickets.')).action((options: ListOptions) =>
    printList(cli, TICKETS, options, {}),
  );
  withListOptions(list('departments', 'List the departments. For administrators at the partner.')).action(
    (options: ListOptions) => printList(cli, DEPARTMENTS, options, {}),
  );
  withListOptions(
    withRange(list('notifications', 'List the notifications.'))
      .option('--level <level>', 'only those of this level: Info or Warning')
      .option('--search <text>', 'only those with this text'),
  ).action((options: NotificationOptions) => showNotifications(cli, options));
  withListOptions(
    withRange(
      list('external-activity', 'List the activity of external accounts that are linked to a profile.'),
    )
      .argument('<profile>', 'id of the banking profile')
      .option('--account <id>', 'only that of this financial account')
      .option('--provider <name>', 'only that of this provider'),
  ).action((profile: string, options: ActivityOptions) => showExternalActivity(cli, profile, options));
  withListOptions(
    list('accounts', 'Search business account holders.')
      .option('--dba <name>', 'only those whose dba has this in it')
      .option('--agent <id...>', 'only those of these agents')
      .option('--iso <id>', 'only those of this ISO'),
  ).action((options: AccountOptions) => showAccounts(cli, options));
}

function withListOptions(command: Command): Command {
  return withPartnerAccount(command)
    .option('--limit <n>', 'at most this many', positiveInteger, 100)
    .option('--json', 'print JSON lines, each a record as the bank has it');
}

function withRange(command: Command): Command {
  return command
    .option('--from <date>', 'not before this day, or time, in UTC: 2026-01-05, 2026-01-05T12:00:00Z')
    .option('--to <date>', 'not after this day, or time');
}

interface RangeOptions extends ListOptions {
  readonly from?: string;
  readonly to?: string;
}

type NotificationOptions = RangeOptions & { readonly level?: string; readonly search?: string };

async function showNotifications(cli: CommandLine, options: NotificationOptions): Promise<void> {
  const { from, to, level, search } = options;
  const asked = { '--from': from, '--to': to, '--level': level, '--search': search };
  const checked = check(notificationOptions, asked, 'show notifications');
  const filter = {
    fromDate: checked['--from'],
    toDate: checked['--to'],
    level: checked['--level'],
    searchTerm: checked['--search'],
  };
  await printList(cli, NOTIFICATIONS, options, defined(filter));
}

type ActivityOptions = RangeOptions & { readonly account?: string; readonly provider?: string };

async function showExternalActivity(
  cli: CommandLine,
  profile: string,
  options: ActivityOptions,
): Promise<void> {
  const { from, to, account, provider } = options;
  const asked = { profile, '--from': from, '--to': to, '--account': account, '--provider': provider };
  const checked = check(activityOptions, asked, 'show external-activity');
  const filter = {
    financialAccountId: checked['--account'],
    provider: checked['--provider'],
    dateFrom: checked['--from'],
    dateTo: checked['--to'],
  };
  await printList(cli, EXTERNAL_ACTIVITY, options, { profileId: checked.profile, ...defined(filter) });
}

type AccountOptions = ListOptions & {
  readonly dba?: string;
  readonly agent?: string[];
  readonly iso?: string;
};

async function showAccounts(cli: CommandLine, options: AccountOptions): Promise<void> {
  const { dba, agent, iso } = options;
  const checked = check(accountOptions, { '--dba': dba, '--agent': agent, '--iso': iso }, 'show accounts');
  const filter = { dba: checked['--dba'], agentIds: checked['--agent'], isoId: checked['--iso'] };
  await printList(cli, ACCOUNTS, options, defined(filter));
}

export interface ListOptions extends PartnerAccountOptions {
  readonly limit: number;
  readonly json?: true;
}

/** A list of the bank: how it is asked for, and its columns, each with what it shows of a record. */
interface List<Name extends keyof BankingLists> {
  readonly activity: Name;
  readonly what: string;
  readonly columns: Readonly<Record<string, string | ((item: Item) => unknown)>>;
}

type Item = Listed['records'][number];

export const TICKETS: List<'listTickets'> = {
  activity: 'listTickets',
  what: 'tickets',
  columns: {
    ticket: 'ticketId',
    created: 'createdDate',
    status: 'status',
    topic: 'topic',
    'asks about': 'updateFieldRequest',
    text: 'text',
  },
};

export const DEPARTMENTS: List<'listDepartments'> = {
  activity: 'listDepartments',
  what: 'departments',
  columns: { id: 'id', name: 'name', users: 'authorizedUserCount', description: 'description' },
};

export const NOTIFICATIONS: List<'listNotifications'> = {
  activity: 'listNotifications',
  what: 'notifications',
  columns: {
    id: 'id',
    created: 'createdDate',
    level: 'level',
    group: 'group',
    read: 'dateRead',
    subject: 'subject',
    body: 'body',
  },
};

export const EXTERNAL_ACTIVITY: List<'listExternalActivity'> = {
  activity: 'listExternalActivity',
  what: 'external-activity',
  columns: { id: 'id', created: 'createdAt', amount: dollarsOf, name: 'name', company: 'companyName' },
};

export const ACCOUNTS: List<'searchAccounts'> = {
  activity: 'searchAccounts',
  what: 'accounts',
  columns: { profile: 'id', dba: 'dba' },
};

/** Reads a list and prints it. @throws {CommandFailed} */
export async function printList<Name extends keyof BankingLists>(
  cli: CommandLine,
  { activity, what, columns }: List<Name>,
  { limit, json, ...options }: ListOptions,
  filter: Omit<Parameters<BankingLists[Name]>[0], 'limit'>,
): Promise<void> {
  const request = { limit, ...filter } as Parameters<BankingLists[Name]>[0];
  const account = partnerAccountOf(cli.config(), options, `show ${what}`, 'nothing was read');
  const list = { name: activity, what, request, account };
  const { records, more, isCutShort } = await withTemporal(cli, (context) => readList(context, list));
  if (json) for (const each of records) cli.json(each);
  else if (records.length === 0) cli.line('none');
  else {
    const cells = (item: Item) => Object.values(columns).map((column) => cellOf(item, column));
    cli.table(Object.keys(columns), records.map(cells));
  }
  if (more) cli.note(`there are more than ${limit}; --limit shows more`);
  if (isCutShort) cli.note('the partner has more than it lists; narrow the list with --from and --to');
}

function cellOf(item: Item, column: string | ((item: Item) => unknown)): string {
  const value = typeof column === 'string' ? item[column] : column(item);
  if (value === null || value === undefined) return '';
  if (typeof value === 'string' && dateTime.safeParse(value).success) return shortDate(value);
  return String(value).replace(/\s+/g, ' ');
}

/** Amounts are in cents (apis/1, E11). */
function dollarsOf({ amount }: Item): string {
  const { value, currencyCode = '' } = (amount ?? {}) as { value?: number; currencyCode?: string };
  return typeof value === 'number' ? `${(value / 100).toFixed(2)} ${currencyCode}`.trim() : '';
}
