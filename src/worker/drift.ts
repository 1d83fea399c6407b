import type { Logger, MetricMeter } from '@temporalio/common';
import type { Inspector } from '../partners/client.js';
import type { SystemName } from '../partners/descriptors.js';
import { type Difference, differencesIn } from '../partners/differences.js';

/** The minimum interval between logs of the same difference, in milliseconds. */
const LOG_EVERY_MS = 3_600_000;

/** The maximum number of labels for the fields of an operation, because a partner may return new names each time. */
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
  /** Returns milliseconds since any fixed time. Default: the process's clock. */
  readonly now?: () => number;
}

/**
 * Compares every response in an account with the catalogue, without failing any. Counts differences by operation, field and kind,
 * and logs each once an hour.
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

  /** Returns the field, or {@link OTHER} if the operation has too many. */
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
