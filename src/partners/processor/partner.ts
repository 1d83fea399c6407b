import { z } from 'zod';
import { type Operations, once } from '../catalogue.js';
import type { PartnerClient } from '../client.js';
import { httpsUrl, open, openPlain, text } from '../fields.js';
import { byField, type Contract, object, ref, same } from '../openapi/contract.js';
import { bearer, type Closable, type Connection, connectedClient, definePartner } from '../partner.js';
import { problemsOf } from '../partner-error.js';
import type { Opened, PartnerResponse } from '../responses.js';

export const PROCESSOR_OPERATIONS = {
  registerWebhook: once('POST /processor/api/v1/webhook', {
    summary: 'Register URLs for events of transactions that start, complete or fail',
    provenance: 'documented',
    deprecated: 'the contract asks for a stable replacement, and does not name it',
    request: z.strictObject({
      /** The contract names some of more, so the partner checks them. */
      event_names: z.array(text).min(1, 'must name an event'),
      webhook_url: z.array(httpsUrl).min(1, 'must name a URL'),
    }),
    response: open(z.looseObject({ message: z.string() })),
  }),
} satisfies Operations;

export type ProcessorOperations = typeof PROCESSOR_OPERATIONS;

export type ProcessorClient = PartnerClient<ProcessorOperations> & Closable;

/** A client of the payment processor's webhook registration (apis/3). */
export function processorClient(settings: Connection & { readonly apiKey: string }): ProcessorClient {
  const protocol = { system: 'processor', ...bearer(settings.apiKey), open: openEnvelope };
  return connectedClient(PROCESSOR_OPERATIONS, protocol, settings);
}

const envelope = z.looseObject({ status: z.boolean(), message: z.string().nullish().catch(null) });

/**
 * The contract does not show the HTTP status of a failure, so the envelope's `status` decides. A rejected token is then
 * visible in the message only.
 */
function openEnvelope(response: PartnerResponse): Opened | undefined {
  const body = openPlain(response)?.payload;
  const read = envelope.safeParse(body);
  if (!read.success) return undefined;
  const { status, message } = read.data;
  if (status) return { failed: false, payload: { ...read.data, message: message ?? '' }, fields: [] };
  const isRefusedToken = response.status < 300 && /token/i.test(message ?? '');
  return {
    failed: true,
    payload: body,
    fields: problemsOf(body),
    ...(isRefusedToken && { kind: 'Unauthorized' as const }),
  };
}

/** apis/3, Response envelope. Which HTTP status a failure has is not shown; these are from apis/4. */
const contract: Contract = {
  reference: 'apis/3',
  security: { type: 'http', scheme: 'bearer' },
  names: {},
  bodies: {
    Envelope: object({
      status: { type: 'boolean', description: 'Whether it succeeded, whatever the HTTP status' },
      message: { type: 'string' },
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

export const processor = definePartner({
  title: 'Processor webhook',
  name: 'processor',
  settings: z.object({
    PROCESSOR_API_KEY: z
      .string('is not set')
      .meta({ description: 'API key, issued by the processor’s support.', secret: true }),
  }),
  clientSettings: (url, set) => ({ url, apiKey: set.PROCESSOR_API_KEY }),
  operations: () => PROCESSOR_OPERATIONS,
  client: (settings) => processorClient(settings),
  webhooks: { status: 200, idFields: [{ path: 'client_reference_id', kind: 'externalId' }] },
  contract,
  documentation: {
    assumptions: {},
    alsoAssumed: [
      'The envelope’s `status` decides, not the HTTP status. `errors` is null, absent, an empty list, or messages by field (`src/partners/processor/partner.ts`).',
      'A 2xx refusal that mentions a token is about the API key.',
      'The contract lists three event names, not all of them, so Gangway sends any.',
    ],
  },
});
