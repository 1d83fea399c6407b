import type { Client } from '@temporalio/client';
import { omitUndefined } from '../../messages/objects.js';
import { ACCOUNTS, ONBOARDINGS, OPERATIONS } from '../../messages/workflow-types.js';
import type { SystemName } from '../../partners/descriptors.js';
import { compareField, either, IS_RUNNING, is } from '../../temporal/query.js';
import { type Filter, searchOnboardings, typesOf } from '../../temporal/search.js';
import { span, type Times } from '../texts/time.js';
import { type Figures, type Grouping, SUCCESSES, Tally, type WaitFigure } from './statistics.js';
import type { WebhookFigure } from './webhooks.js';

export interface Report extends Figures {
  readonly version: 1;
  /** ISO 8601, like all times. */
  readonly at: string;
  readonly namespace: string;
  /** Onboardings that ended earlier are left out. */
  readonly since: string;
  readonly filter: Readonly<Record<string, string>>;
  readonly by: Grouping | null;
  /** The retention of ended workflows; null if this client may not read it. */
  readonly retentionSeconds: number | null;
  /** Absent without Prometheus, or with a filter that Prometheus does not support. */
  readonly webhooks?: readonly WebhookFigure[];
}

type Kept = Pick<Report, 'since' | 'at' | 'retentionSeconds'>;

/** As {@link lackOf}, for a list up to now. */
export async function lackSince(client: Client, since: Date): Promise<string | undefined> {
  const [from, at] = [since, new Date()].map((time) => time.toISOString()) as [string, string];
  return lackOf({ since: from, at, retentionSeconds: await retentionOf(client) });
}

/** Returns what the list of workflows no longer has; undefined if it has everything since then. */
export function lackOf({ since, at, retentionSeconds }: Kept): string | undefined {
  if (retentionSeconds === null || Date.parse(at) - retentionSeconds * 1_000 <= Date.parse(since))
    return undefined;
  const oldest = span(retentionSeconds * 1_000);
  return `Temporal keeps ended onboardings for ${oldest} (the retention of the namespace), so earlier ones are missing here.`;
}

export interface FigureTable {
  readonly part: Exclude<keyof Figures, 'running' | 'waiting' | 'waitingOverADay' | 'ended' | 'overADay'>;
  readonly title: string;
  readonly caption: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly (string | number | Date)[])[];
}

type Columns<Row> = Readonly<Record<string, (row: Row) => FigureTable['rows'][number][number]>>;

function tableOf<Row>(
  [part, title, caption]: readonly [FigureTable['part'], title: string, caption: string],
  rows: readonly Row[],
  columns: Columns<Row>,
): FigureTable {
  const cells = rows.map((row) => Object.values(columns).map((cellOf) => cellOf(row)));
  return { part, title, caption, head: Object.keys(columns), rows: cells };
}

export function tablesOf(report: Report, times: Times): FigureTable[] {
  const { stages, stageTimes, requirements, longest, weeks } = report;
  const waits = (of: WaitFigure['waits'], what: string, title: string) =>
    tableOf(
      ['longest', title, `${title}, the longest first`],
      longest.filter((row) => row.waits === of),
      {
        Name: ({ dba }) => dba ?? '',
        [what]: (row) => row.for,
        'Partner status': ({ partnerStatus }) => partnerStatus ?? '',
        Wait: ({ since }) => times.since(since),
        Since: ({ since }) => new Date(since),
        ID: ({ workflowId }) => workflowId,
      },
    );
  return [
    tableOf(['stages', 'By stage', 'Running onboardings by stage'], stages, {
      Onboarding: ({ subject }) => subject,
      Stage: ({ stage }) => stage,
      Running: ({ running }) => running,
      'Wait for a person': ({ waiting }) => waiting,
    }),
    tableOf(['stageTimes', 'Time in each stage', 'Time in each stage that is over'], stageTimes, {
      Onboarding: ({ subject }) => subject,
      Stage: ({ stage }) => stage,
      Count: ({ count }) => count,
      Median: ({ medianSeconds }) => spanOf(medianSeconds),
      '9 in 10 within': ({ p90Seconds }) => spanOf(p90Seconds),
      'Over a day': ({ overADay }) => overADay,
    }),
    tableOf(['requirements', 'Open requirements', 'Open requirements by kind'], requirements, {
      Kind: ({ kind }) => kind,
      Open: ({ open }) => open,
      Overdue: ({ overdue }) => overdue,
      'Median wait': ({ medianSeconds }) => spanOf(medianSeconds),
      'Longest wait': ({ longestSeconds }) => spanOf(longestSeconds),
    }),
    waits('person', 'Requirement', 'Longest waits for a person'),
    waits('stage', 'Stage', 'Longest in their stage'),
    tableOf(['weeks', 'Outcomes by week (Monday, UTC)', 'How many ended, by week and outcome'], weeks, {
      Week: ({ week }) => week,
      From: ({ monday }) => monday,
      Onboarding: ({ subject }) => subject,
      Outcomes: ({ outcomes }) =>
        Object.entries(outcomes)
          .map(([outcome, count]) => `${outcome} ${count}`)
          .join(', '),
    }),
    ...groupsTable(report),
  ];
}

