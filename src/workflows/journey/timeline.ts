import type { TimelineEntry } from '../../messages/onboarding-state.js';
import { LONGEST, shortened } from '../../partners/bounds.js';

/** What happened, in order. Tells facts and who did what, never an answer's content or another secret. */
export class Timeline {
  readonly #entries: TimelineEntry[];

  constructor(entries: readonly TimelineEntry[] = []) {
    this.#entries = [...entries];
  }

  get entries(): readonly TimelineEntry[] {
    return this.#entries;
  }

  add(event: string, { detail, ...who }: Omit<TimelineEntry, 'at' | 'event'> = {}): void {
    const about = detail === undefined ? {} : { detail: shortened(detail, LONGEST.text) };
    this.#entries.push({ at: new Date().toISOString(), event, ...about, ...who });
  }
}
