import { banking } from './banking/partner.js';
import { boarding } from './boarding/partner.js';
import type { Operations } from './catalogue.js';
import type { Partner, PartnerSettings, Wording } from './partner.js';
import { payments } from './payments/partner.js';
import { plantStore } from './plant-store/partner.js';
import { processor } from './processor/partner.js';
import { SYSTEM_NAMES, type SystemName } from './system-names.js';

export type { Wording } from './partner.js';
export { SYSTEM_NAMES, type SystemName, settingsPrefix, urlSetting } from './system-names.js';

/** The descriptor of each system. docs/architecture.md#add-a-partner lists what else a new system needs. */
const DESCRIPTORS = {
  boarding,
  banking,
  'plant-store': plantStore,
  payments,
  processor,
} satisfies Readonly<Record<SystemName, unknown>>;

type Descriptors = typeof DESCRIPTORS;

/** The descriptors, for code that works with every partner. */
export const PARTNERS: Readonly<Record<SystemName, Partner>> = DESCRIPTORS;

export type SettingsOf<System extends SystemName> = PartnerSettings &
  ReturnType<Descriptors[System]['clientSettings']>;

export type PartnerClients = {
  readonly [System in SystemName]: ReturnType<Descriptors[System]['client']>;
};

export function eachSystem<T>(make: (system: SystemName) => T): Readonly<Record<SystemName, T>> {
  return Object.fromEntries(SYSTEM_NAMES.map((system) => [system, make(system)])) as Record<SystemName, T>;
}

export function catalogue(wording: Partial<Wording> = {}): Readonly<Record<SystemName, Operations>> {
  return eachSystem((system) => PARTNERS[system].operations(wording));
}
