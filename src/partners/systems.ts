import { bankingOperations } from './banking/operations.js';
import { boardingOperations } from './boarding/operations.js';
import type { Operations } from './catalogue.js';
import { PAYMENTS_OPERATIONS } from './payments/operations.js';
import { PLANT_STORE_OPERATIONS } from './plant-store/operations.js';
import { PROCESSOR_OPERATIONS } from './processor/operations.js';

/** The partner systems, as people, ledgers and task queues call them, and what each is. */
export const SYSTEMS = {
  boarding: 'Merchant boarding',
  banking: 'Banking',
  'plant-store': 'Plant store',
  payments: 'Payments platform',
  processor: 'Processor webhook',
} as const;

export type SystemName = keyof typeof SYSTEMS;

export const SYSTEM_NAMES = Object.keys(SYSTEMS) as readonly SystemName[];

/** What differs from one customer of a partner to another. */
export interface Wording {
  /** Point-of-sale names the boarding partner knows beside the two that its contract prints. */
  readonly posNames?: readonly string[];
  /** The bank's own name in its paths. */
  readonly pathSegment?: string | undefined;
}

/** Every operation of every system. */
export function catalogue({ posNames, pathSegment }: Wording = {}): Readonly<Record<SystemName, Operations>> {
  return {
    boarding: boardingOperations(posNames),
    banking: bankingOperations(pathSegment),
    'plant-store': PLANT_STORE_OPERATIONS,
    payments: PAYMENTS_OPERATIONS,
    processor: PROCESSOR_OPERATIONS,
  };
}
