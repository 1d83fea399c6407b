import { type Components, componentsOf, type Json } from '../../platform/schemas/shape.js';
import { type Operation, type Operations, operationName, pathParameters } from '../catalogue.js';
import type { Partner } from '../partner.js';
import type { Contract } from './contract.js';

const CREDENTIALS = 'credentials';

/**
 * Builds the OpenAPI 3.1 document of a partner system from its catalogue: the requests that our client sends, and the responses
 * that it reads. Shapes, statuses and failure bodies that the contract does not show have `x-provenance: assumed`.
 */
export function openApiDocument({ title, contract }: Partner, operations: Operations): Json {
  const entries = Object.entries(operations);
  const components = componentsOf(
    contract.names,
    entries.flatMap(([key, { request, response }]) => [
      [`${key}Request`, request] as const,
      [`${key}Response`, response] as const,
    ]),
  );
  const schemas = { ...components.named, ...contract.bodies };
  const paths: Record<string, Json> = {};
  for (const [key, operation] of entries) {
    const described = describe(operationName(key), operation, contract, components);
    paths[operation.path] = { ...paths[operation.path], [operation.method.toLowerCase()]: described };
  }
  const used = reachable(schemas, paths);
  return {
    openapi: '3.1.0',
    info: {
      title,
      version: '1',
      description:
        'What Gangway sends and reads. What has x-provenance: assumed is not in the partner’s contract (see docs/partner-apis.md).',
    },
    servers: [{ url: '/', description: 'The sandbox that serves this document' }],
    security: [{ [CREDENTIALS]: [] }],
    paths,
    components: {
      securitySchemes: { [CREDENTIALS]: contract.security },
      schemas: Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name))),
    },
  };
}

function describe(name: string, operation: Operation, contract: Contract, components: Components): Json {
  const { anonymous, deprecated, effect, path, provenance = 'assumed', reference, summary } = operation;
  const request = components.whole(operation.request);
  const body = requestBody(operation, request, components.of(operation.request));
  const headers = anonymous ? [] : (contract.headers ?? []);
  return {
    operationId: name,
    summary,
    tags: [resource(path)],
    ...notes(operation),
    ...(deprecated !== undefined && { deprecated: true }),
    ...(anonymous && { security: [] }),
    parameters: [...parameters(operation, request), ...headers],
    ...(body && { requestBody: body }),
    responses: openApiResponses(operation, contract, components.of(operation.response)),
    'x-effect': effect,
    'x-provenance': provenance,
    ...(reference !== undefined && { 'x-reference': reference }),
  };
}

/** OpenAPI has no parameters for headers such as `Content-Type`, so a contract's headers go into the description. */
function notes({ deprecated, headers = {} }: Operation): Json {
  const lines = [
    ...(deprecated === undefined ? [] : [`Deprecated: ${deprecated}.`]),
    ...Object.entries(headers).map(([name, value]) => `Sent with the header ${name}: ${value}.`),
  ];
  return lines.length > 0 ? { description: lines.join(' ') } : {};
}

/** Returns the first path segment that names a resource, after versions and the partner's prefix. */
function resource(path: string): string {
  const segments = path.split('/').filter(Boolean);
  return segments.find((segment) => !/^(api|svc|processor|v\d+)$/i.test(segment)) ?? path;
}

/** Returns the names of schemas that a part of a document refers to, directly or through other schemas, in order of use. */
export function reachable(schemas: Json, from: unknown): Set<string> {
  const names = new Set<string>();
  const follow = (part: unknown): void => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (names.has(name)) continue;
      names.add(name);
      follow(schemas[name]);
    }
  };
  follow(from);
  return names;
}

/** Returns the request fields in path and query, where `encode` sends them, from the request's JSON schema. */
export function parameters(operation: Operation, request: Json): Json[] {
  const fields = fieldsOf(request);
  const inPath = pathParameters(operation).map((name) => ({
    in: 'path',
    name,
    required: true,
    schema: fields[name],
  }));
  const inQuery = (operation.query ?? []).map((name) => ({
    in: 'query',
    name,
    required: requiredOf(request).includes(name),
    schema: fields[name],
  }));
  return [...inPath, ...inQuery];
}

