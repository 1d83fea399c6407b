import type { FormField, FormGroup, FormPart } from '../../forms/schema-fields.js';
import { DAY, fieldsIn, itemsOf, type Typed } from '../../forms/typed-input.js';
import { fieldOf } from '../../messages/objects.js';
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

/** Pairs of fields of which an input has one. */
const EITHER: Readonly<Record<string, string>> = {
  agentProfileId: 'Agent',
  agent: 'Agent profile ID',
  boardingSettingsId: 'Boarding settings',
  boardingSettings: 'Boarding settings ID',
};

/** Which state has which number the partner does not show. */
const STATES: Choices = Array.from({ length: 53 }, (_, index) => [String(index + 1), `State ${index + 1}`]);

const named = (...names: readonly string[]): Choices => names.map((name, number) => [String(number), name]);

/** Numbers of the bank for which it has names (E7, apis/1). */
const NUMBERED: Readonly<Record<string, Choices>> = {
  state: STATES,
  primaryAuthorizedState: STATES,
  authorizingPersonTitle: named('None', 'Mr', 'Mrs', 'Ms', 'Dr', 'Prof', 'Other'),
  businessType: named('Unknown', 'Sole proprietorship', 'Partnership', 'Corporation', 'LLC'),
};

function Control({ field, typed, problems, choices = {} }: OfForm & { readonly field: FormField }) {
  const { name, kind, isRequired, rule, values } = field;
  const wrong = problems.filter((problem) => problem.field === name || problem.field.startsWith(`${name}.`));
  const messages = wrong.map((problem) => {
    const inside = problem.field.slice(name.length + 1);
    return inside === '' ? problem.message : `${inside}: ${problem.message}`;
  });
  const value = typed.get(name) ?? '';
  const last = name.split('.').at(-1) ?? '';
  const named = choices[name] ?? fieldOf(NUMBERED, last);
  const known: Choices = named ?? values.map((each) => [each, each]);
  const either = fieldOf(EITHER, last);
  // A choice of the schema can be taken back; one of the form has its own empty value, if any.
  const hasNone = known.some(([each]) => each === '') || (choices[name] !== undefined && value !== '');
  // A choice must not hide what was typed.
  const isChoice = known.length > 0 && (value === '' || known.some(([each]) => each === value));
  const remark = [isRequired && '(required)', kind === 'json' && '(JSON)'].filter(Boolean).join(' ');
  return (
    <Field
      {...{ id: idOf(name), name, value, isRequired, problems: messages }}
      label={[fieldLabel(name), remark && <span class="faint"> {remark}</span>]}
      // An error that repeats the rule replaces it.
      advice={[isChoice && named ? '' : rule, either && `either this or ${either}`]
        .filter((each) => each && !messages.includes(each))
        .join('; ')}
      type={
        kind === 'flag' ? 'checkbox' : kind === 'date' && (value === '' || DAY.test(value)) ? 'date' : 'text'
      }
      choices={isChoice ? (hasNone ? known : [['', '(choose)'], ...known]) : undefined}
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
  /** A person may confirm them. */
  readonly isDoubt?: boolean;
}

/** Every problem at the top of a form, with a link to its field. */
export function ProblemList({ problems, parts, isDoubt }: ProblemListProps) {
  const names = parts.flatMap(fieldsIn).map(({ name }) => name);
  const target = (field: string) => names.find((name) => field === name || field.startsWith(`${name}.`));
  return (
    <Problem isFocused>
      <p>
        {isDoubt
          ? 'Nothing was started yet, because this may be a mistake. Correct it, or start it as it is.'
          : `Nothing was started, because ${problems.length === 1 ? 'a field is' : 'some fields are'} not valid.`}
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
