import type { Change } from '../../forms/corrections.js';
import { REDACTED } from '../../privacy/masked.js';
import { Table } from '../../reports/page.js';
import { type Filled, wrongIn } from '../answer.js';
import { type FormField, nameOfRemoval, nameOfValue, OTHER_FIELDS } from '../correction-fields.js';
import { Field, fieldLabel } from './field.js';
import { capitalized } from './parts.js';

interface CorrectionProps {
  readonly id: string;
  readonly own: Filled | undefined;
}

/** The form of a correction: the fields that the partner named, and all others in groups. */
export function Correction({
  id,
  correctable,
  own,
}: CorrectionProps & { readonly correctable: readonly FormField[] }) {
  const named = correctable.filter(({ isNamed }) => isNamed);
  const others = correctable.filter(({ isNamed }) => !isNamed);
  const isWrong = (field: FormField) => own?.problems.some((problem) => problem.field === field.name);
  const isFilled = ({ name }: FormField) =>
    own !== undefined &&
    (own.fields.text(nameOfValue(name)) !== '' || own.fields.text(nameOfRemoval(name)) !== '');
  const show = (field: FormField) => <CorrectionField key={field.name} id={id} field={field} own={own} />;
  const groups = [...new Set(others.map(groupOf))];
  return (
    <>
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
      {groups.map((group) => {
        const fields = others.filter((field) => groupOf(field) === group);
        return (
          <details key={group} class="group" open={fields.some((field) => isWrong(field) || isFilled(field))}>
            <summary>
              {titleOf(group)}{' '}
              <span class="faint">{fields.length === 1 ? '1 field' : `${fields.length} fields`}</span>
            </summary>
            <div class="grid">{fields.map(show)}</div>
          </details>
        );
      })}
      <OtherFields id={id} own={own} />
      <p class="advice">An empty field stays as it is.</p>
    </>
  );
}

/** `beneficialOwners.1.city` belongs to the second owner, `holder.city` to the holder. */
function groupOf({ name }: Pick<FormField, 'name'>): string {
  return /^(.*?\.\d+)\./.exec(name)?.[1] ?? name.split('.').slice(0, -1).slice(0, 2).join('.');
}

function titleOf(group: string): string {
  if (group === '') return 'Others';
  const [, list, index] = /^(.*)\.(\d+)$/.exec(group) ?? [];
  return list === undefined ? fieldLabel(group) : `${fieldLabel(list)}: number ${Number(index) + 1}`;
}

function CorrectionField({ id, field, own }: CorrectionProps & { readonly field: FormField }) {
  const { name, entry, now, rule, values = [], isRequired } = field;
  const isListed = values.length > 0 && rule.startsWith('one of');
  const advice = [
    now === undefined ? 'Now empty' : now === 'hidden' ? 'Now hidden' : `Now ${now}`,
    rule !== '' && !isListed && capitalized(rule),
    entry === 'json' && 'As JSON',
  ];
  return (
    <div class="correction">
      <Field
        id={`${id}-${name}`}
        name={nameOfValue(name)}
        label={[fieldLabel(name), ' ', <code>{name}</code>]}
        advice={advice.filter(Boolean).join('. ')}
        problems={wrongIn(own, name)}
        value={own?.fields.text(nameOfValue(name))}
        choices={
          entry === 'choice' ? [['', 'as it is'], ...values.map((each) => [each, each] as const)] : undefined
        }
        rows={entry === 'json' ? 2 : undefined}
        spellcheck={entry === 'json' ? false : undefined}
        inputMode={entry === 'digits' ? 'numeric' : undefined}
      />
      {now !== undefined && !isRequired && (
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

/** Applications take fields that no schema names. */
function OtherFields({ id, own }: CorrectionProps) {
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
              label={`${capitalized(part)} of field ${index + 1}`}
              value={own?.fields.text(`${row}.${part}`)}
              problems={part === 'name' ? wrongIn(own, row) : []}
            />
          ))}
        </div>
      ))}
    </details>
  );
}

/** The changes of a correction, before it is sent. Private values stay hidden. */
export function Changes({ changes }: { readonly changes: readonly Change[] }) {
  return (
    <Table
      caption="Changes"
      isWide
      rows={changes}
      columns={[
        {
          title: 'Field',
          cell: ({ field }) => (
            <>
              {fieldLabel(field)} <small>{field}</small>
            </>
          ),
        },
        { title: 'Now', cell: ({ before }) => valueText(before, 'empty') },
        {
          title: 'Then',
          cell: ({ after, remark }) => (
            <>
              <strong>{valueText(after, 'removed')}</strong>
              {remark !== '' && <small>{remark}</small>}
            </>
          ),
        },
      ]}
    />
  );
}

function valueText(value: unknown, none: string): string {
  if (value === undefined) return none;
  if (value === REDACTED) return 'hidden';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
