import type { ComponentChildren } from 'preact';
import { SYSTEM_NAMES } from '../../partners/names.js';
import { masked } from '../../privacy/masked.js';
import { UNNAMED } from '../../reports/report.js';
import { address, type Fields } from '../query.js';
import { useVisit } from '../route.js';
import { maySee, type Visitor } from '../visitor.js';
import { Field } from './field.js';

/** The field of what {@link findIn} reads. */
export function FindField({ find }: { readonly find: string }) {
  return <Field label="Business or ID" type="search" name="find" value={find} maxLength={200} />;
}

/** The search text. A private value finds nothing, so it gets into no link and no query. */
export function findIn(fields: Fields): string {
  return masked(fields.text('find').trim(), 'log');
}

/** Redirects to an address without the private search text, which the browser's history and proxies would keep. */
export function withoutPrivate(fields: Fields, path: string, choices: Parameters<typeof address>[1]) {
  const message = 'The search finds names and IDs. What looked private was removed from it.';
  return fields.text('find').trim() === findIn(fields) ? undefined : { to: address(path, choices), message };
}

interface FiltersProps {
  readonly label: string;
  readonly action: string;
  readonly isFiltered: boolean;
  readonly children: ComponentChildren;
}

export function Filters({ label, action, isFiltered, children }: FiltersProps) {
  return (
    <search aria-label={label}>
      <form class="filters" method="get" action={action}>
        {children}
        <div class="actions">
          <button type="submit">Show</button>
          {isFiltered && <a href={action}>Show all</a>}
        </div>
      </form>
    </search>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly label: string;
  readonly none: string;
  readonly chosen: string | undefined;
  /** Labels by value; a list has values that are words. */
  readonly choices: Readonly<Record<string, string>> | readonly string[];
}

export function Choice({ none, chosen, choices, ...field }: ChoiceProps) {
  const all: readonly (readonly [string, string])[] = Array.isArray(choices)
    ? choices.map((value: string) => [value, value.replaceAll('-', ' ')])
    : Object.entries(choices);
  return <Field {...field} value={chosen} choices={[['', none], ...all]} />;
}

export function SystemChoice({ chosen }: Pick<ChoiceProps, 'chosen'>) {
  return <Choice name="system" label="Partner" none="every partner" chosen={chosen} choices={SYSTEM_NAMES} />;
}

/** The accounts whose onboardings are listed; undefined for all. */
export function listedAccounts(visitor: Visitor, chosen: string): readonly string[] | undefined {
  if (chosen === '') return visitor.accounts;
  const account = chosen === UNNAMED ? '' : chosen;
  return maySee(visitor, account) ? [account] : [];
}

/** A choice of the account, where a person sees more than one. */
export function AccountChoice({ chosen }: Pick<ChoiceProps, 'chosen'>) {
  const { visitor, settings } = useVisit();
  const seen = ['', ...Object.keys(settings.accounts)].filter((name) => maySee(visitor, name));
  if (seen.length < 2) return null;
  const choices = Object.fromEntries(seen.map((name) => [name || UNNAMED, name || 'without a name']));
  return <Choice name="account" label="Account" none="every account" chosen={chosen} choices={choices} />;
}
