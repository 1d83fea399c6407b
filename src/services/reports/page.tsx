import { hash } from 'node:crypto';
import type { ComponentChild, ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { harmless } from '../texts/text.js';
import type { Times } from '../texts/time.js';

/**
 * The style that report pages and the console share: colors, charts, tables, facts. For light and dark screens and for paper.
 * Colors of bars also differ in lightness, for people who do not see all colors. It contains no character that HTML escapes.
 */
export const SHARED_STYLE = `
:root {
  --page: light-dark(#f6f7f9, #14171c); --card: light-dark(#ffffff, #1c2027); --sunken: light-dark(#eef0f4, #252a33);
  --text: light-dark(#1b2130, #e7eaf0); --muted: light-dark(#565f70, #a3adbd); --line: light-dark(#d9dee7, #343b47);
  --accent: light-dark(#1d5fc4, #86b4ff); --radius: .375rem; --small: .875rem;
  --chart-good: light-dark(#17795e, #3fb68f); --chart-part: light-dark(#7fa53c, #a9c961);
  --chart-calm: light-dark(#76808c, #8d98a5); --chart-bad: light-dark(#b9501c, #ec8a50);
  --chart-left: light-dark(#7a5aa6, #b294e0); --chart-main: light-dark(#2462a8, #6aa6ec);
  --chart-tail: light-dark(#a9c6e8, #2f5078);
}
@media screen { :root { color-scheme: light dark; } }
body { overflow-wrap: anywhere; }
.name { display: -webkit-box; min-width: 8rem; overflow: hidden; -webkit-box-orient: vertical; -webkit-line-clamp: 3; }
.faint, .listing caption { color: var(--muted); }
.notes { border-left: 4px solid var(--chart-bad); background: var(--sunken); padding: .5rem .9rem; margin: 1rem 0; }
.notes.calm { border-color: var(--chart-calm); }
h2 + .scroll caption { position: absolute; clip-path: inset(50%); }
.notes ul { margin: 0; padding-left: 1.1rem; }
.notes li:only-child { margin-left: -1.1rem; list-style: none; }
.figures { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1.25rem 0 0; padding: 0; }
.figures div { background: var(--sunken); border: 1px solid var(--line); border-radius: var(--radius); padding: .6rem 1rem; min-width: 8.5rem; }
.figures + p { margin-top: .75rem; }
.figures dt { color: var(--muted); font-size: var(--small); }
.figures dd { margin: 0; font-size: 1.5rem; font-weight: 600; font-variant-numeric: tabular-nums; }
.chart-asks { --tone: light-dark(#b87a0a, #f2c469); fill: var(--tone); }
.chart-good { --tone: var(--chart-good); fill: var(--tone); }
.chart-part { --tone: var(--chart-part); fill: var(--tone); }
.chart-calm { --tone: var(--chart-calm); fill: var(--tone); }
.chart-bad { --tone: var(--chart-bad); fill: var(--tone); }
.chart-left { --tone: var(--chart-left); fill: var(--tone); }
.chart-main { --tone: var(--chart-main); fill: var(--tone); }
.chart-tail { --tone: var(--chart-tail); fill: var(--tone); }
.listing caption { font-size: var(--small); text-align: left; padding-bottom: .35rem; }
.bar { display: block; width: 100%; height: .85rem; margin-top: .3rem; border-radius: var(--radius); background: var(--sunken); }
td:has(.bar) { width: 40%; }
.group-row { background: var(--sunken); }
.listing a:not(:hover) { text-decoration: none; }
.chip { padding: 0 .6rem 0 1.25rem; border-radius: 1rem; background: radial-gradient(circle .25rem at .7rem, var(--tone) 90%, #0000), color-mix(in oklab, var(--tone) 14%, var(--card)); color: var(--text); font-size: var(--small); text-decoration: none; white-space: nowrap; }
.icon, .copy::before { content: ''; display: inline-block; flex: none; width: 1em; height: 1em; background: currentcolor; mask: var(--icon) center / contain no-repeat; vertical-align: -.125em; forced-color-adjust: preserve-parent-color; }
.avatar { display: inline-grid; flex: none; place-items: center; width: 1.5rem; height: 1.5rem; border-radius: 50%; background: color-mix(in oklab, var(--tone) 28%, var(--card)); font-size: .6875rem; font-weight: 600; }
.avatar[data-initials]::before { content: attr(data-initials); }
.entry { display: flex; gap: .5rem; }
.business, .person { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem; }
.business { height: 1.5em; overflow: clip; overflow-clip-margin: .25rem; }
.business a { max-width: calc(100% - 2rem); }
.business .name { min-width: 0; -webkit-line-clamp: 1; }
.id { display: inline-flex; align-items: baseline; gap: .25rem; max-width: 100%; font-variant-numeric: tabular-nums; }
.id span:first-child { max-width: 24rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.lines .id:has(.copy) { min-width: 10.5rem; }
.icon, .chip, .bar, .legend svg { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.lines .both { width: 100%; max-width: 0; }
.lines :is(.second, .second-end) { min-width: 7.5rem; }
.lines .first { min-width: 12rem; }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1rem; margin: .35rem 0 0; padding: 0; font-size: var(--small); }
.legend li { list-style: none; }
.legend svg { display: inline-block; width: .8rem; height: .8rem; margin-right: .35rem; vertical-align: -1px; }
.scroll { overflow-x: auto; margin: .75rem 0; background: var(--card); border: 1px solid var(--line); border-radius: var(--radius); }
table.listing { border-collapse: collapse; width: 100%; margin: 0; font-size: 1em; }
.listing caption { padding: .6rem; }
.listing tbody tr:last-child td { border-bottom: 0; }
.listing :is(th, td) { text-align: left; vertical-align: top; padding: .4rem .6rem; border-bottom: 1px solid var(--line); min-width: 5.5rem; background: none; }
.listing thead th { color: var(--muted); font-weight: 600; vertical-align: bottom; }
.listing thead th.number { white-space: normal; }
.listing .number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; min-width: 0; }
:is(.listing, .known) time { white-space: nowrap; font-variant-numeric: tabular-nums; }
dl.known { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1.25rem; margin: 1rem 0; }
dl.known dt { color: var(--muted); }
dl.known dd { margin: 0; overflow-wrap: anywhere; }
code { display: inline; }
code, pre, .code { padding: 0; font: .92em/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { background: var(--sunken); border: 1px solid var(--line); border-radius: var(--radius); padding: .6rem .8rem; margin: .4rem 0; white-space: pre-wrap; }
summary { cursor: pointer; padding: .3rem 0; overflow-wrap: anywhere; }
summary:focus-visible, .scroll:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
@media (max-width: 40rem) {
  dl.known { grid-template-columns: 8rem minmax(0, 1fr); }
  table.listing:is(.wide, .lines) thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
  table.listing.wide :is(tr, td, th, caption) { display: block; }
  table.listing.wide tbody tr { border-top: 1px solid var(--line); padding: .6rem 0; }
  table.listing.wide td:empty { display: none; }
  table.listing.wide td { display: flow-root; border: 0; padding: .1rem .6rem .1rem 8rem; overflow-wrap: anywhere; text-align: left; }
  td:has(.bar) { width: auto; }
  table.listing.wide td::before { content: attr(data-title); white-space: normal; color: var(--muted); float: left; width: 7rem; margin-left: -7.4rem; }
  .lines :is(tbody, caption) { display: block; }
  .lines tbody tr { display: grid; grid-template-columns: auto minmax(0, 1fr) auto; gap: 0 .5rem; padding: .4rem .6rem; border-top: 1px solid var(--line); }
  .listing.lines tbody :is(td, th) { display: none; min-width: 0; max-width: none; padding: 0; border: 0; }
  .listing.lines tbody :is(th, td[colspan], td[class]) { display: block; }
  .lines tbody :is(th, td[colspan], td.wide) { grid-column: 1 / -1; }
  .lines .select { grid-row: 1 / 3; }
  .lines .first { grid-area: 1 / 1 / 2 / 3; }
  .lines .both { grid-area: 1 / 2 / 3; }
  .lines .second { grid-area: 2 / 1 / 3 / 3; }
  .lines .first-end { grid-area: 1 / 3; }
  .lines .second-end { grid-area: 2 / 3; text-align: right; }
  .figures div { flex: 1; min-width: 6.5rem; }
}
@media print {
  :root { color-scheme: light; }
  h2, h3, summary, caption { break-after: avoid; }
  tr, .figures div { break-inside: avoid; }
  .listing td > time { white-space: normal; }
  details::details-content { content-visibility: visible; block-size: auto; }
}
`;

const STYLE = `${SHARED_STYLE}
* { box-sizing: border-box; }
body { margin: 0; background: var(--card); color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 70rem; margin: 0 auto; padding: 1.5rem 1.25rem 3rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .25rem; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 2.25rem 0 .5rem; padding-top: .75rem; border-top: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.25rem 0 .4rem; }
p { margin: .4rem 0; max-width: 46rem; }
@media print {
  body { font-size: 10pt; }
  main { max-width: none; padding: 0; }
}
`;

/** The hash of the only style that the page allows. */
const STYLE_HASH = hash('sha256', STYLE, 'base64');

/** Renders a self-contained page: it has no script, and its policy forbids every request. */
export function renderReportPage(title: string, body: ComponentChildren): string {
  const page = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta
          http-equiv="Content-Security-Policy"
          content={`default-src 'none'; style-src 'sha256-${STYLE_HASH}'`}
        />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{title}</title>
        <style>{STYLE}</style>
      </head>
      <body>
        <main>{body}</main>
      </body>
    </html>
  );
  return `<!doctype html>${harmless(renderToString(page))}\n`;
}

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  readonly isNumber?: true;
  /** The place of a cell if a row has two lines. Without one, the cell is omitted there. */
  readonly at?: undefined | 'select' | 'first' | 'first-end' | 'both' | 'second' | 'second-end' | 'wide';
}

