import { ACCOUNTS, ONBOARDINGS, OPERATIONS } from '../../messages/ids.js';
import type { Stage } from '../../messages/onboarding-state.js';
import { TASKS } from '../../messages/requirements.js';
import { count, type Listed, listed, typesOf, visibilityQuery } from '../../temporal/search.js';
import { type CommandLine, withTemporal } from '../cli/command-line.js';
import type { RecordFormat, TableColumns } from '../cli/output.js';
import type { ListFilter } from './filters.js';

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

export async function list(cli: CommandLine, options: ListOptions): Promise<void> {
  const { operations, accounts, limit, json, csv, ...filter } = options;
  const types = typesOf(accounts ? ACCOUNTS : operations ? OPERATIONS : ONBOARDINGS);
  const query = visibilityQuery({ ...filter, types });
  await withTemporal(cli, async ({ client }) => {
    const found = await Array.fromAsync(listed(client, query, limit));
    const total = found.length < limit ? found.length : await count(client, query);
    const columns = {
      ...(operations || accounts ? {} : ONBOARDING_COLUMNS),
      ...COMMON_COLUMNS,
      ...(options.endedSince ? { ended: ({ endedAt }: Listed) => endedAt } : {}),
      id: ({ workflowId }: Listed) => workflowId,
    };
    cli.records(found, { columns, json, csv, total });
  });
}

type Columns = TableColumns<Listed>;

const ONBOARDING_COLUMNS: Columns = {
  dba: ({ dba = '' }) => dba,
};

const COMMON_COLUMNS: Columns = {
  stage: ({ stage = '' }) => stage,
  'partner status': ({ partnerStatus = '' }) => partnerStatus,
  'to do': toDo,
  merchant: ({ merchantProfileId = '' }) => merchantProfileId,
  mid: ({ mid = '' }) => mid,
  profile: ({ bankingProfileId = '' }) => bankingProfileId,
  account: ({ partnerAccount = '' }) => partnerAccount,
  started: ({ startedAt }) => startedAt,
  state: ({ state }) => state,
};

/** What a person has to do first. */
function toDo({ requirements, moreRequirements }: Listed): string {
  const [first, ...others] = requirements;
  if (!first) return '';
  const more = others.length + moreRequirements;
  return TASKS[first.kind] + (more > 0 ? ` (${more} more)` : '');
}
