import { type Json, ref } from '../../http/openapi.js';
import { STATEMENT_TYPES } from '../banking/client.js';
import * as bankingRequests from '../banking/requests.js';
import * as bankingAnswers from '../banking/responses.js';
import { FEES_PATH } from '../boarding/operations.js';
import * as boardingSchemas from '../boarding/schemas.js';
import type { Operation } from '../catalogue.js';
import { exactJson, json } from '../fields.js';
import { NEUTRAL_KEY_HEADER } from '../payments/client.js';
import * as paymentsAnswers from '../payments/schemas.js';
import * as paymentsRequests from '../payments/schemas.js';
import * as plantStoreSchemas from '../plant-store/operations.js';
import type { SystemName } from '../systems.js';
import type { NamedSchemas } from './components.js';

/** What a partner's contract says of all its operations, beside the catalogue. */
export interface Contract {
  /** Where it is printed: `apis/2`. */
  readonly reference: string;
  /** An OpenAPI security scheme. */
  readonly security: Json;
  /** Schemas of the catalogue that the document calls by name. */
  readonly names: NamedSchemas;
  /** What is only in answers, as JSON schemas by name. */
  readonly answers: Json;
  /** Header parameters of every call that carries credentials. */
  readonly headers?: readonly Json[];
  /** Wraps the schema of a payload; an answer is its payload unless said otherwise. */
  envelope?(operation: Operation, payload: Json): Json;
  /** The statuses of failure that the contract lists for an operation, each with the schema of its body. */
  failures(operation: Operation): Readonly<Record<number, Json>>;
  /** It prints those failures, but not which status each has. */
  readonly assumesStatuses?: true;
  /** It tells of no rate limits, so that a 429 and its body are assumed. Left out where no other status can be. */
  readonly tooMany?: (operation: Operation) => Json;
  /** MIME types of the files that it answers. */
  readonly fileTypes?: readonly string[];
}

const text: Json = { type: 'string' };
const textOrNull: Json = { type: ['string', 'null'] };
const listOf = (items: Json): Json => ({ type: 'array', items });
const byField: Json = { type: 'object', additionalProperties: listOf(text) };

/** An object, all of whose members are there but for those whose names end in `?`. */
function object(members: Json): Json {
  const names = Object.keys(members).filter((name) => !name.endsWith('?'));
  const properties = Object.entries(members).map(([name, schema]) => [name.replace('?', ''), schema]);
  return { type: 'object', required: names, properties: Object.fromEntries(properties) };
}

/** The same body for each of these statuses. */
function same(body: Json, ...statuses: number[]): Readonly<Record<number, Json>> {
  return Object.fromEntries(statuses.map((status) => [status, body]));
}

/** apis/2, Response envelope and Errors; the members of a problem and the form of a 401 are from apis/4. */
const boarding: Contract = {
  reference: 'apis/2',
  security: { type: 'http', scheme: 'basic' },
  names: { ...boardingSchemas, json, exactJson },
  answers: {
    Envelope: object({
      data: { description: 'Payload of the operation; null when it failed' },
      status: { ...text, description: 'Label of the HTTP status' },
      error: textOrNull,
      'warning?': textOrNull,
      validationResults: listOf(object({ memberNames: listOf(text), errorMessage: text })),
      requestId: { type: 'integer' },
    }),
    FeesEnvelope: object({
      data: { description: 'Payload of the operation; null when it failed' },
      requestId: { type: 'integer' },
      success: { type: 'boolean' },
      error: textOrNull,
      validationErrors: listOf(object({ field: text, error: text })),
    }),
    RefusedCaller: object({ error: text, message: text }),
  },
  envelope: (operation, data) => ({ allOf: [boardingEnvelope(operation), { properties: { data } }] }),
  failures: (operation) => ({
    ...same(boardingEnvelope(operation), 400, 404, 500),
    ...same({ anyOf: [ref('RefusedCaller'), boardingEnvelope(operation)] }, 401, 403),
  }),
  tooMany: boardingEnvelope,
};

function boardingEnvelope({ path }: Operation): Json {
  return ref(path === FEES_PATH ? 'FeesEnvelope' : 'Envelope');
}

/** Neither apis/1 nor apis/3 show the body of a failure; this is the form that such services have most. */
const PROBLEM: Json = {
  ...object({ 'message?': textOrNull, 'errors?': byField }),
  'x-provenance': 'assumed',
};

/** apis/1, Errors. What takes no input has none that could be wrong or missing. */
const banking: Contract = {
  reference: 'apis/1',
  security: { type: 'http', scheme: 'bearer' },
  names: { ...bankingAnswers, ...bankingRequests, json: exactJson },
  answers: { Problem: PROBLEM },
  headers: [
    {
      in: 'header',
      name: 'X-Partner-Id',
      required: false,
      description: 'The id that a partner was issued at onboarding; how it travels is not shown',
      schema: text,
      'x-provenance': 'assumed',
    },
  ],
  failures: ({ request, reference, statusAnswers = {} }) => {
    const hasInput = request !== bankingRequests.nothing;
    const mayBeMissing = hasInput && reference !== 'E13';
    const statuses = [401, 403, 500, ...Object.keys(statusAnswers).map(Number)];
    if (hasInput) statuses.push(400);
    if (mayBeMissing) statuses.push(404);
    return same(ref('Problem'), ...statuses);
  },
  tooMany: () => ref('Problem'),
  fileTypes: STATEMENT_TYPES,
};

/** apis/3, Authentication and Errors. Only what is named in a path or body can be missing. */
const payments: Contract = {
  reference: 'apis/3',
  security: { type: 'apiKey', in: 'header', name: NEUTRAL_KEY_HEADER },
  names: { ...paymentsAnswers, ...paymentsRequests, json },
  answers: { Problem: PROBLEM },
  failures: ({ failures = {} }) =>
    same(ref('Problem'), 400, 401, 403, 500, ...Object.keys(failures).map(Number)),
  tooMany: () => ref('Problem'),
};

/** apis/3, Plant store: every failure is a 400 with an Error. */
const plantStore: Contract = {
  reference: 'apis/3',
  security: { type: 'http', scheme: 'bearer' },
  names: plantStoreSchemas,
  answers: { Error: object({ error: { type: 'integer', format: 'int32' }, message: text }) },
  failures: () => same(ref('Error'), 400),
};

/** apis/3, Response envelope. Which HTTP status a failure has is not shown; these are from apis/4. */
const processor: Contract = {
  reference: 'apis/3',
  security: { type: 'http', scheme: 'bearer' },
  names: {},
  answers: {
    Envelope: object({
      status: { type: 'boolean', description: 'Whether it succeeded, whatever the HTTP status' },
      message: text,
      'data?': { type: 'null' },
      'errors?': { anyOf: [byField, { type: 'array', maxItems: 0 }, { type: 'null' }] },
      'error_code?': { type: 'null' },
    }),
  },
  envelope: () => ref('Envelope'),
  failures: () => same(ref('Envelope'), 401, 422, 500),
  assumesStatuses: true,
  tooMany: () => ref('Envelope'),
};

export const CONTRACTS: Readonly<Record<SystemName, Contract>> = {
  boarding,
  banking,
  'plant-store': plantStore,
  payments,
  processor,
};
