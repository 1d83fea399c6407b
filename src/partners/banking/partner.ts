import { z } from 'zod';
import { exactJson } from '../fields.js';
import { ref } from '../openapi/components.js';
import { type Contract, PROBLEM, same, text } from '../openapi/contract.js';
import { definePartner } from '../partner.js';
import { type BankingSettings, bankingClient, bankingOff, STATEMENT_FORMATS } from './client.js';
import { bankingOperations, NEUTRAL_SEGMENT } from './operations.js';
import * as requests from './requests.js';
import * as responses from './responses.js';

/** apis/1, Errors. What takes no input has none that could be wrong or missing. */
const contract: Contract = {
  reference: 'apis/1',
  security: { type: 'http', scheme: 'bearer' },
  names: { ...responses, ...requests, json: exactJson },
  bodies: { Problem: PROBLEM },
  headers: [
    {
      in: 'header',
      name: 'X-Partner-Id',
      required: false,
      description: 'The id that a partner gets at onboarding. The contract does not show how it is sent',
      schema: text,
      'x-provenance': 'assumed',
    },
  ],
  failures: ({ request, reference, statusPayloads = {} }) => {
    const hasInput = request !== requests.nothing;
    const mayBeMissing = hasInput && reference !== 'E13';
    const statuses = [401, 403, 500, ...Object.keys(statusPayloads).map(Number)];
    if (hasInput) statuses.push(400);
    if (mayBeMissing) statuses.push(404);
    return same(ref('Problem'), ...statuses);
  },
  tooMany: () => ref('Problem'),
  fileTypes: STATEMENT_FORMATS,
};