function groupsTable({ groups, by }: Report): FigureTable[] {
  if (!groups) return [];
  const table = tableOf(['groups', `By ${by}`, `Running and ended, by ${by}`], groups, {
    [by === 'agent' ? 'Agent profile' : 'Account']: ({ group }) => group ?? '(none)',
    Running: ({ running }) => running,
    'Wait for a person': ({ waiting }) => waiting,
    Succeeded: ({ succeeded }) => succeeded,
    'Ended otherwise': ({ others }) => others,
    'Median time': ({ medianSeconds }) => (medianSeconds === null ? '' : spanOf(medianSeconds)),
  });
  return [table];
}

export function spanOf(seconds: number): string {
  return span(seconds * 1_000);
}

export const COLUMNS = ['section', 'onboarding', 'name', 'week', 'measure', 'value'] as const;

/** The name is a stage, a kind of requirement, an outcome, a workflow ID or a group. The week of an outcome is its Monday. */
type NumberRow = Readonly<Record<(typeof COLUMNS)[number], string | number>>;

/** Returns each number in its own row, for spreadsheets to group. */
export function numbersOf({ at, groups = [], webhooks = [], ...figures }: Report): NumberRow[] {
  const { stages, stageTimes, requirements, longest, weeks } = figures;
  const rows = (about: Partial<NumberRow>, measures: Readonly<Record<string, number | null>>) =>
    Object.entries(measures).flatMap(([measure, value]) =>
      value === null ? [] : [{ section: '', onboarding: '', name: '', week: '', ...about, measure, value }],
    );
  return [
    ...stages.flatMap(({ subject: onboarding, stage: name, ...counts }) =>
      rows({ section: 'stages', onboarding, name }, counts),
    ),
    ...stageTimes.flatMap(({ subject: onboarding, stage: name, ...measures }) =>
      rows({ section: 'stage-times', onboarding, name }, measures),
    ),
    ...requirements.flatMap(({ kind: name, ...measures }) =>
      rows({ section: 'requirements', name }, measures),
    ),
    ...longest.flatMap(({ workflowId: name, waits, since }) => {
      const seconds = Math.round((Date.parse(at) - Date.parse(since)) / 1_000);
      return rows({ section: 'longest', name }, { [`${waits}-seconds`]: seconds });
    }),
    ...weeks.flatMap(({ subject: onboarding, monday: week, outcomes }) =>
      Object.entries(outcomes).flatMap(([name, count]) =>
        rows({ section: 'outcomes', onboarding, name, week }, { count }),
      ),
    ),
    ...groups.flatMap(({ group, ...measures }) => rows({ section: 'groups', name: group ?? '' }, measures)),
    ...webhooks.flatMap(({ subject: onboarding, account, nudged, pollOnly, sinceLastSeconds }) =>
      rows({ section: 'webhooks', onboarding, name: account ?? '' }, { nudged, pollOnly, sinceLastSeconds }),
    ),
  ];
}

