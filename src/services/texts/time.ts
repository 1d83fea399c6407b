import { fieldOf } from '../../messages/objects.js';
import { duration } from '../../platform/settings/settings.js';

/** A time in programs: ISO 8601, or a date. */
export type Time = string | Date;

/**
 * Formats times for a person, in that person's time zone. The text includes the zone, because people in other zones may read the
 * same output. `--json` and `--csv` have UTC in ISO 8601 instead.
 */
export class Times {
  readonly #now: () => number;
  readonly #format: Intl.DateTimeFormat;

  /** @param env its `TZ` names the zone; default: the machine's zone */
  constructor({ TZ }: NodeJS.ProcessEnv, now: () => number = Date.now) {
    // POSIX allows a colon before the name.
    this.#format = formatIn(TZ?.replace(/^:/, '') || undefined);
    this.#now = now;
  }

  /** `America/New_York`; undefined for UTC, which servers have, and no merchant. */
  get zone(): string | undefined {
    const { timeZone } = this.#format.resolvedOptions();
    return timeZone === 'UTC' ? undefined : timeZone;
  }

  /** `2026-03-01 14:05 EST`, or empty for undefined. Zones without a usual name show their offset: `GMT+1`. */
  at(time: Time | undefined, withSeconds = false): string {
    if (time === undefined) return '';
    const ms = msOf(time);
    if (Number.isNaN(ms)) return String(time);
    const parts = this.#format.formatToParts(ms);
    const part = Object.fromEntries(parts.map(({ type, value }) => [type, value]));
    const { year, month, day, hour, minute, second, timeZoneName } = part;
    const clock = [hour, minute, ...(withSeconds ? [second] : [])].join(':');
    return `${year}-${month}-${day} ${clock} ${timeZoneName}`;
  }

  /** {@link at} with seconds: `2026-03-01 14:05:09 EST`. */
  atSecond(time: Time | undefined): string {
    return this.at(time, true);
  }

  /** The day of a time in a heading: `Today`, or `Sunday, March 1, 2026`. */
  day(time: Time): string {
    if (Number.isNaN(msOf(time))) return String(time);
    const day = this.at(time).slice(0, 10);
    return day === this.at(new Date(this.#now())).slice(0, 10) ? 'Today' : DAY.format(new Date(day));
  }

  since(time: Time): string {
    return span(this.#now() - msOf(time));
  }

  /** `2 d ago`, or `in 2 d`. */
  ago(time: Time): string {
    const left = msOf(time) - this.#now();
    return left > 0 ? `in ${span(left)}` : `${span(-left)} ago`;
  }

  /** `due in 3 h` or `overdue 2 h` */
  due(time: Time): string {
    const left = msOf(time) - this.#now();
    return left < 0 ? `overdue ${span(-left)}` : `due in ${span(left)}`;
  }

  /** `due in 3 h, 2026-03-01 14:05 EST` or `overdue 2 h, since 2026-03-01 09:05 EST` */
  dueAt(time: Time): string {
    return `${this.due(time)}, ${this.isOver(time) ? 'since ' : ''}${this.at(time)}`;
  }

  isOver(time: Time): boolean {
    return msOf(time) < this.#now();
  }
}

function msOf(time: Time): number {
  return new Date(time).getTime();
}

/** Reports whether this is the name of a zone, such as `America/New_York`. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}

/** Uses the machine's zone if the requested one is unknown. */
function formatIn(timeZone: string | undefined): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', {
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
      timeZoneName: 'short',
      ...(timeZone !== undefined && { timeZone }),
    });
  } catch (error) {
    if (timeZone === undefined) throw error;
    return formatIn(undefined);
  }
}

/** Formats a day without a time zone. */
const DAY = new Intl.DateTimeFormat('en-US', { dateStyle: 'full', timeZone: 'UTC' });

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Formats a time span in the largest sensible unit: `45 s`, `12 min`, `36 h`, `9 d`. */
export function span(ms: number): string {
  if (ms < MINUTE_MS) return `${Math.max(0, Math.floor(ms / 1_000))} s`;
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`;
  if (ms < 2 * DAY_MS) return `${Math.floor(ms / HOUR_MS)} h`;
  return `${Math.floor(ms / DAY_MS)} d`;
}

const DAYS_AGO: Readonly<Record<string, number>> = { today: 0, yesterday: 1 };

export const PAST_TIME_RULE =
  'must be today, yesterday, a duration in s, m (minutes), h or d such as 12h or 2d, or a date such as 2026-01-31';

/**
 * Parses a time in the past: `today`, `yesterday`, `12h`, `2026-01-31` or an ISO 8601 time. Nothing happened before 1970, and a
 * query accepts no five-digit year.
 */
export function timeBefore(value: string): Date | undefined {
  const at = timeOf(value);
  return at && at.getTime() >= 0 ? at : undefined;
}

function timeOf(value: string): Date | undefined {
  const days = fieldOf(DAYS_AGO, value);
  if (days !== undefined) {
    const midnight = new Date();
    midnight.setHours(0, 0, 0, 0);
    midnight.setDate(midnight.getDate() - days);
    return midnight;
  }
  const ago = duration.safeParse(value);
  if (ago.success) return new Date(Date.now() - ago.data);
  // A date alone means local midnight, but the constructor treats it as UTC.
  const isDate = /^\d{4}-\d{2}-\d{2}$/.test(value);
  const at = new Date(isDate ? `${value}T00:00` : value);
  return /^\d{4}-\d{2}-\d{2}/.test(value) ? at : undefined;
}
