import { hash } from 'node:crypto';
import type { Note, SeenStatus, StatusSnapshot } from '../../messages/boarding-activities.js';
import type { BoardingClient } from '../../partners/boarding/client.js';
import { EXPLAINED_MERCHANT_PHASES, isMerchantUnderReview } from '../../partners/boarding/phases.js';
import {
  isDocumentedMerchantStatus,
  isMid,
  merchantPhase,
  type UnderwritingNote,
} from '../../partners/boarding/schemas.js';
import type { CallOptions } from '../../partners/client.js';
import { withoutEntities } from '../../partners/encoding.js';
import { PartnerError } from '../../partners/partner-error.js';
import { cleanStatusName, type MeaningOf } from '../../partners/phases.js';
import { redact } from '../../platform/privacy/masked.js';
import { callOptions, readAgain } from '../failures.js';
import { lacksAny } from '../poll.js';
import type { Reservations } from '../reservations.js';

export type MerchantReader = ReturnType<typeof merchantReader>;

export function merchantReader(
  client: BoardingClient,
  meaningOf: MeaningOf,
  { otherWithMid }: Pick<Reservations, 'otherWithMid'>,
) {
  /** Rejects a mid that belongs to another merchant, because a proxy's cache can mix up two requests. */
  async function checkMid(mid: string, id: number): Promise<void> {
    const other = await otherWithMid(mid, id);
    if (other === undefined) return;
    const fields = [{ field: 'mid', message: `is that of ${other}` }];
    throw new PartnerError({
      system: 'boarding',
      operation: 'get-status',
      kind: 'Uncertain',
      status: 200,
      fields,
      reason: 'unreadable response',
      unreadable: 'get-status',
    });
  }

  /** Adds the meaning of a status, from the documentation or from a person's decision. */
  async function withPhase(name: string): Promise<Pick<StatusSnapshot, 'status' | 'phase'>> {
    const status = cleanStatusName(name);
    const meaning = isDocumentedMerchantStatus(status) ? undefined : await meaningOf(status);
    return {
      status,
      phase: meaning === undefined ? merchantPhase(status) : EXPLAINED_MERCHANT_PHASES[meaning],
    };
  }

  /** @param isEnough whether the status suffices if the account cannot read notes */
  async function snapshot(
    id: number,
    options: CallOptions = callOptions(),
    isEnough = (_: StatusSnapshot) => true,
  ): Promise<StatusSnapshot> {
    const { status: name, statusDate, comment, mid: text } = await client.getStatus({ id }, options);
    const { status, phase } = await withPhase(name);
    const isClear = text !== null && isMid(text);
    if (isClear && phase === 'approved') await checkMid(text, id);
    const mids = { mid: isClear ? text : null, unclearMid: isClear ? null : text && redact(text) };
    const now = { status, phase, statusDate, comment: comment && withoutEntities(comment), ...mids };
    const withNotes = async () => ({
      ...now,
      notes: isMerchantUnderReview(phase)
        ? identifyNotes(await client.getUnderwritingNotes({ id }, options))
        : [],
    });
    return readAgain(withNotes, { ...now, notes: [], isWithoutNotes: true }, isEnough);
  }

  /** Reads the status without notes, just before a write. */
  async function statusNow(
    id: number,
    options: CallOptions,
  ): Promise<Pick<StatusSnapshot, 'status' | 'phase' | 'statusDate'> & { readonly mid: string | null }> {
    const { status, statusDate, mid } = await client.getStatus({ id }, options);
    return { ...(await withPhase(status)), statusDate, mid };
  }

  /** Reports whether a person has since decided that the status means something else. */
  async function isExplained({ status, phase }: SeenStatus): Promise<boolean> {
    return status !== undefined && (await withPhase(status)).phase !== phase;
  }

  return { snapshot, statusNow, isExplained };
}

/** The maximum number of notes that a person is asked about individually. */
const MAX_NOTES = 200;

/**
 * Identifies a note by the stable part of its text, and by its position among notes with the same text, because the partner may
 * change its date, author or a counter. If there are too many notes, keeps those with the lowest IDs, and adds a note with the
 * number of others.
 */
function identifyNotes(notes: readonly UnderwritingNote[]): Note[] {
  const all = identifyEach(notes);
  const more = all.length - MAX_NOTES;
  if (more <= 0) return all;
  const page = all.sort((one, other) => (one.id < other.id ? -1 : 1)).slice(0, MAX_NOTES);
  const text = `The partner lists ${all.length} notes. Gangway asks about ${MAX_NOTES} of them; ${more} more are in the partner’s portal.`;
  return [...page, { id: 'note-more', text, author: null, date: null, more }];
}

function identifyEach(notes: readonly UnderwritingNote[]): Note[] {
  const rows = notes.map(({ text, author, date }) => {
    return { text: withoutEntities(text), author: author && withoutEntities(author), date };
  });
  // Equal rows with the same time are one note that the list repeats.
  const seen = new Set<string>();
  const isFirst = (row: string) => !seen.has(row) && seen.add(row) !== undefined;
  const distinctRows = rows.filter((row) => row.date === null || isFirst(JSON.stringify(row)));
  const alike = Map.groupBy(distinctRows, ({ text }) => stablePart(text));
  const places = new Map(
    [...alike].flatMap(([content, same]) =>
      same.toSorted(byTextAndAuthor).map((note, index) => [note, `${content}${index + 1}`] as const),
    ),
  );
  return distinctRows.map((note) => ({
    id: `note-${hash('sha256', places.get(note) ?? '').slice(0, 12)}`,
    ...note,
  }));
}

const COUNTER = /\d{1,6}(?=\s{0,3}(?:second|minute|hour|day|week|month)s?\b)/gi;

/**
 * Returns the part of a text that is the same in each read. Partners change white space, and append for how long a note has been
 * open.
 */
function stablePart(text: string): string {
  return text.replace(/\s+/g, ' ').trim().replace(COUNTER, '#');
}

type Shown = Pick<Note, 'text' | 'author'>;

function byTextAndAuthor(one: Shown, other: Shown): number {
  const [first, second] = [one, other].map(({ text, author }) => JSON.stringify([text, author]));
  return (first ?? '') < (second ?? '') ? -1 : 1;
}

export function hasChanged(seen: SeenStatus, { notes, isWithoutNotes, ...now }: StatusSnapshot): boolean {
  const { noteIds, noteCount = notes.length, ...before } = seen;
  const fields = ['phase', 'status', 'statusDate', 'comment', 'mid', 'unclearMid'] as const;
  if (fields.some((field) => before[field] !== undefined && before[field] !== now[field])) return true;
  if (isWithoutNotes) return false;
  const ids = notes.map(({ id }) => id);
  if (noteCount !== ids.length) return true;
  return noteIds !== undefined && (ids.length !== noteIds.length || ids.some((id) => !noteIds.includes(id)));
}

/** Reports whether a note disappeared during underwriting without a new one. The list may then have missed a row. */
export function lacksNotes(
  { noteIds = [] }: Pick<SeenStatus, 'noteIds'>,
  { phase, notes, isWithoutNotes }: StatusSnapshot,
): boolean {
  if (!isMerchantUnderReview(phase) || isWithoutNotes) return false;
  return lacksAny(
    noteIds,
    notes.map(({ id }) => id),
  );
}
