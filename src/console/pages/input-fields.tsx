import type { FormField, FormGroup, FormPart } from '../../forms/schema-fields.js';
import { fieldsIn, itemsOf, type Typed } from '../../forms/typed-input.js';
import type { FieldProblem } from '../../partners/partner-error.js';
import { isSecretField } from '../../privacy/private-fields.js';
import { type Choices, Field, fieldLabel } from './field.js';
import { Problem } from './parts.js';

interface InputFieldsProps {
  readonly parts: readonly FormPart[];
  readonly typed: Typed;
  readonly problems: readonly FieldProblem[];
  /** Choices of fields that the schema takes as text, by field: value and label. */
  readonly choices?: Readonly<Record<string, Choices>>;
}

/** The fields of an input: a group for each object, and each problem at its field. */
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
  if (group.most === undefined)
    return (
      <fieldset>
        <legend>{fieldLabel(group.name)}</legend>
        <InputFields parts={group.parts} {...form} />
      </fieldset>
    );
  const isFilled = (parts: readonly FormPart[]) =>
    parts.flatMap(fieldsIn).some(({ name }) => form.typed.has(name));
  return (
    <fieldset>
      <legend>{fieldLabel(group.name)}</legend>
      <p class="advice">At most {group.most}. Items without values are omitted.</p>
      {itemsOf(group).map((parts, index) => (
        <details open={isFilled(parts)}>
          <summary>
            {fieldLabel(group.name)}: {index + 1}
          </summary>
          <InputFields parts={parts} {...form} />
        </details>
      ))}
    </fieldset>
  );
}

function Control({ field, typed, problems, choices = {} }: OfForm & { readonly field: FormField }) {
  const { name, kind, isRequired, rule, values } = field;
  const wrong = problems.filter((problem) => problem.field === name || problem.field.startsWith(`${name}.`));
  const messages = wrong.map((problem) => {
    const inside = problem.field.slice(name.length + 1);
    return inside === '' ? problem.message : `${inside}: ${problem.message}`;
  });
  const value = typed.get(name) ?? '';
  const known: Choices = choices[name] ?? values.map((each) => [each, each]);
  // A choice of the schema can be taken back; one of the form has its own empty value, if any.
  const hasNone = known.some(([each]) => each === '') || (choices[name] !== undefined && value !== '');
  const remark = [isRequired && '(required)', kind === 'json' && '(JSON)'].filter(Boolean).join(' ');
  return (
    <Field
      {...{ id: idOf(name), name, value, isRequired, problems: messages }}
      label={[fieldLabel(name), remark && <span class="faint"> {remark}</span>]}
      // An error that repeats the rule replaces it.
      advice={messages.includes(rule) ? '' : rule}
      type={kind === 'flag' ? 'checkbox' : 'text'}
      choices={known.length === 0 ? undefined : hasNone ? known : [['', '(choose)'], ...known]}
      rows={kind === 'json' ? 4 : undefined}
      spellcheck={false}
      inputMode={kind === 'number' ? 'decimal' : undefined}
      class={kind === 'json' ? 'code' : isSecretField(name.split('.').at(-1) ?? '') ? 'covered' : undefined}
    />
  );
}

interface ProblemListProps {
  readonly problems: readonly FieldProblem[];
  /** Those whose fields the form has lead to them. */
  readonly parts: readonly FormPart[];
}

/** Every problem at the top of a form, with a link to its field. */
export function ProblemList({ problems, parts }: ProblemListProps) {
  const names = parts.flatMap(fieldsIn).map(({ name }) => name);
  const target = (field: string) => names.find((name) => field === name || field.startsWith(`${name}.`));
  return (
    <Problem isFocused>
      <p>
        Nothing was started, because {problems.length === 1 ? 'a field is' : 'some fields are'} not valid.
      </p>
      <ul>
        {problems.map(({ field, message }) => {
          const name = target(field);
          return (
            <li>
              {name ? <a href={`#${idOf(name)}`}>{fieldLabel(field)}</a> : fieldLabel(field)}: {message}
            </li>
          );
        })}
      </ul>
    </Problem>
  );
}

function idOf(name: string): string {
  return `field-${name}`;
}
