import type { SeenStatus, StatusSnapshot } from '../../messages/boarding-activities.js';

const FIELDS = ['status', 'statusDate', 'comment', 'mid', 'unclearMid', 'notes'] as const;

type Field = (typeof FIELDS)[number];

/** A field is volatile after it alone has changed in this many consecutive reads. */
const VOLATILE_CHANGES = 3;

/**
 * Fields that a partner changes with every read. They are ignored until something else changes, because every change costs history.
 * A date that was once volatile stays volatile.
 */
export interface VolatileFields {
  readonly changes: Readonly<Partial<Record<Field, number>>>;
  readonly hasVolatileDate: boolean;
}

export const NO_CHANGES: VolatileFields = { changes: {}, hasVolatileDate: false };

export function trackChanges(
  volatile: VolatileFields,
  before: SeenStatus,
  now: StatusSnapshot,
  consecutiveChanges: number,
): VolatileFields {
  if (before.phase !== now.phase) return { ...volatile, changes: {} };
  const counted = consecutiveChanges <= 1 ? {} : volatile.changes;
  const { noteIds = [] } = before;
  const isChanged = (field: Field) =>
    field === 'notes'
      ? !now.isWithoutNotes &&
        (noteIds.length !== now.notes.length || !now.notes.every(({ id }) => noteIds.includes(id)))
      : before[field] !== now[field];
  const changes = Object.fromEntries(
    FIELDS.map((field) => [field, isChanged(field) ? (counted[field] ?? 0) + 1 : 0]),
  );
  return { changes, hasVolatileDate: volatile.hasVolatileDate || isVolatile({ changes }, 'statusDate') };
}

export function volatileFields({ changes }: VolatileFields): readonly string[] {
  return FIELDS.filter((field) => changes[field] === VOLATILE_CHANGES);
}

export function comparable(
  volatile: VolatileFields,
  { phase, status, statusDate, comment, mid, unclearMid, noteIds }: SeenStatus,
): SeenStatus {
  const is = (field: Field) => isVolatile(volatile, field);
  return {
    phase,
    ...(status !== undefined && !is('status') && { status }),
    ...(statusDate !== undefined && !volatile.hasVolatileDate && { statusDate }),
    ...(comment !== undefined && !is('comment') && { comment }),
    ...(mid !== undefined && !is('mid') && { mid }),
    ...(unclearMid !== undefined && !is('unclearMid') && { unclearMid }),
    ...(noteIds && (is('notes') ? { noteCount: noteIds.length } : { noteIds })),
  };
}

function isVolatile({ changes }: Pick<VolatileFields, 'changes'>, field: Field): boolean {
  return (changes[field] ?? 0) >= VOLATILE_CHANGES;
}

/** If the notes could not be read, keeps those of the previous read, or none. Any note in a later read is then a change. */
export function toSeen(
  { notes, isWithoutNotes, ...status }: StatusSnapshot,
  { noteIds = [] }: Pick<SeenStatus, 'noteIds'> = {},
): SeenStatus {
  return { ...status, noteIds: isWithoutNotes ? noteIds : notes.map(({ id }) => id) };
}
