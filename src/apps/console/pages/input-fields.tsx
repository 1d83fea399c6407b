import { fieldOf } from '../../../messages/objects.js';
import type { Requirement } from '../../../messages/requirements.js';
import type { FieldProblem } from '../../../partners/partner-error.js';
import { capitalize } from '../../../partners/text-limits.js';
import { REDACTED } from '../../../platform/privacy/masked.js';
import { isPrivateField, isSecretField } from '../../../platform/privacy/private-fields.js';
import { feeText } from '../../../services/forms/amounts.js';
import type { Change } from '../../../services/forms/corrections.js';
import type { Field as FormField, FormGroup, FormPart } from '../../../services/forms/schema-fields.js';
import { DAY, fieldsIn, groupItems, type Typed } from '../../../services/forms/typed-input.js';
import { Table } from '../../../services/reports/page.js';
import { type Filled, wrongIn } from '../answer.js';
import {
  type CorrectionField,
  enteredIn,
  FEE,
  FILLED_IN,
  nameOfRemoval,
  nameOfValue,
  OTHER_FIELDS,
} from '../correction-fields.js';
import type { Fields } from '../query.js';
import { FeeLines } from './fees.js';
import { type Choices, Field, fieldLabel, lineLabel } from './parts.js';

interface InputFieldsProps {
  readonly parts: readonly FormPart[];
  readonly typed: Typed;
  readonly problems: readonly FieldProblem[];
  /** The choices (value and label) of fields that are text in the schema, by field. */
  readonly choices?: Readonly<Record<string, Choices>>;
}

export function InputFields({ parts, ...form }: InputFieldsProps) {
  return (
    <div class="grid">
      {parts.map((part) =>
        part.kind === 'group' ? <Group group={part} {...form} /> : <Control field={part} {...form} />,
      )}
    </div>
  );
}

type OfForm = Omit<InputFieldsProps, 'parts'>;

function Group({ group, ...form }: OfForm & { readonly group: FormGroup }) {
  const isFilled = (parts: readonly FormPart[]) =>
    parts.flatMap(fieldsIn).some(({ name }) => form.typed.has(name));
  const title = fieldLabel(group.name);
  const folded = (parts: readonly FormPart[], summary: string, className?: string) => (
    <details class={className} open={isFilled(parts)}>
      <summary>{summary}</summary>
      <InputFields parts={parts} {...form} />
    </details>
  );
  if (group.most === undefined && !group.isRequired) return folded(group.parts, title, 'group');
  return (
    <fieldset>
      <legend>{title}</legend>
      {group.most === undefined ? (
        <InputFields parts={group.parts} {...form} />
      ) : (
        <>
          <p class="advice">At most {group.most}. Items without values are omitted.</p>
          {groupItems(group).map((parts, index) => folded(parts, `${title}: ${index + 1}`))}
        </>
      )}
    </fieldset>
  );
}

/** Fields that accept a number or a name. */
const BY_NUMBER = ['agent', 'boardingSettings'];

/** The maximum number of choices in a list. A field with more is a text field with suggestions. */
const MOST_CHOICES = 30;
const MOST_SUGGESTIONS = 500;

/** The bank numbers the states and publishes no list, so people must enter the number. */
const STATES = ['state', 'primaryAuthorizedState'];
const STATE_RULE =
  'a number from 1 to 53: the bank numbers the states and publishes no list, so ask the bank';

const named = (...names: readonly string[]): Choices => names.map((name, number) => [String(number), name]);

/** The bank's names for numbers (docs/partner-apis.md#banking-rules). */
const NUMBERED: Readonly<Record<string, Choices>> = {
  authorizingPersonTitle: named('None', 'Mr', 'Mrs', 'Ms', 'Dr', 'Prof', 'Other'),
  businessType: named('Unknown', 'Sole proprietorship', 'Partnership', 'Corporation', 'LLC'),
};

const AMOUNTS = /(?:volume|revenue|ticket|amount|sales)$/i;

/** Returns a value in words: `LLC` for the business type 4, `yes`, `1980-02-29`. */
export function valueText(field: string, value: unknown, none = ''): string {
  const last = field.slice(field.lastIndexOf('.') + 1);
  if (value === undefined) return none;
  if (value === REDACTED) return 'hidden';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number' && STATES.includes(last)) return `${value} (the bank’s number)`;
  if (typeof value === 'number' && /(?:^|\.)fees\./.test(field)) return feeText(field, value);
  // The bank's revenues are in whole dollars. The units of an application's fields are unknown.
  if (typeof value === 'number' && AMOUNTS.test(last))
    return `${last === 'annualBusinessRevenue' ? '$' : ''}${value.toLocaleString('en-US')}`;
  if (typeof value === 'string') return value.replace(/^(\d{4}-\d\d-\d\d)T00:00:00(?:\.000)?Z$/, '$1');
  const named = typeof value === 'number' ? fieldOf(NUMBERED, last) : undefined;
  return named?.find(([number]) => number === String(value))?.[1] ?? JSON.stringify(value);
}

