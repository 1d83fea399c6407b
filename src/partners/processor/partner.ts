import { z } from 'zod';
import {
  type Contract,
  OPENAPI_BY_FIELD,
  OPENAPI_TEXT,
  object,
  ref,
  repeatResponse,
} from '../openapi/contract.js';
import { definePartner } from '../partner.js';
import { PROCESSOR_OPERATIONS, processorClient } from './operations.js';

/** The envelope is documented (docs/partner-apis.md#processor-webhook-rules), the HTTP statuses are assumed (#processor-webhook-assumptions). */
const contract: Contract = {
  security: { type: 'http', scheme: 'bearer' },
  names: {},
  bodies: {
    Envelope: object({
      status: { type: 'boolean', description: 'Whether it succeeded, whatever the HTTP status' },
      message: OPENAPI_TEXT,
      'data?': { type: 'null' },
      'errors?': { anyOf: [OPENAPI_BY_FIELD, { type: 'array', maxItems: 0 }, { type: 'null' }] },
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
});
