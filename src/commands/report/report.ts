import type { Client } from '@temporalio/client';
import { ACCOUNTS, ONBOARDINGS, OPERATIONS } from '../../messages/ids.js';
import { type Filter, listed, typesOf, visibilityQuery } from '../../temporal/search.js';
import { type CommandLine, withTemporal } from '../cli/command-line.js';
import type { Cell } from '../cli/table.js';
import type { ListFilter } from '../onboarding/filters.js';
import { type Grouping, Tally } from './figures.js';
import { COLUMNS, countsOf, lackOf, numbersOf, type Report, spanOf } from './numbers.js';
import { savePage } from './page.js';
import { reportPage } from './report-page.js';

interface ReportOptions extends ListFilter {
  readonly since?: Date;
  readonly by?: Grouping;
  readonly json?: true;
  readonly csv?: true;
  readonly html?: string;
}

/** Twelve weeks. */
const DEFAULT_SINCE_MS = 84 * 86_400_000;

export async function report(cli: CommandLine, options: ReportOptions): Promise<void> {
  const { json, csv, html, ...which } = options;
  const made = await withTemporal(cli, ({ client }) => reportOf(client, which));
  if (json) return cli.json(made);
  if (csv) return cli.csv(numbersOf(made), COLUMNS);
  if (html === undefined) return printReport(cli, made);
  await savePage(html, reportPage(made, cli.times));
  cli.line(`saved the report to ${html}`);
}

/** Reads the list of workflows, page by page. Queries no workflow. */
async function reportOf(
  client: Client,
  options: Omit<ReportOptions, 'json' | 'csv' | 'html'>,
): Promise<Report> {
  const now = new Date();
  const { since = new Date(now.getTime() - DEFAULT_SINCE_MS), by, ...filter } = options;
  const query = `ExecutionStatus = 'Running' OR CloseTime >= '${since.toISOString()}'`;
  const onboardings = { ...filter, types: typesOf(ONBOARDINGS) };
  const others = { ...filter, types: typesOf({ ...OPERATIONS, ...ACCOUNTS }), actionRequired: true };
  const tally = new Tally({ now, by, firstStarts: await firstStartsOf(client, onboardings) });
  for await (const row of listed(client, visibilityQuery({ ...onboardings, query }))) tally.add(row);
  for await (const row of listed(client, visibilityQuery(others))) tally.add(row);
  const { namespace } = client.options;
  return {
    ...{ version: 1, at: now.toISOString(), namespace, since: since.toISOString() },
    filter: Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)),
    ...{ by: by ?? null, retentionSeconds: await retentionOf(client) },
    ...tally.figures,
  };
}

/** When those of several runs began. Few have so long a history. */
async function firstStartsOf(client: Client, filter: Filter): Promise<Map<string, Date>> {
  const first = new Map<string, Date>();
  const query = visibilityQuery({ ...filter, query: `ExecutionStatus = 'ContinuedAsNew'` });
  for await (const { workflowId, startedAt } of listed(client, query)) {
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

function printReport(cli: CommandLine, made: Report): void {
  const { running, waiting, ended, since, stages, stageTimes, requirements, longest, weeks, groups } = made;
  const section = (title: string, head: readonly string[], rows: readonly (readonly Cell[])[]) => {
    cli.line(`\n${title}`);
    if (rows.length > 0) cli.table(head, rows);
    else cli.line('none');
  };
  cli.line(
    `${running} running, of which ${waiting} ${waiting === 1 ? 'waits' : 'wait'} for a person; ${ended} ended since ${cli.times.at(since)}`,
  );
  section(
    'By stage',
    ['onboarding', 'stage', 'running', 'wait for a person'],
    stages.map((row) => [row.subject, row.stage, row.running, row.waiting]),
  );
  section(
    'Time in each stage',
    ['onboarding', 'stage', 'count', 'median', '9 in 10 within'],
    stageTimes.map((row) => [
      ...[row.subject, row.stage, row.count, spanOf(row.medianSeconds), spanOf(row.p90Seconds)],
    ]),
  );
  section(
    'Open requirements',
    ['kind', 'open', 'overdue', 'median wait', 'longest wait'],
    requirements.map((row) => [
      ...[row.kind, row.open, row.overdue],
      ...[spanOf(row.medianSeconds), spanOf(row.longestSeconds)],
    ]),
  );
  for (const [waits, title] of [
    ['person', 'Wait longest for a person'],
    ['stage', 'Longest in their stage'],
  ] as const)
    section(
      title,
      ['dba', waits === 'person' ? 'for' : 'stage', 'wait', 'since', 'id'],
      longest
        .filter((row) => row.waits === waits)
        .map((row) => [
          row.dba ?? '',
          row.for,
          cli.times.since(row.since),
          cli.times.at(row.since),
          row.workflowId,
        ]),
    );
  section(
    'Outcomes by week (Monday, UTC)',
    ['week', 'from', 'onboarding', 'outcomes'],
    weeks.map(({ week, monday, subject, outcomes }) => [week, monday, subject, countsOf(outcomes)]),
  );
  if (groups)
    section(
      `By ${made.by}`,
      [made.by ?? '', 'running', 'wait for a person', 'succeeded', 'ended otherwise', 'median time'],
      groups.map((row) => [
        ...[row.group ?? '(none)', row.running, row.waiting, row.succeeded],
        ...[row.others, row.medianSeconds === null ? '' : spanOf(row.medianSeconds)],
      ]),
    );
  const lack = lackOf(made);
  if (lack) cli.note(lack);
}
