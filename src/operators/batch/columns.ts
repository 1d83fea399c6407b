import { z } from 'zod';

export type CellType = 'text' | 'number' | 'boolean';

/** The field of an input that a column holds, and the type of its cells. */
export interface Column {
  /** Numbers are indexes of a list. */
  readonly path: readonly (string | number)[];
  readonly type: CellType;
  /** All types that the field may have. */
  readonly takes: readonly CellType[];
}

/** The columns that a table of inputs may have. */
export interface Columns {
  /** @param name the path of a field: `merchant.dba`, `beneficialOwners.0.firstName` */
  find(name: string): Column | undefined;
  /** The names of all columns. */
  readonly names: readonly string[];
}

/** The columns of inputs of any of these schemas. The schemas define the types. */
export function columnsOf(schemas: readonly z.ZodType[]): Columns {
  const root = z.toJSONSchema(z.union(schemas), { io: 'input', unrepresentable: 'any' }) as JsonSchema;
  const names = [...new Set(namesIn(root, root, []))];
  return {
    find: (name) => find(root, name.split('.')),
    names,
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
  const takes = cellTypes(forms);
  const [type] = takes;
  return type && { path, type, takes };
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

/** Text first, where the schema allows it, because text keeps leading zeros. */
function cellTypes(forms: readonly JsonSchema[]): CellType[] {
  const allow = (...types: string[]) => types.some((type) => forms.some((form) => allows(form, type)));
  return [
    ...(allow('string') ? (['text'] as const) : []),
    ...(allow('number', 'integer') ? (['number'] as const) : []),
    ...(allow('boolean') ? (['boolean'] as const) : []),
  ];
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
    return cellTypes([form]).length > 0 ? [path.join('.')] : [];
  });
}
