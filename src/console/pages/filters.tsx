import type { ComponentChildren } from 'preact';
import { SYSTEM_NAMES } from '../../partners/names.js';
import type { Visit } from '../route.js';
import { maySee, type Visitor } from '../visitor.js';
import { type Choices, Field } from './field.js';

/** The filters of lists and of the report. */

interface FiltersProps {
  readonly label: string;
  /** The path of the page. */
  readonly action: string;
  readonly isFiltered: boolean;
  readonly children: ComponentChildren;
}

/** The form of the filters. It changes the address of the page only, so that a filtered page can be shared. */
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
  /** The meaning of no choice. */
  readonly none: string;
  readonly chosen: string | undefined;
  readonly choices: Choices;
}

/** A choice of a filter. */
export function Choice({ none, chosen, choices, ...field }: ChoiceProps) {
  return <Field {...field} value={chosen} choices={[['', none], ...choices]} />;
}

/** A choice of the partner. */
export function SystemChoice({ chosen }: Pick<ChoiceProps, 'chosen'>) {
  const choices = SYSTEM_NAMES.map((name) => [name, name] as const);
  return <Choice name="system" label="Partner" none="every partner" chosen={chosen} choices={choices} />;
}

/** The name of the account without a name in the address bar. */
const UNNAMED = 'default';

/** The accounts whose onboardings are listed; undefined for all. */
export function listedAccounts(visitor: Visitor, chosen: string): readonly string[] | undefined {
  if (chosen === '') return visitor.accounts;
  const account = chosen === UNNAMED ? '' : chosen;
  return maySee(visitor, account) ? [account] : [];
}

/** A choice of the account, where a person sees more than one. */
export function AccountChoice({
  visit: { visitor, settings },
  chosen,
}: Pick<ChoiceProps, 'chosen'> & { readonly visit: Visit }) {
  const seen = ['', ...Object.keys(settings.accounts)].filter((name) => maySee(visitor, name));
  if (seen.length < 2) return null;
  const choices = seen.map((name) => [name || UNNAMED, name || 'without a name'] as const);
  return <Choice name="account" label="Account" none="every account" chosen={chosen} choices={choices} />;
}
