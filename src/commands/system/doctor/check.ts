import { Deadline, untilAborted } from '../../../http/deadline.js';
import { explain } from '../../cli/failures.js';

/** What a check found: in order, unsafe or worth knowing, or wrong; unknown when it ended without a result. */
export type Verdict =
  | { readonly state: 'ok'; readonly detail: string }
  | {
      readonly state: 'warn' | 'wrong' | 'unknown';
      readonly detail: string;
      /** The remedy: a command or a setting. */
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

/** One check of the setup. */
export interface Check {
  readonly name: string;
  /** The remedy if the check fails; undefined when a failure proves nothing. */
  readonly fix?: string;
  /** @returns a verdict for each problem, or one that all is well; none when another check reports the cause */
  run(signal: AbortSignal): Promise<readonly Verdict[]>;
}

/** The longest that a check may take, in milliseconds. A worker has ten seconds to respond, and Temporal five to say why none does. */
const BOUND_MS = 20_000;

/**
 * Runs a check within its bound.
 *
 * @param interruption ends it sooner
 * @throws the reason of the interruption, and nothing else
 */
export async function verdictsOf(
  { run, fix }: Check,
  interruption: AbortSignal,
  boundMs = BOUND_MS,
): Promise<readonly Verdict[]> {
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

/** On one line. */
export function messageOf(error: unknown): string {
  const message = explain(error) ?? (error instanceof Error ? error.message : String(error));
  return message.replace(/\n\s*/g, '; ');
}
