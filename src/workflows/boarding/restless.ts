import type { Seen, StatusSnapshot } from '../../messages/boarding-activities.js';

const FIELDS = ['status', 'statusDate', 'comment', 'mid', 'unclearMid', 'notes'] as const;

type Field = (typeof FIELDS)[number];

/** A field that changed with this many reads in a row, while nothing else became of the merchant, means nothing. */
const RESTLESS_CHANGES = 3;

/**
 * Which fields of the status data a partner changes with each read. They are not compared until something else has changed,
 * so that such a partner costs no more history than another one. A date that was restless once stays so.
 */
export class Restless {
  readonly #changes = new Map<Field, number>();
  #hasRestlessDate: boolean;

  /** @param hasRestlessDate of the run before this one */
  constructor(hasRestlessDate = false) {
    this.#hasRestlessDate = hasRestlessDate;
  }

  get hasRestlessDate(): boolean {
    return this.#hasRestlessDate;
  }

  /**
   * @param inARow how many reads in a row have changed something
   * @returns the fields that are not compared from now on
   */
  track(before: Seen, now: StatusSnapshot, inARow: number): readonly Field[] {
    const hasMoved = before.phase !== now.phase;
    if (inARow <= 1 || hasMoved) this.#changes.clear();
    if (hasMoved) return [];
    const after = toSeen(now);
    for (const field of FIELDS) {
      const isChanged = field === 'notes' ? !sameNotes(before, after) : before[field] !== after[field];
      this.#changes.set(field, isChanged ? (this.#changes.get(field) ?? 0) + 1 : 0);
    }
    this.#hasRestlessDate ||= this.#is('statusDate');
    return FIELDS.filter((field) => this.#changes.get(field) === RESTLESS_CHANGES);
  }

  /** What the next wait compares. */
  comparable({ phase, status, statusDate, comment, mid, unclearMid, noteIds }: Seen): Seen {
    return {
      phase,
      ...(status !== undefined && !this.#is('status') && { status }),
      ...(statusDate !== undefined && !this.#hasRestlessDate && { statusDate }),
      ...(comment !== undefined && !this.#is('comment') && { comment }),
      ...(mid !== undefined && !this.#is('mid') && { mid }),
      ...(unclearMid !== undefined && !this.#is('unclearMid') && { unclearMid }),
      ...(noteIds && (this.#is('notes') ? { noteCount: noteIds.length } : { noteIds })),
    };
  }

  #is(field: Field): boolean {
    return (this.#changes.get(field) ?? 0) >= RESTLESS_CHANGES;
  }
}

function sameNotes({ noteIds: before = [] }: Seen, { noteIds: after = [] }: Seen): boolean {
  return before.length === after.length && after.every((id) => before.includes(id));
}

export function toSeen({ notes, ...status }: StatusSnapshot): Seen {
  return { ...status, noteIds: notes.map(({ id }) => id) };
}
