import { OUTCOMES, STAGES } from '../../messages/codes.js';
import { fieldOf } from '../../messages/objects.js';
import type { Times } from '../texts/time.js';
import { SUBJECTS, SUCCESSES } from './figures.js';
import { type Column, Name, Notes, pageOf, Table, Time } from './page.js';
import { type FigureTable, lackOf, type Report, spanOf, tablesOf } from './report.js';
import { webhookText } from './webhooks.js';

interface Shown {
  readonly report: Report;
  readonly times: Times;
  /** Default: a page without links. */
  readonly links?: ReportLinks | undefined;
}

/** Where a reader finds an onboarding, and the rows that a number counts; undefined if no list has exactly these. */
export interface ReportLinks {
  readonly pathOf: (workflowId: string) => string;
  readonly rowsOf: (counted: Counted) => string | undefined;
}

/** What a number of a report counts: onboardings, perhaps of a stage, or requirements of a kind. */
export interface Counted {
  readonly of: 'running' | 'waiting' | 'waitingOverADay' | 'overADay' | 'ended' | 'open' | 'overdue';
  readonly subject?: string;
  readonly stage?: string;
  readonly kind?: string;
}

export function reportPage(report: Report, times: Times): string {
  return pageOf('Onboardings', [<h1>Onboardings</h1>, <ReportFigures report={report} times={times} />]);
}

/** Names of filters that are not the word for what they filter. */
const FILTERS: Readonly<Record<string, string>> = {
  ...{ system: 'partner', partnerAccount: 'account', partnerAccounts: 'account' },
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
        sectionOf(CHARTS[table.part]?.(report) ?? [], table, { times, links }),
      )}
      {webhooks.length > 0 && <h2>Webhooks</h2>}
      {webhooks.map((figure) => (
        <p>{webhookText(figure)}</p>
      ))}
    </>
  );
}

/** The totals, in the order of the page. Waits for a person and for a stage to end are counted apart. */
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

/** What a cell counts, by the title of its column. */
const COUNTED: Readonly<Partial<Record<FigureTable['part'], Readonly<Record<string, Counted['of']>>>>> = {
  stages: { Running: 'running', 'Wait for a person': 'waiting' },
  requirements: { Open: 'open', Overdue: 'overdue' },
};

/** Charts next to the table of their numbers; the table alone if there is nothing to draw. */
function sectionOf(charts: readonly Chart[], { part, title, caption, head, rows }: FigureTable, how: How) {
  const columns = head.map((name, index): Column<FigureTable['rows'][number]> => {
    const isNumber = typeof rows[0]?.[index] === 'number';
    const countedCell = (row: FigureTable['rows'][number]) => {
      const of = COUNTED[part]?.[name];
      const [first, second] = row.map(String);
      if (!of || !how.links || first === undefined || second === undefined) return undefined;
      const counted = part === 'stages' ? { of, subject: first, stage: second } : { of, kind: first };
      const what = `${part === 'stages' ? `${first}, ${second}` : first}: ${name.toLowerCase()}`;
      return <Linked to={how.links.rowsOf(counted)} number={Number(row[index])} what={what} />;
    };
    return {
      title: name,
      cell: (row) => countedCell(row) ?? formatCell(name, row[index], how),
      ...(isNumber && { isNumber }),
    };
  });
  const drawn = charts.filter(({ bars }) => bars.length > 0);
  return (
    <>
      <h2>{title}</h2>
      <div class="chart-and-table">
        {drawn.length > 0 && (
          <div>
            {drawn.map((chart) => (
              <BarChart {...chart} />
            ))}
          </div>
        )}
        <div>
          <Table caption={caption} rows={rows} columns={columns} isWide />
        </div>
      </div>
    </>
  );
}

type How = Pick<Shown, 'times' | 'links'>;

function formatCell(title: string, value: string | number | Date | undefined, { times, links }: How) {
  if (value instanceof Date) return <Time times={times} at={value.toISOString()} />;
  if (title === 'ID' && links) return <a href={links.pathOf(String(value))}>{value}</a>;
  return title === 'Name' ? <Name name={String(value)} /> : value;
}

const CHARTS: Readonly<Partial<Record<FigureTable['part'], (report: Report) => Chart[]>>> = {
  stages: ({ stages }) => {
    const bars = stages.map(({ subject, stage, running, waiting }) => ({
      label: `${subject}: ${stage}`,
      text: waiting > 0 ? `${running} (${waiting} for a person)` : String(running),
      segments: [
        { name: 'wait for a person', amount: waiting, tone: 'bad' as const },
        { name: 'wait for a partner', amount: running - waiting, tone: 'main' as const },
      ],
    }));
    return [{ title: 'How many are in each stage now', bars }];
  },
  stageTimes: ({ stageTimes }) => {
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
    return [{ title: 'Median, and the time within which 9 in 10 left the stage', bars }];
  },
  requirements: ({ requirements }) => {
    const bars = requirements.map(({ kind, open, overdue }) => ({
      label: kind,
      text: `${open}${overdue > 0 ? ` (${overdue} overdue)` : ''}`,
      segments: [
        { name: 'overdue', amount: overdue, tone: 'bad' as const },
        { name: 'in time', amount: open - overdue, tone: 'main' as const },
      ],
    }));
    return [{ title: 'Open requirements now, and those of them that are overdue', bars }];
  },
  weeks: ({ weeks }) =>
    SUBJECTS.map((subject) => {
      const own = weeks.filter((week) => week.subject === subject);
      const bars = own.map(({ week, monday, outcomes }) => ({
        label: `${week} from ${monday}`,
        text: String(Object.values(outcomes).reduce((sum, count) => sum + count, 0)),
        segments: outcomesIn(own).map((name) => ({
          ...{ name, amount: outcomes[name] ?? 0, tone: toneOf(name) },
        })),
      }));
      return { title: `${subject}: how many ended, by week and outcome`, bars };
    }),
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
};

