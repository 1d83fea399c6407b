import { z } from 'zod';
import { fieldProblems } from '../../partners/client.js';

/** The fields of an input or request with their rules, from the schema that checks them. */

/** A field for people. */
export interface Field {
  /** Dotted where it is nested: `address.city`. In a list, `N` stands for the index: `beneficialOwners.N.city`. */
  readonly name: string;
  readonly isRequired: boolean;
  readonly type: string;
  /** The rule for a value, in the words of its error message. */
  readonly rule: string;
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

function jsonSchema(schema: z.ZodType): FieldSchema {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as FieldSchema;
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
    const field = { name: here.join('.'), isRequired, ...about };
    return instead ? [field] : [field, ...fieldsIn(inside, here, isRequired, within)];
  });
  return [...own, ...inList];
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
