import type { Client } from '@temporalio/client';

interface SharedRead<Value> {
  readonly value: Promise<Value>;
  /** The time of the read; undefined while it is in progress. */
  at: number | undefined;
  /** The one before, while this one is being read. */
  before: SharedRead<Value> | undefined;
}

const MOST = 500;

/**
 * Shares what is read from Temporal between the people and programs that read the same list: within `forMs`, a second read returns the result
 * of the first one. A failed read is not kept.
 */
export class SharedReads<Value> {
  readonly #entries = new WeakMap<Client, Map<string, SharedRead<Value>>>();

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
    // The newest one is the last.
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

  /** Nobody gets a value that was read before now. */
  forget(client: Client): void {
    this.#entries.delete(client);
  }
}