/** Returns a field's label with its groups, without technical objects: `Beneficial owners, number 1, city`. */
export function pathLabel(field: string): string {
  return lineLabel(field.replace(/^(?:(?:boarding|business)\.)?(?:(?:merchant|holder)\.)?(?=.)/, ''));
}

/**
 * Replaces technical names in a question with labels: the field's path before a partner's problem (`holder.website: cannot be
 * reached`), the choices of a status, and, for a write, the error's code and the API's name for our ID.
 */
export function withLabels({ kind, fields = [], choices = [] }: Partial<Requirement>, text: string): string {
  if (kind === 'uncertain-write')
    return text.replace(/ \([A-Z][A-Z\d]{0,20}_[A-Z\d_]{1,40}\)/g, '').replace(' guid ', ' external ID ');
  const labelled = fields.reduce((all, field) => all.replaceAll(`${field}: `, `${pathLabel(field)}: `), text);
  return choices.reduce((all, choice) => all.replaceAll(`${choice} (`, `${choiceLabel(choice)} (`), labelled);
}

/** Returns a choice in words: `wants changes` for `wants-changes`. */
export function choiceLabel(choice: string): string {
  return choice.replaceAll('-', ' ');
}

/**
 * Returns a field's control, and its rule if the control does not show it.
 *
 * @param none the label of the empty choice; '' if a value must be chosen
 * @param listed choices that replace those of the schema
 */
function controlOf(
  { name, kind, type, rule, values = [] }: FormField,
  value: string,
  none: string,
  listed?: Choices,
) {
  const last = name.split('.').at(-1) ?? '';
  const named = listed ?? fieldOf(NUMBERED, last);
  const choices: Choices = named ?? values.map((each) => [each, each]);
  // A list of choices must not hide a typed value.
  const isChoice = choices.length > 0 && (value === '' || choices.some(([each]) => each === value));
  // People can clear a choice from the schema. A form's own choices contain an empty value if it is allowed.
  const hasNone = choices.some(([each]) => each === '') || (listed !== undefined && value !== '');
  const isDay = kind === 'date' && (value === '' || DAY.test(value));
  return {
    rule: isChoice && named ? '' : STATES.includes(last) && rule !== '' ? STATE_RULE : rule,
    control: {
      value,
      spellcheck: false,
      type: kind === 'flag' ? ('checkbox' as const) : isDay ? ('date' as const) : ('text' as const),
      choices: isChoice ? (hasNone || none === '' ? choices : [['', none] as const, ...choices]) : undefined,
      rows: kind === 'json' ? 2 : undefined,
      inputMode: kind !== 'number' ? undefined : /^int/.test(type) ? 'numeric' : ('decimal' as const),
      isPrivate: kind === 'json' || isPrivateField(last),
      class: kind === 'json' ? 'code' : isSecretField(last) ? 'covered' : undefined,
    } as const,
  };
}

const PROPOSED = 'your own key, proposed from the name';

function Control({ field, typed, problems, choices = {} }: OfForm & { readonly field: FormField }) {
  const { name, kind, isRequired } = field;
  const wrong = problems.filter((problem) => problem.field === name || problem.field.startsWith(`${name}.`));
  const messages = wrong.map((problem) => {
    const inside = problem.field.slice(name.length + 1);
    return inside === '' ? problem.message : `${inside}: ${problem.message}`;
  });
  const listed = choices[name];
  const isLong = listed !== undefined && listed.length > MOST_CHOICES;
  const { rule, control } = controlOf(field, typed.get(name) ?? '', '(choose)', isLong ? undefined : listed);
  const isByNumber = BY_NUMBER.includes(name.split('.').at(-1) ?? '') && !control.choices;
  // If the partner lists only one, it is used. If it lists several, a person must choose.
  const isOpen = (listed ?? []).filter(([value]) => /^\d+$/.test(value)).length > 1;
  const isNeeded = isRequired || (isOpen && BY_NUMBER.includes(name.split('.').at(-1) ?? ''));
  const remark = [isNeeded && '(required)', kind === 'json' && '(JSON)'].filter(Boolean).join(' ');
  return (
    <Field
      {...{ id: idOf(name), name, isRequired: isNeeded, problems: messages, ...control }}
      // The form sets these once for all fields.
      {...{ autoComplete: undefined, spellcheck: undefined }}
      label={[fieldLabel(name), remark && <span class="faint"> {remark}</span>]}
      suggestions={isLong ? listed.slice(0, MOST_SUGGESTIONS).map(([, label]) => label) : undefined}
      data-proposed={name === 'externalId' ? '' : undefined}
      // Leave out a rule that a problem repeats.
      advice={[name === 'externalId' ? PROPOSED : isByNumber ? 'number or name' : rule]
        .filter((each) => each && !messages.includes(each))
        .join('; ')}
    />
  );
}

