import type { FastifyInstance } from 'fastify';
import { operationName } from '../partners/catalogue.js';
import {
  newPlant,
  PLANT_STORE_OPERATIONS,
  type PlantStoreOperations,
} from '../partners/plant-store/operations.js';
import type { Ledger } from './ledger.js';
import type { EmulatedPartner, World } from './partner.js';
import {
  bearerOf,
  type Handlers,
  invalid,
  isKey,
  onTheWire,
  partnerRoutes,
  Refusal,
  readExactJson,
} from './routes.js';

export const plantStorePartner: EmulatedPartner = {
  credentials: { PLANT_STORE_TOKEN: 'sandbox' },
  scenarios: {},
  start(world) {
    const service = new PlantStoreService(world.ledger);
    return { routes: (server) => plantStoreRoutes(server, service, world) };
  },
};

/** Serves the plant store (apis/3): Bearer token `sandbox`, every failure a 400 with an Error. */
function plantStoreRoutes(server: FastifyInstance, service: PlantStoreService, world: World): void {
  // A separate scope, because its response to invalid JSON is also an Error, which names the missing fields.
  void server.register((scope, _, loaded) => {
    readExactJson(scope, null);
    partnerRoutes(scope, world, {
      name: 'plant-store',
      operations: PLANT_STORE_OPERATIONS,
      requests: { createPlant: newPlant.extend({ id: onTheWire(newPlant.shape.id) }) },
      handlers: service.handlers,
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

interface Plant {
  readonly name: string;
  readonly tag?: string;
}

/** The plant store: plants by id, in the order in which they came. */
class PlantStoreService {
  readonly #plants = new Map<bigint, Plant>();

  constructor(private readonly ledger: Ledger) {}

  readonly handlers: Handlers<PlantStoreOperations, void> = {
    listPlants: ({ limit = this.#plants.size }) => [...this.#plants.values()].slice(0, Math.max(0, limit)),
    createPlant: ({ id, name, tag }) => {
      if (this.#plants.has(id)) throw invalid('id', 'is taken');
      const plant = { name, ...(tag !== undefined && { tag }) };
      this.#plants.set(id, plant);
      this.#record('createPlant', id);
      return plant;
    },
    deletePlant: ({ id }) => {
      if (!this.#plants.delete(id)) throw invalid('id', 'is unknown');
      this.#record('deletePlant', id);
    },
  };

  #record(operation: keyof PlantStoreOperations, id: bigint): void {
    this.ledger.record({ system: 'plant-store', operation: operationName(operation), id: String(id) });
  }
}
