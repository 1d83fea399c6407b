import swagger, { type SwaggerTransform, type SwaggerTransformObject } from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import {
  createJsonSchemaTransform,
  createJsonSchemaTransformObject,
  serializerCompiler,
} from 'fastify-type-provider-zod';
import type { OpenAPIV3_1 } from 'openapi-types';
import { globalRegistry, z } from 'zod';
import { isObject } from '../../messages/objects.js';
import { json } from '../../partners/field-schemas.js';
import { reachable } from '../../partners/openapi/document.js';
import { capitalize } from '../../partners/text-limits.js';
import type { Json } from '../../platform/schemas/shape.js';
import { NAMED_OF_LINKS } from './api/link-shapes.js';
import { MERCHANT_EXAMPLE, NAMED } from './api/shapes.js';

export interface RequestSchemas {
  /** Events and their data, such as `merchant.boarding.requested.v1.event`. */
  readonly events: Readonly<Record<string, z.ZodType>>;
  /** Inputs by the `type` of a body of `PUT /v1/onboardings/{externalId}`. */
  readonly bodies: Readonly<Record<string, z.ZodType>>;
}

const wrongFields = z
  .array(z.object({ field: z.string(), message: z.string() }))
  .optional()
  .describe('Every wrong field of the request, with its rule');

const eventResult = z.object({
  status: z.int(),
  workflowId: z.string().optional(),
  type: z.string().optional(),
  title: z.string().optional(),
  detail: z.string().optional(),
  errors: wrongFields,
});

export const problem = z.object({
  type: z.string().meta({ examples: ['urn:gangway:problem:invalid'] }),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  errors: wrongFields,
  events: z.array(eventResult).optional().describe('For a batch of events: the result of each'),
  first: z
    .object({
      event: z.string(),
      at: z.string(),
      actor: z.string().optional(),
      detail: z.string().optional(),
      reason: z.string().optional(),
    })
    .optional()
    .describe('Who was first'),
});

export const accepted = z.object({ workflowId: z.string() });

export const batchResult = z.array(eventResult);

const COMPONENTS = {
  Accepted: accepted,
  EventResult: eventResult,
  BatchResult: batchResult,
  Problem: problem,
  Json: json,
  ...NAMED,
  ...NAMED_OF_LINKS,
};

export type Documented = ReturnType<typeof response>;

export function response(description: string, schema: z.ZodType, mediaType = 'application/json') {
  return { description, content: { [mediaType]: { schema } } };
}

export function emptyResponse(description: string, headers: readonly string[] = []) {
  const schemas = Object.fromEntries(headers.map((name) => [name, { type: 'string' }]));
  return z.null().meta({ description, headers: schemas });
}

export function problems(...statuses: number[]) {
  const described = response('A problem', problem, 'application/problem+json');
  return Object.fromEntries(statuses.map((status) => [status, described]));
}

export function optionalHeaders(names: readonly string[]): z.ZodType {
  return z.object(Object.fromEntries(names.map((name) => [name, z.string().optional()])));
}

/**
 * Makes `server.swagger()` return the OpenAPI 3.1 document of the routes that are registered from now on.
 *
 * The schemas of a route describe its requests and serialize its responses. They do not validate requests: a signature covers
 * the bytes of a body, so a route checks the signature first, and then parses and validates the body with the same schemas.
 */
export async function documentRoutes(server: FastifyInstance, requests: RequestSchemas): Promise<void> {
  const registry = z.registry<{ id: string }>();
  const types = new Map<unknown, string>();
  for (const [type, schema] of Object.entries(requests.bodies)) {
    types.set(schema, type);
    registry.add(schema, { id: typeName(`start.${type}`) });
  }
  for (const [id, schema] of Object.entries({ ...COMPONENTS, ...requests.events }))
    registry.add(schema, { id: typeName(id) });
  const zodToJsonConfig = {
    override({ zodSchema, jsonSchema }: OverrideContext) {
      const { id: _, ...meta } = globalRegistry.get(zodSchema) ?? {};
      Object.assign(jsonSchema, meta);
      if (jsonSchema.format === 'int64') {
        for (const rule of ['type', 'format', 'minimum', 'maximum'] as const) delete jsonSchema[rule];
        jsonSchema.anyOf = [...INT64];
      }
      // A format is enough, and a pattern of dates is long.
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
      const type = types.get(zodSchema);
      if (type !== undefined) describeBody(jsonSchema, type);
    },
  };
  const options = { schemaRegistry: registry, zodToJsonConfig };
  server.setValidatorCompiler(() => () => true);
  server.setSerializerCompiler(serializerCompiler);
  await server.register(swagger, {
    openapi: DOCUMENT,
    transform: perMediaType(createJsonSchemaTransform(options)),
    transformObject: usedComponents(createJsonSchemaTransformObject(options)),
  });
}

interface OverrideContext {
  readonly zodSchema: z.core.$ZodType;
  readonly jsonSchema: z.core.JSONSchema.BaseSchema;
}

const DOCUMENT: Partial<OpenAPIV3_1.Document> = {
  openapi: '3.1.0',
  info: {
    title: 'Gangway',
    version: '1',
    description:
      'Starts onboardings, lists open requirements, and answers them. Sending a request again is safe.',
    license: { name: 'MIT', identifier: 'MIT' },
  },
  servers: [{ url: '/', description: 'The receiver that serves this document' }],
  security: [],
  components: {
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer', description: 'A token of `API_CLIENTS_FILE`' },
      signature: {
        type: 'apiKey',
        in: 'header',
        name: 'webhook-signature',
        description: 'Standard Webhooks: signs webhook-id, webhook-timestamp and the body',
      },
    },
  },
};

