/** The partner systems, by the names that people, the ledger and task queues use. descriptors.ts describes each. */
export const SYSTEM_NAMES = ['boarding', 'banking', 'plant-store', 'payments', 'processor'] as const;

/**
 * The name of a partner system.
 * @example 'boarding' satisfies SystemName
 */
export type SystemName = (typeof SYSTEM_NAMES)[number];

/** Returns the prefix of the settings of a system or account: `PLANT_STORE_`, `NORTH_ISO_`. */
export function settingsPrefix(name: string): string {
  return `${name.toUpperCase().replaceAll('-', '_')}_`;
}

/** Returns the setting that turns on a system of an account: `BOARDING_URL`, `NORTH_ISO_BOARDING_URL`. */
export function urlSetting(system: SystemName, account?: string): string {
  return `${account === undefined ? '' : settingsPrefix(account)}${settingsPrefix(system)}URL`;
}
