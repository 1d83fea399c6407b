import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { withAdvice } from '../../platform/settings/settings.js';
import { nothing } from '../catalogue.js';
import { exactJson } from '../field-schemas.js';
import { type Contract, OPENAPI_TEXT, PROBLEM, ref, repeatResponse } from '../openapi/contract.js';
import { definePartner, password } from '../partner.js';
import { type BankingSettings, bankingClient, STATEMENT_FORMATS } from './client.js';
import { bankingOperations } from './operations.js';
import * as requests from './requests.js';
import * as responses from './responses.js';

const PROCESS = randomUUID().slice(0, 8);

/** Failures: docs/partner-apis.md#banking-rules. An operation without input cannot get a 400 or 404. */
const contract: Contract = {
  security: { type: 'http', scheme: 'bearer' },
  names: { ...responses, ...requests, json: exactJson },
  bodies: { Problem: PROBLEM },
  headers: [
    {
      in: 'header',
      name: 'X-Partner-Id',
      required: false,
      description: 'The id that a partner gets at onboarding. The contract does not show how it is sent',
      schema: OPENAPI_TEXT,
      'x-provenance': 'assumed',
    },
  ],
  failures: ({ request, reference, statusPayloads = {} }) => {
    const hasInput = request !== nothing;
    const mayBeMissing = hasInput && reference !== 'E13';
    const statuses = [401, 403, 500, ...Object.keys(statusPayloads).map(Number)];
    if (hasInput) statuses.push(400);
    if (mayBeMissing) statuses.push(404);
    return repeatResponse(ref('Problem'), ...statuses);
  },
  tooMany: () => ref('Problem'),
  fileTypes: STATEMENT_FORMATS,
};

export const banking = definePartner({
  title: 'Banking',
  name: 'banking partner',
  settings: z.object({
    BANKING_USERNAME: z.string('is not set').describe('User name.'),
    BANKING_PASSWORD: password('BANKING'),
    BANKING_DEVICE_TOKEN: z
      .string('is not set')
      .meta({ description: 'Identifies this device to the bank.', secret: true }),
    BANKING_TOTP_SECRET: withAdvice(
      z
        .string()
        .regex(/^[A-Za-z2-7\s-]+=*$/, 'must be base32')
        .optional()
        .meta({
          description: 'Secret that generates one-time codes for the second factor.',
          format: 'base32',
          unset: 'a person is asked for each code',
          secret: true,
        }),
      (secret, name, { BANKING_PARTNER_ID: partnerId }) =>
        !secret &&
        partnerId === undefined && {
          why: 'is not set: if the account has a second factor, every sign-in needs a person',
          fix: `set ${name}, if the account has a second factor`,
        },
    ),
    BANKING_PARTNER_ID: z.string().optional().meta({
      description: 'Partner ID. Tokens are then requested in the partner form.',
      unset: 'user form',
    }),
  }),
  /** With a partner ID, we sign in as a partner. Partners request tokens in their own form (docs/partner-apis.md#banking-rules). */
  clientSettings: (url, set): Omit<BankingSettings, 'pathSegment'> => ({
    url,
    username: set.BANKING_USERNAME,
    password: set.BANKING_PASSWORD,
    deviceToken: set.BANKING_DEVICE_TOKEN,
    // A bank that allows one session per device can tell our processes apart.
    deviceName: set.BANKING_PARTNER_ID === undefined ? `gangway-${PROCESS}` : 'gangway',
    form: set.BANKING_PARTNER_ID === undefined ? 'user' : 'partner',
    ...(set.BANKING_TOTP_SECRET !== undefined && { totpSecret: set.BANKING_TOTP_SECRET }),
    ...(set.BANKING_PARTNER_ID !== undefined && { partnerId: set.BANKING_PARTNER_ID }),
  }),
  hasPortal: true,
  operations: ({ pathSegment }) => bankingOperations(pathSegment),
  client: (settings, { pathSegment }) => bankingClient({ ...settings, pathSegment }),
  credentialsCheck: {
    read: async (client, options) => `${(await client.listNewTickets({}, options)).length} new tickets`,
  },
  // Merchants can be boarded without the bank.
  whenOff: 'so businesses, customers, cards, statements and lists are unavailable',
  webhooks: {
    status: 202,
    idFields: [
      { path: 'profileId', kind: 'BankingProfileId' },
      { path: 'merchantProfileId', kind: 'MerchantProfileId' },
    ],
  },
  contract,
});
