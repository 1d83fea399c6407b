import type { FastifyInstance } from 'fastify';
import { newCard } from '../../partners/banking/card-operations.js';
import { bankingOperations } from '../../partners/banking/operations.js';
import { businessAccountHolder } from '../../partners/banking/requests.js';
import { dollars, int32, int64 } from '../../partners/banking/rules.js';
import type { Answer } from '../fault-injection.js';
import type { Faults } from '../faults.js';
import { onTheWire, partnerRoutes } from '../routes.js';
import type { BankingService } from './service.js';
import type { BankingUser } from './users.js';

/** Stands in for the caller of an operation that goes without credentials. */
const NOBODY: BankingUser = { name: '', userId: 0, partnerId: 0, access: 'none', role: 'client' };

const annualBusinessRevenue = onTheWire(dollars).nullish();

/** Serves every banking operation of the catalogue, with the documented answers (apis/1): plain JSON, no envelope. */
export function bankingRoutes(server: FastifyInstance, service: BankingService, faults: Faults): void {
  partnerRoutes(server, faults, {
    name: 'banking',
    operations: bankingOperations(),
    requests: {
      submitBusinessAccountHolder: businessAccountHolder.extend({ annualBusinessRevenue }),
      updateBusinessAccountHolder: businessAccountHolder.extend({ annualBusinessRevenue, profileId: int32 }),
      createCard: newCard.extend({ maxTotalSpending: onTheWire(int64).nullish() }),
    },
    handlers: service.handlers,
    admit: ({ headers }, { anonymous, effect, path }) => {
      if (anonymous) return { caller: NOBODY };
      const caller = service.signIn.userOf(headers.authorization);
      if (!caller) return refused(401, 'The token is missing, expired or invalid');
      const isRefresh = path === '/api/auth/refresh';
      const may = caller.access === 'write' || isRefresh || (caller.access === 'read' && effect === 'read');
      return may ? { caller } : refused(403, 'No permission for this operation');
    },
    envelope: (_, { data, error, fields }) => {
      if (error === null) return data as object;
      const errors: Record<string, string[]> = {};
      for (const { field, message } of fields) errors[field] = [...(errors[field] ?? []), message];
      return { message: error, errors };
    },
  });
}

function refused(status: number, message: string): { refused: Answer } {
  return { refused: { status, body: { message, errors: {} } } };
}
