import type { Json, NamedSchemas } from '../../platform/schemas/shape.js';
import type { Operation } from '../catalogue.js';

/**
 * The facts that a partner's contract prints about all its operations, besides the catalogue. Its OpenAPI document is made from
 * both.
 */
export interface Contract {
  readonly security: Json;
  /** Schemas of the catalogue that the document calls by name. */
  readonly names: NamedSchemas;
  /** Bodies of responses around a payload or in place of it, as JSON schemas by name. */
  readonly bodies: Json;
  readonly headers?: readonly Json[];
  /** Wraps the schema of a payload. Default: the body of a response is its payload. */
  envelope?(operation: Operation, payload: Json): Json;
  /** Returns the envelope of a response. Default: none, or none that could differ. */
  around?(operation: Operation): Json;
  /** The failure statuses that the contract lists for an operation, each with the schema of its body. */
  failures(operation: Operation): Readonly<Record<number, Json>>;
  /** The contract prints those failures, but not which status each has. */
  readonly assumesStatuses?: true;
  /** The contract names no rate limits, so a 429 and its body are assumed. Left out where no other status can occur. */
  readonly tooMany?: (operation: Operation) => Json;
  /** The files that operations return: the name of the format, which is also their extension, by MIME type. */
  readonly fileTypes?: Readonly<Record<string, string>>;
}

export function ref(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}

export const OPENAPI_TEXT: Json = { type: 'string' };
export const textOrNull: Json = { type: ['string', 'null'] };
export const listOf = (items: Json): Json => ({ type: 'array', items });
export const OPENAPI_BY_FIELD: Json = { type: 'object', additionalProperties: listOf(OPENAPI_TEXT) };

/** An object. A field is required unless its name ends in `?`. */
export function object(fields: Json): Json {
  const names = Object.keys(fields).filter((name) => !name.endsWith('?'));
  const properties = Object.entries(fields).map(([name, schema]) => [name.replace('?', ''), schema]);
  return { type: 'object', required: names, properties: Object.fromEntries(properties) };
}

export function repeatResponse(body: Json, ...statuses: number[]): Readonly<Record<number, Json>> {
  return Object.fromEntries(statuses.map((status) => [status, body]));
}

/** No contract shows this body of a failure (docs/partner-apis.md#banking-assumptions). It is the usual one. */
export const PROBLEM: Json = {
  ...object({ 'message?': textOrNull, 'errors?': OPENAPI_BY_FIELD }),
  'x-provenance': 'assumed',
};
