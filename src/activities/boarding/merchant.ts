import { hash } from 'node:crypto';
import type { Note, Seen, StatusSnapshot } from '../../messages/boarding-activities.js';
import type { BoardingClient } from '../../partners/boarding/client.js';
import { EXPLAINED, isUnderReview } from '../../partners/boarding/phases.js';
import { isKnownStatus, isMid, phaseOf, type UnderwritingNote } from '../../partners/boarding/schemas.js';
import type { CallOptions } from '../../partners/client.js';
import { withoutEntities } from '../../partners/encoding.js';
import { type MeaningOf, statusShown } from '../../partners/phases.js';
import { masked } from '../../platform/privacy/masked.js';
import { secondRead, untilCancelled } from '../failures.js';

export type MerchantReader = ReturnType<typeof merchantReader>;

export function merchantReader(client: BoardingClient, meaningOf: MeaningOf) {
  /** A status, and what its name means: by the documents, or by the decision of a person. */
  async function named(given: string): Promise<Pick<StatusSnapshot, 'status' | 'phase'>> {
    const status = statusShown(given);
    const meaning = isKnownStatus(status) ? undefined : await meaningOf(status);
    return { status, phase: meaning === undefined ? phaseOf(status) : EXPLAINED[meaning] };
  }

  /** @param isEnough whether the status alone is worth returning, where the account cannot read notes */
  async function snapshot(
    id: number,
    options: CallOptions = untilCancelled(),
    isEnough = (_: StatusSnapshot) => true,
  ): Promise<StatusSnapshot> {
    const { status: name, statusDate, comment, mid: given } = await client.getStatus({ id }, options);
    const { status, phase } = await named(name);
    const isClear = given !== null && isMid(given);
    const mids = { mid: isClear ? given : null, unclearMid: isClear ? null : given && masked(given) };
    const now = { status, phase, statusDate, comment: comment && withoutEntities(comment), ...mids };
    const withNotes = async () => ({
      ...now,
      notes: isUnderReview(phase) ? identified(await client.getUnderwritingNotes({ id }, options)) : [],
    });
    return secondRead(withNotes, { ...now, notes: [], isWithoutNotes: true }, isEnough);
  }

  /** The status without notes, just before a write. */
  async function statusNow(
    id: number,
    options: CallOptions,
  ): Promise<Pick<StatusSnapshot, 'status' | 'phase' | 'statusDate'> & { readonly mid: string | null }> {
    const { status, statusDate, mid } = await client.getStatus({ id }, options);
    return { ...(await named(status)), statusDate, mid };
  }

  return { snapshot, statusNow };
}

/** Beyond this number, a person is not asked about each note. */
const MOST_NOTES = 200;

/**
 * A note is identified by its text, its author, and its place among equal notes; the partner may change its date. If there are too
 * many notes, those with the lowest IDs are kept, in any order of the partner, and one more note states the number of the others.
 */
function identified(notes: readonly UnderwritingNote[]): Note[] {
  const all = eachIdentified(notes);
  const more = all.length - MOST_NOTES;
  if (more <= 0) return all;
  const kept = all.sort((one, other) => (one.id < other.id ? -1 : 1)).slice(0, MOST_NOTES);
  const text = `The partner lists ${all.length} notes. Gangway asks about ${MOST_NOTES} of them; ${more} more are in the partner’s portal.`;
  return [...kept, { id: 'note-more', text, author: null, date: null, more }];
}

function eachIdentified(notes: readonly UnderwritingNote[]): Note[] {
  const places = new Map<string, number>();
  return notes.map(({ text: given, author: by, date }) => {
    const [text, author] = [withoutEntities(given), by && withoutEntities(by)];
    const content = JSON.stringify([text, author]);
    const place = (places.get(content) ?? 0) + 1;
    places.set(content, place);
    return { id: `note-${hash('sha256', `${content}${place}`).slice(0, 12)}`, text, author, date };
  });
}

export function hasChanged(seen: Seen, { notes, isWithoutNotes, ...now }: StatusSnapshot): boolean {
  const { noteIds, noteCount = notes.length, ...before } = seen;
  const fields = ['phase', 'status', 'statusDate', 'comment', 'mid', 'unclearMid'] as const;
  if (fields.some((field) => before[field] !== undefined && before[field] !== now[field])) return true;
  if (isWithoutNotes) return false;
  const ids = notes.map(({ id }) => id);
  if (noteCount !== ids.length) return true;
  return noteIds !== undefined && (ids.length !== noteIds.length || ids.some((id) => !noteIds.includes(id)));
}