const UNDER_WAY: readonly string[] = STAGES.filter(
  (stage) => !(OUTCOMES as readonly string[]).includes(stage),
);

/** The color of a stage or an outcome, in charts and wherever it is named. */
export function toneOf(stage: string): Tone {
  return fieldOf(TONES, stage) ?? (UNDER_WAY.includes(stage) ? 'main' : 'bad');
}

/** Those that onboardings are started for come first. */
function outcomesIn(weeks: Report['weeks']): string[] {
  const order = Object.keys(TONES);
  const rank = (outcome: string) => (order.includes(outcome) ? order.indexOf(outcome) : order.length);
  const all = [...new Set(weeks.flatMap(({ outcomes }) => Object.keys(outcomes)))];
  return all.sort((one, other) => rank(one) - rank(other));
}

/** The color of a bar, by what it means. The page has one for each in light and in dark. */
type Tone = 'good' | 'part' | 'calm' | 'bad' | 'left' | 'main' | 'tail';

interface Segment {
  readonly name: string;
  readonly amount: number;
  /** The amount in words. Default: the number. */
  readonly text?: string;
  readonly tone: Tone;
}

interface Bar {
  readonly label: string;
  /** The amounts in words, at the end of the line. Short, because both share a line of a narrow screen. */
  readonly text: string;
  readonly segments: readonly Segment[];
}

interface Chart {
  readonly title: string;
  readonly bars: readonly Bar[];
}

const LINE_PX = 44;
const BAR_PX = 14;
const BAR_TOP_PX = 24;

/** Horizontal bars, a line each. Texts keep their size on every screen, because only the bars are measured in percent. */
export function BarChart({ title, bars }: Chart) {
  const total = ({ segments }: Bar) => segments.reduce((sum, { amount }) => sum + amount, 0);
  const longest = Math.max(...bars.map(total), Number.MIN_VALUE);
  return (
    <figure>
      <figcaption>{title}</figcaption>
      <svg role="img" height={bars.length * LINE_PX}>
        <title>{title}</title>
        <desc>{bars.map(({ label, text }) => `${label}: ${text}`).join('; ')}</desc>
        {bars.map((bar, index) => lineOf(bar, index * LINE_PX, longest))}
      </svg>
      {legendOf(bars)}
    </figure>
  );
}

function lineOf({ label, text, segments }: Bar, y: number, longest: number) {
  const place = { y: BAR_TOP_PX, height: BAR_PX, rx: 2 };
  let before = 0;
  const drawn = segments.map(({ name, amount, tone, text: amountText = String(amount) }) => {
    const x = percent(before, longest);
    before += amount;
    if (amount === 0) return null;
    return (
      <rect class={`chart-${tone}`} x={x} width={percent(amount, longest)} {...place}>
        <title>
          {label}, {name}: {amountText}
        </title>
      </rect>
    );
  });
  return (
    // biome-ignore lint/a11y/noSvgWithoutTitle: a line of the chart, which has one
    <svg y={y} height={LINE_PX}>
      <text x="0" y="16">
        {label}
      </text>
      <text class="amount" x="100%" y="16" text-anchor="end">
        {text}
      </text>
      <rect class="chart-track" x="0" width="100%" {...place} />
      {drawn}
    </svg>
  );
}

/** Names each tone, where there are several. Names may share a tone. */
function legendOf(bars: readonly Bar[]) {
  const used = bars.flatMap(({ segments }) => segments).filter(({ amount }) => amount > 0);
  const order = bars.flatMap(({ segments }) => segments.map(({ tone }) => tone));
  const tones = [...new Set(order)].flatMap((tone) => {
    const names = new Set(used.flatMap((segment) => (segment.tone === tone ? [segment.name] : [])));
    return names.size > 0 ? [{ tone, names: [...names].join(', ') }] : [];
  });
  if (tones.length < 2) return null;
  return (
    <ul class="legend">
      {tones.map(({ tone, names }) => (
        <li>
          <svg viewBox="0 0 10 10" aria-hidden="true">
            <rect class={`chart-${tone}`} width="10" height="10" rx="2" />
          </svg>
          {names}
        </li>
      ))}
    </ul>
  );
}

function percent(amount: number, whole: number): string {
  return `${Math.round((amount / whole) * 10_000) / 100}%`;
}
