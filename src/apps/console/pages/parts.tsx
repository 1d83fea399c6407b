import type { AllHTMLAttributes, ComponentChildren, FormHTMLAttributes, RenderableProps } from 'preact';
import { partsOfId } from '../../../messages/ids.js';
import { fieldOf } from '../../../messages/objects.js';
import { isPrivateField } from '../../../platform/privacy/private-fields.js';
import { Name } from '../../../services/reports/page.js';
import { displayName } from '../../../services/texts/display-names.js';
import type { Time } from '../../../services/texts/time.js';
import { pathOf } from '../query.js';
import { useRequest } from '../route.js';
import { Chip } from './pieces.js';

/**
 * A time, relative (`2 d ago`) or exact, with the other form as a tooltip.
 *
 * @param isExact shows the exact time. Use it in texts that screen readers follow, because a relative time changes by itself
 */
export function When({ time, isExact = false }: { readonly time: Time; readonly isExact?: boolean }) {
  const { times } = useRequest();
  const forms = [times.ago(time), times.atSecond(time)];
  const [text, title] = isExact ? forms.reverse() : forms;
  return (
    <time dateTime={new Date(time).toISOString()} title={title}>
      {text}
    </time>
  );
}

/** A text with its times (`2026-01-31 10:00:05.138 UTC`) in the person's time zone. A tooltip has the original times. */
export function InZone({ text }: { readonly text: string }) {
  const { times } = useRequest();
  const parts = text.split(/(\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d(?:\.\d{1,3})?)? UTC)/).map((part, index) => {
    const at = part.replace(' ', 'T').replace(' UTC', 'Z');
    if (index % 2 === 0 || Number.isNaN(Date.parse(at))) return part;
    return <time {...{ dateTime: at, title: part }}>{times.at(at, at.length > 17)}</time>;
  });
  return <>{parts}</>;
}

/** An ID on one line. If it does not fit, it is truncated, and a tooltip shows all of it. */
export function Id({
  id,
  canCopy,
}: {
  readonly id: number | string | null | undefined;
  readonly canCopy?: boolean;
}) {
  if (id === undefined || id === null) return null;
  return (
    <span class="id">
      <span title={String(id)}>{id}</span>
      {canCopy && <Copy id={id} />}
    </span>
  );
}

/** A button that copies an ID on the page or in a tooltip. */
function Copy({ id }: { readonly id: number | string }) {
  return <button type="button" class="copy icon-copy" data-copy={id} aria-label={`Copy ${id}`} />;
}

const SOON_MS = 4 * 3_600_000;

/** The time until something is due. Marks overdue with a word, not only a color. */
export function Due({ at }: { readonly at: string }) {
  const { times } = useRequest();
  const isSoon = Date.parse(at) - Date.now() < SOON_MS;
  return (
    <Chip tone={times.isOver(at) ? 'bad' : isSoon ? 'asks' : 'calm'}>
      <time dateTime={at} title={times.at(at)}>
        {times.due(at)}
      </time>
    </Chip>
  );
}

interface FormProps extends Omit<FormHTMLAttributes, 'hidden'> {
  readonly action: string;
  /** The form shows typed values again, so page updates must not replace it. */
  readonly isTyped?: boolean;
  readonly hidden?: Readonly<Record<string, string>>;
}

/** A form of this session. Its first field is the token, before any file. */
export function Form({ hidden = {}, isTyped = false, children, ...attributes }: FormProps) {
  const { csrf } = useRequest();
  return (
    <form method="post" {...attributes} data-touched={isTyped ? '' : undefined}>
      {Object.entries({ csrf, ...hidden }).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      {children}
    </form>
  );
}

/** The words for status names that are not words. */
const STATUSES: Readonly<Record<string, string>> = {
  RequestChanges: 'Changes requested',
  PendingUW: 'Pending underwriting',
  ApprovedUW: 'Approved by underwriting',
};

export function partnerStatusLabel(status: string | null | undefined): string | undefined {
  return status ? (fieldOf(STATUSES, status) ?? status) : undefined;
}

export function Problem({ children, isFocused }: RenderableProps<{ readonly isFocused?: boolean }>) {
  return (
    <div class="problem" role="alert" {...(isFocused && { tabIndex: -1, 'data-focus': '' })}>
      {children}
    </div>
  );
}

export function Empty({ title, children }: RenderableProps<{ readonly title: string }>) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children && <p>{children}</p>}
    </div>
  );
}

