import { SYSTEM_NAMES, type SystemName, urlSetting } from '../../partners/descriptors.js';
import { bankingPartner } from './banking/service.js';
import { boardingPartner } from './boarding/service.js';
import { paymentsPartner } from './payments.js';
import { plantStorePartner } from './plant-store.js';
import { processorPartner } from './processor.js';
import type { EmulatedPartner } from './routes.js';

export const EMULATED: Readonly<Record<SystemName, EmulatedPartner>> = {
  boarding: boardingPartner,
  banking: bankingPartner,
  'plant-store': plantStorePartner,
  payments: paymentsPartner,
  processor: processorPartner,
};

export function sandboxAccount(url: string): Record<string, string> {
  return Object.assign(
    {},
    ...SYSTEM_NAMES.map((system) => ({
      [urlSetting(system)]: url,
      ...EMULATED[system].credentials,
    })),
  );
}
