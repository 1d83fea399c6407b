/** The color of a bar, by what it means. The page has one for each in light and in dark. */
export type Tone = 'good' | 'part' | 'calm' | 'bad' | 'left' | 'main' | 'tail';

export interface Segment {
  readonly name: string;
  readonly amount: number;
  /** The amount in words. Default: the number. */
  readonly text?: string;
  readonly tone: Tone;
}

export interface Bar {
  readonly label: string;
  /** The amounts in words, at the end of the line. Short, because both share a line of a narrow screen. */
  readonly text: string;
  /** From left to right. */
  readonly segments: readonly Segment[];
}

interface ChartProps {
  /** The meaning of the chart, even for people who cannot see it. */
  readonly title: string;
  readonly bars: readonly Bar[];
}

const LINE_PX = 44;
const BAR_PX = 14;
const BAR_TOP_PX = 24;

/** Horizontal bars, a line each. Texts keep their size on every screen, because only the bars are measured in percent. */
export function BarChart({ title, bars }: ChartProps) {
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
