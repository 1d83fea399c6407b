import type { AllHTMLAttributes, ComponentChildren } from 'preact';
import { fieldOf } from '../../messages/objects.js';

export type Choices = readonly (readonly [value: string, label: string])[];

type ControlProps = Pick<
  AllHTMLAttributes,
  | 'autoFocus'
  | 'accept'
  | 'autoComplete'
  | 'class'
  | 'inputMode'
  | 'maxLength'
  | 'multiple'
  | 'required'
  | 'spellcheck'
>;

export interface FieldProps extends ControlProps {
  readonly name: string;
  /** Default: the name. */
  readonly id?: string;
  readonly label: ComponentChildren;
  readonly type?: 'text' | 'search' | 'date' | 'checkbox' | 'file';
  readonly value?: string | undefined;
  readonly choices?: Choices | undefined;
  readonly rows?: number | undefined;
  readonly advice?: ComponentChildren;
  readonly problems?: readonly string[];
  /** For a form whose errors come from the console, not from the browser. */
  readonly isRequired?: boolean;
}

export function Field({ label, advice = '', problems = [], isRequired = false, ...control }: FieldProps) {
  const { name, id = name, type = 'text', value = '', choices, rows, ...others } = control;
  const wrong = [...new Set(problems)].join('; ');
  const notes = [...(wrong ? [`${id}-error`] : []), ...(advice ? [`${id}-rule`] : [])];
  const attributes = {
    ...{ autoComplete: 'off', ...others, id, name },
    'aria-describedby': notes.join(' ') || undefined,
    'aria-invalid': wrong ? ('true' as const) : undefined,
    'aria-required': isRequired ? ('true' as const) : undefined,
  };
  const isFlag = type === 'checkbox';
  const words = <label for={id}>{label}</label>;
  return (
    <div class="field">
      {!isFlag && words}
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
        <input {...attributes} type={type as 'text'} value={type === 'file' ? undefined : value} />
      )}
      {isFlag && words}
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

/** Spellings that differ from the words in a name. */
const WORDS: Readonly<Record<string, string>> = { dba: 'dba', ssn: 'SSN', dob: 'Date of birth', pos: 'POS' };

/** `holder.givenName`: Given name */
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
