import { createHash, randomUUID } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { InvalidInput } from '../cli/errors.js';
import type { Times } from '../cli/time.js';
import { type Html, html, type Part } from './html.js';

/** For screens in light and dark and for paper. Colors of bars differ in lightness as well, for people who do not see all colors. */
const STYLE = html`
:root {
  --page: #fff; --text: #1b1f24; --faint: #59636e; --line: #d5dae0; --box: #f5f7f9; --track: #e8ecf0;
  --good: #17795e; --part: #7fa53c; --calm: #76808c; --bad: #b9501c; --left: #7a5aa6; --main: #2462a8; --tail: #a9c6e8;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --page: #14181d; --text: #e4e8ec; --faint: #9aa5b1; --line: #333b45; --box: #1c2229; --track: #272f38;
    --good: #3fb68f; --part: #a9c961; --calm: #8d98a5; --bad: #ec8a50; --left: #b294e0; --main: #6aa6ec; --tail: #2f5078;
  }
}
@media screen { :root { color-scheme: light dark; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 70rem; margin: 0 auto; padding: 1.5rem 1.25rem 3rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .25rem; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 2.25rem 0 .5rem; padding-top: .75rem; border-top: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.25rem 0 .4rem; }
p { margin: .4rem 0; max-width: 46rem; }
.faint, caption { color: var(--faint); }
.notes { border-left: 4px solid var(--bad); background: var(--box); padding: .5rem .9rem; margin: 1rem 0; }
.notes ul { margin: 0; padding-left: 1.1rem; }
.figures { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1.25rem 0 0; padding: 0; }
.figures div { background: var(--box); border: 1px solid var(--line); border-radius: .5rem; padding: .6rem 1rem; min-width: 8.5rem; }
.figures dt { color: var(--faint); font-size: .85rem; }
.figures dd { margin: 0; font-size: 1.5rem; font-weight: 600; font-variant-numeric: tabular-nums; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr)); gap: 1rem 2.5rem; align-items: start; }
figure { margin: .5rem 0; }
figcaption, caption { font-size: .85rem; text-align: left; padding-bottom: .35rem; }
figcaption { color: var(--faint); }
svg { display: block; width: 100%; overflow: visible; font-size: 13px; }
svg text { fill: var(--text); }
svg .amount { font-variant-numeric: tabular-nums; }
.track { fill: var(--track); }
.good { fill: var(--good); } .part { fill: var(--part); } .calm { fill: var(--calm); } .bad { fill: var(--bad); }
.left { fill: var(--left); } .main { fill: var(--main); } .tail { fill: var(--tail); }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1rem; list-style: none; margin: .35rem 0 0; padding: 0; font-size: .85rem; }
.legend svg { display: inline-block; width: .8rem; height: .8rem; margin-right: .35rem; vertical-align: -1px; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0; font-size: .9rem; }
th, td { text-align: left; vertical-align: top; padding: .35rem .9rem .35rem 0; border-bottom: 1px solid var(--line); overflow-wrap: break-word; }
thead th { color: var(--faint); font-weight: 600; vertical-align: bottom; }
thead th.number { white-space: normal; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
th:last-child, td:last-child { padding-right: 0; }
time { white-space: nowrap; font-variant-numeric: tabular-nums; }
dl.facts { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1.25rem; margin: 1rem 0; }
dl.facts dt { color: var(--faint); }
dl.facts dd { margin: 0; overflow-wrap: anywhere; }
code, pre { font: .92em/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { background: var(--box); border: 1px solid var(--line); border-radius: .35rem; padding: .6rem .8rem; margin: .4rem 0; white-space: pre-wrap; }
summary { cursor: pointer; padding: .3rem 0; overflow-wrap: anywhere; }
summary:focus-visible, .scroll:focus-visible { outline: 2px solid var(--main); outline-offset: 2px; }
@media (max-width: 40rem) {
  dl.facts { grid-template-columns: 1fr; }
  dl.facts dd { margin-bottom: .4rem; }
  table.wide thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
  table.wide tr, table.wide td, table.wide th { display: block; border: 0; padding: 0; }
  table.wide tbody tr { border-bottom: 1px solid var(--line); padding: .6rem 0; }
  table.wide td:empty { display: none; }
  table.wide td::before { content: attr(data-title) ": "; color: var(--faint); }
  table.wide .number { text-align: left; }
  table.wide td { overflow-wrap: anywhere; }
  .figures div { flex: 1; min-width: 6.5rem; }
}
@media print {
  body { font-size: 10pt; }
  main { max-width: none; padding: 0; }
  svg { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  h2, h3, summary, caption { break-after: avoid; }
  tr, .figures div { break-inside: avoid; }
  time { white-space: normal; }
  td:not(.number) { overflow-wrap: anywhere; min-width: 5.5rem; }
  details::details-content { content-visibility: visible; block-size: auto; }
}
`;

/** The one style that the page allows itself, by its hash. */
const STYLE_HASH = createHash('sha256').update(STYLE.toString()).digest('base64');

/** A page that is complete in itself: it has no script, and its policy forbids every request. */
export function pageOf(title: string, body: Html): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${STYLE_HASH}'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
}

/** A column of a table. */
export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => Part;
  readonly isNumber?: true;
}

/**
 * A table with a caption.
 *
 * @param isWide on a narrow screen, each row is a block with the titles of its cells
 * @param none stands in place of a table without rows
 */
export function tableWith<Row>(
  caption: string,
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { isWide, none = 'none' }: { readonly isWide?: true; readonly none?: string } = {},
): Html {
  if (rows.length === 0) return html`<p class="faint">${caption}: ${none}</p>`;
  const classOf = ({ isNumber }: Column<Row>) => isNumber && html` class="number"`;
  const heads = columns.map((column) => html`<th scope="col"${classOf(column)}>${column.title}</th>`);
  const cells = (row: Row) =>
    columns.map(
      (column) => html`<td${classOf(column)} data-title="${column.title}">${column.cell(row)}</td>`,
    );
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0"><table${isWide && html` class="wide"`}>
<caption>${caption}</caption>
<thead><tr>${heads}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${cells(row)}</tr>\n`)}</tbody></table></div>`;
}

/** Facts by their names. Those that are undefined are left out. */
export function factsWith(facts: Readonly<Record<string, Part>>): Html {
  const known = Object.entries(facts).filter(([, value]) => value !== undefined && value !== '');
  return html`<dl class="facts">${known.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>\n`)}</dl>`;
}

/** Warnings at the top of a page. */
export function notesWith(notes: readonly string[]): Html | undefined {
  if (notes.length === 0) return undefined;
  return html`<div class="notes" role="note"><ul>${notes.map((note) => html`<li>${note}</li>`)}</ul></div>`;
}

/** A time on a page. */
export function timeOf(times: Times, iso: string | undefined): Html | undefined {
  return iso === undefined ? undefined : html`<time datetime="${iso}">${times.atSecond(iso)}</time>`;
}

/**
 * Saves a page, in place of one of the same name. Only its owner can read it.
 *
 * @throws {InvalidInput} when it cannot be written
 */
export async function savePage(file: string, page: Html): Promise<void> {
  const unfinished = `${file}.${randomUUID()}.part`;
  try {
    await writeFile(unfinished, page.toString(), { mode: 0o600, flag: 'wx' });
    await rename(unfinished, file);
  } catch (error) {
    // The reason is that of the first failure.
    await rm(unfinished, { force: true }).catch(() => undefined);
    throw new InvalidInput(`${file}: cannot be written (${(error as NodeJS.ErrnoException).code})`);
  }
}
