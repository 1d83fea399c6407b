import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { z } from 'zod';
import type { BankingLists, Listed } from '../../messages/banking-activities.js';
import { defined } from '../../messages/objects.js';
import { externalActivityRequest, notificationQuery } from '../../partners/banking/requests.js';
import { dateTime, text } from '../../partners/fields.js';
import { check, numericId, rowLimit, withRecordFormats } from '../cli/arguments.js';
import { type CommandLine, withTemporal } from '../cli/command-line.js';
import { runSingle } from '../cli/follow.js';
import type { Column, RecordFormat, Value } from '../cli/output.js';
import { type PartnerAccountOptions, partnerAccountOf, withPartnerAccount } from '../cli/partner-account.js';

type Item = Listed['records'][number];

/** A list of the bank: how to ask for it, and how to print it. */
interface List<Name extends keyof BankingLists, Rules extends z.ZodRawShape> {
  readonly activity: Name;
  readonly description: string;
  readonly argument?: readonly [name: string, description: string];
  readonly options?: Readonly<Record<string, string>>;
  /** By the name of the argument or option. */
  readonly rules: Rules;
  readonly filter: (given: z.output<z.ZodObject<Rules>>) => Omit<Parameters<BankingLists[Name]>[0], 'limit'>;
  /** By title: the field of a record, or a function of the record. */
  readonly columns: Readonly<Record<string, string | ((item: Item) => unknown)>>;
  /** The columns that a narrow terminal has no room for, the least important one first. Default: none, all are cut. */
  readonly optional?: readonly string[];
}

interface ListOptions extends PartnerAccountOptions, RecordFormat {
  readonly limit: number;
}

export function showCommand(program: Command, cli: CommandLine): void {
  const show = program
    .command('show')
    .summary('list what the bank has')
    .description('List what the bank has. A worker reads it, as a standalone activity.');
  addList(show, cli, 'tickets', {
    activity: 'listTickets',
    description: 'List the new tickets.',
    rules: {},
    filter: () => ({}),
    columns: {
      ticket: 'ticketId',
      created: 'createdDate',
      status: 'status',
      topic: 'topic',
      'asks about': 'updateFieldRequest',
      text: 'text',
    },
    optional: ['status', 'topic', 'created'],
  });
  addList(show, cli, 'departments', {
    activity: 'listDepartments',
    description: 'List the departments. Requires an administrator at the partner.',
    rules: {},
    filter: () => ({}),
    columns: { id: 'id', name: 'name', users: 'authorizedUserCount', description: 'description' },
    optional: ['users'],
  });
  addList(show, cli, 'notifications', {
    activity: 'listNotifications',
    description: 'List the notifications.',
    options: {
      ...RANGE_OPTIONS,
      '--level <level>': 'only this level: Info or Warning',
      '--search <text>': 'only those that contain this text',
    },
    rules: { ...RANGE, '--level': notificationQuery.shape.level, '--search': text.optional() },
    filter: ({ '--from': fromDate, '--to': toDate, '--level': level, '--search': searchTerm }) =>
      defined({ fromDate, toDate, level, searchTerm }),
    columns: {
      id: 'id',
      created: 'createdDate',
      level: 'level',
      group: 'group',
      read: 'dateRead',
      subject: 'subject',
      body: 'body',
    },
    optional: ['read', 'group', 'level'],
  });
  addList(show, cli, 'external-activity', {
    activity: 'listExternalActivity',
    description: 'List the activity of external accounts that are linked to a profile.',
    argument: ['profile', 'id of the banking profile'],
    options: {
      ...RANGE_OPTIONS,
      '--account <id>': 'only this financial account',
      '--provider <name>': 'only this provider',
    },
    rules: {
      profile: numericId,
      ...RANGE,
      '--account': text.optional(),
      '--provider': externalActivityRequest.shape.provider,
    },
    filter: ({ profile, '--account': account, '--provider': provider, '--from': from, '--to': to }) => ({
      profileId: profile,
      ...defined({ financialAccountId: account, provider, dateFrom: from, dateTo: to }),
    }),
    columns: { id: 'id', created: 'createdAt', amount: dollarsOf, name: 'name', company: 'companyName' },
    optional: ['company'],
  });
  addList(show, cli, 'accounts', {
    activity: 'searchAccounts',
    description: 'Search business account holders.',
    options: {
      '--dba <name>': 'only those whose dba contains this',
      '--agent <id...>': 'only these agents',
      '--iso <id>': 'only this ISO',
    },
    rules: {
      '--dba': text.optional(),
      '--agent': z.array(numericId).optional(),
      '--iso': numericId.optional(),
    },
    filter: ({ '--dba': dba, '--agent': agentIds, '--iso': isoId }) => defined({ dba, agentIds, isoId }),
    columns: { profile: 'id', dba: 'dba' },
  });
}

