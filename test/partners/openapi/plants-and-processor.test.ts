import { describe, it } from 'vitest';
import type { PlantStoreClient } from '../../../src/partners/plant-store/client.js';
import type { PlantStoreOperations } from '../../../src/partners/plant-store/operations.js';
import type { ProcessorClient } from '../../../src/partners/processor/client.js';
import type { ProcessorOperations } from '../../../src/partners/processor/operations.js';
import { expectContract, runPartner } from './running-partners.js';

const FERN = { id: '9007199254740993', name: 'Fern', tag: 'shade' };

/** The last call of each is the operation. The compiler asks for all of them. */
const PLANTS: Record<keyof PlantStoreOperations, (client: PlantStoreClient) => Promise<unknown>> = {
  listPlants: async (client) => {
    await client.createPlant(FERN);
    await client.createPlant({ id: 7, name: 'Cactus' });
    await client.listPlants({});
    await client.listPlants({ limit: 1 });
  },
  createPlant: (client) => client.createPlant(FERN),
  deletePlant: async (client) => {
    await client.createPlant(FERN);
    await client.deletePlant({ id: FERN.id });
  },
};

const PROCESSOR: Record<keyof ProcessorOperations, (client: ProcessorClient) => Promise<unknown>> = {
  registerWebhook: (client) =>
    client.registerWebhook({
      event_names: ['TransactionCompleted', 'TransactionFailed'],
      webhook_url: ['https://example.com/hooks?a=1'],
    }),
};

describe('client and sandbox keep to the OpenAPI document of', () => {
  it.each(Object.entries(PLANTS))('the plant store: %s', async (key, call) => {
    const partner = await runPartner('plant-store');
    await call(partner.clients['plant-store']);
    await expectContract(partner, key);
  });

  it.each(Object.entries(PROCESSOR))('the processor: %s', async (key, call) => {
    const partner = await runPartner('processor');
    await call(partner.clients.processor);
    await expectContract(partner, key);
  });
});
