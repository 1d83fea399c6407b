import { z } from 'zod';
import { BadSetting, isLoopbackHost } from '../../platform/settings/settings.js';
import { json } from '../fields.js';
import { type Contract, PROBLEM, ref, repeatResponse } from '../openapi/contract.js';
import { definePartner } from '../partner.js';
import { NEUTRAL_KEY_HEADER, type PaymentsSettings, paymentsClient } from './client.js';
import { PAYMENTS_OPERATIONS } from './operations.js';
import * as schemas from './schemas.js';

/** Failures: docs/partner-apis.md#payments-platform-rules. Only what is named in a path or body can be missing. */
const contract: Contract = {
  security: { type: 'apiKey', in: 'header', name: NEUTRAL_KEY_HEADER },
  names: { ...schemas, json },
  bodies: { Problem: PROBLEM },
  failures: ({ failures = {} }) =>
    repeatResponse(ref('Problem'), 400, 401, 403, 500, ...Object.keys(failures).map(Number)),
  tooMany: () => ref('Problem'),
};

const CHANGES = 'Takes the fields to change, and returns the whole record.';
const SEARCH = '`search` is the search that the contract names as an operation.';
const NO_KEY = 'Gangway does not rely on `event_id` to make a repeated call safe.';
const ADDED = '`amount` is what is added.';
const NEW_AMOUNT = '`amount` is the new total.';

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
        'Environment of `PAYMENTS_URL`. In `production`, money moves. Required unless that URL is on this machine.',
      unset: '`uat` on this machine',
    }),
    PAYMENTS_API_KEY: z.string('is not set').meta({ description: 'API key.', secret: true }),
    PAYMENTS_API_KEY_HEADER: z
      .string()
      .regex(/^[\w.~+-]+$/, 'must be the name of a header')
      .default(NEUTRAL_KEY_HEADER)
      .meta({ description: 'Header that carries the API key.', format: 'name of a header' }),
  }),
  /**
   * The contract has one URL for UAT and one for production, and neither shows which it is. So the environment is a separate
   * setting. Default for a URL on this machine: UAT.
   */
  clientSettings: (at, set, prefix): PaymentsSettings => {
    const url = new URL(at);
    const environment = set.PAYMENTS_ENVIRONMENT ?? (isLoopbackHost(url.hostname) ? 'uat' : undefined);
    const setting = `${prefix}PAYMENTS_ENVIRONMENT`;
    if (environment === undefined) throw new BadSetting(setting, 'is not set');
    if (OTHER_ENVIRONMENT[environment].test(url.hostname))
      throw new BadSetting(setting, `is ${environment}, and the host of ${prefix}PAYMENTS_URL is not`);
    return {
      url: at,
      environment,
      apiKey: set.PAYMENTS_API_KEY,
      apiKeyHeader: set.PAYMENTS_API_KEY_HEADER,
    };
  },
  operations: () => PAYMENTS_OPERATIONS,
  client: (settings) => paymentsClient(settings),
  credentialsCheck: {
    read: async (client, options) => {
      await client.listTerminals({ limit: 1 }, options);
      return '';
    },
  },
  hasEnvironments: true,
  idempotencyKey: 'event_id',
  contract,
  documentation: {
    assumptions: {
      'create-account': 'The organization, webhook application and API key can have any fields.',
      'update-account': CHANGES,
      'create-api-key': 'Returns the secret as `key`.',
      'update-api-key': CHANGES,
      'list-terminals': SEARCH,
      'update-terminal': CHANGES,
      'update-location': CHANGES,
      'list-transactions': SEARCH,
      'close-batch': 'Closing a batch again leaves it closed.',
      'update-batch': CHANGES,
      'start-payment': NO_KEY,
      'start-preauth': NO_KEY,
      'increment-authorization': ADDED,
      'adjust-payment': NEW_AMOUNT,
      'increment-authorization-v1': ADDED,
      'adjust-payment-v1': NEW_AMOUNT,
      'refund-transaction': NO_KEY,
    },
    rules: [
      'Each path starts with a version of its resource: `v1` or `v2` for accounts, `v2` for terminals, `v3` for payments, preauths and refunds, `v1` or `v3` for actions on a payment, `v5` for API keys, otherwise `v1`. Other paths get a 404.',
      '404: the transaction does not exist, or the caller may not see it.',
    ],
    alsoAssumed: [
      'The contract has the addresses of get-account, list-terminals, update-transaction and capture-payment, with the methods of the last two, and otherwise only version and resource. Every action on a payment exists in v1 and v3.',
      'Amounts are whole cents, at least 1. An absent or null optional `amount` means all of it.',
      'An `event_id` is any text. Gangway uses a UUID.',
      'A transaction’s status is `pending`, `surcharge_pending`, `authorized`, `captured`, `settled`, `declined` or `refunded` (`src/partners/payments/schemas.ts`).',
      'Errors have the forms of the banking API (`src/partners/fields.ts`). A 404 means that this API key has no such record.',
      'The names of permissions are unknown, so Gangway sends any.',
    ],
  },
});
