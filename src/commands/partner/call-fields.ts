import { z } from 'zod';
import { type Operation, pathParameters } from '../../partners/catalogue.js';
import { fieldProblems } from '../../partners/client.js';
import { tableOf } from '../cli/table.js';

/** The table of all fields that a request of an operation may have, for people. */
export function fieldsHelp(operation: Operation): string {
  const fields = fieldsOf(operation);
  const more = takesMore(operation) ? '\nOther fields are sent unchanged.' : '';
  if (fields.length === 0) return `The request has no fields.${more}`;
  const rows = fields.map(({ name, isRequired, type, rule }) => [name, isRequired ? 'yes' : '', type, rule]);
  return `${tableOf(['field', 'required', 'type', 'rule'], rows)}${more}`;
}

/** A field of a request, for people. */
interface Field {
  /** Dotted where it is nested: `address.city`. */
  readonly name: string;
  readonly isRequired: boolean;
  readonly type: string;
  /** The rule for a value, in the words of its error message. */
  readonly rule: string;
}

/** The part of a JSON schema that is read here. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly additionalProperties?: unknown;
}

/** All fields that a request of an operation may have. */
export function fieldsOf(operation: Operation): Field[] {
  const schema = z.toJSONSchema(operation.request, { io: 'input', unrepresentable: 'any' }) as Schema;
  return fieldsIn(schema, [], true, operation);
}

/** Whether a request may have fields that the catalogue does not list. */
function takesMore({ request }: Operation): boolean {
  const { additionalProperties } = z.toJSONSchema(request, { io: 'input', unrepresentable: 'any' });
  return additionalProperties !== undefined && additionalProperties !== false;
}

function fieldsIn(schema: Schema, path: readonly string[], isNeeded: boolean, operation: Operation): Field[] {
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).flatMap(([name, inside]) => {
    const here = [...path, name];
    const isRequired = isNeeded && required.includes(name);
    const isFile = operation.encoding === 'multipart' && inside.properties?.['content'] !== undefined;
    const field = {
      name: here.join('.'),
      isRequired,
      type: isFile ? 'file' : typeOf(inside),
      rule: isFile ? 'the path of a file, after an @' : ruleOf(inside, here, operation),
    };
    return isFile ? [field] : [field, ...fieldsIn(inside, here, isRequired, operation)];
  });
}

function typeOf(schema: Schema): string {
  const { type, anyOf, items, format } = schema;
  if (format === 'int64') return 'int64';
  if (anyOf) return [...new Set(anyOf.map(typeOf))].join(' | ') || 'any';
  if (type === 'array') return `list of ${items ? typeOf(items) : 'any'}`;
  if (Array.isArray(type)) return type.join(' | ');
  return typeof type === 'string' ? type : 'any';
}

const INT32 = 2 ** 31;

function ruleOf(schema: Schema, path: readonly string[], operation: Operation): string {
  const { enum: values, minimum, maximum, minLength = 0, maxLength } = schema;
  const isBound = (bound: number | undefined): bound is number =>
    bound !== undefined && Math.abs(bound) < INT32 - 1;
  const inside = schema.anyOf?.find(({ type }) => type !== 'null');
  const inner = inside ? ruleOf(inside, path, operation) : '';
  return [
    values && `one of ${values.join(', ')}`,
    isBound(minimum) && `at least ${minimum}`,
    isBound(maximum) && `at most ${maximum}`,
    minLength > 1 && `at least ${minLength} characters`,
    maxLength !== undefined && `at most ${maxLength} characters`,
    schema.pattern !== undefined && patternRule(path, operation),
    inner,
    where(path, operation),
  ]
    .filter(Boolean)
    .join('; ');
}

/** The error message for a value that does not match the pattern. */
function patternRule(path: readonly string[], { request }: Operation): string {
  const wrong = path.reduceRight<unknown>((value, name) => ({ [name]: value }), '?');
  const checked = request.safeParse(wrong);
  const problems = checked.success ? [] : fieldProblems(checked.error);
  const messages = problems.filter(({ field }) => field === path.join('.')).map(({ message }) => message);
  return [...new Set(messages)].join('; ');
}

function where([name = '', ...nested]: readonly string[], operation: Operation): string {
  if (nested.length > 0) return '';
  if (pathParameters(operation).includes(name)) return 'in the path';
  return operation.query?.includes(name) ? 'in the query' : '';
}
