import { z } from 'zod';

/** JSON that is part of an OpenAPI 3.1 document. */
export type Json = Readonly<Record<string, unknown>>;

/** Leads to a component of the document. */
export function ref(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}

/** A response whose body is JSON. */
export function answer(description: string, schema: Json): Json {
  return { description, content: { 'application/json': { schema } } };
}

/** Schemas by their names in our modules: `paymentCard`. Exports that are not schemas are ignored. */
export type NamedSchemas = Readonly<Record<string, unknown>>;

/** JSON schemas of requests and responses as they are on the wire. */
export interface Components {
  /** A reference to the schema if it has a name, otherwise the schema itself. */
  of(schema: z.ZodType): Json;
  /** The schema itself. */
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
    if (schema instanceof z.ZodType && !isScalar(schema)) add(schema, name, true);
  }
  for (const [use, schema] of uses) {
    const isShared = isObject(schema) && uses.filter(([, other]) => other === schema).length > 1;
    add(schema, use, isShared);
  }

  const { schemas } = z.toJSONSchema(registry, {
    io: 'input',
    unrepresentable: 'any',
    uri: (id) => `#/components/schemas/${id}`,
    override: ({ zodSchema, jsonSchema }) => asOnTheWire(zodSchema, jsonSchema),
  });
  const whole = (schema: z.ZodType): Json => {
    const { $schema: _, $id: _1, ...rest } = schemas[ids.get(schema) ?? ''] as Json;
    return rest;
  };
  return {
    of(schema) {
      const id = ids.get(schema) ?? '';
      return named.has(id) ? ref(id) : whole(schema);
    },
    whole,
    named: Object.fromEntries(
      [...ids].flatMap(([schema, id]) => (named.has(id) ? [[id, whole(schema)]] : [])),
    ),
  };
}

type JsonSchema = z.core.JSONSchema.BaseSchema;

const INT64: JsonSchema = { type: 'integer', format: 'int64' };

/**
 * Replaces the JSON schema of our side of the wire by that of the wire, adds in words the rules that JSON Schema cannot
 * express, and drops rules that a format implies.
 */
function asOnTheWire(schema: z.core.$ZodType, json: JsonSchema): void {
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
  const rules = rulesInWords(def);
  if (rules.length > 0) json.description = [json.description, ...rules].filter(Boolean).join('; ');
}

function become(json: JsonSchema, other: JsonSchema): void {
  for (const keyword of Object.keys(json)) delete json[keyword];
  Object.assign(json, other);
}

/** The messages of a schema's refinements, where they do not depend on the value. */
function rulesInWords({ checks = [] }: z.core.$ZodTypeDef): string[] {
  return checks.flatMap(({ _zod: { def } }) => {
    const error = def.check === 'custom' ? def.error?.(undefined as never) : undefined;
    const message = typeof error === 'string' ? error : error?.message;
    return message ? [message] : [];
  });
}

/** Numbers and texts are written where they are used. */
function isScalar({ def }: z.ZodType): boolean {
  return def.type === 'number' || def.type === 'string' || def.type === 'enum';
}

function isObject({ def }: z.ZodType): boolean {
  return def.type === 'object' || def.type === 'record';
}
