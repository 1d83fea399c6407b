import { z } from 'zod';

/**
 * Converts a zod schema to a {@link Shape}: the allowed values in each place. Forms, table columns, corrections, comparisons of
 * responses, help and probes use shapes. JSON schemas for OpenAPI documents and exports are also made here, so only this file
 * inspects zod.
 */

/** The catalogue's facts about a response field, besides its schema. */
export interface Mark {
  /** A workflow reads it. A test compares these marks with the code. */
  readonly needed?: true;
  /** The partner may leave it out. Every other field is expected in each response, if only as null. */
  readonly sometimes?: true;
  /** The object has further fields that are not needed. */
  readonly open?: true;
  /** The JSON types in the contract, if Gangway also accepts others. */
  readonly types?: readonly string[];
  readonly format?: 'date-time';
  /** The known status names. One that begins with `*` stands for every name with that ending. */
  readonly names?: readonly string[];
}

export const marks = z.registry<Mark>();

/** The values that are allowed in one place. */
export interface Shape {
  /**
   * JSON types. Empty for any JSON, and for a union, whose alternatives have types. `never` must stay empty; `file` is a file part.
   */
  readonly types: readonly string[];
  readonly forms: readonly Shape[];
  readonly fields: ReadonlyMap<string, Shape>;
  readonly isRequired: boolean;
  /** The shape of fields with other names; undefined if there are none. */
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
  /** The setting leads to another server. A name: unless the setting with that name is set. */
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

const shapes = new WeakMap<z.core.$ZodType, Shape>();

/** Returns the shape of a schema's input, before its transforms. */
export function shapeOf(schema: z.core.$ZodType): Shape {
  const match = shapes.get(schema);
  if (match) return match;
  const json = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const mark = marks.get(zodSchema);
      if (mark) jsonSchema['mark'] = { ...(jsonSchema['mark'] as Mark), ...mark };
    },
  });
  const shape = shapeFrom(json as JsonSchema);
  shapes.set(schema, shape);
  return shape;
}

/** Returns the shape of a JSON schema. A recursive schema is any JSON. */
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

/** Returns the shape of a value that one of these schemas accepts. */
export function shapeOfAny(schemas: readonly z.ZodType[]): Shape {
  return { ...ANY, forms: schemas.map(shapeOf) };
}

export function isAny({ types, forms }: Shape): boolean {
  return types.length === 0 && forms.length === 0;
}

/** Returns the alternatives of a (nested) union, or the shape itself if it is not a union. Marks apply to each. */
export function alternativesOf(shape: Shape): readonly Shape[] {
  if (shape.forms.length === 0) return [shape];
  const { open, names } = shape.mark;
  return shape.forms
    .flatMap(alternativesOf)
    .map((form) => ({ ...form, mark: { ...form.mark, ...(open && { open }), ...(names && { names }) } }));
}

/** A larger index of a list is a typo. */
const MAX_ITEMS = 100;

export function isItem(shape: Shape, name: string): boolean {
  return (
    /^(0|[1-9]\d*)$/.test(name) &&
    alternativesOf(shape).some((form) => {
      const { types, maxItems = MAX_ITEMS } = form;
      return (types.includes('array') || isAny(form)) && Number(name) < maxItems;
    })
  );
}

/** Returns the shape under a name: a field, an item by its index, or a field of an open object; undefined if there is none. */
export function inside(shape: Shape, name: string): Shape | undefined {
  if (name === '') return undefined;
  if (isAny(shape)) return ANY;
  const match = alternativesOf(shape).flatMap((form) => {
    const part = isItem(form, name) ? form.items : (form.fields.get(name) ?? form.others);
    return part ?? [];
  });
  return match.length > 1 ? { ...ANY, forms: match } : match[0];
}

/** A place in a shape, in any alternative of a union. */
export interface Place {
  /** `N` stands for the index of an item. */
  readonly path: readonly string[];
  readonly shape: Shape;
  /** The place and everything around it are required. */
  readonly isRequired: boolean;
}

/**
 * Yields every place in a shape, from the outside in, except those that must stay empty.
 *
 * @param indexes the indexes to use for items of a list
 */
export function* placesIn(
  shape: Shape,
  indexes: (list: Shape) => readonly string[] = () => ['N'],
  { path, isRequired }: Pick<Place, 'path' | 'isRequired'> = { path: [], isRequired: true },
): Generator<Place> {
  for (const form of alternativesOf(shape)) {
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

export function fieldNames(shape: Shape): ReadonlySet<string> {
  return new Set([...placesIn(shape)].flatMap(({ path }) => path.at(-1) ?? []));
}

/** JSON that is part of a JSON schema or an OpenAPI 3.1 document. */
export type Json = Readonly<Record<string, unknown>>;

/** Returns the JSON schema of an exported document, without patterns, because formats are enough for readers. */
export function exportedSchema(schema: z.ZodType): unknown {
  return z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    reused: 'ref',
    override: ({ jsonSchema }) => {
      delete jsonSchema.pattern;
    },
  });
}

/** Returns the JSON schema of a schema's input. A recursive schema is any JSON. */
export function jsonSchemaOf(schema: z.ZodType): Json {
  const { $schema: _, $defs: __, ...json } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return JSON.parse(JSON.stringify(json, (_, value) => (value?.$ref === undefined ? value : {})));
}

