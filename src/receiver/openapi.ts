import { z } from 'zod';
import { answer, type Json, ref } from '../http/openapi.js';
import type { KnownAccounts } from '../messages/inputs.js';
import { BATCHED, BINARY, STRUCTURED } from './cloud-events.js';
import type { EventTypes } from './event-types.js';
import { BODY_KINDS } from './onboarding-routes.js';
import { WEBHOOK_PARTNERS } from './settings.js';

const PROBLEM = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail'],
  properties: {
    type: { type: 'string', examples: ['urn:gangway:problem:invalid'] },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['field', 'message'],
        properties: { field: { type: 'string' }, message: { type: 'string' } },
      },
    },
  },
};

const ACCEPTED = {
  type: 'object',
  required: ['workflowId'],
  properties: { workflowId: { type: 'string' } },
};

const UNCHANGED = {
  type: 'object',
  required: ['workflowId', 'unchanged'],
  properties: { workflowId: { type: 'string' }, unchanged: { const: true } },
};

const BATCH_ACCEPTED = {
  type: 'array',
  items: {
    anyOf: [
      {
        type: 'object',
        required: ['status', 'workflowId'],
        properties: { status: { const: 202 }, workflowId: { type: 'string' } },
      },
      { $ref: '#/components/schemas/Problem' },
    ],
  },
};

const STATE = {
  type: 'object',
  required: ['workflowId', 'stage', 'partnerStatus', 'requirements', 'timeline', 'polls'],
  properties: {
    workflowId: { type: 'string' },
    stage: { type: 'string' },
    partnerStatus: { type: ['string', 'null'] },
    outcome: { type: 'string' },
    mid: { type: 'string' },
    requirements: { type: 'array', items: { type: 'object' } },
    timeline: { type: 'array', items: { type: 'object' } },
    polls: { type: 'integer' },
  },
};

const HINTED = {
  type: 'object',
  required: ['workflows'],
  properties: { workflows: { type: 'integer', description: 'How many onboardings look at the partner now' } },
};

const PARTNER = { in: 'path', name: 'partner', required: true, schema: { enum: WEBHOOK_PARTNERS } };

/** The attributes of an event that are headers in binary mode. */
const BINARY_HEADERS = ['ce-specversion', 'ce-type', 'ce-source', 'ce-id', 'ce-time'];

const SIGNATURE = {
  type: 'apiKey',
  in: 'header',
  name: 'webhook-signature',
  description: 'Standard Webhooks: signs webhook-id, webhook-timestamp and the body',
};

const SIGNATURE_HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];

/** The OpenAPI 3.1 document of the receiver, its bodies made from the schemas that check them. */
export function openApiDocument(types: EventTypes, known: KnownAccounts): Json {
  const schemas = bodySchemas(types, known);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Gangway receiver',
      version: '1',
      description: 'Takes events that start onboardings and answer what they ask. Sending one again is safe.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The receiver that tells this document' }],
    security: [],
    paths: {
      '/events': { post: postEvents(Object.keys(types)), options: handshake() },
      '/onboardings/{externalId}': {
        parameters: [parameter('path', 'externalId', true)],
        put: putOnboarding(),
        get: getOnboarding(),
      },
      '/webhooks/{partner}': { parameters: [PARTNER], post: postHint('take-hint') },
      '/webhooks/{partner}/{secret}': {
        parameters: [PARTNER, parameter('path', 'secret', true)],
        post: postHint('take-hint-with-secret'),
      },
      '/metrics': { get: getText('metrics', 'Counters', 'For Prometheus') },
      '/openapi.json': { get: getText('openapi', 'This document', 'OpenAPI') },
      '/healthz': {
        get: { operationId: 'healthz', summary: 'Alive', responses: { 200: { description: 'It lives' } } },
      },
      '/readyz': {
        get: {
          operationId: 'readyz',
          summary: 'Ready',
          responses: { 200: { description: 'Temporal answers' }, 503: { description: 'Temporal is away' } },
        },
      },
    },
    components: {
      schemas: {
        ...schemas,
        Accepted: ACCEPTED,
        Unchanged: UNCHANGED,
        BatchAccepted: BATCH_ACCEPTED,
        State: STATE,
        Problem: PROBLEM,
      },
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' }, signature: SIGNATURE },
    },
  };
}

function postEvents(names: readonly string[]): Json {
  const events = { oneOf: names.map((name) => ref(eventName(name))) };
  const data = { anyOf: names.map((name) => ref(dataName(name))) };
  return {
    operationId: 'take-events',
    security: [{ signature: [] }],
    summary: 'Take CloudEvents 1.0: structured, batched, or binary with attributes as ce- headers',
    parameters: [...SIGNATURE_HEADERS, ...BINARY_HEADERS].map((name) => parameter('header', name, false)),
    requestBody: {
      required: true,
      content: {
        [STRUCTURED]: { schema: events },
        [BATCHED]: { schema: { type: 'array', maxItems: 100, items: events } },
        [BINARY]: { schema: data },
      },
    },
    responses: {
      202: answer('Temporal has it', { anyOf: [ref('Accepted'), ref('BatchAccepted')] }),
      207: answer('Of a batch, some were refused for good', ref('BatchAccepted')),
      ...problems(400, 401, 404, 409, 413, 415, 422, 429, 503),
    },
  };
}