/** A day means its first moment, or its last one where a range ends; a time means itself. */
const momentOf = (time: string) =>
  z
    .string()
    .transform((given) => (/^\d{4}-\d{2}-\d{2}$/.test(given) ? `${given}T${time}Z` : given))
    .refine(
      (moment) => dateTime.safeParse(moment).success,
      'must be a day such as 2026-01-05, or a time such as 2026-01-05T12:00:00Z',
    )
    .optional();

const RANGE = { '--from': momentOf('00:00:00'), '--to': momentOf('23:59:59.999') };

const RANGE_OPTIONS = {
  '--from <date>': 'not before this day or time, in UTC: 2026-01-05, 2026-01-05T12:00:00Z',
  '--to <date>': 'not after this day or time',
};

/** A person waits, so a list that cannot be read fails soon. */
const ACTIVITY_OPTIONS = {
  scheduleToStartTimeout: '10s',
  scheduleToCloseTimeout: '1m',
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumAttempts: 3 },
} as const;

function addList<Name extends keyof BankingLists, Rules extends z.ZodRawShape>(
  show: Command,
  cli: CommandLine,
  name: string,
  { activity, description, argument, options = {}, rules, filter, columns, optional = [] }: List<Name, Rules>,
): void {
  const command = show.command(name).description(description);
  if (argument) command.argument(`<${argument[0]}>`, argument[1]);
  for (const [option, help] of Object.entries(options)) command.option(option, help);
  withRecordFormats(withPartnerAccount(command), 'print JSON lines, each a record as the bank has it')
    .option('--limit <n>', 'maximum number of records, 0 for all', rowLimit, 100)
    .action(async () => {
      const given = command.opts<ListOptions & Record<string, unknown>>();
      const { json, csv } = given;
      // JSON has no infinity.
      const limit = Math.min(given.limit, Number.MAX_SAFE_INTEGER);
      const givenFor = (rule: string) => (rule.startsWith('--') ? given[rule.slice(2)] : command.args[0]);
      const values = Object.fromEntries(Object.keys(rules).map((rule) => [rule, givenFor(rule)]));
      const request = filter(check(z.object(rules), values, `show ${name}`, 'nothing was read'));
      const account = partnerAccountOf(cli.config(), given, `show ${name}`, 'nothing was read');
      const { records, more, isCutShort } = await withTemporal(cli, (context) =>
        runSingle<Listed>(context, `show-${name}-${randomUUID()}`, {
          ...{ activity, queue: 'banking', account, args: [{ limit, ...request }] },
          ...{ summary: `gangway show ${name}`, options: ACTIVITY_OPTIONS },
        }),
      );
      const priorityOf = (title: string) =>
        optional.includes(title) ? optional.length + 1 - optional.indexOf(title) : 1;
      const shown = Object.entries(columns).map(([title, column]): [string, Column<Item>] => {
        const valueIn = typeof column === 'string' ? (item: Item) => item[column] : column;
        return [title, { value: (item) => shownOf(valueIn(item)), priority: priorityOf(title) }];
      });
      const fields = Object.values(columns).filter((column) => typeof column === 'string');
      cli.records(records, {
        ...{ columns: Object.fromEntries(shown), json, csv, fields },
        total: more ? 'more' : undefined,
      });
      if (isCutShort)
        cli.note('the partner has more records than it lists; narrow the list with --from and --to');
    });
}

function shownOf(value: unknown): Value {
  if (typeof value === 'string' && dateTime.safeParse(value).success) return new Date(value);
  return value === null || value === undefined ? undefined : String(value);
}

/** Amounts are in cents (apis/1, E11). */
function dollarsOf({ amount }: Item): string {
  const { value, currencyCode = '' } = (amount ?? {}) as { value?: number; currencyCode?: string };
  return typeof value === 'number' ? `${(value / 100).toFixed(2)} ${currencyCode}`.trim() : '';
}
