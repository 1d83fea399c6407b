import { OUTCOMES, STAGES } from '../../messages/codes.js';
import { fieldOf } from '../../messages/objects.js';
import type { Times } from '../texts/time.js';
import { type Column, Name, Notes, renderReportPage, Table, Time } from './page.js';
import { type FigureTable, lackOf, type Report, tablesOf } from './report.js';
import { SUCCESSES } from './statistics.js';
import { webhookText } from './webhooks.js';

interface Shown {
  readonly report: Report;
  readonly times: Times;
  /** Default: a page without links. */
  readonly links?: ReportLinks | undefined;
}

/** The links to an onboarding, and to the rows that a number counts; undefined if no list has exactly these. */
export interface ReportLinks {
  readonly pathOf: (workflowId: string) => string;
  readonly rowsOf: (counted: Counted) => string | undefined;
}

/** The workflows or requirements that a number of a report counts. */
export interface Counted {
  readonly of: 'running' | 'waiting' | 'waitingOverADay' | 'overADay' | 'ended' | 'open' | 'overdue';
  readonly subject?: string;
  readonly stage?: string;
  readonly kind?: string;
}

export function reportPage(report: Report, times: Times): string {
  return renderReportPage('Onboardings', [
    <h1>Onboardings</h1>,
    <ReportFigures report={report} times={times} />,
  ]);
}

/** Filters whose name differs from the word for what they filter. */
const FILTERS: Readonly<Record<string, string>> = {
  system: 'partner',
  partnerAccount: 'account',
  partnerAccounts: 'account',
};

export function ReportFigures({ report, times, links }: Shown) {
  const { at, namespace, since, filter, webhooks = [] } = report;
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
        {FIGURES.map(([of, name]) => (
          <div>
            <dt>{name}</dt>
            <dd>
              <Linked to={links?.rowsOf({ of })} number={report[of]} what={name} />
            </dd>
          </div>
        ))}
      </dl>
      <p class="faint">Of a customer, these numbers count its merchant and its business.</p>
      {tablesOf(report, times).map((table) =>
        sectionOf(BARS[table.part]?.(report) ?? [], table, { times, links }),
      )}
      {webhooks.length > 0 && <h2>Webhooks</h2>}
      {webhooks.map((figure) => (
        <p>{webhookText(figure)}</p>
      ))}
    </>
  );
}

/** The totals, in the order of the page. Waits for a person and waits in a stage are counted separately. */
export const FIGURES = [
  ['running', 'running'],
  ['waiting', 'wait for a person'],
  ['waitingOverADay', 'wait for a person for over a day'],
  ['overADay', 'in one stage for over a day'],
  ['ended', 'ended'],
] as const;

function Linked({
  to,
  number,
  what,
}: {
  readonly to: string | undefined;
  readonly number: number;
  readonly what: string;
}) {
  if (to === undefined || number === 0) return <>{number}</>;
  return (
    <a href={to} aria-label={`${number} ${what}`}>
      {number}
    </a>
  );
}

/** The meaning of a cell's number, by column title. */
const COUNTED: Readonly<Partial<Record<FigureTable['part'], Readonly<Record<string, Counted['of']>>>>> = {
  stages: { Running: 'running', 'Wait for a person': 'waiting' },
  requirements: { Open: 'open', Overdue: 'overdue' },
};

type Row = FigureTable['rows'][number];

/** Renders a table, with a bar in each row if there are several. */
function sectionOf(bars: readonly Bar[], { part, title, caption, head, rows }: FigureTable, how: How) {
  const columns = head.flatMap((name, index): Column<Row>[] => {
    // The name is already the link.
    if (name === 'ID' && how.links) return [];
    const isNumber = typeof rows[0]?.[index] === 'number';
    const countedCell = (row: Row) => {
      const of = COUNTED[part]?.[name];
      const [first, second] = row.map(String);
      if (!of || !how.links || first === undefined || second === undefined) return undefined;
      const counted = part === 'stages' ? { of, subject: first, stage: second } : { of, kind: first };
      const what = `${part === 'stages' ? `${first}, ${second}` : first}: ${name.toLowerCase()}`;
      return <Linked to={how.links.rowsOf(counted)} number={Number(row[index])} what={what} />;
    };
    const cell = (row: Row) => countedCell(row) ?? formatCell(name, row[index], how, String(row.at(-1)));
    return [{ title: name, cell, at: PLACES[name], ...(isNumber && { isNumber }) }];
  });
  const longest = Math.max(...bars.map(amountOf));
  const barColumn: (typeof columns)[number] = {
    title: 'Compared',
    cell: (row) => <BarCell bar={bars[rows.indexOf(row)] ?? []} longest={longest} />,
  };
  const isDrawn = bars.length > 1 && longest > 0;
  return (
    <>
      <h2>{title}</h2>
      <Table
        caption={caption}
        rows={rows}
        columns={isDrawn ? [...columns, barColumn] : columns}
        isWide
        inLines={part === 'longest'}
      />
      {isDrawn && legendOf(bars.flat())}
    </>
  );
}

type How = Pick<Shown, 'times' | 'links'>;

