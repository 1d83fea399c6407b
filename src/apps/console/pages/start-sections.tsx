import type { FeePlan } from '../../../messages/fee-plans.js';
import { isFieldWithin, type Leaf, leavesOf } from '../../../messages/objects.js';
import type { FieldProblem } from '../../../partners/partner-error.js';
import { feeText } from '../../../services/forms/amounts.js';
import type { FormPart } from '../../../services/forms/schema-fields.js';
import { fieldsIn, type Typed } from '../../../services/forms/typed-input.js';
import { FeeLines } from './fees.js';
import { InputFields, idOf } from './input-fields.js';
import { type Choices, Field, lineLabel } from './parts.js';

/** The start form, in the order of a clerk's questions: the business, its owner, the pricing, and, folded up, the rest. */

/** The fields of each section by their last names, in order. All other fields are advanced. */
const SECTIONS: Readonly<Record<string, readonly string[]>> = {
  Business: [
    'dba',
    'doingBusinessAsName',
    'legalBusinessName',
    'externalId',
    'account',
    'pos',
    'agent',
    'employerIdentificationNumber',
    'businessType',
    'businessPhone',
    'businessStartDate',
    'website',
    'annualBusinessRevenue',
    'payrollCustomer',
    'openFinancialAccount',
  ],
  Owner: [
    'firstName',
    'lastName',
    'givenName',
    'middleName',
    'familyName',
    'authorizingPersonTitle',
    'email',
    'phone',
    'ssn',
    'dateOfBirth',
    'percentageOwnership',
    'beneficialOwners',
  ],
  Address: ['streetAddress', 'extendedAddress', 'city', 'state', 'postalCode'],
  'Primary authorized address': [
    'primaryAuthorizedStreetAddress',
    'primaryAuthorizedExtendedAddress',
    'primaryAuthorizedLocality',
    'primaryAuthorizedState',
    'primaryAuthorizedPostalCode',
  ],
  Pricing: ['cashDiscount', 'boardingSettings', 'feePlan'],
};

/** Technical objects in field paths, which labels leave out. */
const AROUND = /(^|\.)(merchant|holder|boarding|business)$/;

function flat(parts: readonly FormPart[]): FormPart[] {
  return parts.flatMap((part) =>
    part.kind === 'group' && AROUND.test(part.name) ? flat(part.parts) : [part],
  );
}

const lastName = ({ name }: FormPart) => name.slice(name.lastIndexOf('.') + 1);

/** The parts of a customer. */
const PARTS = { boarding: 'For card payments', business: 'At the bank' };

interface SectionsProps {
  readonly parts: readonly FormPart[];
  /** The names of fields to leave out of this form. */
  readonly hidden: readonly string[];
  readonly typed: Typed;
  readonly problems: readonly FieldProblem[];
  readonly choices: Readonly<Record<string, Choices>>;
  readonly pricing: PricingProps;
}

/** Returns the parts of a section, in its order. A customer's parts for card payments come first. */
function ownIn(all: readonly FormPart[], names: readonly string[]) {
  const own = names.flatMap((name) => all.filter((part) => lastName(part) === name));
  const isSplit = all.some(({ name }) => name.startsWith('boarding.'));
  return Map.groupBy(own, ({ name }) => (isSplit ? (name.split('.')[0] ?? '') : ''));
}

/** Sorts problems by the order of their fields in the form. */
export function inOrder(problems: readonly FieldProblem[], parts: readonly FormPart[]): FieldProblem[] {
  const all = flat(parts);
  const listed = Object.values(SECTIONS).flatMap((names) => [...ownIn(all, names).values()].flat());
  const fields = [...listed, ...all.filter((part) => !listed.includes(part))].flatMap(fieldsIn);
  const rank = ({ field }: FieldProblem) => {
    const at = fields.findIndex(({ name }) => isFieldWithin(field, [name]));
    return field === '' ? -1 : at === -1 ? fields.length : at;
  };
  return problems.toSorted((one, other) => rank(one) - rank(other));
}

