import type { z } from 'zod';
import { REFERENCE_NAMES } from '../../partners/boarding/references.js';
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
  readonly isRequired: boolean;
}

/** The external ID in the second line of a template, which no reader takes for an onboarding. */
export const TEMPLATE_KEY = 'required: your own key (this line is skipped)';

const PAIRS = Object.entries(REFERENCE_NAMES);

/** Describes a column's cells, for the second line of a template. */
export function cellAdvice({ path, type, values, isRequired }: Column): string {
  const name = String(path.at(-1));
  if (name === 'externalId') return TEMPLATE_KEY;
  const other = PAIRS.flatMap(([id, of]) => (name === id ? [of] : name === of ? [id] : []));
  const kind = type === 'boolean' ? 'true or false' : type === 'number' ? 'a number' : 'text';
  const cell = [values.length > 0 ? `one of ${values.join(', ')}` : kind, ...other].join(', or use ');
  return isRequired ? `required: ${cell}` : cell;
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
  let isRequired = true;
  const path: (string | number)[] = [];
  for (const name of names) {
    path.push(shape && isItem(shape, name) ? Number(name) : name);
    shape = shape && inside(shape, name);
    isRequired &&= shape?.isRequired === true;
  }
  const takes = shape ? cellTypes(shape) : [];
  const [type] = takes;
  const forms = shape ? alternativesOf(shape) : [];
  const values = forms.flatMap(({ values = [] }) => values);
  const patterns = forms.flatMap(({ pattern = [] }) => pattern);
  return type && { path, type, takes, values, patterns, isRequired };
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
