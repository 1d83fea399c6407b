/** The possible error of a date without a time zone, and the difference between two machines' clocks, in milliseconds. */
const TIME_ZONE_ERROR_MS = 38 * 3_600_000;
const CLOCK_DIFFERENCE_MS = 10 * 60_000;

/** Services return the first day of their calendar, such as 0001-01-01, 1900-01-01 or 1970-01-01, instead of no date. */
const EARLIEST_DATE_MS = 2 * 86_400_000;

export function isRealDate(date: string | null): date is string {
  return date !== null && !(Date.parse(date) < EARLIEST_DATE_MS);
}

/** The tolerance by the partner's own clock, in milliseconds: it may respond a minute late, and round dates down to the minute. */
const LATE_RESPONSE_MS = 60_000;
const ROUNDING_ERROR_MS = 60_000;

/**
 * Reports whether the partner's date is clearly earlier than our own time. Returns false for an unreadable date.
 *
 * @param partnerMoment the same time by the partner's clock, against which a smaller difference counts as clear
 */
export function isClearlyBefore(date: string | null, moment: string, partnerMoment?: string): boolean {
  if (!isRealDate(date)) return false;
  const hasZone = /T[\d:.,]{1,20}(Z|[+-]\d\d:?\d\d)$/i.test(date);
  const dateMs = Date.parse(date);
  const isBefore = (other: string, byMs: number) => dateMs + byMs < Date.parse(other);
  if (!hasZone) return isBefore(moment, TIME_ZONE_ERROR_MS);
  // A date with seconds is not rounded to the minute.
  const errorMs = LATE_RESPONSE_MS + (dateMs % ROUNDING_ERROR_MS === 0 ? ROUNDING_ERROR_MS : 0);
  const isBeforeTheirs = partnerMoment !== undefined && isBefore(partnerMoment, errorMs);
  return isBefore(moment, isBeforeTheirs ? errorMs : CLOCK_DIFFERENCE_MS);
}
