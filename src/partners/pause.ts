import type { PartnerErrorDetails } from './partner-error.js';

/** The pause after a 429 without a `Retry-After`, in milliseconds. */
const MIN_PAUSE_MS = 1_000;

/** The pauses after a redirect, in milliseconds. Writes wait longer, because each redirected write could become uncertain. */
const REDIRECTED_MS = 60_000;
const WRITES_REDIRECTED_MS = 3_600_000;

/** The response that caused a pause. */
type Cause = Pick<PartnerErrorDetails, 'operation' | 'reason' | 'unreadable'>;

/** A pause in which no call, or no write, of an account is sent: after a 429, a 403 or 503 with `Retry-After`, or a redirect. */
export class Pause {
  readonly #held = new Map<'call' | 'write', { readonly until: number; readonly cause: Cause }>();

  constructor(private readonly clock = () => performance.now()) {}

  /** Starts a pause. A shorter pause does not end a longer one. @param isUncertain whether a write may have taken effect */
  after(status: number, isUncertain: boolean, retryAfterMs: number | undefined, cause: Cause): void {
    const isRedirect = isRedirection(status);
    const isLimit = status === 429 || ([403, 503].includes(status) && retryAfterMs !== undefined);
    if (!isLimit && !isRedirect) return;
    const what = isRedirect && isUncertain ? 'write' : 'call';
    const redirectedMs = isUncertain ? WRITES_REDIRECTED_MS : REDIRECTED_MS;
    const until = this.clock() + (isRedirect ? redirectedMs : (retryAfterMs ?? MIN_PAUSE_MS));
    if (until > (this.#held.get(what)?.until ?? 0)) this.#held.set(what, { until, cause });
  }

  /** Returns the remaining time, in whole milliseconds, and the cause of the pause; undefined without a pause. */
  now(isWrite: boolean): { readonly leftMs: number; readonly cause: Cause } | undefined {
    const held = [...this.#held].filter(([what]) => isWrite || what === 'call').map(([, each]) => each);
    const [longest] = held.sort((one, other) => other.until - one.until);
    const leftMs = Math.ceil((longest?.until ?? 0) - this.clock());
    return longest && leftMs > 0 ? { leftMs, cause: longest.cause } : undefined;
  }
}

export function isRedirection(status: number): boolean {
  return status >= 300 && status <= 399;
}
