/** The partner systems, by the names that people, the ledger and task queues use. descriptors.ts has the rest of each. */
export const SYSTEM_NAMES = ['boarding', 'banking', 'plant-store', 'payments', 'processor'] as const;

/**
 * The name of a partner’s system.
 * @example 'boarding' satisfies SystemName
 */
export type SystemName = (typeof SYSTEM_NAMES)[number];

/** The beginning of the names of settings of a system or an account: `PLANT_STORE_`, `NORTH_ISO_`. */
export function settingsPrefix(name: string): string {
  return `${name.toUpperCase().replaceAll('-', '_')}_`;
}

/** The setting that turns a system of an account on: `BOARDING_URL`, `NORTH_ISO_BOARDING_URL`. */
export function urlSetting(system: SystemName, account?: string): string {
  return `${account === undefined ? '' : settingsPrefix(account)}${settingsPrefix(system)}URL`;
}