function formatCell(title: string, value: Row[number] | undefined, { times, links }: How, id: string) {
  if (value instanceof Date) return <Time times={times} at={value.toISOString()} />;
  const text = String(value ?? '');
  if (title === 'Stage') return <span class={`chip chart-${toneOf(text)}`}>{text.replaceAll('-', ' ')}</span>;
  if (title !== 'Name') return CODES.includes(title) ? text.replaceAll('-', ' ') : value;
  const name = <Name name={text || id} />;
  return links ? (
    <a href={links.pathOf(id)} title={id}>
      {name}
    </a>
  ) : (
    name
  );
}

/** The places of a long list's columns on a phone. The duration of a wait implies its start, which is omitted. */
const PLACES: Readonly<Record<string, Column<Row>['at']>> = {
  Name: 'first',
  Wait: 'first-end',
  Requirement: 'second',
  Stage: 'second',
  'Partner status': 'second-end',
  ID: 'wide',
};

/** The columns with codes, shown without hyphens. */
const CODES = ['Kind', 'Requirement', 'Outcomes'];

/** The bars of each row. */
const BARS: Readonly<Partial<Record<FigureTable['part'], (report: Report) => readonly Bar[]>>> = {
  stages: ({ stages }) =>
    stages.map(({ running, waiting }) => [
      { name: 'wait for a person', amount: waiting, tone: 'asks' },
      { name: 'wait for a partner', amount: running - waiting, tone: 'main' },
    ]),
  stageTimes: ({ stageTimes }) =>
    stageTimes.map(({ medianSeconds, p90Seconds }) => [
      { name: 'median', amount: medianSeconds, tone: 'main' },
      { name: '9 in 10 within', amount: Math.max(0, p90Seconds - medianSeconds), tone: 'tail' },
    ]),
  requirements: ({ requirements }) =>
    requirements.map(({ open, overdue }) => [
      { name: 'overdue', amount: overdue, tone: 'bad' },
      { name: 'in time', amount: open - overdue, tone: 'main' },
    ]),
  weeks: ({ weeks }) =>
    weeks.map(({ outcomes }) =>
      outcomesIn(outcomes).map((name) => ({ name, amount: outcomes[name] ?? 0, tone: toneOf(name) })),
    ),
};

/** The color of each outcome. A terminated or failed workflow needs attention, unlike a declined one. */
const TONES: Readonly<Record<string, Tone>> = {
  ...Object.fromEntries(SUCCESSES.map((outcome) => [outcome, 'good' as const])),
  'partly-onboarded': 'part',
  declined: 'calm',
  withdrawn: 'tail',
  closed: 'tail',
  abandoned: 'left',
  cancelled: 'left',
  done: 'good',
  completed: 'good',
};

const ENDED: readonly string[] = OUTCOMES;
const UNDER_WAY: readonly string[] = [
  'running',
  'checked',
  ...STAGES.filter((stage) => !ENDED.includes(stage)),
];

/** Returns the color of a stage or outcome. */
export function toneOf(stage: string): Tone {
  return fieldOf(TONES, stage) ?? (UNDER_WAY.includes(stage) ? 'main' : 'bad');
}

/** Sorts outcomes, successes first. */
function outcomesIn(outcomes: Report['weeks'][number]['outcomes']): string[] {
  const order = Object.keys(TONES);
  const rank = (outcome: string) => (order.includes(outcome) ? order.indexOf(outcome) : order.length);
  return Object.keys(outcomes).sort((one, other) => rank(one) - rank(other));
}

/** The color of a bar, by meaning, with a light and a dark variant. */
type Tone = 'good' | 'part' | 'calm' | 'bad' | 'left' | 'main' | 'tail' | 'asks';

interface Segment {
  readonly name: string;
  readonly amount: number;
  readonly tone: Tone;
}

type Bar = readonly Segment[];

function amountOf(bar: Bar): number {
  return bar.reduce((sum, { amount }) => sum + amount, 0);
}

/** A bar next to its numbers, which say the same for people who do not see it. */
export function BarCell({ bar, longest }: { readonly bar: Bar; readonly longest: number }) {
  let before = 0;
  return (
    <svg class="bar" aria-hidden="true">
      {bar.map(({ name, amount, tone }) => {
        const x = percent(before, longest);
        before += amount;
        return amount === 0 ? null : (
          <rect class={`chart-${tone}`} x={x} width={percent(amount, longest)} height="100%">
            <title>{name}</title>
          </rect>
        );
      })}
    </svg>
  );
}

/** Returns the names of tones, if there are several. Names may share a tone. */
function legendOf(segments: readonly Segment[]) {
  const drawn = segments.filter(({ amount }) => amount > 0);
  const tones = [...Map.groupBy(drawn, ({ tone }) => tone)];
  if (tones.length < 2) return null;
  return (
    <ul class="legend">
      {tones.map(([tone, its]) => (
        <li>
          <svg viewBox="0 0 10 10" aria-hidden="true">
            <rect class={`chart-${tone}`} width="10" height="10" rx="2" />
          </svg>
          {[...new Set(its.map(({ name }) => name))].join(', ')}
        </li>
      ))}
    </ul>
  );
}

function percent(amount: number, whole: number): string {
  return `${Math.round((amount / whole) * 10_000) / 100}%`;
}
