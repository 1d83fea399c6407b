import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { FieldProblem } from '../../partners/partner-error.js';
import { PROCESSOR_OPERATIONS } from '../../partners/processor/operations.js';
import {
  bearerOf,
  type EmulatedPartner,
  isKey,
  messagesByField,
  partnerRoutes,
  Refusal,
  type World,
} from './routes.js';

/** The status for a request whose data is invalid (docs/partner-apis.md#processor-webhook-assumptions). */
const INVALID = 422;

/** The processor's first check: arrays of strings, as in the contract. */
const registration = z.object({ event_names: z.array(z.string()), webhook_url: z.array(z.string()) });

function processorRoutes(server: FastifyInstance, world: World): void {
  const { ledger, password } = world;
  let registrations = 0;
  partnerRoutes(server, world, {
    name: 'processor',
    operations: PROCESSOR_OPERATIONS,
    requests: { registerWebhook: registration },
    handlers: {
      registerWebhook: ({ event_names, webhook_url }) => {
        const fields = event_names.flatMap((name, index): FieldProblem[] => {
          const field = `event_names.${index}`;
          return PROCESSOR_EVENTS.includes(name)
            ? []
            : [{ field, message: `The selected ${field} is invalid.` }];
        });
        if (fields.length > 0) throw new Refusal(INVALID, 'The given data was invalid.', fields);
        if (!webhook_url.every((url) => url.startsWith('https://'))) {
          throw new Refusal(INVALID, 'HTTPS is required.');
        }
        registrations += 1;
        ledger.record({ system: 'processor', operation: 'register-webhook', id: registrations });
        return null;
      },
    },
    invalidStatus: INVALID,
    admit: ({ headers }) => {
      if (!isKey('sandbox', bearerOf(headers.authorization), password))
        throw new Refusal(401, 'Invalid token.');
    },
    envelope: (_, { error, fields }) =>
      error === null ? envelope(true, 'Webhook registered successfully.') : envelope(false, error, fields),
  });
}

function envelope(status: boolean, message: string, fields: readonly FieldProblem[] = []) {
  return {
    status,
    message,
    data: null,
    errors: fields.length > 0 ? messagesByField(fields) : null,
    error_code: null,
  };
}

/** The event names in the contract (docs/partner-apis.md#processor-webhook-rules). */
const PROCESSOR_EVENTS: readonly string[] = ['TransactionCompleted', 'TransactionFailed'];

export const processorPartner: EmulatedPartner = {
  credentials: { PROCESSOR_API_KEY: 'sandbox' },
  scenarios: { processorEvents: PROCESSOR_EVENTS },
  start: processorRoutes,
};
