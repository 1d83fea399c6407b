import type { ComponentChildren } from 'preact';
import { nameOf } from '../../operators/names.js';
import type { Time, Times } from '../../operators/time.js';
import { pathOf } from '../query.js';

/** Small parts that several pages have. */

/** A time in the zone of the person, which programs can read as well. */
export function When({ time, times }: { readonly time: Time; readonly times: Times }) {
  return <time dateTime={new Date(time).toISOString()}>{times.at(time)}</time>;
}

/** The time until something is due. Overdue has a sign and a word, not only a color. */
export function Due({ at, times }: { readonly at: string; readonly times: Times }) {
  const isOver = times.isOver(at);
  return (
    <time class={isOver ? 'due overdue' : 'due'} dateTime={at} title={times.at(at)}>
      {times.due(at)}
    </time>
  );
}

export function Csrf({ csrf }: { readonly csrf: string }) {
  return <input type="hidden" name="csrf" value={csrf} />;
}

/** A message about what cannot be done, or was not. */
export function Problem({ children }: { readonly children: ComponentChildren }) {
  return (
    <div class="problem" role="alert">
      {children}
    </div>
  );
}

/** Text with the code of Markdown: `gangway doctor`. Links are their words. */
export function Prose({ text }: { readonly text: string }) {
  const parts = text.replace(/\[([^\]]+)\]\([^)]+\)/g, '$1').split('`');
  return <>{parts.map((part, index) => (index % 2 === 1 ? <code key={part}>{part}</code> : part))}</>;
}

/** The first letter of a text, and only that one, becomes a capital. */
export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The first sentence of an explanation. */
export function firstSentence(text: string): string {
  return /^.*?[.](?=\s|$)/s.exec(text)?.[0] ?? text;
}

/** The short form of an answer in the timeline: `text: One sale in ten.` */
export function inShort(answer: string): string {
  const [, kind, content] = /^([a-z-]+)(?:: (.*))?$/s.exec(answer) ?? [];
  const names: Readonly<Record<string, string>> = {
    text: 'the answer',
    documents: 'documents',
    correction: 'corrected',
    adopt: 'adopted',
    retry: 'try again',
    code: 'the one-time code',
    choice: 'chose',
    abandon: 'gave up',
    'take-back': 'took the answer back',
  };
  if (kind === undefined || !Object.hasOwn(names, kind)) return answer;
  const name = names[kind] ?? kind;
  return content === undefined ? name : kind === 'text' ? `“${content}”` : `${name} ${content}`;
}

/** The way to a page: the inbox, and the page above this one. */
export function Trail({ to, name }: { readonly to: string; readonly name: string }) {
  return (
    <nav class="trail" aria-label="Where you are">
      <a href="/">Inbox</a> <span aria-hidden="true">/</span> <a href={to}>{name}</a>
    </nav>
  );
}

/** A column of a list. */
export interface RowsColumn<Row> {
  readonly title: string;
  /** undefined: there is nothing to show. */
  readonly cell: (row: Row) => ComponentChildren;
  /** The cells name what the row is about. */
  readonly isName?: true;
}

interface RowsProps<Row> {
  readonly rows: readonly Row[];
  readonly columns: readonly RowsColumn<Row>[];
  /** So that an update of the page recognizes a row. */
  readonly idOf?: (row: Row) => string;
  readonly isLate?: (row: Row) => boolean;
}

/** A list as a table. On a narrow screen, each row is a block with the titles of its cells. */
export function Rows<Row>({ rows, columns, idOf, isLate }: RowsProps<Row>) {
  return (
    <table class="rows">
      <thead>
        <tr>
          {columns.map(({ title }) => (
            <th scope="col">{title}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr id={idOf?.(row)} class={isLate?.(row) ? 'late' : undefined}>
            {columns.map(({ title, cell, isName }) => {
              const content = cell(row);
              const kind = content === undefined ? 'none' : isName && 'name';
              return (
                <td data-label={title} class={kind}>
                  {content ?? '–'}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The cell of a business: its name with its workflow id below, or the id alone. */
export function BusinessCell({
  workflowId,
  dba,
}: {
  readonly workflowId: string;
  readonly dba?: string | undefined;
}) {
  const name = nameOf({ workflowId, dba });
  return (
    <>
      <a href={pathOf(workflowId)}>{name}</a>
      {name !== workflowId && <small>{workflowId}</small>}
    </>
  );
}

/** A person by name. The subject at the identity provider, `Ada Park (ada-17)`, is shown to who points at it. */
export function Person({ actor }: { readonly actor: string }) {
  const [, name] = /^(.+) \([^()]+\)$/.exec(actor) ?? [];
  return name === undefined ? actor : <span title={actor}>{name}</span>;
}

/** Pages of a list, by links that stay valid. */
export function Pages({
  page,
  pages,
  isOpen = false,
  to,
}: {
  readonly page: number;
  readonly pages: number;
  /** True if there may be more. */
  readonly isOpen?: boolean;
  readonly to: (page: number) => string;
}) {
  if (pages < 2) return null;
  return (
    <nav class="pages" aria-label="Pages">
      {page > 1 ? (
        <a href={to(page - 1)} rel="prev">
          Previous
        </a>
      ) : (
        <span />
      )}
      <span>
        Page {page}
        {!isOpen && ` of ${pages}`}
      </span>
      {page < pages ? (
        <a href={to(page + 1)} rel="next">
          Next
        </a>
      ) : (
        <span />
      )}
    </nav>
  );
}