/** Renders text with Markdown code: `gangway doctor`. Shows only the words of links. */
export function Prose({ text }: { readonly text: string }) {
  const parts = text.replace(/\[([^[\]]+)\]\([^()]+\)/g, '$1').split('`');
  return <>{parts.map((part, index) => (index % 2 === 1 ? <code key={part}>{part}</code> : part))}</>;
}

export function firstSentence(text: string): string {
  return /^.*?[.](?=\s|$)/s.exec(text)?.[0] ?? text;
}

/** Returns an answer as the timeline summarizes it: `text: One sale in ten.` */
export function summarize(answer: string): string {
  const [, kind, content] = /^([a-z-]+)(?:: (.*))?$/s.exec(answer) ?? [];
  const names: Readonly<Record<string, string>> = {
    text: 'the answer',
    documents: 'documents',
    correction: 'corrected',
    confirm: 'confirmed',
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

export function Trail({ to, name }: { readonly to: string; readonly name: string }) {
  return (
    <nav class="trail" aria-label="Where you are">
      <a href="/">Inbox</a> <span aria-hidden="true">/</span> <a href={to}>{name}</a>
    </nav>
  );
}

/** A business and the kind of its onboarding, with the ID as a tooltip. */
export function BusinessCell({ workflowId, dba }: Parameters<typeof displayName>[0]) {
  const type = partsOfId(workflowId)?.type;
  return (
    <span class="business">
      <a href={pathOf(workflowId)} title={workflowId}>
        <Name name={displayName({ workflowId, dba })} />
      </a>
      {type && <small>{fieldLabel(type).replace(/ (on)?boarding$/, '')}</small>}
      <Copy id={workflowId} />
    </span>
  );
}

/** A person's name, with the subject at the identity provider as a tooltip: `Ada Park (ada-17)`. */
export function Person({ actor }: { readonly actor: string }) {
  const [, name] = /^(.+) \([^()]+\)$/.exec(actor) ?? [];
  return name === undefined ? actor : <span title={actor}>{name}</span>;
}

interface PagesProps {
  readonly page: number;
  readonly pages: number;
  /** The minimum number of pages, if the total is unknown. */
  readonly atLeast?: number | undefined;
  readonly to: (page: number) => string;
}

export function Pages({ page, pages, atLeast, to }: PagesProps) {
  if (pages < 2) return null;
  return (
    <nav class="pages" aria-label="Pages">
      {page > 1 && (
        <a href={to(page - 1)} rel="prev">
          Previous
        </a>
      )}
      <span>
        Page {page} of {atLeast === undefined ? pages : `at least ${Math.max(atLeast, pages)}`}
      </span>
      {page < pages && (
        <a href={to(page + 1)} rel="next">
          Next
        </a>
      )}
    </nav>
  );
}

export type Choices = readonly (readonly [value: string, label: string])[];

type ControlProps = Pick<
  AllHTMLAttributes,
  | 'aria-label'
  | 'autoFocus'
  | 'accept'
  | 'autoComplete'
  | 'class'
  | 'inputMode'
  | 'list'
  | 'maxLength'
  | 'multiple'
  | 'placeholder'
  | 'required'
  | 'spellcheck'
>;

export interface FieldProps extends ControlProps {
  readonly name: string;
  /** Default: the name. */
  readonly id?: string;
  /** If absent, the control has an `aria-label`. */
  readonly label?: ComponentChildren;
  readonly type?: 'text' | 'search' | 'date' | 'checkbox' | 'file';
  readonly value?: string | undefined;
  readonly choices?: Choices | undefined;
  /** Suggested values. A person may type any other. */
  readonly suggestions?: readonly string[] | undefined;
  /** A script proposes the value from the business's name. */
  readonly 'data-proposed'?: string | undefined;
  readonly rows?: number | undefined;
  readonly advice?: ComponentChildren;
  readonly problems?: readonly string[] | undefined;
  /** Marks the field as required without the browser's check, because the console checks the form. */
  readonly isRequired?: boolean;
  /** Whether the browser must not store a draft. Default: depends on the field's name. */
  readonly isPrivate?: boolean;
}

export function Field({ label, advice = '', problems = [], isRequired = false, ...control }: FieldProps) {
  const { name, id = name, type = 'text', value = '', choices, suggestions, rows, ...rest } = control;
  const { isPrivate = type !== 'checkbox' && isPrivateField(name.split('.').at(-1) ?? ''), ...others } = rest;
  const wrong = [...new Set(problems)].join('; ');
  const notes = [...(wrong ? [`${id}-error`] : []), ...(advice ? [`${id}-rule`] : [])];
  const attributes = {
    autoComplete: 'off',
    ...others,
    id,
    name,
    'aria-describedby': notes.join(' ') || undefined,
    'aria-invalid': wrong ? ('true' as const) : undefined,
    'aria-required': isRequired ? ('true' as const) : undefined,
    'data-private': isPrivate ? '' : undefined,
  };
  const isFlag = type === 'checkbox';
  const words = <label for={id}>{label}</label>;
  return (
    <div class="field">
      {!isFlag && label && words}
      {choices ? (
        <select {...attributes}>
          {choices.map(([each, words]) => (
            <option value={each} selected={each === value}>
              {words}
            </option>
          ))}
        </select>
      ) : rows ? (
        <textarea {...attributes} rows={rows} data-count={others.maxLength ? '' : undefined}>
          {value}
        </textarea>
      ) : isFlag ? (
        <input {...attributes} type={type} value="true" checked={value === 'true'} />
      ) : (
        <input
          {...attributes}
          type={type as 'text'}
          value={type === 'file' ? undefined : value}
          list={suggestions && `${id}-list`}
        />
      )}
      {suggestions && (
        <datalist id={`${id}-list`}>
          {suggestions.map((each) => (
            <option value={each} />
          ))}
        </datalist>
      )}
      {isFlag && words}
      {rows && others.maxLength && (
        <p class="advice" id={`${id}-count`}>
          At most {others.maxLength} characters
        </p>
      )}
      {wrong && (
        <p class="wrong-text" id={`${id}-error`}>
          {wrong}
        </p>
      )}
      {advice && (
        <p class="advice" id={`${id}-rule`}>
          {advice}
        </p>
      )}
    </div>
  );
}

/** The spelling of words in labels, where it differs from the field's name. */
const WORDS: Readonly<Record<string, string>> = {
  dba: 'Doing business as',
  doingBusinessAsName: 'Doing business as',
  pos: 'Point of sale',
  agent: 'Sales agent',
  agentProfileId: 'Sales agent ID',
  boardingSettings: 'Program',
  boardingSettingsId: 'Program ID',
  fourEyes: 'Confirmed by a second person',
  ssn: 'SSN',
  dob: 'Date of birth',
};

/** Returns a field's label: `Given name` for `holder.givenName`. */
export function fieldLabel(field: string): string {
  if (field === '') return 'The whole input';
  const last = field.split('.').at(-1) ?? '';
  const words = last
    .replaceAll('_', ' ')
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(/\bid\b/g, 'ID');
  return fieldOf(WORDS, last) ?? words.charAt(0).toUpperCase() + words.slice(1);
}

/** Returns the label of a fee with its groups: `Amex, interchange plus, qualified, percent`. */
export function lineLabel(line: string): string {
  const [first = '', ...rest] = line.split('.');
  const inner = rest.map((name) =>
    /^\d+$/.test(name) ? `number ${Number(name) + 1}` : fieldLabel(name).toLowerCase(),
  );
  return [fieldLabel(first), ...inner].join(', ');
}
