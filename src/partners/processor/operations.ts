import { z } from 'zod';
import { type Operations, once } from '../catalogue.js';
import type { PartnerClient } from '../client.js';
import { httpsUrl, open, openPlain, text } from '../field-schemas.js';
import { bearer, type Closable, type Connection, connectClient } from '../partner.js';
import { problemsInBody } from '../partner-error.js';
import type { PartnerResponse, Unwrapped } from '../responses.js';

export const PROCESSOR_OPERATIONS = {
  registerWebhook: once('POST /processor/api/v1/webhook', {
    summary: 'Register URLs for events of transactions that start, complete or fail',
    provenance: 'documented',
    deprecated: 'the contract asks for a stable replacement, and does not name it',
    request: z.strictObject({
      /** The contract lists only some names, so the partner checks them. */
      event_names: z.array(text).min(1, 'must name an event'),
      webhook_url: z.array(httpsUrl).min(1, 'must name a URL'),
    }),
    response: open(z.looseObject({ message: z.string() })),
  }),
} satisfies Operations;

export type ProcessorOperations = typeof PROCESSOR_OPERATIONS;

export interface ProcessorSettings extends Connection {
  /** Issued by the processor's support; sent as a Bearer token. */
  readonly apiKey: string;
}

export type ProcessorClient = PartnerClient<ProcessorOperations> & Closable;

/** A client of the payment processor's webhook registration (docs/partner-apis.md#processor-webhook). */
export function processorClient(settings: ProcessorSettings): ProcessorClient {
  const protocol = { system: 'processor', ...bearer(settings.apiKey), unwrap: openEnvelope };
  return connectClient(PROCESSOR_OPERATIONS, protocol, settings);
}

const envelope = z.looseObject({ status: z.boolean(), message: z.string().nullish().catch(null) });

/**
 * The contract does not show the HTTP status of a failure, so the envelope's `status` decides. Only the message shows a rejected
 * token.
 */
function openEnvelope(response: PartnerResponse): Unwrapped | undefined {
  const body = openPlain(response)?.payload;
  const read = envelope.safeParse(body);
  if (!read.success) return undefined;
  const { status, message } = read.data;
  if (status) return { failed: false, payload: { ...read.data, message: message ?? '' }, fields: [] };
  const isRefusedToken = response.status < 300 && /token/i.test(message ?? '');
  return {
    failed: true,
    payload: body,
    fields: problemsInBody(body),
    ...(isRefusedToken && { kind: 'Unauthorized' as const }),
  };
}
