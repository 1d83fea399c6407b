import type { VNode } from 'preact';
import type { Times } from '../texts/time.js';
import { type Bar, BarChart, type Tone } from './charts.js';
import { SUBJECTS, SUCCESSES, type WaitFigure, type WeekFigure } from './figures.js';
import { type Column, Name, Notes, pageOf, Table, Time } from './page.js';
import { lackOf, type Report, spanOf } from './report.js';
import { webhookText } from './webhooks.js';

interface Shown {
  readonly report: Report;
  readonly times: Times;
}

export function reportPage(report: Report, times: Times): string {
  return pageOf('Onboardings', [<h1>Onboardings</h1>, <ReportFigures report={report} times={times} />]);
}

/** Names of filters that are not the word for what they filter. */
const FILTERS: Readonly<Record<string, string>> = {
  ...{ system: 'partner', partnerAccount: 'account', partnerAccounts: 'account' },
};

/** The figures of a report: each chart has a table of its numbers next to it. */
export function ReportFigures({ report, times }: Shown) {
  const { at, namespace, since, filter, running, waiting, ended, webhooks = [] } = report;
  const only = Object.entries(filter).map(([name, value]) => `${FILTERS[name] ?? name} ${value}`);
  const lack = lackOf(report);
  return (
    <>
      <p class="faint">
        <Time times={times} at={at} />, namespace {namespace}
        {only.length > 0 && `, only ${only.join(', ')}`}. Ended ones since <Time times={times} at={since} />.
      </p>
      <Notes notes={lack === undefined ? [] : [lack]} />
      <dl class="figures">
        {Object.entries({ running, 'wait for a person': waiting, ended }).map(([name, count]) => (
          <div>
            <dt>{name}</dt>
            <dd>{count}</dd>
          </div>
        ))}
      </dl>
      <p class="faint">Of a customer, these numbers count its merchant, its business and its terminal.</p>
      {stagesOf(report)}
      {timesOf(report)}
      {requirementsOf(report)}
      {longestOf(report, times)}
      {weeksOf(report)}
      {groupsOf(report)}
      {webhooks.length > 0 && <h2>Webhooks</h2>}
      {webhooks.map((figure) => (
        <p>{webhookText(figure)}</p>
      ))}
    </>
  );
}

/** A chart next to the table of its numbers; the table alone if there is nothing to draw. */
function pair(title: string, chart: string, bars: readonly Bar[], table: VNode) {
  return (
    <>
      <h2>{title}</h2>
      <div class="chart-and-table">
        {bars.length > 0 && <BarChart title={chart} bars={bars} />}
        <div>{table}</div>
      </div>
    </>
  );
}

function number<Row>(title: string, cell: (row: Row) => number | string): Column<Row> {
  return { title, cell, isNumber: true };
}

function stagesOf({ stages }: Report) {
  const bars = stages.map(({ subject, stage, running, waiting }) => ({
    label: `${subject}: ${stage}`,
    text: waiting > 0 ? `${running} (${waiting} for a person)` : String(running),
    segments: [
      { name: 'wait for a person', amount: waiting, tone: 'bad' as const },
      { name: 'wait for a partner', amount: running - waiting, tone: 'main' as const },
    ],
  }));
  const columns: Column<Report['stages'][number]>[] = [
    { title: 'Onboarding', cell: ({ subject }) => subject },
    { title: 'Stage', cell: ({ stage }) => stage },
    number('Running', ({ running }) => running),
    number('Wait for a person', ({ waiting }) => waiting),
  ];
  const table = <Table caption="Running onboardings by stage" rows={stages} columns={columns} />;
  return pair('By stage', 'How many are in each stage now', bars, table);
}

function timesOf({ stageTimes }: Report) {
  const bars = stageTimes.map(({ subject, stage, medianSeconds, p90Seconds }) => ({
    label: `${subject}: ${stage}`,
    text: `${spanOf(medianSeconds)} (9 in 10: ${spanOf(p90Seconds)})`,
    segments: [
      { name: 'median', amount: medianSeconds, text: spanOf(medianSeconds), tone: 'main' as const },
      {
        ...{ name: '9 in 10 within', amount: Math.max(0, p90Seconds - medianSeconds) },
        ...{ text: spanOf(p90Seconds), tone: 'tail' as const },
      },
    ],
  }));
  const columns: Column<Report['stageTimes'][number]>[] = [
    { title: 'Onboarding', cell: ({ subject }) => subject },
    { title: 'Stage', cell: ({ stage }) => stage },
    number('Count', ({ count }) => count),
    number('Median', ({ medianSeconds }) => spanOf(medianSeconds)),
    number('9 in 10 within', ({ p90Seconds }) => spanOf(p90Seconds)),
  ];
  const table = <Table caption="Time in each stage that is over" rows={stageTimes} columns={columns} />;
  return pair('Time in each stage', 'Median, and the time within which 9 in 10 left the stage', bars, table);
}

