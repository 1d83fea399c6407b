export interface LedgerEntry {
  /** Counts from 1 in the order of effects. */
  readonly seq: number;
  /** ISO 8601. */
  readonly at: string;
  readonly system: string;
  /** The name in the catalogue: `create-merchant`. */
  readonly operation: string;
  /** The merchant or other record that was written. */
  readonly id: number | string;
  /** The caller's own key, if the record has one. */
  readonly guid?: string;
  /** Its name if it has no such key: a business's dba, a file's name, an account's ID. */
  readonly name?: string;
  /** Its owner: the ticket of a reply, the legal name of a business. */
  readonly of?: number | string;
}

export type Signs = Pick<LedgerEntry, 'name' | 'of'>;

// Keeps D4.
/** Every write that took effect, in order: the proof of exactly once. */
export class Ledger {
  readonly #entries: LedgerEntry[] = [];

  record(effect: Omit<LedgerEntry, 'seq' | 'at'>): void {
    this.#entries.push({ seq: this.#entries.length + 1, at: new Date().toISOString(), ...effect });
  }

  entries(
    wanted: Partial<Record<'system' | 'operation' | 'id' | 'guid' | 'name' | 'of', string>> = {},
  ): readonly LedgerEntry[] {
    return this.#entries.filter((entry) =>
      Object.entries(wanted).every(([field, value]) => String(entry[field as keyof LedgerEntry]) === value),
    );
  }
}
