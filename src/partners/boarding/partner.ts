import { z } from 'zod';
import type { Json } from '../../platform/schemas/shape.js';
import type { Operation } from '../catalogue.js';
import { exactJson, json } from '../fields.js';
import { type Contract, listOf, object, ref, repeatResponse, text, textOrNull } from '../openapi/contract.js';
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
    RefusedCaller: object({ error: text, message: text }),
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
  documentation: {
    assumptions: {
      'create-merchant': 'Takes the fields of v1. Gangway sends others with a warning.',
      'update-fees': 'The body replaces all fees.',
      'submit-merchant': 'Submits this `merchantProfileId`. The other fields are known by name only.',
      'upload-attachment': 'The limit of 25 MiB is Gangway’s own.',
      'request-underwriting-review': '`comment` contains the texts of people’s replies.',
    },
    rules: [
      'A response has an envelope: `data`, `status`, `error`, `warning`, `validationResults` (items `{memberNames, errorMessage}`) and `requestId`. The envelope of the fees has `success` and `validationErrors` in place of `status`, `warning` and `validationResults`. `error` has the message of a failed call; a warning fails nothing.',
      '400: a field is missing or invalid. 401: the credentials are wrong. 403: the caller lacks permission, or the merchant is of another ISO. 404: the merchant, agent profile or boarding settings do not exist.',
      'The agent profile of a create must be of the caller’s ISO.',
      'Statuses are `Pending`, `Approved`, `Declined`, `RequestChanges` (its `comment` says what to correct), `UW Level 1` and `Pending Review`. request-underwriting-review moves `Pending` to `Pending Review`, and set-underwriting-pending any status to `UW Level 1: Pending`.',
      'A `mid` is present once the merchant is approved and boarded.',
      'A fee line has `perItem` (dollars) and `percent`, and zero applies. `cardBrand` has flags.',
    ],
    alsoAssumed: [
      'The two card-brand groups of the fees, unnamed in the contract, are `amex` and `visaMasterCardDiscover`.',
      'The status names `Not Submitted`, `Withdrawn`, `Closed`, `UW Level 1: Pending Review`, `Conditionally Approved`, `CR:POS Equipment` and those of `UW Level 2` exist, besides those in the contract. Each ISO can have more (`src/partners/boarding/schemas.ts`).',
      'A temporary `mid` can exist before approval.',
      'No two merchants have the same `mid`. A `merchantProfileId` in a status or in fees is the one that was asked for.',
      'A `mid` is 1 to 20 digits, not all 0, as text or as a number (`isMid` in `src/partners/boarding/schemas.ts`).',
      'A 401 or 403 can have `{error, message}` without the envelope (`src/partners/boarding/client.ts`). Items of `validationErrors` are `{field, error}`.',
      'A query can spell `id` as `ID`.',
    ],
  },
});