/** Returns the JSON schema of a merge patch of some fields. @param added further dotted names in these fields */
export function patchSchemaOf(schema: z.ZodType, fields: readonly string[], added: readonly string[]): Json {
  const { properties } = jsonSchemaOf(schema) as { readonly properties: Readonly<Record<string, Json>> };
  const patches = fields.map((field): [string, Json] => {
    const isOpen = added.some((name) => name.startsWith(`${field}.`));
    return [field, { ...patchOf(properties[field] ?? {}), ...(isOpen && { additionalProperties: {} }) }];
  });
  return { properties: Object.fromEntries(patches), additionalProperties: false, minProperties: 1 };
}

/** Makes each field of an object optional and nullable (null removes it). A patch replaces complete lists. */
function patchOf({ required: _, properties, ...json }: Json): Json {
  if (properties === undefined) return { anyOf: [json, { type: 'null' }] };
  const patches = Object.entries(properties as object).map(([name, field]) => [name, patchOf(field)]);
  return { ...json, type: ['object', 'null'], properties: Object.fromEntries(patches) };
}

/** Schemas by their names in our modules: `paymentCard`. Exports that are not schemas are ignored. */
export type NamedSchemas = Readonly<Record<string, unknown>>;

/** JSON schemas of requests and responses as they are on the wire. */
export interface Components {
  /** A reference to the schema if it has a name, otherwise the schema itself. */
  of(schema: z.ZodType): Json;
  whole(schema: z.ZodType): Json;
  /** The schemas with a name, by their names in the document: `PaymentCard`. */
  readonly named: Json;
}

/**
 * Writes zod schemas as JSON schemas of dialect 2020-12, which OpenAPI 3.1 uses: a request as it is sent, and a
 * response as it arrives. A schema with a name is written once.
 *
 * @param names the schemas that get a name
 * @param uses the other schemas, by their use; an object with several uses gets the name of the first
 */
export function componentsOf(
  names: NamedSchemas,
  uses: readonly (readonly [use: string, schema: z.ZodType])[],
): Components {
  const registry = z.registry<{ id: string }>();
  const ids = new Map<z.ZodType, string>();
  const named = new Set<string>();
  const add = (schema: z.ZodType, name: string, isNamed: boolean): void => {
    if (ids.has(schema)) return;
    const id = name.charAt(0).toUpperCase() + name.slice(1);
    ids.set(schema, id);
    registry.add(schema, { id });
    if (isNamed) named.add(id);
  };
  for (const [name, schema] of Object.entries(names)) {
    if (schema instanceof z.ZodType && !SCALARS.includes(schema.def.type)) add(schema, name, true);
  }
  for (const [use, schema] of uses) {
    const isShared =
      ['object', 'record'].includes(schema.def.type) &&
      uses.filter(([, other]) => other === schema).length > 1;
    add(schema, use, isShared);
  }

  const { schemas } = z.toJSONSchema(registry, {
    io: 'input',
    unrepresentable: 'any',
    uri: uriOf,
    override: ({ zodSchema, jsonSchema }) => asOnTheWire(zodSchema, jsonSchema),
  });
  const whole = (schema: z.ZodType): Json => {
    const { $schema: _, $id: _1, ...rest } = schemas[ids.get(schema) ?? ''] as Json;
    return rest;
  };
  return {
    of(schema) {
      const id = ids.get(schema) ?? '';
      return named.has(id) ? { $ref: uriOf(id) } : whole(schema);
    },
    whole,
    named: Object.fromEntries(
      [...ids].flatMap(([schema, id]) => (named.has(id) ? [[id, whole(schema)]] : [])),
    ),
  };
}

const uriOf = (id: string) => `#/components/schemas/${id}`;

const INT64: z.core.JSONSchema.BaseSchema = { type: 'integer', format: 'int64' };

/**
 * Converts our JSON schema to the wire's, describes in words the rules that JSON Schema cannot express, and drops rules that a
 * format implies.
 */
function asOnTheWire(schema: z.core.$ZodType, json: z.core.JSONSchema.BaseSchema): void {
  const { def } = schema._zod;
  const format = 'format' in def ? def.format : undefined;
  const { contentMediaType, description } = json;
  if (json.format === 'int64' || def.type === 'bigint')
    become(json, { ...INT64, ...(json.minimum !== undefined && { minimum: json.minimum }) });
  if (contentMediaType !== undefined) become(json, { contentMediaType, ...(description && { description }) });
  if (format === 'int32') become(json, { type: 'integer', format });
  if (format === 'datetime') become(json, { type: 'string', format: 'date-time' });
  if (format === 'email') delete json.pattern;
  if (json.minimum === Number.MIN_SAFE_INTEGER) delete json.minimum;
  if (json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum;
  delete json.propertyNames;
  const rules = describeRules(def);
  if (rules.length > 0) json.description = [json.description, ...rules].filter(Boolean).join('; ');
}

function become(json: z.core.JSONSchema.BaseSchema, other: z.core.JSONSchema.BaseSchema): void {
  for (const keyword of Object.keys(json)) delete json[keyword];
  Object.assign(json, other);
}

/** Returns the messages of a schema's refinements that do not depend on the value. */
function describeRules({ checks = [] }: z.core.$ZodTypeDef): string[] {
  return checks.flatMap(({ _zod: { def } }) => {
    const error = def.check === 'custom' ? def.error?.(undefined as never) : undefined;
    const message = typeof error === 'string' ? error : error?.message;
    return message ? [message] : [];
  });
}

/** Numbers and texts are written where they are used. */
const SCALARS: readonly string[] = ['number', 'string', 'enum'];
