import type { z } from 'zod';
import { fieldProblems } from '../../partners/schema-messages.js';
import { inside, isAny, type Place, placesIn, type Shape, shapeOf } from '../../platform/schemas/shape.js';

/** Lists the fields of an input or request with their rules, from its schema. */

export interface Field {
  /** Dotted if nested: `address.city`. In a list, `N` stands for the index: `beneficialOwners.N.city`. */
  readonly name: string;
  readonly isRequired: boolean;
  readonly type: string;
  /** The rule for a value, in the words of its error message. */
  readonly rule: string;
  /** The allowed values, if the schema lists them. */
  readonly values?: readonly string[];
  /** How a form shows it. `json`: any JSON, as text. `date`: a day, in a field that accepts a date and time. */
  readonly kind: 'text' | 'number' | 'flag' | 'choice' | 'date' | 'json';
}

export function schemaFields(schema: z.ZodType): Field[] {
  const places = [...placesIn(shapeOf(schema))].filter(({ path }) => path.at(-1) !== 'N');
  const fields = places.map((place) => described(place, schema));
  return [...new Map(fields.map((field) => [field.name, field])).values()];
}

/** Reports whether a value may have fields that the schema does not list. */
export function takesMore(schema: z.ZodType): boolean {
  return shapeOf(schema).others !== undefined;
}

/** Reports whether the schema describes everything that a field, such as `beneficialOwners.0.city`, may hold. */
export function describes(schema: z.ZodType, field: string): boolean {
  const shape = field
    .split('.')
    .reduce<Shape | undefined>((around, name) => around && inside(around, name), shapeOf(schema));
  return shape !== undefined && isDescribed(shape);
}

function isDescribed(shape: Shape): boolean {
  const { forms, fields, items, types, others } = shape;
  if (isAny(shape) || others || (types.includes('array') && !items)) return false;
  return [...forms, ...fields.values(), ...(items ? [items] : [])].every(isDescribed);
}

/** Fields that belong together. */
export interface FormGroup {
  readonly kind: 'group';
  /** Like the name of a field. */
  readonly name: string;
  readonly isRequired: boolean;
  readonly parts: readonly FormPart[];
  /** For a list, whose fields have `N` in their names: the maximum number of items. */
  readonly most?: number;
}

export type FormPart = Field | FormGroup;

/**
 * Returns the form of a schema: required fields first, a group for each object, and a group for each item of a short list. An
 * object that accepts any field is a JSON field, and so is an optional object that contains such an object.
 */
export function formOf(schema: z.ZodType): FormPart[] {
  return partsIn(shapeOf(schema), [], schema);
}

function partsIn({ fields }: Shape, path: readonly string[], schema: z.ZodType): FormPart[] {
  const parts = [...fields].flatMap(([name, shape]): FormPart[] => {
    if (shape.types.includes('never')) return [];
    const { isRequired, items, maxItems: most, default: standard } = shape;
    const here = [...path, name];
    const group = { kind: 'group', name: here.join('.'), isRequired } as const;
    if (items && isClosed(items) && most !== undefined)
      return [{ ...group, most, parts: partsIn(items, [...here, 'N'], schema) }];
    if (isClosed(shape) && (isRequired || [...shape.fields.values()].every(isEasy)))
      return [{ ...group, parts: partsIn(shape, here, schema) }];
    const field = described({ path: here, shape, isRequired }, schema);
    const rules = [ruleInForm(field), standard === undefined ? '' : `default: ${standard}`];
    return [{ ...field, rule: rules.filter(Boolean).join('; ') }];
  });
  // The sort is stable.
  return parts.sort(
    (one, other) => Number(other.isRequired) - Number(one.isRequired) || rankOf(one) - rankOf(other),
  );
}

/** A choice and a date show their rule themselves. */
export function ruleInForm({ kind, values, rule }: Field): string {
  if (values || kind === 'date') return '';
  return rule
    .replace(/at least ([\d.]{1,20}); at most /, '$1 to ')
    .replace(/^(?:more than 0|at least [01])(?:; |$)/, '');
}

/** Forms show names first, because people know them best, and JSON last. */
const NAMES_FIRST =
  /(^|\.)(merchant|boarding|holder|business|legalBusinessName|doingBusinessAsName|dba|firstName|givenName|lastName|familyName)$/;

function rankOf({ name, kind }: FormPart): number {
  return NAMES_FIRST.test(name) ? 0 : kind === 'json' ? 2 : 1;
}

function isClosed({ types, others }: Shape): boolean {
  return types.includes('object') && !others;
}

function isEasy(shape: Shape): boolean {
  return !shape.isRequired || controlOf(shape) !== 'json';
}

/** Text first, because text keeps leading zeros. */
function controlOf(shape: Shape): Field['kind'] {
  const { types, forms, values, format } = shape;
  if (format === 'int64') return 'number';
  if ([shape, ...forms].some(({ format }) => format === 'date-time')) return 'date';
  const kinds = [...forms.map(controlOf), ...types.map((type) => (values ? 'choice' : CONTROLS[type]))];
  return (['text', 'number', 'choice', 'flag'] as const).find((kind) => kinds.includes(kind)) ?? 'json';
}

const CONTROLS: Readonly<Record<string, Field['kind']>> = {
  string: 'text',
  number: 'number',
  integer: 'number',
  boolean: 'flag',
};

function described({ path, shape, isRequired }: Place, schema: z.ZodType): Field {
  const { values } = [shape, ...shape.forms].find(({ values }) => values) ?? {};
  const rule = ruleOf(shape, path, schema);
  const field = { name: path.join('.'), isRequired, type: typeOf(shape), rule, kind: controlOf(shape) };
  return { ...field, ...(values && { values }) };
}

function typeOf(shape: Shape): string {
  const { types, forms, items, format } = shape;
  if (format === 'int64') return format;
  const all = types.map((type) => (type === 'array' ? `list of ${items ? typeOf(items) : 'any'}` : type));
  return [...new Set([...all, ...forms.map(typeOf)])].join(' | ') || 'any';
}

const INT32 = 2 ** 31;

/** A smaller bound only excludes zero. */
const TINY = 0.001;

function ruleOf(shape: Shape, path: readonly string[], schema: z.ZodType): string {
  if (shape.types.includes('file')) return 'the path of a file, after an @';
  const { values, minimum, maximum, minLength = 0, maxLength } = shape;
  const isBound = (bound: number | undefined): bound is number =>
    bound !== undefined && Math.abs(bound) < INT32 - 1;
  const form = shape.forms.find(({ types }) => !types.includes('null'));
  return [
    values && `one of ${values.join(', ')}`,
    isBound(minimum) && (minimum > 0 && minimum < TINY ? 'more than 0' : `at least ${minimum}`),
    isBound(maximum) && `at most ${maximum}`,
    minLength > 1 && `at least ${minLength} characters`,
    maxLength !== undefined && `at most ${maxLength} characters`,
    shape.pattern !== undefined && patternRule(path, schema),
    form && ruleOf(form, path, schema),
    shape.description,
  ]
    .filter(Boolean)
    .join('; ');
}

/** The error message for a value that does not match the pattern. */
function patternRule(path: readonly string[], schema: z.ZodType): string {
  const wrong = path.reduceRight<unknown>((value, name) => (name === 'N' ? [value] : { [name]: value }), '?');
  const checked = schema.safeParse(wrong);
  const problems = checked.success ? [] : fieldProblems(checked.error);
  const field = path.map((name) => (name === 'N' ? '0' : name)).join('.');
  const messages = problems.filter((problem) => problem.field === field).map(({ message }) => message);
  return [...new Set(messages)].join('; ');
}
