import { z } from 'zod';
import { fieldProblems } from '../partners/rules-in-words.js';

/** The fields of an input or request with their rules, from the schema that checks them. */

/** A field for people. */
export interface Field {
  /** Dotted where it is nested: `address.city`. In a list, `N` stands for the index: `beneficialOwners.N.city`. */
  readonly name: string;
  readonly isRequired: boolean;
  readonly type: string;
  /** The rule for a value, in the words of its error message. */
  readonly rule: string;
  /** The allowed values, where the schema lists them. */
  readonly values?: readonly string[];
}

/** The part of a JSON schema that is read here. */
export interface FieldSchema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly not?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly required?: readonly string[];
  readonly items?: FieldSchema;
  readonly anyOf?: readonly FieldSchema[];
  readonly additionalProperties?: unknown;
  readonly maxItems?: number;
  readonly default?: unknown;
}

/** What is known of some fields besides their schema. */
export interface FieldRemarks {
  /** Replaces type and rule of a field, and hides the fields in it. */
  readonly instead?: (schema: FieldSchema) => Pick<Field, 'type' | 'rule'> | undefined;
  /** Added to the rule of a field. */
  readonly also?: (path: readonly string[]) => string;
}

/** All fields that a value of a schema may have. */
export function fieldsOf(schema: z.ZodType, remarks: FieldRemarks = {}): Field[] {
  return fieldsIn(jsonSchema(schema), [], true, { schema, ...remarks });
}

/** Whether a value may have fields that the schema does not list. */
export function takesMore(schema: z.ZodType): boolean {
  const { additionalProperties } = jsonSchema(schema);
  return additionalProperties !== undefined && additionalProperties !== false;
}

/** Whether the schema describes all that a field, such as `beneficialOwners.0.city`, may hold. */
export function describes(schema: z.ZodType, field: string): boolean {
  const inside = ({ properties = {}, items }: FieldSchema, name: string) =>
    Object.hasOwn(properties, name) ? properties[name] : /^\d+$/.test(name) ? items : undefined;
  const found = field
    .split('.')
    .reduce<FieldSchema | undefined>((within, name) => within && inside(within, name), jsonSchema(schema));
  return found !== undefined && isDescribed(found);
}

function isDescribed({
  type,
  format,
  anyOf,
  properties = {},
  additionalProperties,
  items,
}: FieldSchema): boolean {
  // JSON has no bigint, which is one of its forms.
  if (format === 'int64') return true;
  if (anyOf) return anyOf.every(isDescribed);
  const types = [type].flat();
  if (types.includes('object') && additionalProperties !== false) return false;
  if (types.includes('array') && items === undefined) return false;
  const inside = [...Object.values(properties), ...(items ? [items] : [])];
  return type !== undefined && inside.every(isDescribed);
}

function jsonSchema(schema: z.ZodType): FieldSchema {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as FieldSchema;
}

/** A field of a form. `json`: any JSON, as a text. */
export interface FormField extends Field {
  readonly kind: 'text' | 'number' | 'flag' | 'choice' | 'json';
  /** Of a choice. */
  readonly values: readonly string[];
}

/** Fields that belong together. */
export interface FormGroup {
  readonly kind: 'group';
  /** As of a field. */
  readonly name: string;
  readonly isRequired: boolean;
  readonly parts: readonly FormPart[];
  /** Of a list: how many items it may have. Its fields have `N` in their names. */
  readonly most?: number;
}

export type FormPart = FormField | FormGroup;

/**
 * The form of a schema: what is required first, a group for each object, and a group for each item of a short list. An object that
 * takes any field is a field of JSON, and so is one that may be left out and has such an object in it.
 */
export function formOf(schema: z.ZodType): FormPart[] {
  return partsIn(jsonSchema(schema), [], { schema });
}

function partsIn({ properties = {}, required = [] }: FieldSchema, path: readonly string[], within: Within) {
  const parts = Object.entries(properties).flatMap(([name, inside]): FormPart[] => {
    if (inside.not) return [];
    const here = [...path, name];
    const about = { name: here.join('.'), isRequired: required.includes(name) };
    const { items, maxItems: most } = inside;
    if (items && isClosed(items) && most !== undefined)
      return [{ kind: 'group', ...about, most, parts: partsIn(items, [...here, 'N'], within) }];
    if (isClosed(inside) && (about.isRequired || Object.values(inside.properties ?? {}).every(isSimple)))
      return [{ kind: 'group', ...about, parts: partsIn(inside, here, within) }];
    const values = (inside.enum ?? []).filter((value) => typeof value === 'string');
    const { default: standard } = inside;
    const rules = [
      values.length > 0 ? '' : ruleOf(inside, here, within),
      standard === undefined ? '' : `default: ${standard}`,
    ];
    const rule = rules.filter(Boolean).join('; ');
    return [{ kind: controlOf(inside), ...about, type: typeOf(inside), rule, values }];
  });
  // The sort is stable.
  return parts.sort((one, other) => Number(other.isRequired) - Number(one.isRequired));
}

