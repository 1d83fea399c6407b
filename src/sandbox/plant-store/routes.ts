import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { parseExactly, writeExactly } from '../../partners/exact-json.js';
import { PLANT_STORE_OPERATIONS } from '../../partners/plant-store/operations.js';
import { newPlant } from '../../partners/plant-store/schemas.js';
import type { Faults } from '../faults.js';
import { bearerOf, isKey } from '../keys.js';
import { partnerRoutes } from '../routes.js';
import type { PlantStoreService } from './service.js';

/** On the wire an id is a number, where our own callers may write its digits as text. */
const numericId = z.custom((id) => typeof id !== 'string', 'must be a number').pipe(newPlant.shape.id);

/** Serves the plant store (apis/3): Bearer token `sandbox`, every failure a 400 with an Error. */
export function plantStoreRoutes(
  server: FastifyInstance,
  service: PlantStoreService,
  faults: Faults,
  password?: string,
): void {
  // A scope of its own, for the numbers of the others need not be exact.
  void server.register((scope, _, loaded) => {
    scope.removeContentTypeParser('application/json');
    scope.addContentTypeParser('application/json', { parseAs: 'string' }, (_, body, done) => {
      try {
        done(null, body === '' ? undefined : parseExactly(String(body)));
      } catch {
        // What is no JSON has no members, which then is what is said of it.
        done(null, undefined);
      }
    });
    scope.setReplySerializer((payload) => writeExactly(payload as object));
    partnerRoutes(scope, faults, {
      name: 'plant-store',
      operations: PLANT_STORE_OPERATIONS,
      requests: { createPlant: newPlant.extend({ id: numericId }) },
      handlers: service.handlers,
      admit: ({ headers }) =>
        isKey('sandbox', bearerOf(headers.authorization), password)
          ? { caller: null }
          : { refused: { status: 400, body: { error: 401, message: 'The token is missing or invalid' } } },
      envelope: (_, { status, data, error, fields }) => {
        if (error === null) return data as object;
        const rules = fields.map(({ field, message }) => `${field} ${message}`);
        return { error: status, message: [error, ...rules].join('; ') };
      },
    });
    loaded();
  });
}
