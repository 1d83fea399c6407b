/** The pause after a 429 without a `Retry-After`, in milliseconds. */
const SHORTEST_PAUSE_MS = 1_000;

/** The pause that a partner asks for with a 429: until it ends, no call of the account is sent. */
export class Pause {
  #until = 0;
  #operation = '';

  constructor(private readonly clock = () => performance.now()) {}

  /** @param operation the one that got the 429. A shorter pause does not end a longer one. */
  begin(operation: string, ms = SHORTEST_PAUSE_MS): void {
    const until = this.clock() + ms;
    if (until <= this.#until) return;
    this.#until = until;
    this.#operation = operation;
  }

  /** The remaining time, in whole milliseconds, and the operation that got the 429; undefined without a pause. */
  get now(): { readonly leftMs: number; readonly operation: string } | undefined {
    const leftMs = Math.ceil(this.#until - this.clock());
    return leftMs > 0 ? { leftMs, operation: this.#operation } : undefined;
  }
}