/**
 * Returns the body: all other fields; undefined if there are none.
 *
 * @param whole replaces the schema if the complete request is the body
 */
export function requestBody(operation: Operation, request: Json, whole: Json): Json | undefined {
  const elsewhere = [...pathParameters(operation), ...(operation.query ?? [])];
  const body = without(request, elsewhere);
  if (operation.method === 'GET' || isNothing(body)) return undefined;
  const required = operation.sendsEmptyBody ?? (requiredOf(body).length > 0 || 'anyOf' in body);
  const schema = elsewhere.length === 0 ? whole : body;
  const mediaType = operation.encoding === 'multipart' ? 'multipart/form-data' : 'application/json';
  return { required, content: { [mediaType]: { schema } } };
}

function fieldsOf({ properties = {}, anyOf = [] }: Json): Json {
  return Object.assign({}, ...(anyOf as Json[]).map(fieldsOf), properties);
}

function requiredOf({ required = [] }: Json): readonly string[] {
  return required as string[];
}

function without(request: Json, names: readonly string[]): Json {
  if (Array.isArray(request['anyOf'])) {
    return { ...request, anyOf: request['anyOf'].map((form) => without(form, names)) };
  }
  if (request['properties'] === undefined) return request;
  const { required: _, ...rest } = request;
  const fields = Object.entries(fieldsOf(request)).filter(([name]) => !names.includes(name));
  const required = requiredOf(request).filter((name) => !names.includes(name));
  return { ...rest, properties: Object.fromEntries(fields), ...(required.length > 0 && { required }) };
}

function isNothing({ properties, additionalProperties }: Json): boolean {
  const hasFields = Object.keys(properties ?? {}).length > 0;
  return properties !== undefined && !hasFields && additionalProperties === false;
}

/** The meanings of failure statuses, from the contracts (Errors). */
const MEANINGS: Readonly<Record<number, string>> = {
  400: 'Something required is missing, or something is invalid',
  401: 'Credentials are missing, expired or wrong',
  403: 'The caller may not do this',
  404: 'What the request refers to does not exist',
  409: 'It already exists',
  422: 'Something is invalid',
  500: 'Internal error: the call may or may not have taken effect',
};

function answer(description: string, schema: Json): Json {
  return { description, content: { 'application/json': { schema } } };
}

const ASSUMED: Json = { 'x-provenance': 'assumed' };

export function openApiResponses(operation: Operation, contract: Contract, payload: Json): Json {
  const { failures = {}, statusPayloads = {} } = operation;
  const refusals = Object.entries(contract.failures(operation)).map(([status, body]) => {
    const standsFor = statusPayloads[Number(status)];
    const description =
      standsFor === undefined
        ? (failures[Number(status)]?.message ?? MEANINGS[Number(status)] ?? 'The call failed')
        : `A success: it is read as ${JSON.stringify(standsFor)}`;
    return [status, { ...answer(description, body), ...(contract.assumesStatuses && ASSUMED) }];
  });
  return {
    ...success(operation, contract, payload),
    ...Object.fromEntries(refusals),
    ...(contract.tooMany && { 429: tooMany(contract.tooMany(operation)) }),
  };
}

function success(operation: Operation, { envelope, fileTypes = {} }: Contract, payload: Json): Json {
  if (operation.returns === 'none') return { 204: { description: 'Done' } };
  if (operation.returns === 'stream') {
    const content = Object.fromEntries(Object.keys(fileTypes).map((type) => [type, {}]));
    return { 200: { description: 'A file, whose type is in the Content-Type', content } };
  }
  return { 200: answer('Done', envelope?.(operation, payload) ?? payload) };
}

function tooMany(body: Json): Json {
  return {
    ...answer('Too many calls: nothing took effect', body),
    headers: { 'Retry-After': { description: 'Seconds to wait, or a date', schema: { type: 'string' } } },
    ...ASSUMED,
  };
}
