import { answer, type Json } from '../../http/openapi.js';
import { type Operation, type Operations, operationName, pathParameters } from '../catalogue.js';
import { SYSTEMS, type SystemName } from '../systems.js';
import { type Components, componentsOf } from './components.js';
import { CONTRACTS, type Contract } from './contracts.js';

const CREDENTIALS = 'credentials';

/**
 * The OpenAPI 3.1 document of a partner system, made from its catalogue: what our client sends and understands. What the
 * partner's contract leaves out has `x-provenance: assumed`: an operation's shapes, a status, the body of a failure.
 *
 * @param operations the catalogue of the system, in the wording of one customer
 */
export function openApiDocument(system: SystemName, operations: Operations): Json {
  const contract = CONTRACTS[system];
  const entries = Object.entries(operations);
  const components = componentsOf(
    contract.names,
    entries.flatMap(([key, { request, response }]) => [
      [`${key}Request`, request] as const,
      [`${key}Answer`, response] as const,
    ]),
  );
  const paths: Record<string, Json> = {};
  for (const [key, operation] of entries) {
    const described = describe(operationName(key), operation, contract, components);
    paths[operation.path] = { ...paths[operation.path], [operation.method.toLowerCase()]: described };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: SYSTEMS[system],
      version: '1',
      description: `What Gangway sends and understands, after ${contract.reference}. What has x-provenance: assumed is not shown there, see docs/partner-apis.md.`,
    },
    servers: [{ url: '/', description: 'The sandbox that tells this document' }],
    security: [{ [CREDENTIALS]: [] }],
    paths,
    components: {
      securitySchemes: { [CREDENTIALS]: contract.security },
      schemas: reachable({ ...components.named, ...contract.answers }, paths),
    },
  };
}

function describe(name: string, operation: Operation, contract: Contract, components: Components): Json {
  const { anonymous, deprecated, effect, path, provenance, reference, summary } = operation;
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
    responses: responses(operation, contract, components.of(operation.response)),
    'x-effect': effect,
    'x-provenance': provenance,
    ...(reference !== undefined && { 'x-reference': reference }),
  };
}

/** OpenAPI has no parameters for headers such as `Content-Type`, so those that a contract prints are told in words. */
function notes({ deprecated, headers = {} }: Operation): Json {
  const lines = [
    ...(deprecated === undefined ? [] : [`Deprecated: ${deprecated}.`]),
    ...Object.entries(headers).map(([name, value]) => `Travels with the header ${name}: ${value}.`),
  ];
  return lines.length > 0 ? { description: lines.join(' ') } : {};
}

/** The first segment of a path that names something, behind versions and what a partner puts before all. */
function resource(path: string): string {
  const segments = path.split('/').filter(Boolean);
  return segments.find((segment) => !/^(api|svc|processor|v\d+)$/i.test(segment)) ?? path;
}

/** The schemas that something leads to, from the paths or from one another. */
function reachable(schemas: Json, from: Json): Json {
  const found = new Set<string>();
  const follow = (part: unknown): void => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (found.has(name)) continue;
      found.add(name);
      follow(schemas[name]);
    }
  };
  follow(from);
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => found.has(name)));
}

/** Where the members of a request travel, by its JSON schema: see `encode`, which sends them there. */
export function parameters(operation: Operation, request: Json): Json[] {
  const members = membersOf(request);
  const inPath = pathParameters(operation).map((name) => ({
    in: 'path',
    name,
    required: true,
    schema: members[name],
  }));
  const inQuery = (operation.query ?? []).map((name) => ({
    in: 'query',
    name,
    required: requiredOf(request).includes(name),
    schema: members[name],
  }));
  return [...inPath, ...inQuery];
}

/**
 * What is left for the body; undefined when nothing is.
 *
 * @param whole stands for the schema when all of it is the body
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

function membersOf({ properties = {}, anyOf = [] }: Json): Json {
  return Object.assign({}, ...(anyOf as Json[]).map(membersOf), properties);
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
  const members = Object.entries(membersOf(request)).filter(([name]) => !names.includes(name));
  const required = requiredOf(request).filter((name) => !names.includes(name));
  return { ...rest, properties: Object.fromEntries(members), ...(required.length > 0 && { required }) };
}

function isNothing({ properties, additionalProperties }: Json): boolean {
  const hasMembers = Object.keys(properties ?? {}).length > 0;
  return properties !== undefined && !hasMembers && additionalProperties === false;
}

/** Meanings of the statuses of failure, as the contracts have them (Errors). */
const MEANINGS: Readonly<Record<number, string>> = {
  400: 'Something that is required is missing, or something is invalid',
  401: 'Credentials are missing, expired or wrong',
  403: 'The caller may not do this',
  404: 'What the request refers to is not there',
  409: 'It is there already',
  422: 'Something is invalid',
  500: 'Internal error: it may have taken effect, or not',
};

const ASSUMED: Json = { 'x-provenance': 'assumed' };

/** All answers of an operation, by status. */
export function responses(operation: Operation, contract: Contract, payload: Json): Json {
  const { failures = {}, statusAnswers = {} } = operation;
  const refusals = Object.entries(contract.failures(operation)).map(([status, body]) => {
    const standsFor = statusAnswers[Number(status)];
    const description =
      standsFor === undefined
        ? (failures[Number(status)]?.message ?? MEANINGS[Number(status)] ?? 'It failed')
        : `An answer, and no failure: it is read as ${JSON.stringify(standsFor)}`;
    return [status, { ...answer(description, body), ...(contract.assumesStatuses && ASSUMED) }];
  });
  return {
    ...success(operation, contract, payload),
    ...Object.fromEntries(refusals),
    ...(contract.tooMany && { 429: tooMany(contract.tooMany(operation)) }),
  };
}

function success(operation: Operation, { envelope, fileTypes = [] }: Contract, payload: Json): Json {
  if (operation.answer === 'none') return { 204: { description: 'Done' } };
  if (operation.answer === 'stream') {
    const content = Object.fromEntries(fileTypes.map((type) => [type, {}]));
    return { 200: { description: 'A file; its type is told by the Content-Type', content } };
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
