import { operationName } from '../../partners/catalogue.js';
import type { PlantStoreOperations } from '../../partners/plant-store/operations.js';
import type { Ledger } from '../ledger.js';
import { invalid } from '../refusal.js';
import type { Handlers } from '../routes.js';

interface Plant {
  readonly name: string;
  readonly tag?: string;
}

/** The plant store: plants by id, in the order in which they came. */
export class PlantStoreService {
  readonly #plants = new Map<bigint, Plant>();

  constructor(private readonly ledger: Ledger) {}

  readonly handlers: Handlers<PlantStoreOperations, null> = {
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
