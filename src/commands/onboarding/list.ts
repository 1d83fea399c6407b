import { isLate, shortIds, toDo } from '../../inbox/inbox.js';
import { ACCOUNTS, ONBOARDINGS, OPERATIONS } from '../../messages/ids.js';
import type { Stage } from '../../messages/onboarding-state.js';
import { count, type Listed, listed, typesOf, visibilityQuery } from '../../temporal/search.js';
import { explainQuery, partnerAccountOf } from '../cli/arguments.js';
import { type CommandLine, withTemporal } from '../cli/command-line.js';
import type { ListFilter } from '../cli/options.js';
import type { RecordFormat, TableColumns } from '../cli/output.js';

interface ListOptions extends ListFilter, RecordFormat {
  readonly operations?: true;
  readonly accounts?: true;
  readonly stage?: Stage;
  readonly actionRequired?: true;
  readonly running?: true;
  readonly startedBefore?: Date;
  readonly endedSince?: Date;
  readonly query?: string;
  readonly limit: number;
}

export async function list(cli: CommandLine, words: readonly string[], options: ListOptions): Promise<void> {
  const { operations, accounts, limit, json, csv, ...filter } = options;
  const types = typesOf(accounts ? ACCOUNTS : operations ? OPERATIONS : ONBOARDINGS);
  const query = visibilityQuery({ ...filter, types, find: words.join(' ') });
  partnerAccountOf(cli.config(), options, 'list', 'nothing was read');
  await withTemporal(cli, async ({ client }) => {
    const found = await Array.fromAsync(listed(client, query, limit)).catch(
      explainQuery(client, query, options.query),
    );
    const total = found.length < limit ? found.length : await count(client, query);
    const shortOf = shortIds(found.map(({ workflowId }) => workflowId));
    const columns: Columns = {
      ...(operations || accounts ? {} : NAME),
      ...COMMON_COLUMNS,
      ...(options.endedSince ? { ended: ({ endedAt }) => endedAt } : {}),
      id: { value: ({ workflowId }) => shortOf(workflowId), keep: true },
    };
    const below = { columns: ['id'], line: ({ workflowId }: Listed) => shortOf(workflowId) };
    cli.records(found, { columns, below, json, csv, fields: FIELDS, total });
  });
}

type Columns = TableColumns<Listed>;

const NAME: Columns = { dba: ({ dba }) => dba };

const COMMON_COLUMNS: Columns = {
  stage: ({ stage }) => stage,
  'partner status': { value: ({ partnerStatus }) => partnerStatus, priority: 5 },
  'to do': { value: toDo, style: (row) => (isLate(row) ? 'red' : undefined) },
  merchant: { value: ({ merchantProfileId }) => merchantProfileId, priority: 7 },
  mid: { value: ({ mid }) => mid, keep: true, priority: 2 },
  profile: { value: ({ bankingProfileId }) => bankingProfileId, priority: 8 },
  account: { value: ({ partnerAccount }) => partnerAccount, priority: 9 },
  started: { value: ({ startedAt }) => startedAt, priority: 6 },
  state: {
    value: ({ state }) => state,
    priority: 4,
    style: ({ state }) => (['failed', 'timed_out', 'terminated'].includes(state) ? 'red' : undefined),
  },
};

/** The fields of each record; CSV has `stageSeconds` by stage after them. */
const FIELDS = [
  ...['workflowId', 'runId', 'type', 'dba', 'system', 'partnerAccount', 'state', 'stage', 'partnerStatus'],
  ...['merchantProfileId', 'mid', 'bankingProfileId', 'agentProfileId', 'requirements', 'moreRequirements'],
  ...['startedAt', 'endedAt'],
];
