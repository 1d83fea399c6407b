import type { Client } from '@temporalio/client';

interface SharedRead<Value> {
  readonly value: Promise<Value>;
  /** The time of the read; undefined while it is in progress. */
  at: number | undefined;
  /** The previous read, while this one is in progress. */
  before: SharedRead<Value> | undefined;
}

const MOST = 500;

/**
 * Shares reads of Temporal among callers that read the same list: within `forMs`, a second read returns the first one's result.
 * Does not cache failed reads.
 */
export class SharedReads<Value> {
  readonly #entries = new WeakMap<Client, Map<string, SharedRead<Value>>>();

  /**
   * @param forMs the maximum age of a value, in milliseconds
   * @param whileReadingMs the maximum age of the previous value while a read is in progress; default: callers wait for the read
   */
  constructor(
    private readonly forMs: number,
    private readonly whileReadingMs = 0,
  ) {}

  /**
   * @param read receives the previous value, whatever its age
   * @param forMs 0 to always read again
   */
  get(client: Client, key: string, read: (before: Value | undefined) => Promise<Value>, forMs = this.forMs) {
    const entries = this.#entries.get(client) ?? new Map<string, SharedRead<Value>>();
    this.#entries.set(client, entries);
    const cached = entries.get(key);
    const isYoung = cached && (cached.at === undefined ? forMs > 0 : Date.now() - cached.at < forMs);
    const entry = isYoung ? cached : this.#read(entries, key, read);
    const { at = Number.NEGATIVE_INFINITY, value } = entry.before ?? {};
    return value && forMs > 0 && Date.now() - at < this.whileReadingMs ? value : entry.value;
  }

  #read(
    entries: Map<string, SharedRead<Value>>,
    key: string,
    read: (before: Value | undefined) => Promise<Value>,
  ) {
    const last = entries.get(key);
    const value = (last?.value ?? Promise.resolve(undefined)).then(
      (previous) => read(previous),
      () => read(undefined),
    );
    const before = last?.at === undefined ? last?.before : last;
    const entry: SharedRead<Value> = { value, at: undefined, before };
    // Re-insert the entry, so that the newest is last.
    entries.delete(key);
    entries.set(key, entry);
    const [oldest] = entries.keys();
    if (entries.size > MOST && oldest !== undefined) entries.delete(oldest);
    value.then(
      () => {
        entry.at = Date.now();
        entry.before = undefined;
      },
      () => {
        if (entries.get(key) === entry) entries.delete(key);
      },
    );
    return entry;
  }

  /** Discards everything that was read so far. */
  forget(client: Client): void {
    this.#entries.delete(client);
  }
}
