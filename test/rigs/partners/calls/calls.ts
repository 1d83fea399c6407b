import type { ByHand } from '../../../../src/partners/by-hand.js';
import type { PartnerClients, SystemName } from '../../../../src/partners/systems.js';
import { BANKING_CALLS } from './banking.js';
import { BOARDING_CALLS } from './boarding.js';
import { PAYMENTS_CALLS } from './payments.js';
import { PLANT_STORE_CALLS, PROCESSOR_CALLS } from './plants-and-processor.js';

/** What the calls of one operation have for themselves, because all operations of a test share a sandbox. */
export interface Case {
  /** Makes names and event ids unique. */
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