export function Sections({ parts, hidden, pricing, ...form }: SectionsProps) {
  const all = flat(parts).filter(({ name }) => !hidden.includes(name));
  const named = Object.values(SECTIONS).flat();
  const inTable = changeableIn(pricing).map(({ field }) => pricing.prefix + field);
  const advanced = without(
    all.filter((part) => !named.includes(lastName(part))),
    inTable,
  );
  const names = advanced.flatMap(fieldsIn).map(({ name }) => name);
  // The table shows a plan's numbers, so they do not open this section.
  const isIn = (field: string) => isFieldWithin(field, names) && (names.includes(field) || !pricing.plan);
  const isOpen = [...form.typed.keys()].some(isIn) || form.problems.some(({ field }) => isIn(field));
  return (
    <>
      {Object.entries(SECTIONS).map(([title, names]) => {
        const byPart = ownIn(all, names);
        if (byPart.size === 0) return null;
        return (
          <fieldset key={title} id={title.toLowerCase().replaceAll(' ', '-')}>
            <legend>{title}</legend>
            {[...byPart].map(([part, fields]) => {
              const inputs = <InputFields key={part} parts={fields} {...form} />;
              if (!(part in PARTS)) return inputs;
              return (
                <fieldset key={part}>
                  <legend>{PARTS[part as keyof typeof PARTS]}</legend>
                  {inputs}
                </fieldset>
              );
            })}
            {title === 'Pricing' && <Pricing {...pricing} />}
          </fieldset>
        );
      })}
      <details class="group" open={isOpen}>
        <summary>Advanced</summary>
        <InputFields parts={advanced} {...form} />
      </details>
    </>
  );
}

/** Removes fields that the form shows elsewhere, because a page shows a field only once. */
function without(parts: readonly FormPart[], names: readonly string[]): FormPart[] {
  return parts.flatMap((part): FormPart[] => {
    if (part.kind === 'group') return [{ ...part, parts: without(part.parts, names) }];
    return names.includes(part.name) ? [] : [part];
  });
}

/** Returns the numbers of a plan that a person may change in its table. */
function changeableIn({ plan }: Pick<PricingProps, 'plan'>): Leaf[] {
  return leavesOf(plan?.fees ?? {}).filter(
    ({ field, value }) => typeof value === 'number' && isFieldWithin(field, plan?.mayChange ?? []),
  );
}

export interface PricingProps {
  /** The address to which the form is sent. */
  readonly path: string;
  /** The prefix of the fields: `fees.` or `boarding.fees.`. */
  readonly prefix: string;
  readonly hasPlans: boolean;
  readonly plan: FeePlan | undefined;
  readonly typed: Typed;
  readonly problems: readonly FieldProblem[];
}

function Pricing({ path, prefix, hasPlans, plan, typed, problems }: PricingProps) {
  if (!hasPlans) return null;
  const show = (
    <button type="submit" class="secondary" name="show" value="fees" formAction={`${path}#pricing`}>
      {plan ? 'Show the fees again' : 'Show the fees of the plan'}
    </button>
  );
  if (!plan) return show;
  const changeable = changeableIn({ plan }).map(({ field }) => field);
  const cell = ({ field, value }: Leaf) => {
    const name = prefix + field;
    if (!changeable.includes(field)) return feeText(field, value);
    return (
      <Field
        {...{ name, id: idOf(name), 'aria-label': lineLabel(field), inputMode: 'decimal' }}
        value={typed.get(name) ?? feeText(field, value)}
        problems={problems.filter((problem) => problem.field === name).map(({ message }) => message)}
      />
    );
  };
  return (
    <>
      {show}
      <input type="hidden" name="shown" value={plan.name} />
      <p class="advice">
        Percentages are in percent: 3.5 is 3.5%. Amounts are in dollars: 0.10 is $0.10.{' '}
        {changeable.length > 0 && 'The plan fixes every number that is not in a field.'}
      </p>
      <FeeLines caption={`Fees of ${plan.name}`} leaves={leavesOf(plan.fees)} cell={cell} />
    </>
  );
}
