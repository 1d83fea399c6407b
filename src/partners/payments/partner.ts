import { z } from 'zod';
import { isLoopback } from '../../settings/settings.js';
import { json } from '../fields.js';
import { ref } from '../openapi/components.js';
import { type Contract, PROBLEM, same } from '../openapi/contract.js';
import { definePartner, NO_WORDING } from '../partner.js';
import { NEUTRAL_KEY_HEADER, type PaymentsSettings, paymentsClient, paymentsOff } from './client.js';
import { eventIdOf } from './event-id.js';
import { PAYMENTS_OPERATIONS } from './operations.js';
import * as schemas from './schemas.js';

/** apis/3, Authentication and Errors. Only what is named in a path or body can be missing. */
const contract: Contract = {
  reference: 'apis/3',
  security: { type: 'apiKey', in: 'header', name: NEUTRAL_KEY_HEADER },
  names: { ...schemas, json },
  bodies: { Problem: PROBLEM },
  failures: ({ failures = {} }) =>
    same(ref('Problem'), 400, 401, 403, 500, ...Object.keys(failures).map(Number)),
  tooMany: () => ref('Problem'),
};

const NEW_ACCOUNT =
  'Takes `type`, `name`, `description` and `address`, optionally `admin_email`, `mcc`, `parent_id`, `tax_id`, and further fields as they are.';
const CHANGES = 'Takes those fields of the creation that change, and returns the whole.';
const PAGE = '`search`, `account_id`, `status`, `limit` (1 to 200) and `offset`';
const LIKE_V3 = 'Takes and returns what v3 does.';

/** Words of a host name that belong to the other environment. */
const OTHER_ENVIRONMENT = {
  uat: /(^|[.-])(prod|production|live)([.-]|$)/i,
  production: /(^|[.-])(uat|sandbox|test|staging)([.-]|$)/i,
} as const;

