import { type Html, html } from './html.js';

/** The color of a bar, by what it means. The page has one for each in light and in dark. */
export type Tone = 'good' | 'part' | 'calm' | 'bad' | 'left' | 'main' | 'tail';

/** A part of a bar. */
export interface Segment {
  /** What it stands for, as in the legend. */
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

const LINE_PX = 44;
const BAR_PX = 14;
const BAR_TOP_PX = 24;

/**
 * Horizontal bars, a line each. Its texts keep their size on every screen, because only the bars are measured in percent.
 *
 * @param title what the chart shows, for those who do not see it as well
 */
export function barChart(title: string, bars: readonly Bar[]): Html {
  const total = ({ segments }: Bar) => segments.reduce((sum, { amount }) => sum + amount, 0);
  const longest = Math.max(...bars.map(total), Number.MIN_VALUE);
  const lines = bars.map((bar, index) => {
    let before = 0;
    const drawn = bar.segments.map(({ name, amount, tone, text = String(amount) }) => {
      const x = percent(before, longest);
      before += amount;
      if (amount === 0) return '';
      return html`<rect class="${tone}" x="${x}" y="${BAR_TOP_PX}" width="${percent(amount, longest)}" height="${BAR_PX}" rx="2"><title>${bar.label}, ${name}: ${text}</title></rect>`;
    });
    return html`<svg y="${index * LINE_PX}" height="${LINE_PX}"><text x="0" y="16">${bar.label}</text><text class="amount" x="100%" y="16" text-anchor="end">${bar.text}</text><rect class="track" x="0" y="${BAR_TOP_PX}" width="100%" height="${BAR_PX}" rx="2"/>${drawn}</svg>\n`;
  });
  const described = bars.map(({ label, text }) => `${label}: ${text}`).join('; ');
  return html`<figure><figcaption>${title}</figcaption>
<svg role="img" height="${bars.length * LINE_PX}"><title>${title}</title><desc>${described}</desc>
${lines}</svg>${legendOf(bars)}</figure>`;
}

/** Names each tone, where there are several. Names may share a tone. */
function legendOf(bars: readonly Bar[]): Html | undefined {
  const used = bars.flatMap(({ segments }) => segments).filter(({ amount }) => amount > 0);
  const order = bars.flatMap(({ segments }) => segments.map(({ tone }) => tone));
  const tones = [...new Set(order)].flatMap((tone) => {
    const names = new Set(used.flatMap((segment) => (segment.tone === tone ? [segment.name] : [])));
    return names.size > 0 ? [{ tone, names: [...names].join(', ') }] : [];
  });
  if (tones.length < 2) return undefined;
  const swatch = (tone: Tone) =>
    html`<svg viewBox="0 0 10 10" aria-hidden="true"><rect class="${tone}" width="10" height="10" rx="2"/></svg>`;
  return html`<ul class="legend">${tones.map(({ tone, names }) => html`<li>${swatch(tone)}${names}</li>`)}</ul>`;
}

function percent(amount: number, whole: number): string {
  return `${Math.round((amount / whole) * 10_000) / 100}%`;
}
