import type { Client } from '@temporalio/client';
import { ACCOUNTS, ONBOARDINGS, OPERATIONS } from '../messages/ids.js';
import type { SystemName } from '../partners/systems.js';
import { compared, either, IS_RUNNING, is } from '../temporal/query.js';
import { type Filter, listedBy, typesOf } from '../temporal/search.js';
import { type Grouping, Tally } from './figures.js';
import type { Report } from './numbers.js';

export interface ReportOf {
  /** Onboardings that ended before are left out. Default: twelve weeks ago. */
  readonly since?: Date;
  readonly by?: Grouping;
  readonly dba?: string;
  readonly system?: SystemName;
  readonly partnerAccount?: string;
  /** Only these accounts, '' for the one without a name. */
  readonly partnerAccounts?: readonly string[] | undefined;
  readonly agent?: string;
}

const DEFAULT_SINCE_MS = 84 * 86_400_000;

/** The name of the account without a name in filters and in the address bar. */
export const UNNAMED = 'default';

/** Reads the list of workflows, page by page. Queries no workflow. */
export async function reportOf(client: Client, options: ReportOf): Promise<Report> {
  const now = new Date();
  const { since = new Date(now.getTime() - DEFAULT_SINCE_MS), by, ...filter } = options;
  const query = either(IS_RUNNING, compared('CloseTime', '>=', since));
  const onboardings = { ...filter, types: typesOf(ONBOARDINGS) };
  const others = { ...filter, types: typesOf({ ...OPERATIONS, ...ACCOUNTS }), actionRequired: true };
  const tally = new Tally({ now, by, firstStarts: await firstStartsOf(client, onboardings) });
  for await (const row of listedBy(client, { ...onboardings, query })) tally.add(row);
  for await (const row of listedBy(client, others)) tally.add(row);
  const { namespace } = client.options;
  return {
    ...{ version: 1, at: now.toISOString(), namespace, since: since.toISOString() },
    filter: wordsOf(filter),
    ...{ by: by ?? null, retentionSeconds: await retentionOf(client) },
    ...tally.figures,
  };
}

function wordsOf(filter: Omit<ReportOf, 'since' | 'by'>): Record<string, string> {
  const words = (value: string | readonly string[]) => [value].flat().map((each) => each || UNNAMED);
  return Object.fromEntries(
    Object.entries(filter).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, words(value).join(', ')]],
    ),
  );
}

/** The start of workflows with several runs. Few have so long a history. */
async function firstStartsOf(client: Client, filter: Filter): Promise<Map<string, Date>> {
  const first = new Map<string, Date>();
  const query = is('ExecutionStatus', 'ContinuedAsNew');
  for await (const { workflowId, startedAt } of listedBy(client, { ...filter, query })) {
    const known = first.get(workflowId);
    if (!known || startedAt < known) first.set(workflowId, startedAt);
  }
  return first;
}

async function retentionOf(client: Client): Promise<number | null> {
  const { namespace } = client.options;
  const { config } = await client.workflowService
    .describeNamespace({ namespace })
    .catch(() => ({ config: null }));
  const { seconds } = config?.workflowExecutionRetentionTtl ?? {};
  return seconds ? Number(seconds) : null;
}
