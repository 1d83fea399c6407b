import { distance } from 'fastest-levenshtein';
import { z } from 'zod';

export type CellType = 'text' | 'number' | 'boolean';

/** The field of an input that a column holds, and the type of its cells. */
export interface Column {
  /** Numbers are indexes of a list. */
  readonly path: readonly (string | number)[];
  readonly type: CellType;
}

/** The columns that a table of inputs may have. */
export interface Columns {
  /** @param name the path of a field: `merchant.dba`, `beneficialOwners.0.firstName` */
  find(name: string): Column | undefined;
  /** A known name that is similar. */
  nearest(name: string): string | undefined;
}

/** The columns of inputs of any of these schemas. The schemas define the types. */
export function columnsOf(schemas: readonly z.ZodType[]): Columns {
  const root = z.toJSONSchema(z.union(schemas), { io: 'input', unrepresentable: 'any' }) as JsonSchema;
  const names = [...new Set(namesIn(root, root, []))];
  return {
    find: (name) => find(root, name.split('.')),
    nearest: (name) => nearest(names, name),
  };
}

type JsonSchema = z.core.JSONSchema.BaseSchema;

function find(root: JsonSchema, names: readonly string[]): Column | undefined {
  let forms = formsOf(root, [root]);
  const path: (string | number)[] = [];
  for (const name of names) {
    const items = forms.flatMap((form) => itemsIn(form, name));
    const fields = forms.flatMap((form) => fieldsIn(form, name));
    path.push(items.length > 0 ? Number(name) : name);
    forms = formsOf(root, items.length > 0 ? items : fields);
  }
  const type = cellType(forms);
  return type && { path, type };
}

/** The alternatives of a schema, with references resolved. */
function formsOf(root: JsonSchema, schemas: readonly unknown[]): JsonSchema[] {
  return schemas.filter(isSchema).flatMap((schema) => {
    const { $ref, anyOf } = schema;
    if ($ref !== undefined) return formsOf(root, [root.$defs?.[$ref.replace('#/$defs/', '')]]);
    return anyOf ? formsOf(root, anyOf) : [schema];
  });
}

/** Whether a schema allows values of a type. It may list several, such as string or null. */
function allows({ type }: JsonSchema, wanted: string): boolean {
  return [type].flat().includes(wanted as never);
}

/** The schema `true` has no rules. */
function isSchema(schema: unknown): schema is JsonSchema {
  return typeof schema === 'object' && schema !== null;
}

/** A larger index of a list is a typing error. */
const MOST_ITEMS = 100;

function itemsIn(form: JsonSchema, name: string): unknown[] {
  const { items, maxItems = MOST_ITEMS } = form;
  const isIndex = allows(form, 'array') && /^(0|[1-9]\d*)$/.test(name) && Number(name) < maxItems;
  return isIndex ? [items] : [];
}

function fieldsIn(form: JsonSchema, name: string): unknown[] {
  const { properties = {}, additionalProperties } = form;
  if (!allows(form, 'object') || name === '') return [];
  return [Object.hasOwn(properties, name) ? properties[name] : additionalProperties];
}

/** Text where the schema allows it, because text keeps leading zeros. */
function cellType(forms: readonly JsonSchema[]): CellType | undefined {
  const allow = (type: string) => forms.some((form) => allows(form, type));
  if (allow('string')) return 'text';
  if (allow('number') || allow('integer')) return 'number';
  return allow('boolean') ? 'boolean' : undefined;
}

/**
 * The names of all columns. An unbounded list has only its first item, an open object has no further fields, and a recursive
 * schema ends where it repeats.
 *
 * @param above the schemas around this one
 */
function namesIn(
  root: JsonSchema,
  schema: unknown,
  path: readonly string[],
  above: readonly JsonSchema[] = [],
): string[] {
  return formsOf(root, [schema]).flatMap((form) => {
    if (above.includes(form)) return [];
    const { properties = {}, items, maxItems = 1 } = form;
    const inside = (field: unknown, name: string) => namesIn(root, field, [...path, name], [...above, form]);
    if (allows(form, 'object'))
      return Object.entries(properties).flatMap(([name, field]) => inside(field, name));
    if (allows(form, 'array'))
      return Array.from({ length: maxItems }, (_, index) => inside(items, String(index))).flat();
    return cellType([form]) ? [path.join('.')] : [];
  });
}

/** Compares with the whole path and with its last name, without punctuation and case. */
function nearest(names: readonly string[], given: string): string | undefined {
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z0-9.]/g, '');
  const wanted = plain(given);
  const ranked = names
    .map((name) => {
      const whole = plain(name);
      const last = whole.slice(whole.lastIndexOf('.') + 1);
      return { name, apart: Math.min(distance(wanted, whole), distance(wanted, last)) };
    })
    .sort((one, other) => one.apart - other.apart);
  const [best] = ranked;
  return best && best.apart <= wanted.length / 4 ? best.name : undefined;
}