export const WEEK_COLUMNS: readonly string[] = ['week', 'monday', 'ended', 'succeeded'];

/**
 * Returns a row for each week in which something ended, earliest first, with a number for each outcome. Counts a customer's parts,
 * not the customer.
 */
export function weekRowsOf({ weeks }: Pick<Report, 'weeks'>): Readonly<Record<string, string | number>>[] {
  const counted = weeks.filter(({ subject }) => subject !== 'customer');
  const outcomes = [...new Set(counted.flatMap((each) => Object.keys(each.outcomes)))].sort();
  const mondays = [...new Set(counted.map(({ monday }) => monday))].sort();
  return mondays.map((monday) => {
    const own = counted.filter((each) => each.monday === monday);
    const sum = (names: readonly string[]) =>
      own.reduce((total, each) => names.reduce((more, name) => more + (each.outcomes[name] ?? 0), total), 0);
    return {
      week: own[0]?.week ?? '',
      monday,
      ended: sum(outcomes),
      succeeded: sum(SUCCESSES),
      ...Object.fromEntries(outcomes.map((outcome) => [outcome, sum([outcome])])),
    };
  });
}

export interface ReportOf {
  /** Onboardings that ended earlier are left out. Default: twelve weeks ago. */
  readonly since?: Date;
  readonly by?: Grouping;
  readonly dba?: string;
  readonly system?: SystemName;
  readonly partnerAccount?: string;
  /** Only these accounts, '' for the unnamed account. */
  readonly partnerAccounts?: readonly string[] | undefined;
  readonly agent?: string;
}

const DEFAULT_SINCE_MS = 84 * 86_400_000;

/** The name of the unnamed account in filters and URLs. */
export const UNNAMED = 'default';

/** Makes a report from the list of workflows, page by page, without querying workflows. */
export async function reportOf(client: Client, options: ReportOf): Promise<Report> {
  const now = new Date();
  const { since = new Date(now.getTime() - DEFAULT_SINCE_MS), by, ...filter } = options;
  const query = either(IS_RUNNING, compareField('CloseTime', '>=', since));
  const onboardings = { ...filter, types: typesOf(ONBOARDINGS) };
  const others = { ...filter, types: typesOf({ ...OPERATIONS, ...ACCOUNTS }), actionRequired: true };
  const tally = new Tally({ now, by, firstStarts: await firstStartsOf(client, onboardings) });
  for await (const row of searchOnboardings(client, { ...onboardings, query })) tally.add(row);
  for await (const row of searchOnboardings(client, others)) tally.add(row);
  const { namespace } = client.options;
  return {
    version: 1,
    at: now.toISOString(),
    namespace,
    since: since.toISOString(),
    filter: wordsOf(filter),
    by: by ?? null,
    retentionSeconds: await retentionOf(client),
    ...tally.figures,
  };
}

function wordsOf(filter: Omit<ReportOf, 'since' | 'by'>): Record<string, string> {
  const words = (value: string | readonly string[]) => [value].flat().map((each) => each || UNNAMED);
  return Object.fromEntries(
    Object.entries(omitUndefined(filter)).map(([name, value]) => [name, words(value).join(', ')]),
  );
}

/** Returns the first start of workflows with several runs, which few have. */
export async function firstStartsOf(client: Client, filter: Filter): Promise<Map<string, Date>> {
  const first = new Map<string, Date>();
  const query = is('ExecutionStatus', 'ContinuedAsNew');
  for await (const { workflowId, startedAt } of searchOnboardings(client, { ...filter, query })) {
    const entry = first.get(workflowId);
    if (!entry || startedAt < entry) first.set(workflowId, startedAt);
  }
  return first;
}

async function retentionOf(client: Client): Promise<number | null> {
  const { namespace } = client.options;
  const described = await client.workflowService.describeNamespace({ namespace }).catch(() => undefined);
  const { seconds } = described?.config?.workflowExecutionRetentionTtl ?? {};
  return seconds ? Number(seconds) : null;
}
