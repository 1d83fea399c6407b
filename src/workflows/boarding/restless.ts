import type { Seen, StatusSnapshot } from '../../messages/boarding-activities.js';

const FIELDS = ['status', 'statusDate', 'comment', 'mid', 'unclearMid', 'notes'] as const;

type Field = (typeof FIELDS)[number];

/** A field that changed with this many consecutive reads, while nothing else about the merchant changed, means nothing. */
const RESTLESS_CHANGES = 3;

/**
 * Fields that a partner changes with each read are not compared until something else changes, because changes cost history. A
 * date that was restless once stays so.
 */
export interface Restless {
  readonly changes: Readonly<Partial<Record<Field, number>>>;
  readonly hasRestlessDate: boolean;
}

export const CALM: Restless = { changes: {}, hasRestlessDate: false };

export function tracked(restless: Restless, before: Seen, now: StatusSnapshot, inARow: number): Restless {
  if (before.phase !== now.phase) return { ...restless, changes: {} };
  const counted = inARow <= 1 ? {} : restless.changes;
  const { noteIds = [] } = before;
  const isChanged = (field: Field) =>
    field === 'notes'
      ? !now.isWithoutNotes &&
        (noteIds.length !== now.notes.length || !now.notes.every(({ id }) => noteIds.includes(id)))
      : before[field] !== now[field];
  const changes = Object.fromEntries(
    FIELDS.map((field) => [field, isChanged(field) ? (counted[field] ?? 0) + 1 : 0]),
  );
  return { changes, hasRestlessDate: restless.hasRestlessDate || isRestless({ changes }, 'statusDate') };
}

export function calmed({ changes }: Restless): readonly string[] {
  return FIELDS.filter((field) => changes[field] === RESTLESS_CHANGES);
}

export function comparable(
  restless: Restless,
  { phase, status, statusDate, comment, mid, unclearMid, noteIds }: Seen,
): Seen {
  const is = (field: Field) => isRestless(restless, field);
  return {
    phase,
    ...(status !== undefined && !is('status') && { status }),
    ...(statusDate !== undefined && !restless.hasRestlessDate && { statusDate }),
    ...(comment !== undefined && !is('comment') && { comment }),
    ...(mid !== undefined && !is('mid') && { mid }),
    ...(unclearMid !== undefined && !is('unclearMid') && { unclearMid }),
    ...(noteIds && (is('notes') ? { noteCount: noteIds.length } : { noteIds })),
  };
}

function isRestless({ changes }: Pick<Restless, 'changes'>, field: Field): boolean {
  return (changes[field] ?? 0) >= RESTLESS_CHANGES;
}

/** Without its notes, those of the read before count, or none: any note that is read later is then a change. */
export function seenOf(
  { notes, isWithoutNotes, ...status }: StatusSnapshot,
  { noteIds = [] }: Pick<Seen, 'noteIds'> = {},
): Seen {
  return { ...status, noteIds: isWithoutNotes ? noteIds : notes.map(({ id }) => id) };
}
