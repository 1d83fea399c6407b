import type { Json, NamedSchemas } from '../../platform/schemas/shape.js';
import type { Operation } from '../catalogue.js';

/** What a partner's contract says about all its operations. The OpenAPI document derives from this and the catalogue. */
export interface Contract {
  readonly security: Json;
  /** Schemas of the catalogue that the document refers to by name. */
  readonly names: NamedSchemas;
  /** Response bodies around or instead of a payload, as JSON schemas by name. */
  readonly bodies: Json;
  readonly headers?: readonly Json[];
  /** Wraps the schema of a payload. Default: the body of a response is its payload. */
  envelope?(operation: Operation, payload: Json): Json;
  /** Returns the envelope of a response. Default: none, or a fixed one. */
  around?(operation: Operation): Json;
  /** Returns the failure statuses of an operation in the contract, each with the schema of its body. */
  failures(operation: Operation): Readonly<Record<number, Json>>;
  /** The contract lists those failures without their statuses. */
  readonly assumesStatuses?: true;
  /** Returns the body of a 429, an assumption because the contract has no rate limits. Absent if no other status can occur. */
  readonly tooMany?: (operation: Operation) => Json;
  /** The formats of returned files, by MIME type. The name of a format is also the file extension. */
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

/** The usual body of a failure. No contract shows it (docs/partner-apis.md#banking-assumptions). */
export const PROBLEM: Json = {
  ...object({ 'message?': textOrNull, 'errors?': OPENAPI_BY_FIELD }),
  'x-provenance': 'assumed',
};
