import type { Client } from '@temporalio/client';

interface Kept<Value> {
  readonly value: Promise<Value>;
  /** The time of the read; undefined while it is in progress. */
  at: number | undefined;
  /** The one before, while this one is being read. */
  before: Kept<Value> | undefined;
}

const MOST = 500;

/**
 * Shares what is read from Temporal between the people who look at the same page: within `forMs`, a second read returns the result
 * of the first one. A failed read is not kept.
 */
export class SharedReads<Value> {
  readonly #kept = new WeakMap<Client, Map<string, Kept<Value>>>();

  /**
   * @param forMs how old a value may be, in milliseconds
   * @param whileReadingMs how old it may be while a new one is being read; default: nobody gets an older one
   */
  constructor(
    private readonly forMs: number,
    private readonly whileReadingMs = 0,
  ) {}

  /**
   * @param read gets the value before, however old
   * @param forMs 0 reads again in any case
   */
  get(client: Client, key: string, read: (before: Value | undefined) => Promise<Value>, forMs = this.forMs) {
    const kept = this.#kept.get(client) ?? new Map<string, Kept<Value>>();
    this.#kept.set(client, kept);
    const known = kept.get(key);
    const isYoung = known && (known.at === undefined ? forMs > 0 : Date.now() - known.at < forMs);
    const entry = isYoung ? known : this.#read(kept, key, read);
    const { at = Number.NEGATIVE_INFINITY, value } = entry.before ?? {};
    return value && forMs > 0 && Date.now() - at < this.whileReadingMs ? value : entry.value;
  }

  #read(kept: Map<string, Kept<Value>>, key: string, read: (before: Value | undefined) => Promise<Value>) {
    const last = kept.get(key);
    const value = (last?.value ?? Promise.resolve(undefined)).then(
      (known) => read(known),
      () => read(undefined),
    );
    const before = last?.at === undefined ? last?.before : last;
    const entry: Kept<Value> = { value, at: undefined, before };
    // The newest one is the last.
    kept.delete(key);
    kept.set(key, entry);
    const [oldest] = kept.keys();
    if (kept.size > MOST && oldest !== undefined) kept.delete(oldest);
    value.then(
      () => {
        entry.at = Date.now();
        entry.before = undefined;
      },
      () => {
        if (kept.get(key) === entry) kept.delete(key);
      },
    );
    return entry;
  }

  /** Nobody gets a value that was read before now. */
  forget(client: Client): void {
    this.#kept.delete(client);
  }
}
