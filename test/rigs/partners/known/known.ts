import type { SystemName } from '../../../../src/partners/descriptors.js';
import { BANKING } from './banking.js';
import { BOARDING } from './boarding.js';
import type { KnownPartner } from './known-partner.js';
import { PAYMENTS } from './payments.js';
import { PLANT_STORE } from './plant-store.js';
import { PROCESSOR } from './processor.js';

export const KNOWN: { readonly [System in SystemName]: KnownPartner<System> } = {
  boarding: BOARDING,
  banking: BANKING,
  'plant-store': PLANT_STORE,
  payments: PAYMENTS,
  processor: PROCESSOR,
};