function isClosed({ properties, additionalProperties }: FieldSchema): boolean {
  return properties !== undefined && additionalProperties === false;
}

function isSimple(schema: FieldSchema): boolean {
  return controlOf(schema) !== 'json';
}

/** Text first, because text keeps leading zeros. */
function controlOf({ type, anyOf, enum: values }: FieldSchema): FormField['kind'] {
  if (anyOf) {
    const forms = anyOf.filter((form) => form.type !== 'null').map(controlOf);
    return (['text', 'number', 'choice', 'flag'] as const).find((kind) => forms.includes(kind)) ?? 'json';
  }
  const [only = ''] = [type].flat().filter((each) => each !== 'null');
  if (only === 'string') return values ? 'choice' : 'text';
  if (only === 'number' || only === 'integer') return 'number';
  return only === 'boolean' ? 'flag' : 'json';
}

interface Within extends FieldRemarks {
  readonly schema: z.ZodType;
}

function fieldsIn(
  { properties = {}, required = [], items }: FieldSchema,
  path: readonly string[],
  isNeeded: boolean,
  within: Within,
): Field[] {
  const inList = items?.properties ? fieldsIn(items, [...path, 'N'], isNeeded, within) : [];
  const own = Object.entries(properties).flatMap(([name, inside]) => {
    // It must be absent.
    if (inside.not) return [];
    const here = [...path, name];
    const isRequired = isNeeded && required.includes(name);
    const instead = within.instead?.(inside);
    const about = instead ?? { type: typeOf(inside), rule: ruleOf(inside, here, within) };
    const values = valuesOf(inside);
    const field = { name: here.join('.'), isRequired, ...about, ...(values && { values }) };
    return instead ? [field] : [field, ...fieldsIn(inside, here, isRequired, within)];
  });
  return [...own, ...inList];
}

function valuesOf({ enum: values, anyOf = [] }: FieldSchema): readonly string[] | undefined {
  return values?.map(String) ?? anyOf.map(valuesOf).find((each) => each !== undefined);
}

function typeOf(schema: FieldSchema): string {
  const { type, anyOf, items, format } = schema;
  if (format === 'int64') return 'int64';
  if (anyOf) return [...new Set(anyOf.map(typeOf))].join(' | ') || 'any';
  if (type === 'array') return `list of ${items ? typeOf(items) : 'any'}`;
  if (Array.isArray(type)) return type.join(' | ');
  return typeof type === 'string' ? type : 'any';
}

const INT32 = 2 ** 31;

function ruleOf(schema: FieldSchema, path: readonly string[], within: Within): string {
  const { enum: values, minimum, maximum, minLength = 0, maxLength } = schema;
  const isBound = (bound: number | undefined): bound is number =>
    bound !== undefined && Math.abs(bound) < INT32 - 1;
  const inside = schema.anyOf?.find(({ type }) => type !== 'null');
  const inner = inside ? ruleOf(inside, path, within) : '';
  return [
    values && `one of ${values.join(', ')}`,
    isBound(minimum) && `at least ${minimum}`,
    isBound(maximum) && `at most ${maximum}`,
    minLength > 1 && `at least ${minLength} characters`,
    maxLength !== undefined && `at most ${maxLength} characters`,
    schema.pattern !== undefined && patternRule(path, within),
    inner,
    schema.description,
    within.also?.(path),
  ]
    .filter(Boolean)
    .join('; ');
}

/** The error message for a value that does not match the pattern. */
function patternRule(path: readonly string[], { schema }: Within): string {
  const wrong = path.reduceRight<unknown>((value, name) => (name === 'N' ? [value] : { [name]: value }), '?');
  const checked = schema.safeParse(wrong);
  const problems = checked.success ? [] : fieldProblems(checked.error);
  const field = path.map((name) => (name === 'N' ? '0' : name)).join('.');
  const messages = problems.filter((problem) => problem.field === field).map(({ message }) => message);
  return [...new Set(messages)].join('; ');
}
