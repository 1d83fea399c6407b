import type { Line } from './world.js';

/** Where an arrow of the diagram begins and ends, in columns. A note has no second one. */
interface Drawn {
  readonly from: string;
  readonly to?: string;
  readonly hasFailed: boolean;
}

const [COLUMN, ROW, TOP, LEFT] = [230, 24, 70, 130];

/** A pause between two lines that the picture shows as such, in milliseconds. */
const PAUSE_MS = 3_600_000;

const FAULT = /: [a-zA-Z]+$|, refused$| [45]\d\d$|is (killed|frozen)|jumps|forgets/;

/** A trace as a sequence diagram: an SVG that needs no other file. */
export function pictureOf(trace: readonly Line[], title: string): string {
  const workers = [...new Set(trace.map(({ who }) => who))].filter((who) => who.startsWith('worker'));
  const columns = ['people', 'Temporal', ...workers.toSorted(), 'partner'];
  const x = (column: string) => LEFT + COLUMN * (columns.indexOf(column) + 0.5);
  const [width, height] = [LEFT + COLUMN * (columns.length + 0.5), TOP + ROW * (trace.length + 2)];
  const rows = trace.map((line, index) => {
    const y = TOP + ROW * (index + 1);
    const { from, to, hasFailed } = drawn(line);
    const [begin, end] = [x(from), x(to ?? from)];
    const isLate = line.at - (trace[index - 1]?.at ?? line.at) > PAUSE_MS;
    return [
      isLate && `<line class="pause" x1="0" y1="${y - ROW / 2}" x2="${width}" y2="${y - ROW / 2}"/>`,
      text('time', 8, y + 4, new Date(line.at).toISOString().slice(5, 23).replace('T', ' ')),
      `<g class="${hasFailed ? 'failed' : line.isRoutine ? 'routine' : 'done'}">`,
      to && `<line class="arrow" x1="${begin}" y1="${y}" x2="${end}" y2="${y}" marker-end="url(#head)"/>`,
      !to && `<circle cx="${begin}" cy="${y}" r="4"/>`,
      text('label', Math.min(begin, end) + 8, y - 3, line.what),
      '</g>',
    ];
  });
  const lives = columns.flatMap((column) => [
    text('name', x(column), TOP - 14, column),
    `<line class="life" x1="${x(column)}" y1="${TOP - 6}" x2="${x(column)}" y2="${height}"/>`,
  ]);
  const parts = [STYLE, text('title', 8, 24, title), ...lives, ...rows.flat().filter(Boolean)];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">\n${parts.join('\n')}\n</svg>\n`;
}

function drawn({ who, what, isRoutine = false }: Line): Drawn {
  const from = /^(people|partner|worker)/.test(who) ? who : 'Temporal';
  const hasFailed = FAULT.test(what);
  if (from === 'people' && / for \S+ of /.test(what)) return { from, to: 'Temporal', hasFailed };
  if (/^(GET|POST|PUT|DELETE) /.test(what) && from !== 'Temporal') return { from, to: 'partner', hasFailed };
  if (isRoutine && who === '') return { from: 'partner', hasFailed };
  if (/^\w+: \w+$/.test(what) && from !== 'people') return { from, to: 'Temporal', hasFailed };
  return { from, hasFailed };
}

function text(kind: string, x: number, y: number, words: string): string {
  const escaped = words.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<text class="${kind}" x="${x}" y="${y}">${escaped}</text>`;
}

const STYLE = `<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto-start-reverse"><path d="M0 0 8 4 0 8z" fill="context-stroke"/></marker></defs>
<style>
  svg { background: #fff; font: 12px system-ui, sans-serif; }
  .title { font-size: 15px; font-weight: 600; }
  .name { font-weight: 600; text-anchor: middle; }
  .time { fill: #666; font-size: 11px; font-variant-numeric: tabular-nums; }
  .label { paint-order: stroke; stroke: #fff; stroke-width: 3px; }
  .life { stroke: #ccc; }
  .pause { stroke: #999; stroke-dasharray: 2 5; }
  .arrow { stroke: #333; }
  .done circle { fill: #333; }
  .routine { opacity: 0.5; }
  .failed .label, .failed circle { fill: #b00020; }
  .failed .arrow { stroke: #b00020; stroke-dasharray: 5 3; }
</style>`;
