import { type BankingClient, type BankingSettings, bankingClient, bankingOff } from './banking/client.js';
import {
  type BoardingClient,
  type BoardingSettings,
  boardingClient,
  boardingOff,
} from './boarding/client.js';
import type { HttpLimits, PartnerObserver } from './http.js';
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
  /** What the names of these settings begin with in the environment, for messages; nothing unless given. */
  readonly settingsPrefix?: string;
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

/**
 * @param observe is told of every exchange with any of them
 * @param bounds of those that have none of their own
 */
export function partnerClients(
  settings: PartnerSettings,
  observe?: PartnerObserver,
  bounds: Partial<HttpLimits> = {},
): PartnerClients {
  const { settingsPrefix = '', posNames } = settings;
  const bounding = <Set extends { readonly limits?: Partial<HttpLimits> }>(set: Set | undefined) =>
    set && { ...set, limits: { ...bounds, ...set.limits } };
  const boarding = bounding(settings.boarding);
  const banking = bounding(settings.banking);
  const plantStore = bounding(settings.plantStore);
  const payments = bounding(settings.payments);
  const processor = bounding(settings.processor);
  const off = (system: string) => `${settingsPrefix}${system}_URL is not set`;
  return {
    boarding: boarding ? boardingClient({ ...boarding, posNames, observe }) : boardingOff(off('BOARDING')),
    banking: banking ? bankingClient({ ...banking, observe }) : bankingOff(off('BANKING')),
    'plant-store': plantStore
      ? plantStoreClient({ ...plantStore, observe })
      : plantStoreOff(off('PLANT_STORE')),
    payments: payments ? paymentsClient({ ...payments, observe }) : paymentsOff(off('PAYMENTS')),
    processor: processor ? processorClient({ ...processor, observe }) : processorOff(off('PROCESSOR')),
  } satisfies Record<SystemName, unknown>;
}

export async function closeAll(clients: PartnerClients): Promise<void> {
  await Promise.all(Object.values(clients).map((client: { close(): Promise<void> }) => client.close()));
}