/** JSON has no bigint, so an int64 is a number or a text of digits. */
const INT64 = [
  { type: 'integer', format: 'int64' },
  { type: 'string', pattern: '^-?\\d{1,19}$' },
] as const;

/** A body is an input with its type, and without the `externalId`, which is in the path. */
function describeBody(jsonSchema: z.core.JSONSchema.BaseSchema, type: string): void {
  const { externalId: _, ...fields } = jsonSchema.properties ?? {};
  jsonSchema.properties = { type: { const: type }, ...fields };
  if (type === MERCHANT_EXAMPLE.type) jsonSchema.examples = [MERCHANT_EXAMPLE];
  jsonSchema.required = ['type', ...(jsonSchema.required ?? []).filter((name) => name !== 'externalId')];
}

/** Adds a schema for each media type of `POST /events`, because the library's transform takes only one. */
function perMediaType(transform: SwaggerTransform): SwaggerTransform {
  return (route) => {
    const { body, ...schema } = route.schema;
    if (body === undefined || body instanceof z.ZodType) return transform(route);
    const { content: schemas } = body as Pick<ReturnType<typeof response>, 'content'>;
    const content = Object.entries(schemas).map(([mediaType, { schema }]) => {
      const transformed = transform({ ...route, schema: { body: schema } });
      return [mediaType, { schema: transformed.schema?.body }];
    });
    const { schema: rest, url } = transform({ ...route, schema });
    return { url, schema: { ...rest, body: { content: Object.fromEntries(content) } } };
  };
}

/**
 * Removes the suffix `Input` that the library adds to schemas of requests, and unused schemas. Client generators derive the names of
 * types from these names.
 */
function usedComponents(transform: SwaggerTransformObject): SwaggerTransformObject {
  return (routes) => {
    const document = transform(routes) as OpenAPIV3_1.Document;
    const { schemas = {}, ...components } = document.components ?? {};
    const used = [...reachable(schemas, document.paths)].filter((name) => !isAnyJson(name));
    const named = used.map((name) => [plain(name), (schemas as Json)[name]]);
    const whole = { ...document, components: { ...components, schemas: Object.fromEntries(named) } };
    const record = JSON.parse(JSON.stringify(whole), (key, value) =>
      key === '$ref' ? plain(value) : isAnyJson(value?.$ref) ? {} : value,
    );
    nameObjects(record);
    return record;
  };
}

/**
 * Names each nested object. Generators would number unnamed objects, and some generate a union's type twice, and then drop both.
 */
function nameObjects({ paths, components: { schemas } }: NamedDocument): void {
  const inside = (schema: JsonObject, name: string): JsonObject =>
    mapped(schema, (value, key) => {
      if (key === 'properties' && isObject(value))
        return mapped(value, (field, its) => named(field, `${name}.${its}`));
      if (key === 'items') return named(value, `${name}.item`);
      if ((key !== 'oneOf' && key !== 'anyOf') || !Array.isArray(value)) return value;
      return value.map((variant, index) => named(variant, `${name}.${tagOf(variant) ?? index + 1}`));
    });
  const named = (schema: unknown, name: string): unknown => {
    if (!isObject(schema)) return schema;
    const [whole, id] = [inside(schema, name), typeName(name)];
    if (!('properties' in whole) || id in schemas) return whole;
    schemas[id] = whole;
    return { $ref: `#/components/schemas/${id}` };
  };
  for (const [name, schema] of Object.entries(schemas)) schemas[name] = inside(schema, name);
  for (const operation of Object.values(paths).flatMap((item) => Object.values(item))) {
    const { operationId, requestBody, responses } = operation;
    const messages = [requestBody, ...Object.values(responses)].flatMap((each) =>
      Object.values(each?.content ?? {}),
    );
    for (const message of messages) message.schema = named(message.schema, operationId);
  }
}

type JsonObject = Record<string, unknown>;

interface Message {
  readonly content?: Readonly<Record<string, { schema: unknown }>>;
}

interface Described {
  readonly operationId: string;
  readonly requestBody?: Message;
  readonly responses: Readonly<Record<string, Message>>;
}

interface NamedDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Record<string, JsonObject> };
}

function mapped(object: JsonObject, change: (value: unknown, key: string) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]));
}

/** Returns the tag of a union's variant: `text` for `{ kind: 'text' }`. */
function tagOf(variant: unknown): unknown {
  const { properties } = Object(variant);
  return Object.values<JsonObject>(properties ?? {}).find((each) => 'const' in each)?.['const'];
}

/** Reports whether a schema is that of any JSON, which is recursive. Generators make no type from it. */
function isAnyJson(name: unknown): boolean {
  return typeof name === 'string' && /(^|\/)Json$/.test(plain(name));
}

/** Returns the name of a type and file: `MerchantBoardingRequestedV1Data` for `merchant.boarding.requested.v1.data`. */
function typeName(name: string): string {
  return name
    .split(/[^A-Za-z0-9]+/)
    .map(capitalize)
    .join('');
}

function plain(name: string): string {
  return name.replace(/Input$/, '');
}
