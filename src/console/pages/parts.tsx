import type { ComponentChildren } from 'preact';
import type { Time, Times } from '../../operators/time.js';

/** Small parts that several pages have. */

/** A time in the zone of the person, which programs can read as well. */
export function When({ time, times }: { readonly time: Time; readonly times: Times }) {
  return <time dateTime={new Date(time).toISOString()}>{times.at(time)}</time>;
}

/** How long until something is due. Overdue has a sign and a word, and not only a colour. */
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

interface ChoiceProps {
  readonly name: string;
  readonly label: string;
  /** What no choice means. */
  readonly none: string;
  readonly chosen: string | undefined;
  readonly choices: readonly (readonly [value: string, label: string])[];
}

/** A choice of a filter. */
export function Choice({ name, label, none, chosen = '', choices }: ChoiceProps) {
  return (
    <label class="field">
      <span>{label}</span>
      <select name={name}>
        <option value="" selected={chosen === ''}>
          {none}
        </option>
        {choices.map(([value, text]) => (
          <option key={value} value={value} selected={value === chosen}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
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

/** Pages of a list, by links that stay valid. */
export function Pages({
  page,
  pages,
  to,
}: {
  readonly page: number;
  readonly pages: number;
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
        Page {page} of {pages}
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
