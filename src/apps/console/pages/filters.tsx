import type { RenderableProps, VNode } from 'preact';
import { fieldOf } from '../../../messages/objects.js';
import { SYSTEM_NAMES } from '../../../partners/system-names.js';
import { redact } from '../../../platform/privacy/masked.js';
import { duration } from '../../../platform/settings/settings.js';
import type { WaitFilter } from '../../../services/inbox/inbox.js';
import { UNNAMED } from '../../../services/reports/report.js';
import { InvalidInput } from '../../../services/texts/invalid-input.js';
import { PAST_TIME_RULE, timeBefore } from '../../../services/texts/time.js';
import { address, type Fields } from '../query.js';
import { maySee, type User, useRequest } from '../route.js';
import { type Choices, Field, type FieldProps } from './parts.js';
import { Icon } from './pieces.js';

/** A filter's field: reads its value from an address, and renders its control. */
export interface FilterField<Value> {
  readonly label: string;
  readonly read: (value: string) => Value;
  show(name: string, chosen: Value, problems?: readonly string[]): VNode | null;
  /** Returns the reason why a text in the address is not a value. */
  problem?(value: string): string | undefined;
  /** Returns the chosen value in words. Default: the value itself. */
  words?(value: string): string | undefined;
  /** Shown only after a person unfolds the rare fields. */
  readonly isRare?: true;
}

export function textFilter(label: string, more: Partial<FieldProps> = {}): FilterField<string> {
  return {
    label,
    read: (value) => value.trim(),
    show: (name, value, problems) => (
      <Field {...{ placeholder: label, ...more, label, name, value, problems }} />
    ),
  };
}

/**
 * @param none the label while nothing is chosen
 * @param choices labels by value, or a list of values that are words
 */
export function choice<const Value extends string>(
  label: string,
  none: string,
  choices: readonly Value[] | Readonly<Record<Value, string>>,
): FilterField<Value | undefined> {
  const all: Choices = Array.isArray(choices)
    ? choices.map((value: Value) => [value, value.replaceAll('-', ' ')])
    : Object.entries<string>(choices);
  return {
    label,
    read: (input) => all.find(([value]) => value === input)?.[0] as Value | undefined,
    show: (name, value, problems) => (
      <Field {...{ label, name, value, problems }} choices={[['', none], ...all]} />
    ),
    problem: (value) =>
      value === '' || all.some(([each]) => each === value) ? undefined : 'no such choice, so it is not used',
    words: (value) => all.find(([each]) => each === value)?.[1],
  };
}

export function rare<Value>(field: FilterField<Value>): FilterField<Value> {
  return { ...field, isRare: true };
}

/** The start of a period, or '' for the default period. */
export const SINCE: FilterField<string> = {
  ...textFilter('Since', { placeholder: 'Since, such as 7d', maxLength: 40 }),
  read: (value) => (timeBefore(value.trim()) ? value.trim() : ''),
  problem: (value) => (value.trim() === '' || timeBefore(value.trim()) ? undefined : PAST_TIME_RULE),
  words: (value) => fieldOf(PRESETS, value),
};

/** The search field at the top of a page. A private value is removed before it gets into a link or a query. */
export const FIND: FilterField<string> = {
  label: 'Search',
  read: (value) => redact(value.trim(), 'log'),
  show: () => null,
};

export const SYSTEM = choice('Partner', 'Any partner', SYSTEM_NAMES);

export const AGENT = rare(textFilter('Agent profile', { inputMode: 'numeric', maxLength: 20 }));

/** The periods up to now that filters and their links offer. */
const PERIODS = {
  '1h': 'an hour',
  '4h': '4 hours',
  '1d': 'a day',
  '3d': '3 days',
  '7d': '7 days',
  '30d': '30 days',
};

const periods = (before: string) =>
  Object.fromEntries(Object.entries(PERIODS).map(([period, text]) => [period, `${before} ${text}`]));

export const OVER = rare(choice('Waiting', 'Waiting any time', periods('longer than')));
export const RAISED = rare(choice('Raised', 'Raised any time', periods('within')));
export const IN_STAGE = rare(choice('In its stage', 'In its stage any time', periods('longer than')));

/** Returns the milliseconds of a period. */
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