function requirementsOf({ requirements }: Report) {
  const bars = requirements.map(({ kind, open, overdue }) => ({
    label: kind,
    text: `${open}${overdue > 0 ? ` (${overdue} overdue)` : ''}`,
    segments: [
      { name: 'overdue', amount: overdue, tone: 'bad' as const },
      { name: 'in time', amount: open - overdue, tone: 'main' as const },
    ],
  }));
  const columns: Column<Report['requirements'][number]>[] = [
    { title: 'Kind', cell: ({ kind }) => kind },
    number('Open', ({ open }) => open),
    number('Overdue', ({ overdue }) => overdue),
    number('Median wait', ({ medianSeconds }) => spanOf(medianSeconds)),
    number('Longest wait', ({ longestSeconds }) => spanOf(longestSeconds)),
  ];
  const table = <Table caption="Open requirements by kind" rows={requirements} columns={columns} />;
  return pair('Requirements', 'Open requirements now, and those of them that are overdue', bars, table);
}

function longestOf({ longest }: Report, times: Times) {
  const columns = (what: string): Column<WaitFigure>[] => [
    { title: 'Name', cell: ({ dba }) => <Name name={dba ?? ''} /> },
    { title: what, cell: (row) => row.for },
    { title: 'Partner status', cell: ({ partnerStatus }) => partnerStatus ?? '' },
    { title: 'Wait', cell: ({ since }) => times.since(since) },
    { title: 'Since', cell: ({ since }) => <Time times={times} at={since} /> },
    { title: 'ID', cell: ({ workflowId }) => <code>{workflowId}</code> },
  ];
  const of = (waits: WaitFigure['waits']) => longest.filter((row) => row.waits === waits);
  return (
    <>
      <h2>Longest waits</h2>
      <Table
        caption="Wait longest for a person"
        rows={of('person')}
        columns={columns('Requirement')}
        isWide
      />
      <Table caption="Longest in their stage" rows={of('stage')} columns={columns('Stage')} isWide />
    </>
  );
}

/** The color of each outcome. A terminated or failed workflow needs attention, unlike a declined one. */
const TONES: Readonly<Record<string, Tone>> = {
  ...Object.fromEntries(SUCCESSES.map((outcome) => [outcome, 'good' as const])),
  'partly-onboarded': 'part',
  declined: 'calm',
  withdrawn: 'tail',
  closed: 'tail',
  abandoned: 'left',
  cancelled: 'left',
};

function weeksOf({ weeks }: Report) {
  const charts = Object.values(SUBJECTS).flatMap((subject) => {
    const own = weeks.filter((week) => week.subject === subject);
    if (own.length === 0) return [];
    const columns: Column<WeekFigure>[] = [
      { title: 'Week', cell: ({ week }) => week },
      { title: 'From', cell: ({ monday }) => monday },
      ...outcomesIn(own).map((outcome) =>
        number<WeekFigure>(outcome, ({ outcomes }) => outcomes[outcome] ?? ''),
      ),
    ];
    const bars = own.map(({ week, monday, outcomes }) => ({
      label: `${week} from ${monday}`,
      text: String(Object.values(outcomes).reduce((sum, count) => sum + count, 0)),
      segments: outcomesIn(own).map((name) => ({
        ...{ name, amount: outcomes[name] ?? 0, tone: TONES[name] ?? ('bad' as const) },
      })),
    }));
    return [
      <BarChart title={`${subject}: how many ended, by week and outcome`} bars={bars} />,
      <Table caption={`${subject}: outcomes by week`} rows={own} columns={columns} isWide />,
    ];
  });
  return (
    <>
      <h2>Outcomes by week</h2>
      <p class="faint">Weeks begin on Monday, UTC.</p>
      {charts.length > 0 ? charts : <p>none</p>}
    </>
  );
}

/** Those that onboardings are started for come first. */
function outcomesIn(weeks: readonly WeekFigure[]): string[] {
  const order = Object.keys(TONES);
  const rank = (outcome: string) => (order.includes(outcome) ? order.indexOf(outcome) : order.length);
  const all = [...new Set(weeks.flatMap(({ outcomes }) => Object.keys(outcomes)))];
  return all.sort((one, other) => rank(one) - rank(other));
}

function groupsOf({ groups, by }: Report) {
  if (!groups) return null;
  const columns: Column<NonNullable<Report['groups']>[number]>[] = [
    { title: by === 'agent' ? 'Agent profile' : 'Account', cell: ({ group }) => group ?? '(none)' },
    number('Running', ({ running }) => running),
    number('Wait for a person', ({ waiting }) => waiting),
    number('Succeeded', ({ succeeded }) => succeeded),
    number('Ended otherwise', ({ others }) => others),
    number('Median time', ({ medianSeconds }) => (medianSeconds === null ? '' : spanOf(medianSeconds))),
  ];
  const title = by === 'agent' ? 'By agent profile' : 'By account';
  return (
    <>
      <h2>{title}</h2>
      <Table caption={`${title}: running and ended`} rows={groups} columns={columns} />
    </>
  );
}
