import type { z } from 'zod';
import {
  alternativesOf,
  inside,
  isAny,
  isItem,
  placesIn,
  type Shape,
  shapeOfAny,
} from '../../platform/schemas/shape.js';

export type CellType = 'text' | 'number' | 'boolean';

export interface Column {
  /** Numbers are indexes of a list. */
  readonly path: readonly (string | number)[];
  readonly type: CellType;
  readonly takes: readonly CellType[];
  /** The values that the schema lists, if any. */
  readonly values: readonly string[];
  readonly patterns: readonly string[];
}

/** Describes a column's cells, for the second line of a template. Its external ID is invalid, so it never starts. */
export function cellAdvice({ path, type, values }: Column): string {
  if (path.join('.') === 'externalId') return 'your own key (delete this line)';
  if (values.length > 0) return `one of ${values.join(', ')}`;
  return type === 'boolean' ? 'true or false' : type === 'number' ? 'a number' : 'text';
}

export type Columns = ReturnType<typeof columnsOf>;

export function columnsOf(schemas: readonly z.ZodType[]) {
  const root = shapeOfAny(schemas);
  return {
    /** @param name the path of a field: `merchant.dba`, `beneficialOwners.0.firstName` */
    find: (name: string) => find(root, name.split('.')),
    names: namesIn(root),
  };
}

function find(root: Shape, names: readonly string[]): Column | undefined {
  let shape: Shape | undefined = root;
  const path: (string | number)[] = [];
  for (const name of names) {
    path.push(shape && isItem(shape, name) ? Number(name) : name);
    shape = shape && inside(shape, name);
  }
  const takes = shape ? cellTypes(shape) : [];
  const [type] = takes;
  const forms = shape ? alternativesOf(shape) : [];
  const values = forms.flatMap(({ values = [] }) => values);
  return type && { path, type, takes, values, patterns: forms.flatMap(({ pattern = [] }) => pattern) };
}

/** Digits with the signs between which people write a phone number, an EIN or an SSN. */
const IN_GROUPS = /^(?=.*\d)[\d ().-]{10,30}$/;
const LEAST_DIGITS = 9;

/** In a field with Yes and No, true and false mean the same. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ['true', 'yes'],
  ['false', 'no'],
]);

/** Converts a text to the schema's form: a listed value in its own case; nine or more digits without separators. */
export function asListed(text: string, { values, patterns }: Pick<Column, 'values' | 'patterns'>): string {
  if (values.includes(text)) return text;
  const word = text.toLowerCase();
  const value = values.find((each) => [word, WORDS.get(word)].includes(each.toLowerCase()));
  if (value !== undefined || !IN_GROUPS.test(text)) return value ?? text;
  const digits = text.replace(/\D/g, '');
  const fits = (each: string) => patterns.length > 0 && patterns.every((rule) => new RegExp(rule).test(each));
  return digits.length >= LEAST_DIGITS && !fits(text) && fits(digits) ? digits : text;
}

/** Returns the columns of all named fields. An unbounded list has only its first item. */
function namesIn(root: Shape): string[] {
  const indexes = ({ maxItems = 1 }: Shape) => Array.from({ length: maxItems }, (_, index) => String(index));
  const columns = [...placesIn(root, indexes)].filter(({ shape }) => cellTypes(shape).length > 0);
  return [...new Set(columns.map(({ path }) => path.join('.')))];
}

/** Text first, if the schema allows it, because text keeps leading zeros. */
function cellTypes(shape: Shape): CellType[] {
  const forms = alternativesOf(shape);
  const allow = (...wanted: string[]) =>
    forms.some((form) => isAny(form) || form.types.some((type) => wanted.includes(type)));
  return [
    ...(allow('string') ? (['text'] as const) : []),
    ...(allow('number', 'integer') ? (['number'] as const) : []),
    ...(allow('boolean') ? (['boolean'] as const) : []),
  ];
}