/** Links to the page with another `since`, so people need not know its format. */
export function Presets({
  path,
  chosen,
}: {
  readonly path: string;
  readonly chosen: Parameters<typeof address>[1];
}) {
  return (
    <nav class="segments" aria-label="Periods">
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

/** A choice of the account, if a person may see several. */
export const ACCOUNT: FilterField<string> = {
  label: 'Account',
  read: (value) => value.trim(),
  show(name, chosen) {
    const { user, settings } = useRequest();
    const seen = ['', ...Object.keys(settings.accounts)].filter((each) => maySee(user, each));
    const choices = seen.map((each) => [each || UNNAMED, each || 'without a name']);
    return seen.length < 2
      ? null
      : choice('Account', 'Any account', Object.fromEntries(choices)).show(name, chosen);
  },
};

/** Returns the accounts whose onboardings to list; undefined for all. */
export function listedAccounts(user: User, chosen: string): readonly string[] | undefined {
  if (chosen === '') return user.accounts;
  const account = chosen === UNNAMED ? '' : chosen;
  return maySee(user, account) ? [account] : [];
}

/** Redirects to an address without the private search text, which the browser's history and proxies would keep. */
export function redirectWithoutSearchText(
  fields: Fields,
  path: string,
  choices: Parameters<typeof address>[1],
) {
  const value = fields.text('find');
  const message = 'The search finds names and IDs. What looked private was removed from it.';
  return value.trim() === FIND.read(value) ? undefined : { to: address(path, choices), message };
}

export interface FormProps<Values> {
  readonly chosen: Values;
  /** A field to leave out. */
  readonly without?: keyof Values | undefined;
}

/** The ID of the filter's form. The search field at the top of the page belongs to this form. */
export const FILTER_FORM = 'filter';

/** Creates a page's filter: reads the choices from the address, and renders the form. A script applies a change at once. */
export function filterOf<Values extends object>(
  label: string,
  action: string,
  parts: { readonly [Name in keyof Values]: FilterField<Values[Name]> },
) {
  const names = Object.keys(parts) as (keyof Values & string)[];
  const Form = ({ chosen, without, children }: RenderableProps<FormProps<Values>>) => {
    const active = names.filter((name) => (chosen[name] ?? '') !== '');
    const { fields: sent } = useRequest();
    const problemOf = (name: keyof Values & string) => parts[name].problem?.(sent.text(name));
    const show = (name: keyof Values & string) => {
      const problem = problemOf(name);
      if (problem === undefined) return parts[name].show(name, chosen[name]);
      // Keep the invalid text, and show the problem.
      return parts[name].show(name, sent.text(name) as never, [problem]);
    };
    const fields = names.filter((name) => name !== without);
    const [seldom, often] = [true, false].map((isRare) =>
      fields.filter((name) => !parts[name].isRare !== isRare),
    );
    const all = Object.fromEntries(active.map((name) => [name, String(chosen[name])]));
    const hrefWithout = (name: string) => address(action, { ...all, [name]: '' });
    return (
      <search aria-label={label}>
        <form id={FILTER_FORM} method="get" action={action}>
          <details class="filters" open={names.some((name) => problemOf(name) !== undefined)}>
            <summary>
              <Icon name="filter" /> Filters
            </summary>
            <div>
              {often?.map(show)}
              {seldom?.length ? (
                <details
                  class="more"
                  open={seldom.some((name) => active.includes(name) || problemOf(name) !== undefined)}
                >
                  <summary>More filters</summary>
                  <div>{seldom.map(show)}</div>
                </details>
              ) : null}
              <button type="submit">Show</button>
              {children}
            </div>
          </details>
        </form>
        {active.length > 0 && (
          <p class="active">
            {active.map((name) => (
              <a class="chip chart-main" href={hrefWithout(name)} title="Clear this filter">
                {parts[name].label}: {parts[name].words?.(all[name] ?? '') ?? all[name]}
                <Icon name="x" />
              </a>
            ))}
            <a href={action}>Clear all</a>
          </p>
        )}
      </search>
    );
  };
  return {
    read: (fields: Fields) =>
      Object.fromEntries(names.map((name) => [name, parts[name].read(fields.text(name))])) as Values,
    /** Checks the filter of a file, which cannot show problems at fields. @throws {InvalidInput} */
    require(fields: Fields, what: string): void {
      const problems = names.flatMap((name) => {
        const message = parts[name].problem?.(fields.text(name));
        return message === undefined ? [] : [{ field: name, message }];
      });
      if (problems.length > 0) throw new InvalidInput(what, problems);
    },
    Form,
  };
}
