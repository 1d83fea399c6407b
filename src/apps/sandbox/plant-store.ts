import type { FastifyInstance } from 'fastify';
import {
  newPlant,
  PLANT_STORE_OPERATIONS,
  type PlantStoreOperations,
} from '../../partners/plant-store/operations.js';
import {
  bearerOf,
  type EmulatedPartner,
  type Handlers,
  invalidField,
  isKey,
  onTheWire,
  partnerRoutes,
  Refusal,
  readExactJson,
  type World,
} from './routes.js';

export const plantStorePartner: EmulatedPartner = {
  credentials: { PLANT_STORE_TOKEN: 'sandbox' },
  scenarios: {},
  start: plantStoreRoutes,
};

/** Serves the plant store with the Bearer token `sandbox`. Every failure is a 400 (docs/partner-apis.md#plant-store-rules). */
function plantStoreRoutes(server: FastifyInstance, world: World): void {
  // A separate scope, because its response to invalid JSON is also an Error, which names the missing fields.
  void server.register((scope, _, loaded) => {
    readExactJson(scope, null);
    partnerRoutes(scope, world, {
      name: 'plant-store',
      operations: PLANT_STORE_OPERATIONS,
      requests: { createPlant: newPlant.extend({ id: onTheWire(newPlant.shape.id) }) },
      handlers: plantHandlers(world),
      admit: ({ headers }) => {
        if (isKey('sandbox', bearerOf(headers.authorization), world.password)) return;
        const message = 'The token is missing or invalid';
        throw new Refusal(400, message, [], { error: 401, message });
      },
      envelope: (_, { status, data, error, fields }) => {
        if (error === null) return data as object;
        const rules = fields.map(({ field, message }) => `${field} ${message}`);
        return { error: status, message: [error, ...rules].join('; ') };
      },
    });
    loaded();
  });
}

function plantHandlers({ ledger }: World): Handlers<PlantStoreOperations, void> {
  const plants = new Map<bigint, object>();
  const record = (operation: string, id: bigint) =>
    ledger.record({ system: 'plant-store', operation, id: String(id) });
  return {
    listPlants: ({ limit = plants.size }) => [...plants.values()].slice(0, Math.max(0, limit)),
    createPlant: ({ id, ...plant }) => {
      if (plants.has(id)) throw invalidField('id', 'is taken');
      plants.set(id, plant);
      record('create-plant', id);
      return plant;
    },
    deletePlant: ({ id }) => {
      if (!plants.delete(id)) throw invalidField('id', 'is unknown');
      record('delete-plant', id);
    },
  } satisfies Required<Handlers<PlantStoreOperations, void>>;
}
