import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { withAdvice } from '../../platform/settings/settings.js';
import { nothing } from '../catalogue.js';
import { exactJson } from '../fields.js';
import { type Contract, PROBLEM, ref, repeatResponse, text } from '../openapi/contract.js';
import { definePartner, password } from '../partner.js';
import { type BankingSettings, bankingClient, STATEMENT_FORMATS } from './client.js';
import { bankingOperations } from './operations.js';
import * as requests from './requests.js';
import * as responses from './responses.js';

const PROCESS = randomUUID().slice(0, 8);

/** Failures: docs/partner-apis.md#banking-rules. An operation without input has none that could be wrong or missing. */
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
      schema: text,
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
  /** A partner ID makes us a partner. Partners request tokens in a form of their own (docs/partner-apis.md#banking-rules). */
  clientSettings: (url, set): Omit<BankingSettings, 'pathSegment'> => ({
    url,
    username: set.BANKING_USERNAME,
    password: set.BANKING_PASSWORD,
    deviceToken: set.BANKING_DEVICE_TOKEN,
    // A bank that allows one session may tell the processes apart.
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
  documentation: {
    assumptions: {
      'confirm-second-factor': 'Needs no token. Gangway sends the code with issue-token instead.',
      'refresh-token': 'The expiring token authorizes it.',
      'submit-business-customer': 'The fields are unknown.',
      'submit-authorized-user': 'The fields are unknown.',
      'get-business-account-holder': 'The profile ID follows the address of the submission.',
      'update-business-account-holder': 'The profile ID follows the address of the submission.',
      'list-cards':
        'Returns a bare list or pages. A status is a number, or `ACTIVATION_REQUIRED`, `ACTIVE`, `SUSPENDED` or `CLOSED`.',
      'set-card-status': '`status` is the number that the card record has.',
      'set-card-authorization-controls': 'Takes the whole list. The fields of its items are unknown.',
      'suspend-card': 'The address follows that of close-card.',
      'activate-card': 'The address follows that of close-card.',
      'reissue-card': 'The address follows that of close-card.',
      'list-payment-cards': 'Returns what list-cards does.',
      'list-transactions': 'Returns a bare list or pages. The fields of a transaction are unknown.',
      'list-webhooks': 'Its items have an int32 `id` and the fields of create-webhook.',
      'delete-webhook': '`webhookId` is the `id` of the webhook.',
    },
    rules: [
      '400: the input is invalid. 401: the token is invalid or has expired. 403: the caller lacks permission. 404: what the request names does not exist. 409: the webhook exists. Of issue-token, 401: a wrong user name or password; 403: a locked account.',
      'A token lives for ten minutes. Partners use the partner form of issue-token, and have a partner ID.',
      'With a second factor, `smsCode` and `typeOperation` go together. A missing or wrong code gets a 401 or 403.',
      'In a boarding response with `success: false`, `errors` is the message.',
      '`bankingStatus` is `New`, `Submitted`, `PendingUW`, `ApprovedUW`, `Closed`, `Cancelled`, `Pending_Review`, `Denied`, `Approved`, `Pending`, `InReview` or `AutoApprovedUW`, without transitions.',
      'Card statuses are 0 Unknown, 1 Active, 2 Suspended and 3 Closed. Closing is final.',
      '`authorizingPersonTitle` counts from 0: None, Mr, Mrs, Ms, Dr, Prof, Other. `businessType`: Unknown, SoleProprietorship, Partnership, Corporation, LLC. Other numbers have no names.',
      'A phone number has 10 digits, an SSN and an EIN 9 without dashes, a postal code 5 or 5-4. Patterns exclude numbers that are never issued. A street address starts with a number, and is no PO box. Each of up to four owners has 25 to 100 percent.',
    ],
    alsoAssumed: [
      'Every call except issue-token has the partner ID in the header `X-Partner-Id` (`src/partners/banking/client.ts`).',
      'Errors are ASP.NET problem details (`errors` by field, `title`, `detail`), `{message}`, `{error}`, a JSON string or a line of text (`src/partners/fields.ts`).',
      'A missing or wrong one-time code gets a 403 that mentions no lock or suspension, or a 401 that mentions codes or factors (`src/partners/banking/holder.ts`). Both forms of issue-token have `smsCode` and `typeOperation`.',
      'With `likev1`, issue-token returns the same fields. A token without `expiration` is valid for ten minutes. An `expiration` without an offset is UTC.',
      'A list in a query repeats its name.',
      'In get-external-account-activity, `provider` is any uppercase name, and a 404 means that no external account is linked.',
      'A search that finds nothing returns an empty list. A 404 to a list or a search comes from a gateway.',
      'Statements come as `application/pdf`, `text/csv` or `text/plain`, or the usual types for QBO and OFX (`src/partners/banking/client.ts`). A `period` in the middle of a month asks for that month.',
      'A 409 of create-webhook is a success with `exists`.',
      'A customer has at most five active financial accounts, usually.',
    ],
  },
});
