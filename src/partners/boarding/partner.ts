import { z } from 'zod';
import type { Json } from '../../platform/schemas/shape.js';
import type { Operation } from '../catalogue.js';
import { exactJson, json } from '../field-schemas.js';
import {
  type Contract,
  listOf,
  OPENAPI_TEXT,
  object,
  ref,
  repeatResponse,
  textOrNull,
} from '../openapi/contract.js';
import { definePartner, password } from '../partner.js';
import { boardingClient } from './client.js';
import { boardingOperations, FEES_PATH } from './operations.js';
import * as schemas from './schemas.js';

const PAYLOAD: Json = { description: 'Payload of the operation; null when it failed' };

const AROUND: Json = {
  status: { ...OPENAPI_TEXT, description: 'Label of the HTTP status' },
  error: textOrNull,
  'warning?': textOrNull,
  validationResults: listOf(object({ memberNames: listOf(OPENAPI_TEXT), errorMessage: OPENAPI_TEXT })),
  requestId: { type: 'integer' },
};

const AROUND_FEES: Json = {
  requestId: { type: 'integer' },
  success: { type: 'boolean' },
  error: textOrNull,
  validationErrors: listOf(object({ field: OPENAPI_TEXT, error: OPENAPI_TEXT })),
};

/**
 * Envelopes and failures: docs/partner-apis.md#merchant-boarding-rules. The items of `validationErrors` and the form of a 401 are
 * assumed.
 */
const contract: Contract = {
  security: { type: 'http', scheme: 'basic' },
  names: { ...schemas, json, exactJson },
  bodies: {
    Envelope: object({ data: PAYLOAD, ...AROUND }),
    FeesEnvelope: object({ data: PAYLOAD, ...AROUND_FEES }),
    RefusedCaller: object({ error: OPENAPI_TEXT, message: OPENAPI_TEXT }),
  },
  envelope: (operation, data) => ({ allOf: [boardingEnvelope(operation), { properties: { data } }] }),
  around: ({ path }) => object(path === FEES_PATH ? AROUND_FEES : AROUND),
  failures: (operation) => ({
    ...repeatResponse(boardingEnvelope(operation), 400, 404, 500),
    ...repeatResponse({ anyOf: [ref('RefusedCaller'), boardingEnvelope(operation)] }, 401, 403),
  }),
  tooMany: boardingEnvelope,
};

function boardingEnvelope({ path }: Operation): Json {
  return ref(path === FEES_PATH ? 'FeesEnvelope' : 'Envelope');
}

export const boarding = definePartner({
  title: 'Merchant boarding',
  name: 'boarding partner',
  settings: z.object({
    BOARDING_USERNAME: z.string('is not set').describe('User name.'),
    BOARDING_PASSWORD: password('BOARDING'),
  }),
  clientSettings: (url, set) => ({ url, username: set.BOARDING_USERNAME, password: set.BOARDING_PASSWORD }),
  hasPortal: true,
  operations: ({ posNames }) => boardingOperations(posNames),
  client: (settings, { posNames }) => boardingClient({ ...settings, posNames }),
  credentialsCheck: {
    read: async (client, options) => `${(await client.listAgentProfiles({}, options)).length} agent profiles`,
  },
  whenOff: 'failure',
  webhooks: {
    status: 202,
    idFields: [
      { path: 'merchantProfileId', kind: 'MerchantProfileId' },
      { path: 'mid', kind: 'Mid' },
      { path: 'guid', kind: 'externalId' },
    ],
  },
  contract,
});