interface ProblemListProps {
  readonly problems: readonly FieldProblem[];
  /** The parts of the form. A problem links to its field if a part has it. */
  readonly parts: readonly FormPart[];
  /** The names of fields outside of all parts. */
  readonly more?: readonly string[];
  readonly isWarning?: boolean;
}

/** Lists every problem at the top of a form, with a link to its field. */
export function ProblemList({ problems, parts, more = [], isWarning }: ProblemListProps) {
  const names = [...more, ...parts.flatMap(fieldsIn).map(({ name }) => name)];
  const target = (field: string) => names.find((name) => field === name || field.startsWith(`${name}.`));
  return (
    // A warning must not look like an error.
    <div class={isWarning ? 'notes' : 'problem'} role="alert" tabIndex={-1} data-focus="">
      <p>
        {isWarning
          ? `Nothing was started yet, because this may be a mistake. Correct it, or press “${ANYWAY}”.`
          : `Nothing was started, because ${problems.length === 1 ? 'a field is' : 'some fields are'} not valid.`}
      </p>
      <ul>
        {problems.map(({ field, message }) => {
          const name = target(field);
          const [, line] = /(?:^|\.)fees\.(.*)$/.exec(field) ?? [];
          const label = line === undefined ? fieldLabel(field) : lineLabel(line);
          return (
            <li>
              {name ? <a href={`#${idOf(name)}`}>{label}</a> : label}: {message}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

/** The label of the button that starts an input despite its warnings. */
export const ANYWAY = 'Start anyway';

export function idOf(name: string): string {
  return `field-${name}`;
}

interface CorrectionProps {
  readonly id: string;
  readonly own: Filled | undefined;
  readonly correctable: readonly CorrectionField[];
}

export function Correction({ id, correctable, own }: CorrectionProps) {
  const named = correctable.filter(({ isNamed }) => isNamed);
  const isJson = ({ kind }: CorrectionField) => Number(kind === 'json');
  const others = correctable
    .filter(({ isNamed }) => !isNamed)
    .toSorted((one, other) => isJson(one) - isJson(other));
  const isWrong = (field: CorrectionField) => own?.problems.some((problem) => problem.field === field.name);
  const entered = own && enteredIn(own.fields);
  // If the partner named no field, any field with a value may be the wrong one.
  const isFilled = ({ name, filledIn }: CorrectionField) =>
    own
      ? entered?.(name) !== undefined || own.fields.text(nameOfRemoval(name)) !== ''
      : named.length === 0 && filledIn !== '';
  const was = new URLSearchParams(
    correctable.flatMap(({ name, filledIn }) => (filledIn ? [[name, filledIn]] : [])),
  );
  const show = (field: CorrectionField) => (
    <CorrectionControl key={field.name} {...{ id, field, own }} entered={entered?.(field.name)} />
  );
  const withLine = (field: CorrectionField) => ({ ...field, field: field.name.replace(FEE, '') });
  const cell = (field: CorrectionField) => {
    const { rule, ...control } = correctionProps({ id, field, own, entered: entered?.(field.name) });
    return <Field {...control} aria-label={pathLabel(field.name)} />;
  };
  return (
    <>
      <input type="hidden" name={FILLED_IN} value={was.toString()} />
      {named.length > 0 ? (
        <fieldset>
          <legend>What the partner named</legend>
          {named.map(show)}
        </fieldset>
      ) : (
        <p class="advice">
          The partner named no field. Read its text above, and correct the fields in question.
        </p>
      )}
      {[...Map.groupBy(others, groupOf)].map(([group, fields]) => (
        <details key={group} class="group" open={fields.some((field) => isWrong(field) || isFilled(field))}>
          <summary>
            {titleOf(group)}{' '}
            <span class="faint">{fields.length === 1 ? '1 field' : `${fields.length} fields`}</span>
          </summary>
          {group === 'fees' ? (
            <FeeLines caption={titleOf(group)} leaves={fields.map(withLine)} cell={cell} />
          ) : (
            <div class="grid">{fields.map(show)}</div>
          )}
        </details>
      ))}
      <OtherFields id={id} own={own} />
      <p class="advice">
        What you leave alone stays as it is. Clear a field to remove its value. A hidden value stays while its
        field is empty.
      </p>
    </>
  );
}

/** Returns the group of a field: `beneficialOwners.1.city` belongs to the second owner, `holder.city` to the holder. */
function groupOf({ name, kind }: CorrectionField): string {
  if (kind === 'json') return 'advanced';
  if (FEE.test(name)) return 'fees';
  return /^(.*?\.\d+)\./.exec(name)?.[1] ?? name.split('.').slice(0, -1).slice(0, 2).join('.');
}

function titleOf(group: string): string {
  if (group === '') return 'Others';
  const [, list, index] = /^(.*)\.(\d+)$/.exec(group) ?? [];
  return list === undefined ? fieldLabel(group) : `${fieldLabel(list)}: number ${Number(index) + 1}`;
}

type OfCorrection = Omit<CorrectionProps, 'correctable'>;

interface ControlProps extends OfCorrection {
  readonly field: CorrectionField;
  /** The value that the person entered; undefined if unchanged. */
  readonly entered: string | undefined;
}

function correctionProps({ id, field, own, entered }: ControlProps) {
  const { name, filledIn, isRequired } = field;
  const none = filledIn === '' ? 'as it is' : isRequired ? '' : 'none';
  const { rule, control } = controlOf(field, entered ?? filledIn, none);
  return { rule, id: `${id}-${name}`, name: nameOfValue(name), problems: wrongIn(own, name), ...control };
}

function CorrectionControl({ id, field, own, entered }: ControlProps) {
  const { name, now, filledIn, kind, isRequired, isNamed } = field;
  const isCovered = Boolean(now) && filledIn === '';
  const { rule, ...control } = correctionProps({ id, field, own, entered });
  const advice = [
    now && (isCovered || entered !== undefined) && `Now ${now}`,
    isCovered && 'Leave it empty to keep that',
    capitalize(rule),
    kind === 'json' && 'As JSON',
  ];
  return (
    <div class="correction">
      <Field
        label={isNamed ? pathLabel(name) : fieldLabel(name)}
        advice={advice.filter(Boolean).join('. ')}
        {...control}
        isPrivate={control.isPrivate || isCovered}
      />
      {isCovered && !isRequired && (
        <label>
          <input
            type="checkbox"
            name={nameOfRemoval(name)}
            value="yes"
            checked={own?.fields.text(nameOfRemoval(name)) === 'yes'}
          />{' '}
          Remove {fieldLabel(name).toLowerCase()}
        </label>
      )}
    </div>
  );
}

/** Rows for further fields, because applications accept fields that no schema names. */
function OtherFields({ id, own }: OfCorrection) {
  const rows = Array.from({ length: OTHER_FIELDS }, (_, index) => `other.${index}`);
  const isOpen = rows.some((row) => own?.fields.text(`${row}.name`) || own?.fields.text(`${row}.value`));
  return (
    <details class="group" open={isOpen}>
      <summary>A field that is not listed</summary>
      <p class="advice">
        An application takes any field, such as <code>application.volume</code>.
      </p>
      {rows.map((row, index) => (
        <div class="grid" key={row}>
          {['name', 'value'].map((part) => (
            <Field
              {...{ id: `${id}-${row}-${part}`, name: `${row}.${part}` }}
              label={`${capitalize(part)} of field ${index + 1}`}
              value={own?.fields.text(`${row}.${part}`)}
              isPrivate={part === 'value'}
              problems={part === 'name' ? wrongIn(own, row) : []}
            />
          ))}
        </div>
      ))}
    </details>
  );
}

/** Lists a correction's changes before it is sent. Private values stay hidden, except those that the person typed. */
export function Changes({
  changes,
  typed,
}: {
  readonly changes: readonly Change[];
  readonly typed?: Fields;
}) {
  return (
    <Table
      caption="Changes"
      isWide
      rows={changes}
      columns={[
        { title: 'Field', cell: ({ field }) => pathLabel(field) },
        { title: 'Now', cell: ({ field, before }) => valueText(field, before, 'empty') },
        {
          title: 'Then',
          cell: ({ field, after, remark }) => (
            <>
              <strong>
                {(after === REDACTED && typedIn(typed, field)) || valueText(field, after, 'removed')}
              </strong>
              {remark !== '' && <small>{remark}</small>}
            </>
          ),
        },
      ]}
    />
  );
}

/** Returns the typed value of a field, except a number that identifies a person, such as an SSN. */
function typedIn(typed: Fields | undefined, field: string): string | undefined {
  return isSecretField(field.split('.').at(-1) ?? '') ? undefined : typed?.text(nameOfValue(field));
}