export const payments = definePartner({
  title: 'Payments platform',
  name: 'payments platform',
  settings: z.object({
    PAYMENTS_ENVIRONMENT: z.enum(['uat', 'production'], 'must be uat or production').optional().meta({
      description:
        'Environment that `PAYMENTS_URL` leads to. In `production` money moves, and a write must ask for it. Required with a `PAYMENTS_URL` that is not on this machine.',
      unset: '`uat` on this machine',
    }),
    PAYMENTS_API_KEY: z
      .string('is not set')
      .meta({ description: 'API key at the payments platform.', secret: true }),
    PAYMENTS_API_KEY_HEADER: z
      .string()
      .regex(/^[\w.~+-]+$/, 'must be the name of a header')
      .default(NEUTRAL_KEY_HEADER)
      .meta({ description: 'Header that carries the API key.', format: 'name of a header' }),
  }),
  /**
   * The contract has one URL for UAT and one for production, and neither shows which it is. So the environment is a setting
   * beside the URL. Default for a URL on this machine: UAT.
   */
  clientSettings: (at, set, { prefix, reject }): PaymentsSettings => {
    const url = new URL(at);
    const environment = set.PAYMENTS_ENVIRONMENT ?? (isLoopback(url) ? 'uat' : undefined);
    if (environment === undefined) return reject('PAYMENTS_ENVIRONMENT', 'is not set');
    if (OTHER_ENVIRONMENT[environment].test(url.hostname)) {
      return reject(
        'PAYMENTS_ENVIRONMENT',
        `is ${environment}, and the host of ${prefix}PAYMENTS_URL is not`,
      );
    }
    return {
      url: at,
      environment,
      apiKey: set.PAYMENTS_API_KEY,
      apiKeyHeader: set.PAYMENTS_API_KEY_HEADER,
    };
  },
  hasPortal: false,
  wording: NO_WORDING,
  operations: () => PAYMENTS_OPERATIONS,
  client: (settings) => paymentsClient(settings),
  off: paymentsOff,
  credentialsCheck: {
    read: async (client, options) => {
      await client.listTerminals({ limit: 1 }, options);
      return '';
    },
  },
  whenOff: undefined,
  hasEnvironments: true,
  idempotencyKey: { field: 'event_id', make: eventIdOf },
  webhooks: undefined,
  contract,
  documentation: {
    schemas: 'schemas.ts',
    assumptions: {
      'list-accounts':
        'Takes `search`, `status`, `limit` and `offset`, and returns a page, as list-terminals does, with `accounts`.',
      'get-account': 'Returns `id`, `status`, `created_at`, `name`. The address is printed.',
      'create-account-v1': `${NEW_ACCOUNT} Returns the account.`,
      'create-account': `${NEW_ACCOUNT} Returns \`id\`, \`status\` and \`created_at\`; Gangway keeps the fields of the organization, webhook application and API key as they are.`,
      'update-account': `Is a PUT, in v1. ${CHANGES}`,
      'list-api-keys':
        'Takes `limit` and `offset`, and returns a page, as list-terminals does, with `apikeys`.',
      'get-api-key': 'Returns `id`, `name` and `permissions`.',
      'create-api-key':
        'Takes `name` and `permissions`, a list of names. Returns the key with its secret as `key`.',
      'update-api-key': `Is a PUT. ${CHANGES}`,
      'delete-api-key': 'The shape of the response is unknown; Gangway keeps it as it is.',
      'list-terminals': `Takes ${PAGE}; \`search\` is what the contract names as an operation. Returns \`limit\`, \`offset\`, \`page\`, \`terminals\`, \`total\`. The address is printed.`,
      'create-terminal':
        'Takes `account_id` and `name`, optionally `location_id`, and further fields as they are. Returns the terminal.',
      'get-terminal': 'Returns the terminal.',
      'update-terminal': `Is a PUT. ${CHANGES}`,
      'delete-terminal': 'The shape of the response is unknown; Gangway keeps it as it is.',
      'create-location':
        'Takes `account_id`, `name` and `address` (as of an account), and further fields as they are. Returns the location.',
      'update-location': `Is a PUT. ${CHANGES}`,
      'get-location': 'Returns the location.',
      'list-transactions': `Takes ${PAGE}, and returns a page, as list-terminals does, with \`transactions\`; \`search\` is what the contract names as an operation.`,
      'get-transaction': 'Returns the transaction.',
      'update-transaction':
        'Takes a `status` and further fields as they are. Returns the transaction. Method and address are printed.',
      'open-batch':
        'Is a POST to the resource. Takes `account_id` and further fields as they are. Returns `id`, `status` and `account_id`.',
      'close-batch':
        'Is a POST to `close` below the batch, without a body. Closing it again leaves it closed. Returns the batch.',
      'update-batch': `Is a PUT. ${CHANGES}`,
      'start-payment':
        'Is a POST. Takes `terminal_id`, `amount`, `event_id`, and further fields as they are. Returns the transaction. Gangway does not rely on `event_id` to make a repetition safe.',
      'start-preauth': 'Takes and returns what start-payment does.',
      'capture-payment':
        'Takes `event_id`, optionally `amount` (absent or null: all), `tip_amount`, `breakdown`. Returns the transaction. Method and address are printed.',
      'increment-authorization':
        'The last segment is `auth`. Takes `event_id` and the `amount` to add. Returns the transaction.',
      'refund-payment': 'Takes `event_id` and optionally `amount`. Returns the transaction.',
      'reverse-payment': 'Takes `event_id` and optionally `amount`. Returns the transaction.',
      'adjust-payment':
        'Takes `event_id` and the `amount` that the payment then has. Returns the transaction.',
      'confirm-payment': 'Takes `event_id` and `confirm`, a boolean. Returns the transaction.',
      'capture-payment-v1': LIKE_V3,
      'increment-authorization-v1': LIKE_V3,
      'refund-payment-v1': LIKE_V3,
      'reverse-payment-v1': LIKE_V3,
      'adjust-payment-v1': LIKE_V3,
      'confirm-payment-v1': LIKE_V3,
      'refund-transaction':
        'Is a POST. Takes `transaction_id`, `event_id` and optionally `amount`. Returns the transaction. Gangway does not rely on `event_id` to make a repetition safe.',
    },
    alsoAssumed: [
      'One table lists the versions of each resource (`src/partners/payments/schemas.ts`). Every action on a payment exists in v1 and in v3.',
      'Amounts are whole cents, 1 or more. An `event_id` is a text that the platform remembers. Gangway uses a UUID made from workflow ID and step (`src/partners/payments/schemas.ts`).',
      'Status names of transactions; Gangway keeps and shows any other: `pending`, `surcharge_pending`, `authorized`, `captured`, `settled`, `declined`, `refunded` (`src/partners/payments/schemas.ts`).',
      'Errors have the forms of the banking API (`src/partners/fields.ts`). A 404 means that the thing is missing or not accessible. A 401 of update-transaction means that the flow is no passthrough.',
      'The names of permissions are unknown. Gangway sends any as they are.',
      'A customer’s account is found by `search` of list-accounts for its `mid`, and by a `description` in the response that ends in `mid <mid>`; its terminal by `search` and `account_id` of list-terminals, and by `name` and `account_id` in the response. If the platform does not return these fields, Gangway finds nothing: a person decides about a write with an unknown outcome, and `--again` for the same merchant creates a second account (`src/activities/payments.ts`).',
    ],
  },
});
