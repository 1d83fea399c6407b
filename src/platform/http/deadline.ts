export interface DeadlineOptions {
  readonly ms?: number;
  readonly until?: AbortSignal | undefined;
}

/**
 * The abort signal of one call. Release it when the call ends.
 *
 * Replaces `AbortSignal.any` and `AbortSignal.timeout`: listeners of such a composite signal are never released, and its
 * timeout may be garbage-collected before it fires.
 * @example new Deadline({ ms: 30_000 }).signal
 */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #until: AbortSignal | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor({ ms, until }: DeadlineOptions) {
    this.#until = until;
    if (until?.aborted) this.#controller.abort(until.reason);
    until?.addEventListener('abort', this.#follow, { once: true });
    if (ms !== undefined) this.endAfter(ms);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Aborts the call after this many milliseconds, for a limit that is known only during the call. */
  endAfter(ms: number, pass: () => unknown = tookTooLong): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#controller.abort(pass()), ms).unref();
  }

  release(): void {
    clearTimeout(this.#timer);
    this.#until?.removeEventListener('abort', this.#follow);
  }

  readonly #follow = () => this.#controller.abort(this.#until?.reason);
}

function tookTooLong(): DOMException {
  return new DOMException('it took too long', 'TimeoutError');
}

/** Waits until the signal aborts. The promise itself continues, because others may wait for it. */
export async function untilAborted<Value>(value: Promise<Value>, signal: AbortSignal | undefined) {
  if (!signal) return value;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal.reason);
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([aborted, value]);
  } finally {
    signal.removeEventListener('abort', stop);
    value.catch(() => undefined);
  }
}

/** Returns `Retry-After` in milliseconds, from seconds or an HTTP date; undefined if it is neither. */
export function retryAfterMs(header: unknown): number | undefined {
  if (typeof header !== 'string') return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
