import type { BankingLists, Listed } from '../messages/banking-operations.js';
import { dateTime } from '../partners/banking/rules.js';
import type { CommandLine } from './command-line.js';
import { withTemporal } from './context.js';
import { readList } from './list-activity.js';
import { shortDate } from './output.js';
import { type PartnerAccountOptions, partnerAccountOf } from './partner-account.js';

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
