/** How long a breaker stays open, in milliseconds. Every attempt with a wrong password may count toward locking the account. */
export const OPEN_MS = 60_000;

/** Closed until a failure, then open for a while, then half open: the next attempt closes or reopens it. */
export class CircuitBreaker<Failure> {
  /** The last failure; undefined while the breaker is closed. */
  failure: Failure | undefined;
  #openUntil = 0;

  /** The time until it is half open, in milliseconds of a monotonic clock; 0 while it is not open. */
  get openMs(): number {
    return this.failure ? Math.max(0, this.#openUntil - performance.now()) : 0;
  }

  recordSuccess(): void {
    this.failure = undefined;
  }

  recordFailure(failure: Failure): void {
    this.failure = failure;
    this.#openUntil = performance.now() + OPEN_MS;
  }

  halfOpen(): void {
    this.#openUntil = 0;
  }
}
