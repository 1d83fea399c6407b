import { z } from 'zod';
import { type Operation, pathParameters } from '../../partners/catalogue.js';
import { fieldProblems } from '../../partners/client.js';

/** A member of a request, for people. */
export interface Field {
  /** Dotted where it is inside of another: `address.city`. */
  readonly name: string;
  readonly isRequired: boolean;
  readonly type: string;
  /** What a value must be like, in the words in which a wrong one is refused. */
  readonly rule: string;
}

/** A JSON schema, as far as it is looked at here. */
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

/** All members that a request of an operation may have. */
export function fieldsOf(operation: Operation): Field[] {
  const schema = z.toJSONSchema(operation.request, { io: 'input', unrepresentable: 'any' }) as Schema;
  return fieldsIn(schema, [], true, operation);
}

/** Whether a request may have members that the catalogue does not know. */
export function takesMore({ request }: Operation): boolean {
  const { additionalProperties } = z.toJSONSchema(request, { io: 'input', unrepresentable: 'any' });
  return additionalProperties !== undefined && additionalProperties !== false;
}

function fieldsIn(schema: Schema, path: readonly string[], isNeeded: boolean, operation: Operation): Field[] {
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).flatMap(([member, inside]) => {
    const here = [...path, member];
    const isRequired = isNeeded && required.includes(member);
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
  const words = inside ? ruleOf(inside, path, operation) : '';
  return [
    values && `one of ${values.join(', ')}`,
    isBound(minimum) && `at least ${minimum}`,
    isBound(maximum) && `at most ${maximum}`,
    minLength > 1 && `at least ${minLength} characters`,
    maxLength !== undefined && `at most ${maxLength} characters`,
    schema.pattern !== undefined && inWords(path, operation),
    words,
    where(path, operation),
  ]
    .filter(Boolean)
    .join('; ');
}

/** What someone is told who gives a value that fits no pattern. */
function inWords(path: readonly string[], { request }: Operation): string {
  const wrong = path.reduceRight<unknown>((value, member) => ({ [member]: value }), '?');
  const checked = request.safeParse(wrong);
  const problems = checked.success ? [] : fieldProblems(checked.error);
  const told = problems.filter(({ field }) => field === path.join('.')).map(({ message }) => message);
  return [...new Set(told)].join('; ');
}

function where([member = '', ...inside]: readonly string[], operation: Operation): string {
  if (inside.length > 0) return '';
  if (pathParameters(operation).includes(member)) return 'in the path';
  return operation.query?.includes(member) ? 'in the query' : '';
}
