import { distance } from 'fastest-levenshtein';
import { z } from 'zod';

export type CellType = 'text' | 'number' | 'boolean';

/** Where in an input a column belongs, and what its cells are. */
export interface Column {
  /** Numbers are places in a list. */
  readonly path: readonly (string | number)[];
  readonly type: CellType;
}

/** The columns that a table of inputs may have. */
export interface Columns {
  /** @param name the path of a member: `merchant.dba`, `beneficialOwners.0.firstName` */
  find(name: string): Column | undefined;
  /** The name that someone may have meant. */
  nearest(name: string): string | undefined;
}

/** The columns of inputs of any of these schemas. What text, number or boolean is, the schemas say. */
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
    const places = forms.flatMap((form) => placesIn(form, name));
    const members = forms.flatMap((form) => membersIn(form, name));
    path.push(places.length > 0 ? Number(name) : name);
    forms = formsOf(root, places.length > 0 ? places : members);
  }
  const type = cellType(forms);
  return type && { path, type };
}

/** What a schema allows, taken apart into schemas without alternatives and references. */
function formsOf(root: JsonSchema, schemas: readonly unknown[]): JsonSchema[] {
  return schemas.filter(isSchema).flatMap((schema) => {
    const { $ref, anyOf } = schema;
    if ($ref !== undefined) return formsOf(root, [root.$defs?.[$ref.replace('#/$defs/', '')]]);
    return anyOf ? formsOf(root, anyOf) : [schema];
  });
}

/** Whether a schema allows values of a type. It may name several: text or null. */
function allows({ type }: JsonSchema, wanted: string): boolean {
  return [type].flat().includes(wanted as never);
}

/** `true` as a schema says nothing. */
function isSchema(schema: unknown): schema is JsonSchema {
  return typeof schema === 'object' && schema !== null;
}

/** More columns for one list than this are a typing error. */
const MOST_PLACES = 100;

function placesIn(form: JsonSchema, name: string): unknown[] {
  const { items, maxItems = MOST_PLACES } = form;
  const isPlace = allows(form, 'array') && /^(0|[1-9]\d*)$/.test(name) && Number(name) < maxItems;
  return isPlace ? [items] : [];
}

function membersIn(form: JsonSchema, name: string): unknown[] {
  const { properties = {}, additionalProperties } = form;
  if (!allows(form, 'object') || name === '') return [];
  return [Object.hasOwn(properties, name) ? properties[name] : additionalProperties];
}

/** Where text will do, it is text: the zeros that a number begins with count there. */
function cellType(forms: readonly JsonSchema[]): CellType | undefined {
  const allow = (type: string) => forms.some((form) => allows(form, type));
  if (allow('string')) return 'text';
  if (allow('number') || allow('integer')) return 'number';
  return allow('boolean') ? 'boolean' : undefined;
}

/**
 * Of a list without end only the first place, of an object that is open nothing, of a schema within itself nothing more.
 *
 * @param above the schemas that this one is in
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
      return Array.from({ length: maxItems }, (_, place) => inside(items, String(place))).flat();
    return cellType([form]) ? [path.join('.')] : [];
  });
}

/** The whole path may be meant, or what it ends in. Signs between words, and capitals, do not count. */
function nearest(names: readonly string[], given: string): string | undefined {
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z0-9.]/g, '');
  const meant = plain(given);
  const ranked = names
    .map((name) => {
      const whole = plain(name);
      const last = whole.slice(whole.lastIndexOf('.') + 1);
      return { name, apart: Math.min(distance(meant, whole), distance(meant, last)) };
    })
    .sort((one, other) => one.apart - other.apart);
  const [best] = ranked;
  return best && best.apart <= meant.length / 4 ? best.name : undefined;
}
