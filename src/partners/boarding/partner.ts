import { z } from 'zod';
import { list } from '../../settings/settings.js';
import type { Operation } from '../catalogue.js';
import { exactJson, json } from '../fields.js';
import { type Json, ref } from '../openapi/components.js';
import { type Contract, listOf, object, same, text, textOrNull } from '../openapi/contract.js';
import { definePartner } from '../partner.js';
import { boardingClient, boardingOff } from './client.js';
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
    BOARDING_USERNAME: z.string('is not set').describe('User name at the boarding partner.'),
    BOARDING_PASSWORD: z
      .string('is not set')
      .meta({ description: 'Password at the boarding partner.', secret: true }),
  }),
  clientSettings: (url, set) => ({ url, username: set.BOARDING_USERNAME, password: set.BOARDING_PASSWORD }),
  hasPortal: true,
  wording: {
    settings: z.object({
      BOARDING_POS_NAMES: list
        .transform((names) => names.filter(Boolean))
        .default([])
        .describe('Point-of-sale names that the boarding partner accepts beside `None` and `CustomPos`.'),
    }),
    from: ({ BOARDING_POS_NAMES: posNames }): { readonly posNames: readonly string[] } => ({ posNames }),
  },
  operations: ({ posNames }) => boardingOperations(posNames),
  client: (settings, { posNames }) => boardingClient({ ...settings, posNames }),
  off: boardingOff,
  credentialsCheck: {
    read: async (client, options) => `${(await client.listAgentProfiles({}, options)).length} agent profiles`,
  },
  whenOff: 'failure',
  hasEnvironments: false,
  idempotencyKey: undefined,
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
    schemas: 'schemas.ts',
    assumptions: {
      'list-agent-profiles':
        'Takes no query. `data` is a list whose items have `id`, which is the `agentProfileId` of a create, and `name`.',
      'list-boarding-settings':
        'Takes no query. `data` is a list whose items have `id`, which is the `boardingSettingsId` of a create, and `name`.',
      'create-merchant':
        'Takes the fields of v1 create and, because the contract calls its data model more complete, further fields as they are, with a warning that names them. Returns what v1 returns, with `merchantProfileId`; Gangway also reads a bare number.',
      'update-fees':
        '`id` is in the query as it is for reading. The body is the whole fees object, and it replaces what was there.',
      'submit-merchant':
        'With `merchantProfileId` in the body it completes and submits that merchant. The seven other fields are known by name only, and Gangway sends them as they are. The shape of the response is unknown; Gangway keeps it as it is.',
      'submit-merchant-v1':
        'Takes `id` in the query and no body, and submits what the partner has. The shape of the response is unknown; Gangway keeps it as it is.',
      'get-status2': 'Takes and returns what get-status does, with more status names.',
      'update-status':
        '`id` is in the query, `status` and an optional `comment` are in the body. The shape of the response is unknown; Gangway keeps it as it is.',
      'upload-attachment':
        '`id` is in the query. The body is multipart: a part `file`, and an optional part `description`. The limit of 25 MiB is Gangway’s own. The shape of the response is unknown; Gangway keeps it as it is.',
      'request-underwriting-review':
        '`id` is in the query, an optional `comment` is in the body: it contains the texts of people’s replies. The shape of the response is unknown; Gangway keeps it as it is.',
      'set-underwriting-pending':
        'Takes `id` in the query and no body. The shape of the response is unknown; Gangway keeps it as it is.',
    },
    alsoAssumed: [
      'The two card-brand groups of the fees, whose names the contract does not print, are `amex` and `visaMasterCardDiscover`. This concerns get-fees and update-fees.',
      'The status names `Not Submitted`, `Withdrawn`, `Closed` and `UW Level 1: Pending Review`, beside those that the contract prints (`src/partners/boarding/schemas.ts`). Gangway shows an unknown name, asks once for each account what it means, and waits for the next status until then.',
      'A temporary `mid` can exist before approval. A merchant is boarded when it is `Approved` and has a `mid`.',
      'A `mid` is 1 to 20 digits, not all 0, as text or as a number (`isMid` in `src/partners/boarding/schemas.ts`). Gangway asks a person about anything else.',
      'A 401 or 403 can have `{error, message}` without the envelope (`src/partners/boarding/client.ts`).',
    ],
  },
});
