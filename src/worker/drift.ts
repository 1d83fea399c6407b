import type { Client } from '@temporalio/client';
import type { Logger, MetricMeter } from '@temporalio/common';
import type { Inspector } from '../partners/client.js';
import { type Difference, differencesIn } from '../partners/differences.js';
import type { SystemName } from '../partners/systems.js';
import type { AccountAt } from '../temporal/partner-accounts.js';
import { reportDifference } from '../temporal/partner-records.js';

/** A kind of difference is logged this often, in milliseconds. */
const LOG_EVERY_MS = 3_600_000;

/** And reported to the record of the account this often, because each report costs four events of its history. */
const REPORT_EVERY_MS = 86_400_000;

const REPORT_TIMEOUT_MS = 10_000;

/** The number of fields of an operation that have their own label. A partner may respond with other names each time. */
const MOST_FIELDS = 100;

/** The label of all further ones. */
const OTHER = 'other';

export const DRIFT = {
  name: 'gangway_partner_drift_total',
  help: 'Differences between the responses of partners and the catalogue',
} as const;

export interface DriftSurroundings {
  readonly meter: MetricMeter;
  readonly logger: Pick<Logger, 'warn'>;
  readonly client: Client;
  /** The task queue of the workflows. */
  readonly taskQueue: string;
  /** undefined for the account without a name. */
  readonly account: string | undefined;
  /** Returns milliseconds since any fixed time. Default: the clock of the process. */
  readonly now?: () => number;
}

/**
 * Compares every response in an account with the catalogue, and fails none. A difference is counted, logged once an hour, and
 * reported to the record of the account once a day, each by operation, field and kind.
 */
export function watchDrift({
  meter,
  logger,
  client,
  taskQueue,
  account,
  now = () => performance.now(),
}: DriftSurroundings): Inspector {
  const counter = meter.createCounter(DRIFT.name, undefined, DRIFT.help);
  const fields = new Map<string, Set<string>>();
  const loggedAt = new Map<string, number>();
  const reportedAt = new Map<string, number>();

  const isDue = (times: Map<string, number>, key: string, everyMs: number) => {
    if (now() - (times.get(key) ?? Number.NEGATIVE_INFINITY) < everyMs) return false;
    times.set(key, now());
    return true;
  };

  /** The field, or {@link OTHER} where an operation has too many. */
  const labelOf = (operation: string, field: string) => {
    const known = fields.get(operation) ?? new Set();
    fields.set(operation, known);
    if (!known.has(field) && known.size >= MOST_FIELDS) return OTHER;
    known.add(field);
    return field;
  };

  const found = (system: SystemName, operation: string, difference: Difference) => {
    const { kind, expected, got, isNeeded } = difference;
    const field = labelOf(`${system} ${operation}`, difference.field);
    const about = { system, account: account ?? '', operation, field, kind };
    counter.add(1, about);
    const key = `${system} ${operation} ${field} ${kind}`;
    if (isDue(loggedAt, key, LOG_EVERY_MS))
      logger.warn('a response differs from the catalogue', { ...about, expected, got, isNeeded });
    if (!isDue(reportedAt, key, REPORT_EVERY_MS)) return;
    const place: AccountAt = { system, account, taskQueue };
    const report = () => reportDifference(client, place, { operation, field, kind, expected, got, isNeeded });
    client.withDeadline(Date.now() + REPORT_TIMEOUT_MS, report).catch((error: unknown) => {
      // The next response reports it.
      reportedAt.delete(key);
      logger.warn('could not report a difference', { ...about, error });
    });
  };

  return (received) => {
    try {
      for (const difference of differencesIn(received))
        found(received.system as SystemName, received.name, difference);
    } catch (error) {
      if (isDue(loggedAt, `${received.system} ${received.name}`, LOG_EVERY_MS))
        logger.warn('could not compare a response with the catalogue', { operation: received.name, error });
    }
  };
}
