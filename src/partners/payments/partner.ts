import { z } from 'zod';
import { BadSetting, isLoopbackHost } from '../../platform/settings/settings.js';
import { json } from '../field-schemas.js';
import { type Contract, PROBLEM, ref, repeatResponse } from '../openapi/contract.js';
import { definePartner } from '../partner.js';
import { NEUTRAL_KEY_HEADER, type PaymentsSettings, paymentsClient } from './client.js';
import { PAYMENTS_OPERATIONS } from './operations.js';
import * as schemas from './schemas.js';

/** Failures: docs/partner-apis.md#payments-platform-rules. Only an operation that names a record can get a 404. */
const contract: Contract = {
  security: { type: 'apiKey', in: 'header', name: NEUTRAL_KEY_HEADER },
  names: { ...schemas, json },
  bodies: { Problem: PROBLEM },
  failures: ({ failures = {} }) =>
    repeatResponse(ref('Problem'), 400, 401, 403, 500, ...Object.keys(failures).map(Number)),
  tooMany: () => ref('Problem'),
};

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
   * The contract has one URL for UAT and one for production, but a URL does not show which it is, so the environment is a separate
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
});
