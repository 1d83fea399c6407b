import { z } from 'zod';
import type { Json } from '../../platform/schemas/shape.js';
import type { Operation } from '../catalogue.js';
import { exactJson, json } from '../fields.js';
import { type Contract, listOf, object, ref, same, text, textOrNull } from '../openapi/contract.js';
import { definePartner, password } from '../partner.js';
import { boardingClient } from './client.js';
import { boardingOperations, FEES_PATH } from './operations.js';
import * as schemas from './schemas.js';

const PAYLOAD: Json = { description: 'Payload of the operation; null when it failed' };

const AROUND: Json = {
  status: { ...text, description: 'Label of the HTTP status' },
  error: textOrNull,
  'warning?': textOrNull,
  validationResults: listOf(object({ memberNames: listOf(text), errorMessage: text })),
  requestId: { type: 'integer' },
};

const AROUND_FEES: Json = {
  requestId: { type: 'integer' },
  success: { type: 'boolean' },
  error: textOrNull,
  validationErrors: listOf(object({ field: text, error: text })),
};

/** apis/2, Response envelope and Errors; the fields of a problem and the form of a 401 are from apis/4. */
const contract: Contract = {
  reference: 'apis/2',
  security: { type: 'http', scheme: 'basic' },
  names: { ...schemas, json, exactJson },
  bodies: {
    Envelope: object({ data: PAYLOAD, ...AROUND }),
    FeesEnvelope: object({ data: PAYLOAD, ...AROUND_FEES }),
    RefusedCaller: object({ error: text, message: text }),
  },
  envelope: (operation, data) => ({ allOf: [boardingEnvelope(operation), { properties: { data } }] }),
  around: ({ path }) => object(path === FEES_PATH ? AROUND_FEES : AROUND),
  failures: (operation) => ({
    ...same(boardingEnvelope(operation), 400, 404, 500),
    ...same({ anyOf: [ref('RefusedCaller'), boardingEnvelope(operation)] }, 401, 403),
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
  documentation: {
    assumptions: {
      'create-merchant': 'Takes the fields of v1. Gangway sends others with a warning.',
      'update-fees': 'The body replaces all fees.',
      'submit-merchant': 'Submits this `merchantProfileId`. The other fields are known by name only.',
      'upload-attachment': 'The limit of 25 MiB is Gangway’s own.',
      'request-underwriting-review': '`comment` contains the texts of people’s replies.',
    },
    alsoAssumed: [
      'The two card-brand groups of the fees, unnamed in the contract, are `amex` and `visaMasterCardDiscover`.',
      'The status names `Not Submitted`, `Withdrawn`, `Closed` and `UW Level 1: Pending Review` exist, besides those in the contract (`src/partners/boarding/schemas.ts`).',
      'A temporary `mid` can exist before approval.',
      'A `mid` is 1 to 20 digits, not all 0, as text or as a number (`isMid` in `src/partners/boarding/schemas.ts`).',
      'A 401 or 403 can have `{error, message}` without the envelope (`src/partners/boarding/client.ts`).',
    ],
  },
});
