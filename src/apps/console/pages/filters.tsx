import type { VNode } from 'preact';
import { SYSTEM_NAMES } from '../../../partners/names.js';
import { redact } from '../../../platform/privacy/masked.js';
import { duration } from '../../../platform/settings/settings.js';
import type { WaitFilter } from '../../../services/inbox/inbox.js';
import { UNNAMED } from '../../../services/reports/report.js';
import { address, type Fields } from '../query.js';
import { maySee, type User, useRequest } from '../route.js';
import { type Choices, Field, type FieldProps } from './parts.js';

/** A field of a filter: how it is read from an address, and how people enter it. */
export interface FilterField<Value> {
  readonly read: (value: string) => Value;
  show(name: string, chosen: Value): VNode | null;
}

export function text(label: string, more: Partial<FieldProps> = {}): FilterField<string> {
  return {
    read: (value) => value.trim(),
    show: (name, value) => <Field {...{ ...more, label, name, value }} />,
  };
}

/** @param choices labels by value; a list has values that are words */
export function choice<const Value extends string>(
  label: string,
  none: string,
  choices: readonly Value[] | Readonly<Record<Value, string>>,
): FilterField<Value | undefined> {
  const all: Choices = Array.isArray(choices)
    ? choices.map((value: Value) => [value, value.replaceAll('-', ' ')])
    : Object.entries<string>(choices);
  return {
    read: (input) => all.find(([value]) => value === input)?.[0] as Value | undefined,
    show: (name, value) => <Field {...{ label, name, value }} choices={[['', none], ...all]} />,
  };
}

/** A private value finds nothing, so it gets into no link and no query. */
export const FIND: FilterField<string> = {
  ...text('Business or ID', { type: 'search', maxLength: 200 }),
  read: (value) => redact(value.trim(), 'log'),
};

export const SYSTEM = choice('Partner', 'every partner', SYSTEM_NAMES);

export const AGENT = text('Agent profile', { inputMode: 'numeric', maxLength: 20 });

/** Periods up to now, as filters and their links have them. */
const PERIODS = {
  '1h': 'an hour',
  '4h': '4 hours',
  '1d': 'a day',
  '3d': '3 days',
  '7d': '7 days',
  '30d': '30 days',
};

export const OVER = choice('Waiting longer than', 'any time', PERIODS);
export const RAISED = choice('Raised within', 'any time', PERIODS);
export const IN_STAGE = choice('In its stage longer than', 'any time', PERIODS);

/** Milliseconds of a period. */
export function periodOf(period: string | undefined): number | undefined {
  return duration.safeParse(period).data;
}

export function waitIn({
  over,
  raised,
}: {
  readonly over?: string | undefined;
  readonly raised?: string | undefined;
}) {
  const within = periodOf(raised);
  return {
    waitingOver: periodOf(over),
    raisedSince: within === undefined ? undefined : new Date(Date.now() - within),
  } satisfies WaitFilter;
}

/** Links to the page with another `since`, for people who would have to know its format. */
export function Presets({
  path,
  chosen,
}: {
  readonly path: string;
  readonly chosen: Parameters<typeof address>[1];
}) {
  return (
    <nav class="actions" aria-label="Periods">
      {Object.entries(PRESETS).map(([since, name]) => (
        <a
          href={address(path, { ...chosen, since })}
          aria-current={chosen['since'] === since ? 'true' : undefined}
        >
          {name}
        </a>
      ))}
    </nav>
  );
}

const PRESETS = { today: 'Today', '7d': '7 days', '30d': '30 days', '84d': '12 weeks' };

/** A choice of the account, where a person sees more than one. */
export const ACCOUNT: FilterField<string> = {
  read: (value) => value.trim(),
  show(name, chosen) {
    const { user, settings } = useRequest();
    const seen = ['', ...Object.keys(settings.accounts)].filter((each) => maySee(user, each));
    const choices = seen.map((each) => [each || UNNAMED, each || 'without a name']);
    return seen.length < 2
      ? null
      : choice('Account', 'every account', Object.fromEntries(choices)).show(name, chosen);
  },
};

/** The accounts whose onboardings are listed; undefined for all. */
export function listedAccounts(user: User, chosen: string): readonly string[] | undefined {
  if (chosen === '') return user.accounts;
  const account = chosen === UNNAMED ? '' : chosen;
  return maySee(user, account) ? [account] : [];
}

/** Redirects to an address without the private search text, which the browser's history and proxies would keep. */
export function withoutPrivate(fields: Fields, path: string, choices: Parameters<typeof address>[1]) {
  const value = fields.text('find');
  const message = 'The search finds names and IDs. What looked private was removed from it.';
  return value.trim() === FIND.read(value) ? undefined : { to: address(path, choices), message };
}

export interface FormProps<Values> {
  readonly chosen: Values;
  readonly isFiltered: boolean;
  /** A field that does not apply. */
  readonly without?: keyof Values | undefined;
}

/** A filter of a page: reads what was chosen from its address, and shows the form. */
export function filterOf<Values extends object>(
  label: string,
  action: string,
  parts: { readonly [Name in keyof Values]: FilterField<Values[Name]> },
) {
  const names = Object.keys(parts) as (keyof Values & string)[];
  return {
    read: (fields: Fields) =>
      Object.fromEntries(names.map((name) => [name, parts[name].read(fields.text(name))])) as Values,
    Form: ({ chosen, isFiltered, without }: FormProps<Values>) => (
      <search aria-label={label}>
        <form class="filters" method="get" action={action}>
          {names.filter((name) => name !== without).map((name) => parts[name].show(name, chosen[name]))}
          <div class="actions">
            <button type="submit">Show</button>
            {isFiltered && <a href={action}>Show all</a>}
          </div>
        </form>
      </search>
    ),
  };
}
