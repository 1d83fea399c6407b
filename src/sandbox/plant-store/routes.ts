import type { FastifyInstance } from 'fastify';
import { parseExactly } from '../../partners/exact-json.js';
import { PLANT_STORE_OPERATIONS } from '../../partners/plant-store/operations.js';
import { newPlant } from '../../partners/plant-store/schemas.js';
import type { Faults } from '../faults.js';
import { bearerOf, isKey } from '../keys.js';
import { onTheWire, partnerRoutes } from '../routes.js';
import type { PlantStoreService } from './service.js';

/** Serves the plant store (apis/3): Bearer token `sandbox`, every failure a 400 with an Error. */
export function plantStoreRoutes(
  server: FastifyInstance,
  service: PlantStoreService,
  faults: Faults,
  password?: string,
): void {
  // A scope of its own, because its answer to what is no JSON is an Error, too.
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
    partnerRoutes(scope, faults, {
      name: 'plant-store',
      operations: PLANT_STORE_OPERATIONS,
      requests: { createPlant: newPlant.extend({ id: onTheWire(newPlant.shape.id) }) },
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
