import { z } from 'zod';

/**
 * Walks a schema once. The result is a {@link Shape}: what a value may have in each place. Forms, columns of tables, corrections,
 * comparisons of responses, help and probes read shapes, so zod and JSON Schema are read here alone. OpenAPI documents and
 * exported schemas are JSON Schema, and do not come from shapes.
 */

/** The catalogue's facts about a response field, besides its schema. */
export interface Mark {
  /** A workflow reads it. A test compares these marks with the code. */
  readonly needed?: true;
  /** The partner may leave it out. Every other field is expected in each response, if only as null. */
  readonly sometimes?: true;
  /** An object that has further fields, which nobody needs. */
  readonly open?: true;
  /** The JSON types that the contract prints, where others are read as well. */
  readonly types?: readonly string[];
  /** The form of a text. */
  readonly format?: 'date-time';
  /** The known status names. One that begins with `*` stands for every name with that ending. */
  readonly names?: readonly string[];
}

export const marks = z.registry<Mark>();

/** The values that are allowed in one place. */
export interface Shape {
  /**
   * JSON types. Empty for any JSON, and for a union, whose forms have them. A place of type `never` must stay empty, and one of type
   * `file` takes a file part.
   */
  readonly types: readonly string[];
  /** The alternatives of a union. */
  readonly forms: readonly Shape[];
  readonly fields: ReadonlyMap<string, Shape>;
  /** As a field of the object around it. */
  readonly isRequired: boolean;
  /** The shape of fields with other names. Undefined: there are none. */
  readonly others: Shape | undefined;
  readonly items: Shape | undefined;
  readonly maxItems?: number;
  readonly values?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly default?: unknown;
  readonly description?: string;
  /** In the `meta` of a setting: the effect of omitting it. */
  readonly unset?: string;
  readonly secret?: boolean;
  /** It leads to another server. A name: unless the setting with this name is set. */
  readonly address?: boolean | string;
  readonly mark: Mark;
}

/** The part of a JSON schema that becomes a shape. */
interface JsonSchema
  extends Partial<Omit<Shape, 'types' | 'forms' | 'fields' | 'isRequired' | 'others' | 'items' | 'values'>> {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly not?: unknown;
  readonly contentMediaType?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | false;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
}

const known = new WeakMap<z.core.$ZodType, Shape>();

/** The shape of what a schema takes, before its transforms. */
export function shapeOf(schema: z.core.$ZodType): Shape {
  const found = known.get(schema);
  if (found) return found;
  const json = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const mark = marks.get(zodSchema);
      if (mark) jsonSchema['mark'] = { ...(jsonSchema['mark'] as Mark), ...mark };
    },
  });
  const shape = shapeFrom(json as JsonSchema);
  known.set(schema, shape);
  return shape;
}

/** The shape that a JSON schema describes. A schema that contains itself is any JSON. */
export function shapeFrom(json: JsonSchema): Shape {
  const {
    type = [],
    anyOf = [],
    properties = {},
    required = [],
    additionalProperties,
    items,
    ...rest
  } = json;
  const { enum: values, mark = {}, not, $ref: _, contentMediaType, ...rules } = rest;
  const isWhole = not !== undefined || contentMediaType !== undefined || rest.format === 'int64';
  const fields = isWhole ? [] : Object.entries(properties);
  return {
    ...rules,
    types: typesOf(json, [type].flat() as string[]),
    forms: isWhole ? [] : anyOf.map(shapeFrom),
    fields: new Map(
      fields.map(([name, field]) => [name, { ...shapeFrom(field), isRequired: required.includes(name) }]),
    ),
    isRequired: true,
    others: additionalProperties ? shapeFrom(additionalProperties) : undefined,
    items: items && shapeFrom(items),
    ...(values && { values: values.map(String) }),
    mark,
  };
}

/** JSON has no bigint, which is one of the forms of an int64. */
function typesOf({ not, contentMediaType, format }: JsonSchema, types: readonly string[]): readonly string[] {
  if (not !== undefined) return ['never'];
  if (contentMediaType !== undefined) return ['file'];
  return format === 'int64' ? ['number', 'string'] : types;
}

const ANY = shapeFrom({});

/** The shape of a value that one of these schemas takes. */
export function shapeOfAny(schemas: readonly z.ZodType[]): Shape {
  return { ...ANY, forms: schemas.map(shapeOf) };
}

export function isAny({ types, forms }: Shape): boolean {
  return types.length === 0 && forms.length === 0;
}

/** The alternatives of a shape, including those of nested unions; the shape itself if it is not a union. Marks apply to each. */
export function formsOf(shape: Shape): readonly Shape[] {
  if (shape.forms.length === 0) return [shape];
  const { open, names } = shape.mark;
  return shape.forms
    .flatMap(formsOf)
    .map((form) => ({ ...form, mark: { ...form.mark, ...(open && { open }), ...(names && { names }) } }));
}

/** A larger index of a list is a typing error. */
const MOST_ITEMS = 100;

/** Reports whether a name is the index of an item. */
export function isItem(shape: Shape, name: string): boolean {
  return (
    /^(0|[1-9]\d*)$/.test(name) &&
    formsOf(shape).some((form) => {
      const { types, maxItems = MOST_ITEMS } = form;
      return (types.includes('array') || isAny(form)) && Number(name) < maxItems;
    })
  );
}

/** The shape under a name: a field, an item by its index, or a field of an open object. Undefined: none. */
export function inside(shape: Shape, name: string): Shape | undefined {
  if (name === '') return undefined;
  if (isAny(shape)) return ANY;
  const found = formsOf(shape).flatMap((form) => {
    const part = isItem(form, name) ? form.items : (form.fields.get(name) ?? form.others);
    return part ?? [];
  });
  return found.length > 1 ? { ...ANY, forms: found } : found[0];
}

/** A place in a shape, whichever form of a union it is in. */
export interface Place {
  /** `N` stands for the index of an item. */
  readonly path: readonly string[];
  readonly shape: Shape;
  /** Required, and so is everything around it. */
  readonly isRequired: boolean;
}

/**
 * Yields every place in a shape, from the outside in, except those that must stay empty.
 *
 * @param indexes what stands for the items of a list
 */
export function* placesIn(
  shape: Shape,
  indexes: (list: Shape) => readonly string[] = () => ['N'],
  { path, isRequired }: Pick<Place, 'path' | 'isRequired'> = { path: [], isRequired: true },
): Generator<Place> {
  for (const form of formsOf(shape)) {
    const { items } = form;
    const parts = [...form.fields, ...(items ? indexes(form).map((index) => [index, items] as const) : [])];
    for (const [name, part] of parts) {
      if (part.types.includes('never')) continue;
      const place = { path: [...path, name], shape: part, isRequired: isRequired && part.isRequired };
      yield place;
      yield* placesIn(part, indexes, place);
    }
  }
}

/** The names of all fields, at any depth. */
export function fieldNames(shape: Shape): ReadonlySet<string> {
  return new Set([...placesIn(shape)].flatMap(({ path }) => path.at(-1) ?? []));
}
