import type { ByHand } from '../../../../src/partners/by-hand.js';
import type {
  PlantStoreClient,
  PlantStoreOperations,
} from '../../../../src/partners/plant-store/operations.js';
import type { ProcessorClient, ProcessorOperations } from '../../../../src/partners/processor/operations.js';
import type { PartnerClients, SystemName } from '../../../../src/partners/systems.js';
import { BANKING_CALLS } from './banking.js';
import { BOARDING_CALLS } from './boarding.js';
import { PAYMENTS_CALLS } from './payments.js';

const FERN = { name: 'Fern', tag: 'shade' };

/** Valid calls for each operation: the last one is the operation, those before it prepare it. The compiler asks for all of them. */
const PLANT_STORE_CALLS: Record<
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

const PROCESSOR_CALLS: Record<
  keyof ProcessorOperations,
  (client: ByHand<ProcessorClient>) => Promise<unknown>
> = {
  registerWebhook: (client) =>
    client.registerWebhook({
      event_names: ['TransactionCompleted', 'TransactionFailed'],
      webhook_url: ['https://example.com/hooks?a=1'],
    }),
};

/** What the calls of one operation have for themselves, because all operations of a test share a sandbox. */
export interface Case {
  /** Makes names and event IDs unique. */
  readonly key: string;
  /** Of all partners, for what a call needs elsewhere. */
  readonly clients: PartnerClients;
}

/** A valid call of each operation of every partner, after what it needs: the last call is the operation. */
export const CALLS: {
  readonly [System in SystemName]: Readonly<
    Record<string, (client: ByHand<PartnerClients[System]>, test: Case) => Promise<unknown>>
  >;
} = {
  boarding: BOARDING_CALLS,
  banking: BANKING_CALLS,
  'plant-store': PLANT_STORE_CALLS,
  payments: PAYMENTS_CALLS,
  processor: PROCESSOR_CALLS,
};
