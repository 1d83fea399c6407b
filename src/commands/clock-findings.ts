import type { PartnerObserver } from '../partners/observer.js';

/** How far a clock may be off, in milliseconds. Signatures of events hold for five minutes. */
const TOLERANCE_MS = 60_000;

/** How far other clocks are ahead of this machine's, in milliseconds, by whose they are. */
export type ClockOffsets = Map<string, number>;

/** Notes the clocks of partners by the `Date` of their responses, which is in seconds. */
export function notingClocks(offsets: ClockOffsets, account: string | undefined): PartnerObserver {
  return ({ system }) => {
    const beganAt = Date.now();
    return (end) => {
      const date = 'date' in end && end.date !== undefined ? Date.parse(end.date) : Number.NaN;
      const name = `the ${system} partner${account === undefined ? '' : ` of ${account}`}`;
      if (!Number.isNaN(date)) offsets.set(name, date - (beganAt + Date.now()) / 2);
    };
  };
}

/**
 * Compares the clocks.
 *
 * @throws {Error} naming each that is off by more than a minute; this machine's, when all others agree with each other
 */
export function examineClocks(offsets: ClockOffsets): string {
  if (offsets.size === 0) return 'not known: nobody responded';
  const names = [...offsets.keys()].sort().join(', ');
  const off = [...offsets].filter(([, offset]) => Math.abs(offset) > TOLERANCE_MS);
  if (off.length === 0) return `this machine, ${names}: the same to the minute`;
  const all = [...offsets.values()];
  const mean = all.reduce((sum, offset) => sum + offset, 0) / all.length;
  const agree = all.every((offset) => Math.abs(offset - mean) < TOLERANCE_MS);
  if (all.length > 1 && agree) {
    throw new Error(`the clock of this machine is ${apart(-mean)} that of ${names}`);
  }
  throw new Error(
    off.map(([name, offset]) => `the clock of ${name} is ${apart(offset)} this machine's`).join('; '),
  );
}

/** `2 h 5 min ahead of`. */
function apart(ms: number): string {
  const minutes = Math.round(Math.abs(ms) / 60_000);
  const [days, hours, rest] = [Math.floor(minutes / 1_440), Math.floor(minutes / 60) % 24, minutes % 60];
  const parts = [days && `${days} d`, hours && `${hours} h`, rest && `${rest} min`].filter(Boolean);
  return `${parts.join(' ')} ${ms > 0 ? 'ahead of' : 'behind'}`;
}
