import type { ComponentChildren } from 'preact';
import { fieldOf } from '../../messages/objects.js';

/** The attributes of a field's input element. */
export interface FieldAttributes {
  readonly id: string;
  readonly name: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': 'true' | undefined;
  readonly 'aria-required': 'true' | undefined;
}

interface FieldProps {
  readonly id: string;
  readonly name: string;
  readonly label: ComponentChildren;
  /** Its rule. Default: none. */
  readonly advice?: ComponentChildren;
  /** The problems of the value. */
  readonly problems: readonly string[];
  readonly isRequired?: boolean;
  /** A checkbox, with its label next to it. */
  readonly isFlag?: boolean;
  readonly children: (attributes: FieldAttributes) => ComponentChildren;
}

/** A field with its label, what is wrong with it, and its rule. */
export function Field({
  id,
  name,
  label,
  advice = '',
  problems,
  isRequired = false,
  isFlag = false,
  children,
}: FieldProps) {
  const wrong = [...new Set(problems)].join('; ');
  const notes = [...(wrong ? [`${id}-error`] : []), ...(advice ? [`${id}-rule`] : [])];
  const attributes: FieldAttributes = {
    ...{ id, name },
    'aria-describedby': notes.join(' ') || undefined,
    'aria-invalid': wrong ? 'true' : undefined,
    'aria-required': isRequired ? 'true' : undefined,
  };
  return (
    <div class={['field', isFlag && 'flag', wrong && 'wrong'].filter(Boolean).join(' ')}>
      <label for={id}>{label}</label>
      {children(attributes)}
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

/** Spellings that differ from those of the words in a name. */
const WORDS: Readonly<Record<string, string>> = { dba: 'dba', ssn: 'SSN', dob: 'Date of birth', pos: 'POS' };

/** `holder.givenName`: Given name */
export function fieldLabel(field: string): string {
  if (field === '') return 'The whole input';
  const names = field.split('.');
  const last = names.at(-1) ?? '';
  const known = fieldOf(WORDS, last);
  if (known !== undefined) return known;
  const words = last
    .replaceAll('_', ' ')
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase();
  const spaced = words.replace(/\bid\b/g, 'ID');
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}
