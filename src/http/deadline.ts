export interface DeadlineOptions {
  /** The longest that the call may take, in milliseconds. */
  readonly ms?: number;
  /** Ends the call sooner. */
  readonly until?: AbortSignal | undefined;
}

/**
 * The signal of one call, which is to be released when the call is over.
 *
 * In place of `AbortSignal.any` and `AbortSignal.timeout`: what listens to such a composite signal is kept for good, and its
 * time-out, which nobody else holds, may be collected before it fires.
 */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #until: AbortSignal | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor({ ms, until }: DeadlineOptions) {
    this.#until = until;
    if (until?.aborted) this.#controller.abort(until.reason);
    until?.addEventListener('abort', this.#follow, { once: true });
    if (ms !== undefined) this.#timer = setTimeout(this.#pass, ms).unref();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Ends the call after this many milliseconds, for a limit that is known only once it is under way. */
  endAfter(ms: number, pass: () => unknown): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#controller.abort(pass()), ms).unref();
  }

  /** Lets go of the timer and of the other signal. */
  release(): void {
    clearTimeout(this.#timer);
    this.#until?.removeEventListener('abort', this.#follow);
  }

  readonly #follow = () => this.#controller.abort(this.#until?.reason);

  readonly #pass = () => this.#controller.abort(new DOMException('it took too long', 'TimeoutError'));
}

/** Waits no longer than its caller. What others wait for as well goes on when one of them gives up. */
export async function untilAborted<Value>(
  value: Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  if (!signal) return value;
  const gaveUp = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true, signal: gaveUp.signal });
  });
  try {
    return await Promise.race([aborted, value]);
  } finally {
    gaveUp.abort();
    value.catch(() => undefined);
  }
}
