import { createHash, randomUUID } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import type { ComponentChild, ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { InvalidInput } from '../texts/invalid-input.js';
import { harmless } from '../texts/text.js';
import type { Times } from '../texts/time.js';
import { SHARED_STYLE } from './style.js';

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

/** The one style that the page allows itself, by its hash. */
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** A page that is complete in itself, as HTML: it has no script, and its policy forbids every request. */
export function pageOf(title: string, body: ComponentChildren): string {
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
}

interface TableProps<Row> {
  readonly caption: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  /** On a narrow screen, each row is a block with the titles of its cells. */
  readonly isWide?: boolean;
  /** The attributes of a row: an id, so that an update of the page recognizes it, and what it looks like. */
  readonly rowOf?: (row: Row) => { readonly id?: string; readonly class?: string | undefined };
  readonly none?: string;
}

export function Table<Row>({ caption, rows, columns, isWide, rowOf, none = 'none' }: TableProps<Row>) {
  if (rows.length === 0)
    return (
      <p class="faint">
        {caption}: {none}
      </p>
    );
  const classOf = ({ isNumber }: Column<Row>) => (isNumber ? 'number' : undefined);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users scroll it
    <section class="scroll" aria-label={caption} tabIndex={0}>
      <table class={isWide ? 'listing wide' : 'listing'}>
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
          {rows.map((row) => (
            <tr {...rowOf?.(row)}>
              {columns.map((column) => (
                <td class={classOf(column)} data-title={column.title}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

export function Facts({ facts }: { readonly facts: Readonly<Record<string, ComponentChild>> }) {
  const known = Object.entries(facts).filter(([, value]) => (value ?? '') !== '');
  return (
    <dl class="known">
      {known.map(([name, value]) => (
        <>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </>
      ))}
    </dl>
  );
}

export function Notes({ notes }: { readonly notes: readonly string[] }) {
  if (notes.length === 0) return null;
  return (
    <div class="notes" role="note">
      <ul>
        {notes.map((note) => (
          <li>{note}</li>
        ))}
      </ul>
    </div>
  );
}

/** A text as the tooltip of its element, where more than so many characters may be cut. */
export function tooltip(text: string, fits: number): string | undefined {
  return text.length > fits ? text : undefined;
}

/** A name on three lines at most. Where it does not fit, it is cut, and who points at it sees it whole. */
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

/** Saves a page, in place of one of the same name. Only its owner can read it. @throws {InvalidInput} */
export async function savePage(file: string, page: string): Promise<void> {
  const unfinished = `${file}.${randomUUID()}.part`;
  try {
    await writeFile(unfinished, page, { mode: 0o600, flag: 'wx' });
    await rename(unfinished, file);
  } catch (error) {
    // The reason comes from the first failure.
    await rm(unfinished, { force: true }).catch(() => undefined);
    throw new InvalidInput(`${file}: cannot be written (${(error as NodeJS.ErrnoException).code})`);
  }
}
