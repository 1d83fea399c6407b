import { type BankingClient, type BankingSettings, bankingClient, bankingOff } from './banking/client.js';
import {
  type BoardingClient,
  type BoardingSettings,
  boardingClient,
  boardingOff,
} from './boarding/client.js';
import type { PartnerObserver } from './observer.js';
import {
  type PaymentsClient,
  type PaymentsSettings,
  paymentsClient,
  paymentsOff,
} from './payments/client.js';
import {
  type PlantStoreClient,
  type PlantStoreSettings,
  plantStoreClient,
  plantStoreOff,
} from './plant-store/client.js';
import {
  type ProcessorClient,
  type ProcessorSettings,
  processorClient,
  processorOff,
} from './processor/client.js';
import type { SystemName } from './systems.js';

/** How to reach each system; undefined where it is off. */
export interface PartnerSettings {
  readonly boarding: Omit<BoardingSettings, 'posNames'> | undefined;
  readonly posNames: readonly string[];
  readonly banking: BankingSettings | undefined;
  readonly plantStore: PlantStoreSettings | undefined;
  readonly payments: PaymentsSettings | undefined;
  readonly processor: ProcessorSettings | undefined;
}

/** A client of each system. Those that are off refuse every call, and say which setting is missing. */
export interface PartnerClients {
  readonly boarding: BoardingClient;
  readonly banking: BankingClient;
  readonly 'plant-store': PlantStoreClient;
  readonly payments: PaymentsClient;
  readonly processor: ProcessorClient;
}

/** @param observe is told of every exchange with any of them */
export function partnerClients(settings: PartnerSettings, observe?: PartnerObserver): PartnerClients {
  const { boarding, posNames, banking, plantStore, payments, processor } = settings;
  return {
    boarding: boarding
      ? boardingClient({ ...boarding, posNames, observe })
      : boardingOff('BOARDING_URL is not set'),
    banking: banking ? bankingClient({ ...banking, observe }) : bankingOff('BANKING_URL is not set'),
    'plant-store': plantStore
      ? plantStoreClient({ ...plantStore, observe })
      : plantStoreOff('PLANT_STORE_URL is not set'),
    payments: payments ? paymentsClient({ ...payments, observe }) : paymentsOff('PAYMENTS_URL is not set'),
    processor: processor
      ? processorClient({ ...processor, observe })
      : processorOff('PROCESSOR_URL is not set'),
  } satisfies Record<SystemName, unknown>;
}

export async function closeAll(clients: PartnerClients): Promise<void> {
  await Promise.all(Object.values(clients).map((client: { close(): Promise<void> }) => client.close()));
}
