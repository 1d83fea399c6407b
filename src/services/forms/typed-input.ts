import type { z } from 'zod';
import { isNestedDeeper, parseExactly, TOO_NESTED } from '../../partners/json.js';
import type { FieldProblem } from '../../partners/partner-error.js';
import { fieldProblems, REQUIRED } from '../../partners/schema-messages.js';
import { columnsOf } from '../batches/columns.js';
import { cellValue, put } from '../batches/csv.js';
import { distinct } from '../texts/invalid-input.js';
import { notJson } from '../texts/text.js';
import { typedFee } from './amounts.js';
import { type Field, type FormGroup, type FormPart, formOf } from './schema-fields.js';

/** The text of each form field, by name: `beneficialOwners.0.city`. An empty field is absent. */
export type Typed = ReadonlyMap<string, string>;

/** The format of a date field. A program may also send a time. */
export const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Converts a picked day to its midnight. */
export function withTime(kind: Field['kind'], text: string): string {
  return kind === 'date' && DAY.test(text) ? `${text}T00:00:00Z` : text;
}

/** Returns the form of an input, and functions that convert typed values to the input. */
export function inputForm<Input>(schema: z.ZodType<Input>) {
  const parts = formOf(schema);
  const all = parts.flatMap(fieldsIn);
  const columns = columnsOf([schema]);
  return {
    parts,
    /** Picks the known form fields from a request, and renumbers list items without gaps. */
    typedIn: (fields: Readonly<Record<string, unknown>>): Typed =>
      new Map(parts.flatMap((part) => typedIn(part, fields))),
    /** Checks typed values with the schema, like a row of a table. */
    read(typed: Typed): { readonly input: Input } | { readonly problems: readonly FieldProblem[] } {
      const value = {};
      for (const { name } of requiredGroups(parts)) put(value, name.split('.'), {});
      const problems = [...typed].flatMap(([name, text]): FieldProblem[] => {
        // A number of a fee plan has no field of its own.
        const { kind } = all.find((field) => field.name === name) ?? { kind: 'number' };
        if (kind === 'json') return putJson(value, name, text);
        const column = columns.find(name);
        if (!column) return [];
        const fee = typedFee(column.path, text);
        if (fee && 'rule' in fee) return [{ field: name, message: fee.rule }];
        // The word stands for the value if a field takes text or false.
        const isFalse = kind === 'text' && text === 'false' && column.takes.includes('boolean');
        put(value, column.path, isFalse ? false : cellValue(withTime(kind, text), column));
        return [];
      });
      if (isNestedDeeper(value)) return { problems: [{ field: '', message: TOO_NESTED }] };
      const { success, data: input, error } = schema.safeParse(value);
      const unparsed = problems.map(({ field }) => field);
      const match = success ? [] : fieldProblems(error).filter(({ field }) => !unparsed.includes(field));
      // The schema's rules for a date and a choice are written for programs.
      const describe = (problem: FieldProblem) => {
        const kind = all.find(({ name }) => name === problem.field && !typed.has(name))?.kind;
        if (kind === 'choice') return { ...problem, message: 'choose one' };
        return kind === 'date' ? { ...problem, message: REQUIRED } : problem;
      };
      return success && problems.length === 0
        ? { input }
        : { problems: distinct([...problems, ...match.map(describe)]) };
    },
  };
}

/** Returns the fields of a part, with an index instead of `N`. */
export function fieldsIn(part: FormPart): Field[] {
  if (part.kind !== 'group') return [part];
  return groupItems(part).flatMap((parts) => parts.flatMap(fieldsIn));
}

/** Returns the parts of a group; for a list, the parts of each item. */
export function groupItems({ parts, most, name }: FormGroup): (readonly FormPart[])[] {
  if (most === undefined) return [parts];
  return Array.from({ length: most }, (_, index) => parts.map((part) => numbered(part, name, index)));
}

function numbered<Part extends FormPart>(part: Part, list: string, index: number): Part {
  const name = part.name.replace(`${list}.N`, `${list}.${index}`);
  return part.kind === 'group'
    ? { ...part, name, parts: part.parts.map((inside) => numbered(inside, list, index)) }
    : { ...part, name };
}

function requiredGroups(parts: readonly FormPart[]): FormGroup[] {
  const groups = parts.filter((part) => part.kind === 'group' && part.isRequired && part.most === undefined);
  return groups.flatMap((group) => [group as FormGroup, ...requiredGroups((group as FormGroup).parts)]);
}

function typedIn(part: FormPart, fields: Readonly<Record<string, unknown>>): [string, string][] {
  if (part.kind === 'group' && part.most !== undefined) {
    const items = groupItems(part).map((parts) => parts.flatMap((inside) => typedIn(inside, fields)));
    const place = (index: number) => `${part.name}.${index}.`;
    return items
      .map((typed, index) => typed.map(([name, text]) => [name.slice(place(index).length), text] as const))
      .filter((typed) => typed.length > 0)
      .flatMap((typed, index) => typed.map(([name, text]): [string, string] => [place(index) + name, text]));
  }
  return fieldsIn(part).flatMap(({ name }): [string, string][] => {
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
    const text = typeof value === 'string' ? value.trim() : '';
    return text === '' ? [] : [[name, text]];
  });
}

function putJson(into: object, name: string, text: string): FieldProblem[] {
  try {
    put(into, name.split('.'), parseExactly(text));
    return [];
  } catch {
    return [{ field: name, message: notJson(text) }];
  }
}