interface TableProps<Row> {
  readonly caption: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  /** On a narrow screen, each row is a block with the titles of its cells. */
  readonly isWide?: boolean;
  /** On a narrow screen, each row has two lines. */
  readonly inLines?: boolean;
  /** A heading above each run of rows that share a key. */
  readonly groupOf?: (row: Row) => { readonly key: string; readonly heading: ComponentChildren };
  /** Content below a row, in full width. */
  readonly below?: (row: Row) => ComponentChildren;
  /** The attributes of a row: an ID, by which an update of the page recognizes it, and a class. */
  readonly rowOf?: (row: Row) => { readonly id?: string; readonly class?: string | undefined };
  readonly none?: string;
}

export function Table<Row>(props: TableProps<Row>) {
  const { caption, rows, columns, isWide, inLines, rowOf, groupOf, below, none = 'none' } = props;
  if (rows.length === 0)
    return (
      <p class="faint">
        {caption}: {none}
      </p>
    );
  const classOf = ({ isNumber, at }: Column<Row>) => (isNumber ? 'number' : at);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users scroll it
    <section class="scroll" aria-label={caption} tabIndex={0}>
      <table class={inLines ? 'listing lines' : isWide ? 'listing wide' : 'listing'}>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th scope="col" class={classOf(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => {
            const [group, previous] = [row, rows[index - 1]].map((each) => each && groupOf?.(each));
            const more = below?.(row);
            return (
              <>
                {group && group.key !== previous?.key && (
                  <tr class="group-row">
                    <th scope="rowgroup" colSpan={columns.length}>
                      {group.heading}
                    </th>
                  </tr>
                )}
                <tr {...rowOf?.(row)}>
                  {columns.map((column) => (
                    <td class={classOf(column)} data-title={inLines ? undefined : column.title}>
                      {column.cell(row)}
                    </td>
                  ))}
                </tr>
                {more && (
                  <tr class="below-row" id={`${rowOf?.(row).id}-below`}>
                    <td colSpan={columns.length}>{more}</td>
                  </tr>
                )}
              </>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

export function Facts({ facts }: { readonly facts: Readonly<Record<string, ComponentChild>> }) {
  const entries = Object.entries(facts).filter(([, value]) => (value ?? '') !== '');
  return (
    <dl class="known">
      {entries.map(([name, value]) => (
        <>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </>
      ))}
    </dl>
  );
}

export function Notes({ notes, isCalm }: { readonly notes: readonly string[]; readonly isCalm?: boolean }) {
  if (notes.length === 0) return null;
  return (
    <div class={isCalm ? 'notes calm' : 'notes'} role="note">
      <ul>
        {notes.map((note) => (
          <li>{note}</li>
        ))}
      </ul>
    </div>
  );
}

/** Returns a text as its element's tooltip if it is long enough to be truncated. */
export function tooltip(text: string, fits: number): string | undefined {
  return text.length > fits ? text : undefined;
}

/** A name on at most three lines. A longer one is truncated, with a tooltip. */
export function Name({ name }: { readonly name: string }) {
  return (
    <span class="name" title={tooltip(name, 40)}>
      {name}
    </span>
  );
}

export function Time({ times, at }: { readonly times: Times; readonly at: string | undefined }) {
  return at === undefined ? null : <time dateTime={at}>{times.atSecond(at)}</time>;
}
