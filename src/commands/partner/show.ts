import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { z } from 'zod';
import type { BankingLists, Listed } from '../../messages/banking-activities.js';
import { defined } from '../../messages/objects.js';
import { check } from '../../operators/invalid-input.js';
import { externalActivityRequest, notificationQuery } from '../../partners/banking/requests.js';
import { dateTime, text } from '../../partners/fields.js';
import { numericId } from '../cli/arguments.js';
import { type CommandLine, withTemporal } from '../cli/command-line.js';
import { runSingle } from '../cli/follow.js';
import type { Column, RecordFormat, Value } from '../cli/output.js';
import { type PartnerAccountOptions, partnerAccountOf } from '../cli/partner-account.js';

type Item = Listed['records'][number];

/** A list of the bank: how to ask for it, and how to print it. */
interface List<Name extends keyof BankingLists, Rules extends z.ZodRawShape> {
  readonly activity: Name;
  /** Keyed by the name of the argument or option. */
  readonly rules: Rules;
  readonly filter: (given: z.output<z.ZodObject<Rules>>) => Omit<Parameters<BankingLists[Name]>[0], 'limit'>;
  /** Keyed by title: the field of a record, or a function of the record. */
  readonly columns: Readonly<Record<string, string | ((item: Item) => unknown)>>;
  /** The columns that a narrow terminal has no room for, the least important one first. Default: none, all are cut. */
  readonly optional?: readonly string[];
}

interface ListOptions extends PartnerAccountOptions, RecordFormat {
  readonly limit: number;
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

/** A person waits, so a list that cannot be read fails soon. */
const ACTIVITY_OPTIONS = {
  scheduleToStartTimeout: '10s',
  scheduleToCloseTimeout: '1m',
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumAttempts: 3 },
} as const;

/** The actions of `gangway show`, by the names of its lists. */
export const LISTS = {
  tickets: list('tickets', {
    activity: 'listTickets',
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
  }),
  departments: list('departments', {
    activity: 'listDepartments',
    rules: {},
    filter: () => ({}),
    columns: { id: 'id', name: 'name', users: 'authorizedUserCount', description: 'description' },
    optional: ['users'],
  }),
  notifications: list('notifications', {
    activity: 'listNotifications',
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
  }),
  'external-activity': list('external-activity', {
    activity: 'listExternalActivity',
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
  }),
  accounts: list('accounts', {
    activity: 'searchAccounts',
    rules: {
      '--dba': text.optional(),
      '--agent': z.array(numericId).optional(),
      '--iso': numericId.optional(),
    },
    filter: ({ '--dba': dba, '--agent': agentIds, '--iso': isoId }) => defined({ dba, agentIds, isoId }),
    columns: { profile: 'id', dba: 'dba' },
  }),
} as const;

function list<Name extends keyof BankingLists, Rules extends z.ZodRawShape>(
  name: string,
  { activity, rules, filter, columns, optional = [] }: List<Name, Rules>,
) {
  return async (cli: CommandLine, ...parsed: readonly unknown[]): Promise<void> => {
    const command = parsed.at(-1) as Command;
    const given = command.opts<ListOptions & Record<string, unknown>>();
    const { limit, json, csv } = given;
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
  };
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
