import { z } from 'zod';
import { byField, type Contract, object, ref, repeatResponse, text } from '../openapi/contract.js';
import { definePartner } from '../partner.js';
import { PROCESSOR_OPERATIONS, processorClient } from './operations.js';

/** The envelope is documented (docs/partner-apis.md#processor-webhook-rules), the HTTP statuses are assumed (#processor-webhook-assumptions). */
const contract: Contract = {
  security: { type: 'http', scheme: 'bearer' },
  names: {},
  bodies: {
    Envelope: object({
      status: { type: 'boolean', description: 'Whether it succeeded, whatever the HTTP status' },
      message: text,
      'data?': { type: 'null' },
      'errors?': { anyOf: [byField, { type: 'array', maxItems: 0 }, { type: 'null' }] },
      'error_code?': { type: 'null' },
    }),
  },
  envelope: () => ref('Envelope'),
  failures: () => repeatResponse(ref('Envelope'), 401, 422, 500),
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
    rules: [
      'A response has an envelope: `status` (whether it succeeded), `message`, `data`, `errors` and `error_code`.',
      'URLs are HTTPS. `TransactionCompleted` and `TransactionFailed` are names of events; `errors` names the place of an unknown one (`event_names.0`).',
    ],
    alsoAssumed: [
      'The envelope’s `status` decides, not the HTTP status. `errors` is null, absent, an empty list, or messages by field (`src/partners/processor/operations.ts`).',
      'A 2xx refusal that mentions a token is about the API key.',
      '401: the token is wrong. 422: the data is invalid.',
      'More names of events exist than the contract lists, so Gangway sends any.',
    ],
  },
});
