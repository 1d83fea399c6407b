import { z } from 'zod';
import type { Operations } from '../catalogue.js';
import { httpsUrl, text } from '../fields.js';

/** Webhook registration of the payment processor (apis/3). */
export const PROCESSOR_OPERATIONS = {
  registerWebhook: {
    summary: 'Register URLs for events of transactions that start, complete or fail',
    method: 'POST',
    path: '/processor/api/v1/webhook',
    effect: 'once',
    provenance: 'documented',
    deprecated: 'the contract asks for a stable replacement, and does not name it',
    request: z.strictObject({
      /** The contract names some of more, so the partner checks them. */
      event_names: z.array(text).min(1, 'must name an event'),
      webhook_url: z.array(httpsUrl).min(1, 'must name a URL'),
    }),
    response: z.looseObject({ message: z.string() }),
  },
} as const satisfies Operations;

export type ProcessorOperations = typeof PROCESSOR_OPERATIONS;
