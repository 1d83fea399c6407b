import type { Times } from '../cli/time.js';
import { type Bar, barChart, type Tone } from './charts.js';
import { SUBJECTS, SUCCESSES, type WaitFigure, type WeekFigure } from './figures.js';
import { type Html, html } from './html.js';
import { lackOf, type Report, spanOf } from './numbers.js';
import { type Column, notesWith, pageOf, tableWith, timeOf } from './page.js';

/** A report as a page: each chart has its numbers in a table beside it. */
export function reportPage(report: Report, times: Times): Html {
  const { at, namespace, since, filter, running, waiting, ended } = report;
  const only = Object.entries(filter).map(([name, value]) => `${name} ${value}`);
  const lack = lackOf(report);
  return pageOf(
    'Onboardings',
    html`<h1>Onboardings</h1>
<p class="faint">${timeOf(times, at)}, namespace ${namespace}${only.length > 0 && `, only ${only.join(', ')}`}. Ended ones since ${timeOf(times, since)}.</p>
${notesWith(lack === undefined ? [] : [lack])}
<dl class="figures">
<div><dt>running</dt><dd>${running}</dd></div>
<div><dt>wait for a person</dt><dd>${waiting}</dd></div>
<div><dt>ended</dt><dd>${ended}</dd></div>
</dl>
<p class="faint">Of a customer, these numbers count its merchant, its business and its terminal.</p>
${stagesOf(report)}
${timesOf(report)}
${requirementsOf(report)}
${longestOf(report, times)}
${weeksOf(report)}
${groupsOf(report)}`,
  );
}

/** A chart beside the table of its numbers; the table alone where there is nothing to draw. */
function pair(title: string, chart: string, bars: readonly Bar[], table: Html): Html {
  return html`<h2>${title}</h2>
<div class="pair">${bars.length > 0 && barChart(chart, bars)}<div>${table}</div></div>`;
}

function number<Row>(title: string, cell: (row: Row) => number | string): Column<Row> {
  return { title, cell, isNumber: true };
}

function stagesOf({ stages }: Report): Html {
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
  const table = tableWith('Running onboardings by stage', stages, columns);
  return pair('By stage', 'How many are in each stage now', bars, table);
}

function timesOf({ stageTimes }: Report): Html {
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
  const table = tableWith('Time in each stage that is over', stageTimes, columns);
  return pair('Time in each stage', 'Median, and the time within which 9 in 10 left the stage', bars, table);
}

function requirementsOf({ requirements }: Report): Html {
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
  const table = tableWith('Open requirements by kind', requirements, columns);
  return pair('Requirements', 'Open requirements now, and those of them that are overdue', bars, table);
}

function longestOf({ longest }: Report, times: Times): Html {
  const columns = (what: string): Column<WaitFigure>[] => [
    { title: 'Name', cell: ({ dba }) => dba ?? '' },
    { title: what, cell: (row) => row.for },
    { title: 'Partner status', cell: ({ partnerStatus }) => partnerStatus ?? '' },
    { title: 'Wait', cell: ({ since }) => times.since(since) },
    { title: 'Since', cell: ({ since }) => timeOf(times, since) },
    { title: 'ID', cell: ({ workflowId }) => html`<code>${workflowId}</code>` },
  ];
  const of = (waits: WaitFigure['waits']) => longest.filter((row) => row.waits === waits);
  return html`<h2>Longest waits</h2>
${tableWith('Wait longest for a person', of('person'), columns('Requirement'), { isWide: true })}
${tableWith('Longest in their stage', of('stage'), columns('Stage'), { isWide: true })}`;
}

/** The color of each outcome. A terminated or failed workflow needs somebody, as a declined one does not. */
const TONES: Readonly<Record<string, Tone>> = {
  ...Object.fromEntries(SUCCESSES.map((outcome) => [outcome, 'good' as const])),
  'partly-onboarded': 'part',
  declined: 'calm',
  withdrawn: 'tail',
  closed: 'tail',
  abandoned: 'left',
  cancelled: 'left',
};

function weeksOf({ weeks }: Report): Html {
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
    const chart = barChart(`${subject}: how many ended, by week and outcome`, bars);
    const table = tableWith(`${subject}: outcomes by week`, own, columns, { isWide: true });
    return [html`${chart}\n${table}\n`];
  });
  return html`<h2>Outcomes by week</h2>
<p class="faint">Weeks begin on Monday, UTC.</p>
${charts.length > 0 ? charts : html`<p>none</p>`}`;
}

/** Those that onboardings are started for come first. */
function outcomesIn(weeks: readonly WeekFigure[]): string[] {
  const order = Object.keys(TONES);
  const rank = (outcome: string) => (order.includes(outcome) ? order.indexOf(outcome) : order.length);
  const all = [...new Set(weeks.flatMap(({ outcomes }) => Object.keys(outcomes)))];
  return all.sort((one, other) => rank(one) - rank(other));
}

function groupsOf({ groups, by }: Report): Html | undefined {
  if (!groups) return undefined;
  const columns: Column<NonNullable<Report['groups']>[number]>[] = [
    { title: by === 'agent' ? 'Agent profile' : 'Account', cell: ({ group }) => group ?? '(none)' },
    number('Running', ({ running }) => running),
    number('Wait for a person', ({ waiting }) => waiting),
    number('Succeeded', ({ succeeded }) => succeeded),
    number('Ended otherwise', ({ others }) => others),
    number('Median time', ({ medianSeconds }) => (medianSeconds === null ? '' : spanOf(medianSeconds))),
  ];
  const title = by === 'agent' ? 'By agent profile' : 'By account';
  return html`<h2>${title}</h2>\n${tableWith(`${title}: running and ended`, groups, columns)}`;
}
