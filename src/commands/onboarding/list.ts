import { type Command, Option } from 'commander';
import { ACCOUNTS, ONBOARDINGS, OPERATIONS } from '../../messages/ids.js';
import { STAGES, type Stage } from '../../messages/onboarding-state.js';
import { TASKS } from '../../messages/requirements.js';
import { count, type Listed, listed, typesOf, visibilityQuery } from '../../temporal/search.js';
import { type CommandLine, withTemporal } from '../cli/command-line.js';
import type { TableColumns } from '../cli/output.js';
import { type ListFilter, pastTime, rowLimit, withListFilter } from './filters.js';

interface ListOptions extends ListFilter {
  readonly operations?: true;
  readonly accounts?: true;
  readonly stage?: Stage;
  readonly actionRequired?: true;
  readonly running?: true;
  readonly startedBefore?: Date;
  readonly endedSince?: Date;
  readonly query?: string;
  readonly limit: number;
  readonly json?: true;
}

export function listCommand(program: Command, cli: CommandLine): void {
  const command = program
    .command('list')
    .summary('list onboardings, operations, or partner accounts')
    .description('List onboardings, newest first. This needs no worker.')
    .option('--operations', 'list single operations at the bank instead')
    .addOption(
      new Option('--accounts', 'list partner accounts with rejected credentials instead').conflicts(
        'operations',
      ),
    );
  withListFilter(command)
    .addOption(new Option('--stage <stage>', 'only this stage').choices(STAGES))
    .option('--action-required', 'only those that wait for a person')
    .option('--running', 'only those that have not ended')
    .option('--started-before <time>', 'only those that started before: 2d, yesterday, 2026-01-31', pastTime)
    .option('--ended-since <time>', 'only those that ended since: today, 12h, 2026-01-31', pastTime)
    .option('--query <query>', 'an additional visibility query: "PartnerStatus = \'Pending\'"')
    .option('--limit <n>', 'maximum number of rows; 0 for all', rowLimit, 50)
    .option('--json', 'print JSON lines')
    .action((options: ListOptions) => list(cli, options));
}

async function list(cli: CommandLine, options: ListOptions): Promise<void> {
  const { operations, accounts, limit, json, ...filter } = options;
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
    cli.records(found, { columns, json });
    if (total > found.length) cli.note(`${found.length} of ${total}; --limit 0 for all`);
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
