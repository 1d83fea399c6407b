import type { Json } from '../../http/openapi.js';
import { type Operation, pathParameters } from '../catalogue.js';

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
