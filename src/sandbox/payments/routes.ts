import type { FastifyInstance } from 'fastify';
import { NEUTRAL_KEY_HEADER } from '../../partners/payments/client.js';
import { PAYMENTS_OPERATIONS } from '../../partners/payments/operations.js';
import type { Answer } from '../fault-injection.js';
import type { Faults } from '../faults.js';
import { partnerRoutes } from '../routes.js';
import { permits } from './api-keys.js';
import type { PaymentsService } from './service.js';

/** Serves the payments platform (apis/3). What has no version, or a version that its resource lacks, has no route: 404. */
export function paymentsRoutes(server: FastifyInstance, service: PaymentsService, faults: Faults): void {
  partnerRoutes(server, faults, {
    name: 'payments',
    operations: PAYMENTS_OPERATIONS,
    handlers: service.handlers,
    admit: ({ headers }, operation) => {
      const shown = headers[NEUTRAL_KEY_HEADER];
      const caller = service.apiKeys.holderOf(typeof shown === 'string' ? shown : undefined);
      if (!caller) return refused(401, 'The API key is missing or invalid');
      return permits(caller, operation) ? { caller } : refused(403, 'The API key has no permission for this');
    },
    envelope: (_, { data, error, fields }) => {
      if (error === null) return data as object;
      const errors = Object.fromEntries(fields.map(({ field, message }) => [field, [message]]));
      return { message: error, errors };
    },
  });
}

function refused(status: number, message: string): { refused: Answer } {
  return { refused: { status, body: { message, errors: {} } } };
}
