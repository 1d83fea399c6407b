import type { Logger, MetricMeter } from '@temporalio/common';
import type { Inspector } from '../partners/client.js';
import type { SystemName } from '../partners/descriptors.js';
import { type Difference, differencesIn } from '../partners/differences.js';

/** A kind of difference is logged this often, in milliseconds. */
const LOG_EVERY_MS = 3_600_000;

/** The number of fields of an operation that have their own label. A partner may respond with other names each time. */
const MAX_FIELDS = 100;

const OTHER = 'other';

export const DRIFT = {
  name: 'gangway_partner_drift_total',
  help: 'Differences between the responses of partners and the catalogue',
} as const;

export interface DriftOptions {
  readonly meter: MetricMeter;
  readonly logger: Pick<Logger, 'warn'>;
  readonly account: string | undefined;
  /** Returns milliseconds since any fixed time. Default: the clock of the process. */
  readonly now?: () => number;
}

/**
 * Compares every response in an account with the catalogue, and fails none. A difference is counted, and logged once an hour, by
 * operation, field and kind.
 */
export function watchDrift({
  meter,
  logger,
  account,
  now = () => performance.now(),
}: DriftOptions): Inspector {
  const counter = meter.createCounter(DRIFT.name, undefined, DRIFT.help);
  const fields = new Map<string, Set<string>>();
  const loggedAt = new Map<string, number>();

  const isDue = (key: string) => {
    if (now() - (loggedAt.get(key) ?? Number.NEGATIVE_INFINITY) < LOG_EVERY_MS) return false;
    loggedAt.set(key, now());
    return true;
  };

  /** The field, or {@link OTHER} where an operation has too many. */
  const labelOf = (operation: string, field: string) => {
    const names = fields.get(operation) ?? new Set();
    fields.set(operation, names);
    if (!names.has(field) && names.size >= MAX_FIELDS) return OTHER;
    names.add(field);
    return field;
  };

  const onDifference = (system: SystemName, operation: string, difference: Difference) => {
    const { kind, expected, got, isNeeded } = difference;
    const field = labelOf(`${system} ${operation}`, difference.field);
    const about = { system, account: account ?? '', operation, field, kind };
    counter.add(1, about);
    if (isDue(`${system} ${operation} ${field} ${kind}`))
      logger.warn('a response differs from the catalogue', { ...about, expected, got, isNeeded });
  };

  return (received) => {
    try {
      for (const difference of differencesIn(received))
        onDifference(received.system as SystemName, received.name, difference);
    } catch (error) {
      if (isDue(`${received.system} ${received.name}`))
        logger.warn('could not compare a response with the catalogue', { operation: received.name, error });
    }
  };
}