function handshake(): Json {
  return {
    operationId: 'may-send-events',
    summary: 'Ask whether events may be sent (abuse protection of CloudEvents webhooks)',
    parameters: ['webhook-request-origin', 'webhook-request-rate'].map((name) =>
      parameter('header', name, false),
    ),
    responses: {
      200: {
        description: 'They may',
        headers: Object.fromEntries(
          ['webhook-allowed-origin', 'webhook-allowed-rate'].map((name) => [
            name,
            { schema: { type: 'string' } },
          ]),
        ),
      },
      ...problems(400, 429),
    },
  };
}

function putOnboarding(): Json {
  return {
    operationId: 'put-onboarding',
    summary: 'Start an onboarding, or attach to the one that was started before with the same input',
    security: [{ bearer: [] }],
    requestBody: {
      required: true,
      content: {
        'application/json': { schema: { oneOf: ['merchant', 'business', 'customer'].map(bodyRef) } },
      },
    },
    responses: {
      200: answer('It was started before, with the same input', ref('Unchanged')),
      202: answer('Temporal has it', ref('Accepted')),
      ...problems(400, 401, 409, 413, 415, 422, 429, 503),
    },
  };
}

function getOnboarding(): Json {
  return {
    operationId: 'get-onboarding',
    summary: 'Where an onboarding stands',
    security: [{ bearer: [] }],
    responses: { 200: answer('Its state', ref('State')), ...problems(401, 404, 409, 429, 503) },
  };
}

function postHint(operationId: string): Json {
  const anything = {
    type: ['object', 'array'],
    description: 'What the partner sends; ids are looked for in it',
  };
  return {
    operationId,
    summary: 'Take a webhook of a partner, as a hint to look at the partner',
    description:
      'The partner shows what the settings say that it does: a secret in the path, a header, or both.',
    requestBody: { required: true, content: { 'application/json': { schema: anything } } },
    responses: {
      200: answer('It was taken (processor)', HINTED),
      202: answer('It was taken (banking, boarding)', HINTED),
      ...problems(400, 401, 404, 413, 415, 429, 503),
    },
  };
}

function getText(operationId: string, summary: string, description: string): Json {
  return { operationId, summary, responses: { 200: { description }, ...problems(429) } };
}

function bodySchemas(types: EventTypes, known: KnownAccounts): Json {
  const events = Object.entries(types).flatMap(([name, { data, event, summary }]) => [
    ...jsonSchemas(dataName(name), data),
    ...jsonSchemas(eventName(name), event, ({ properties, ...rest }) => ({
      ...rest,
      description: summary,
      properties: { ...(properties as Json), data: ref(dataName(name)) },
    })),
  ]);
  const bodies = Object.entries(BODY_KINDS).flatMap(([type, kind]) =>
    jsonSchemas(bodyName(type), kind.schema(known), (schema) => asBody(type, schema)),
  );
  return Object.fromEntries([...events, ...bodies]);
}

/** The input with its type, and without the `externalId`, which is in the path. */
function asBody(type: string, { properties, required, ...rest }: Json): Json {
  const { externalId: _, ...members } = properties as Json;
  return {
    ...rest,
    properties: { type: { const: type }, ...members },
    required: ['type', ...(required as string[]).filter((name) => name !== 'externalId')],
  };
}

/** A schema as a component, and what it shares within itself as components beside it. */
function jsonSchemas(
  name: string,
  schema: z.ZodType,
  change: (schema: Json) => Json = (same) => same,
): [string, Json][] {
  const written = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', override: withoutBigInt });
  const text = JSON.stringify(written);
  const {
    $schema: _,
    $defs = {},
    ...rest
  } = JSON.parse(text.replaceAll('"#/$defs/', `"#/components/schemas/${name}.`)) as Record<string, Json>;
  const shared = Object.entries($defs).map(([key, value]): [string, Json] => [
    `${name}.${key}`,
    value as Json,
  ]);
  return [[name, change(rest)], ...shared];
}

/** No JSON has a bigint, so of what an int64 may be, that one goes. */
function withoutBigInt({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.format !== 'int64') return;
  jsonSchema.anyOf = [
    { type: 'integer', format: 'int64' },
    { type: 'string', pattern: '^-?\\d{1,19}$' },
  ];
}

function dataName(type: string): string {
  return `${type}.data`;
}

function eventName(type: string): string {
  return `${type}.event`;
}

function bodyName(type: string): string {
  return `${type}.body`;
}

function bodyRef(type: string): Json {
  return ref(bodyName(type));
}

function parameter(place: string, name: string, required: boolean): Json {
  return { in: place, name, required, schema: { type: 'string' } };
}

function problems(...statuses: number[]): Json {
  const content = { 'application/problem+json': { schema: ref('Problem') } };
  return Object.fromEntries(statuses.map((status) => [status, { description: 'A problem', content }]));
}
