import type { ByHand } from '../../../../src/partners/by-hand.js';
import type { PlantStoreClient } from '../../../../src/partners/plant-store/client.js';
import type { PlantStoreOperations } from '../../../../src/partners/plant-store/operations.js';
import type { ProcessorClient, ProcessorOperations } from '../../../../src/partners/processor/operations.js';

const FERN = { name: 'Fern', tag: 'shade' };

/** Valid calls for each operation: the last one is the operation, those before it prepare it. The compiler asks for all of them. */
export const PLANT_STORE_CALLS: Record<
  keyof PlantStoreOperations,
  (client: ByHand<PlantStoreClient>) => Promise<unknown>
> = {
  listPlants: async (client) => {
    await client.createPlant({ ...FERN, id: '9007199254740993' });
    await client.createPlant({ id: 7, name: 'Cactus' });
    await client.listPlants({});
    await client.listPlants({ limit: 1 });
  },
  createPlant: (client) => client.createPlant({ ...FERN, id: '9007199254740995' }),
  deletePlant: async (client) => {
    await client.createPlant({ ...FERN, id: '9007199254740997' });
    await client.deletePlant({ id: '9007199254740997' });
  },
};

export const PROCESSOR_CALLS: Record<
  keyof ProcessorOperations,
  (client: ByHand<ProcessorClient>) => Promise<unknown>
> = {
  registerWebhook: (client) =>
    client.registerWebhook({
      event_names: ['TransactionCompleted', 'TransactionFailed'],
      webhook_url: ['https://example.com/hooks?a=1'],
    }),
};
