/** The partner systems, by the names that people, the ledger and task queues use. systems.ts has the rest of each. */
export const SYSTEM_NAMES = ['boarding', 'banking', 'plant-store', 'payments', 'processor'] as const;

export type SystemName = (typeof SYSTEM_NAMES)[number];