export const banking = definePartner({
  title: 'Banking',
  name: 'banking partner',
  settings: z.object({
    BANKING_USERNAME: z.string('is not set').describe('User name at the bank.'),
    BANKING_PASSWORD: z.string('is not set').meta({ description: 'Password at the bank.', secret: true }),
    BANKING_DEVICE_TOKEN: z
      .string('is not set')
      .meta({ description: 'Identifies this device to the bank.', secret: true }),
    BANKING_TOTP_SECRET: z
      .string()
      .regex(/^[A-Za-z2-7\s-]+=*$/, 'must be base32')
      .optional()
      .meta({
        description: 'Secret that makes the one-time codes of the second factor.',
        format: 'base32',
        unset: 'a person is asked for each code',
        secret: true,
      }),
    BANKING_PARTNER_ID: z.string().optional().meta({
      description: 'Partner ID at the bank. With it, tokens are requested in the partner form.',
      unset: 'tokens are requested in the user form',
    }),
  }),
  /** A partner ID makes us a partner, and partners request tokens in a form of their own (apis/1, Token request). */
  clientSettings: (url, set): Omit<BankingSettings, 'pathSegment'> => ({
    url,
    username: set.BANKING_USERNAME,
    password: set.BANKING_PASSWORD,
    deviceToken: set.BANKING_DEVICE_TOKEN,
    deviceName: 'gangway',
    form: set.BANKING_PARTNER_ID === undefined ? 'user' : 'partner',
    ...(set.BANKING_TOTP_SECRET !== undefined && { totpSecret: set.BANKING_TOTP_SECRET }),
    ...(set.BANKING_PARTNER_ID !== undefined && { partnerId: set.BANKING_PARTNER_ID }),
  }),
  hasPortal: true,
  wording: {
    settings: z.object({
      BANKING_PATH_SEGMENT: z
        .string()
        .regex(/^[\w.~-]+$/, 'must be one path segment')
        .default(NEUTRAL_SEGMENT)
        .meta({
          description: 'Segment of the bank’s paths where its contract writes `svc`.',
          format: 'one path segment',
        }),
    }),
    from: ({ BANKING_PATH_SEGMENT: pathSegment }) => ({ pathSegment }),
  },
  operations: ({ pathSegment }) => bankingOperations(pathSegment),
  client: (settings, { pathSegment }) => bankingClient({ ...settings, pathSegment }),
  off: bankingOff,
  credentialsCheck: {
    read: async (client, options) => `${(await client.listNewTickets({}, options)).length} new tickets`,
  },
  // Merchants can be boarded without the bank.
  whenOff: 'so businesses, customers, cards, statements and lists are unavailable',
  hasEnvironments: false,
  idempotencyKey: undefined,
  webhooks: {
    status: 202,
    idFields: [
      { path: 'profileId', kind: 'BankingProfileId' },
      { path: 'merchantProfileId', kind: 'MerchantProfileId' },
    ],
    registered: async (client, options) =>
      (await client.listWebhooks({}, options)).map(({ id, name, url, notificationType }) => ({
        ...{ id, name, url },
        topic: notificationType === null ? null : String(notificationType),
      })),
  },
  contract,
  documentation: {
    schemas: 'requests.ts',
    assumptions: {
      'confirm-second-factor':
        'Takes either form of issue-token with `smsCode` and `typeOperation`, which are required here, and returns what issue-token does. It needs no token. `token.ts` does not use it: it sends the code with issue-token.',
      'refresh-token':
        'Takes no body, is authorized by the token that is about to expire, and returns what issue-token does.',
      'get-profile': 'Returns the banking profile record, as find-profile-by-merchant does.',
      'find-profile-by-user': 'Returns the banking profile record, as find-profile-by-merchant does.',
      'submit-business-customer':
        'The fields are unknown, and Gangway sends them as they are. Returns the boarding response.',
      'submit-authorized-user':
        'The fields are unknown, and Gangway sends them as they are. Returns the boarding response.',
      'get-business-account-holder':
        'The address is that of the submission with the profile id at its end. Returns `businessAccountHolder` as it is in the banking profile record.',
      'update-business-account-holder':
        'The address is that of the submission with the profile id at its end. Takes the whole body of the submission, and replaces what was there. Returns the boarding response.',
      'search-personal-account-holders':
        'Takes what search-business-account-holders does, with `name` in place of `dba`, and returns `id` and `name`.',
      'create-card':
        'Takes the `financialAccountId`, an optional `paymentCardName`, and further fields as they are. Returns the payment card record.',
      'list-cards':
        'Takes `skip` and `count` in the query. Returns cards in a bare list, or in pages as `{totalCount, errorMessage, records}`; a status is a number or a name.',
      'set-card-status':
        'Takes the card’s id and the `status` as the number of the card record. The shape of the response is unknown; Gangway keeps it as it is.',
      'set-card-authorization-controls':
        'Takes the card’s id and the whole list, whose items the contract does not print. The shape of the response is unknown; Gangway keeps it as it is.',
      'suspend-card':
        'The address is made like that of close-card. Takes the card’s id and an optional `reason`; returns the boarding response.',
      'activate-card':
        'The address is made like that of close-card. Takes the card’s id and an optional `reason`; returns the boarding response.',
      'reissue-card':
        'The address is made like that of close-card. Takes the card’s id and an optional `reason`; returns the boarding response.',
      'list-payment-cards':
        'The last segment of the address is `list`. Takes an optional `userProfileId`, and returns what list-cards does.',
      'generate-statement':
        'Takes what generate-full-statement does, with one `financialAccountId` in place of the list, and returns a file.',
      'list-transactions':
        'Takes one `financialAccountId`, optional `dateFrom` and `dateTo`, `skip` and `take`. Returns transactions in a bare list or in pages, as list-cards does; their fields are unknown.',
      'list-financial-accounts': 'Takes no query. Returns a list whose items have `id`.',
      'list-tickets': 'Takes no query. Returns tickets as list-new-tickets does.',
      'create-ticket': 'Takes `text`, optionally `topic`, `topicId`, `parentTicketId`. Returns the ticket.',
      'get-ticket': 'Returns the ticket.',
      'update-ticket':
        'Takes the new `text`, the new `status`, or both. The shape of the response is unknown; Gangway keeps it as it is.',
      'get-notification': 'Returns the notification.',
      'mark-notification-read':
        'Takes no body. The shape of the response is unknown; Gangway keeps it as it is.',
      'delete-notification':
        'Takes no body. The shape of the response is unknown; Gangway keeps it as it is.',
      'list-webhooks':
        'Takes no query. Returns a list whose items have an int32 `id` and the fields submitted at creation.',
      'update-webhook':
        'Takes the whole body of create-webhook. The shape of the response is unknown; Gangway keeps it as it is.',
      'delete-webhook':
        '`webhookId` is the int32 `id` of the webhook. The shape of the response is unknown; Gangway keeps it as it is.',
    },
    alsoAssumed: [
      'The header `X-Partner-Id` has the partner ID on every call except issue-token (`src/partners/banking/client.ts`).',
      'Errors: problem details as ASP.NET writes them (`errors` by field, `title`, `detail`), `{message}`, `{error}`, a JSON string or a line of text. Gangway ignores other bodies (`src/partners/fields.ts`).',
      'A missing or wrong one-time code gets a 403 that does not mention a lock or suspension, or a 401 that mentions codes or factors (`src/partners/banking/holder.ts`). The partner form of issue-token takes `smsCode` and `typeOperation` in the same spelling as the user form.',
      'With `likev1`, issue-token returns the same fields. A token without `expiration` is valid for the documented ten minutes. An `expiration` without offset is UTC.',
      'A list in the query (`types` and `categories` of list-notifications) repeats its name.',
      'A provider of get-external-account-activity is any name in upper case, because the contract does not print the two names. Its 404 means that no external account is linked; Gangway reads it as an empty result.',
      'Statements come as `application/pdf`, `text/csv` or `text/plain`, and the usual types for QBO and OFX (`src/partners/banking/client.ts`).',
      'Gangway reads a 409 of create-webhook as success with `exists`. The shape of the response to a restored sub-user is unknown; Gangway keeps it as it is.',
    ],
  },
});
