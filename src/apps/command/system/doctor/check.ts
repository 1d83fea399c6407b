import type { Exchange, ExchangeEnd } from '../../../../partners/exchange-observers.js';
import { Deadline, untilAborted } from '../../../../platform/http/deadline.js';
import { span } from '../../../../services/texts/time.js';
import { explainError } from '../../cli/failures.js';

/** The result of a check: `ok`, `warn`, `wrong`, or `unknown` if the check did not finish. */
export type Verdict =
  | { readonly state: 'ok'; readonly detail: string }
  | {
      readonly state: 'warn' | 'wrong' | 'unknown';
      readonly detail: string;
      readonly fix: string;
    };

export const ok = (detail: string): Verdict => ({ state: 'ok', detail });
export const warn = (detail: string, fix: string): Verdict => ({ state: 'warn', detail, fix });
export const wrong = (detail: string, fix: string): Verdict => ({ state: 'wrong', detail, fix });
const unknown = (detail: string): Verdict => ({
  state: 'unknown',
  detail,
  fix: 'run "gangway doctor" again when the system is less busy',
});

export interface Check {
  readonly name: string;
  /** The remedy if the check fails; undefined if a failure proves nothing. */
  readonly fix?: string;
  /** @returns a verdict for each problem, or one `ok`; none if another check reports the cause */
  run(signal: AbortSignal): Promise<readonly Verdict[]>;
}

/** The time limit of a check, in milliseconds: 10 s for a worker to respond, and 5 s for Temporal to say why none does. */
const BOUND_MS = 20_000;

/** Runs a check within its time limit. Throws only the reason of an interruption. */
export async function verdictsOf({ run, fix }: Check, interruption: AbortSignal, boundMs = BOUND_MS) {
  const deadline = new Deadline({ ms: boundMs, until: interruption });
  const { signal } = deadline;
  try {
    return await untilAborted(run(signal), signal);
  } catch (error) {
    interruption.throwIfAborted();
    if (signal.aborted) return [unknown(`no result after ${boundMs / 1_000} s`)];
    return [fix === undefined ? unknown(messageOf(error)) : wrong(messageOf(error), fix)];
  } finally {
    deadline.release();
  }
}

/** Returns an error's message on one line. */
export function messageOf(error: unknown): string {
  const message = explainError(error) ?? (error instanceof Error ? error.message : String(error));
  return message.replace(/\n\s*/g, '; ');
}

/** The tolerated difference between clocks, in milliseconds. Signatures of events are valid for five minutes. */
const TOLERANCE_MS = 60_000;

/** The lead of other clocks over this machine's, in milliseconds, by the name of the system. */
export type ClockOffsets = Map<string, number>;

/** Records the clocks of partners from the `Date` of their responses, which has a resolution of one second. */
export function recordClocks(offsets: ClockOffsets, account: string | undefined) {
  return ({ system }: Exchange) => {
    const beganAt = Date.now();
    return (end: ExchangeEnd) => {
      const date = 'date' in end && end.date !== undefined ? Date.parse(end.date) : Number.NaN;
      const name = `the ${system} partner${account === undefined ? '' : ` of ${account}`}`;
      if (!Number.isNaN(date)) offsets.set(name, date - (beganAt + Date.now()) / 2);
    };
  };
}

const SET_OURS = 'run "timedatectl set-ntp true", or start the time service of this machine';

/** Names each clock that differs by more than a minute, or this machine's clock if all others agree. */
export function examineClocks(offsets: ClockOffsets): Verdict[] {
  if (offsets.size === 0) return [ok('unknown: no system responded')];
  const names = [...offsets.keys()].sort().join(', ');
  const off = [...offsets].filter(([, offset]) => Math.abs(offset) > TOLERANCE_MS);
  if (off.length === 0)
    return [ok(`this machine, ${names}: they agree to the minute. Workers are not asked`)];
  const all = [...offsets.values()];
  const mean = all.reduce((sum, offset) => sum + offset, 0) / all.length;
  const agree = all.every((offset) => Math.abs(offset - mean) < TOLERANCE_MS);
  if (all.length > 1 && agree)
    return [wrong(`the clock of this machine is ${apart(-mean)} that of ${names}`, SET_OURS)];
  return off.map(([name, offset]) =>
    wrong(
      `the clock of ${name} is ${apart(offset)} this machine's`,
      `ask its operator to set it; if it is right: ${SET_OURS}`,
    ),
  );
}

/** Returns a difference in words: `2 h ahead of`. A time in a response is up to a second old. */
function apart(ms: number): string {
  return `${span(Math.round(Math.abs(ms) / 60_000) * 60_000)} ${ms > 0 ? 'ahead of' : 'behind'}`;
}
