/** Rules for undelivered answers, and for evidence that answers arrived, as pure functions. */
import type { StatusSnapshot } from '../../messages/boarding-activities.js';
import type { DocumentRef } from '../../messages/requirements.js';
import { isDecided, MERCHANT_PHASES } from '../../partners/boarding/phases.js';
import type { PendingAnswer } from '../runtime/state.js';
import { type BoardingState, requirementIdsOf, type StatusVersion } from './decisions.js';
import { comparable } from './volatile-fields.js';

/**
 * Reports whether the status shows that a submission arrived. Only a submission leads from another phase to `pending`. A decision
 * is also evidence, unless it may be about an earlier submission.
 *
 * @param before the phase just before the submission was sent; undefined if unknown
 */
export function showsSubmission(
  { phase }: Pick<StatusSnapshot, 'phase'>,
  before: string | undefined,
  isAgainUncertain = false,
): boolean {
  const isMoved = MERCHANT_PHASES[phase].proves === 'submission' && before !== undefined && before !== phase;
  return isMoved || (isDecided(phase) && !isAgainUncertain);
}

/** Reports whether a phase proves that the answers arrived. A note that disappears proves nothing: it may have been withdrawn. */
export function showsReview({ phase }: Pick<StatusSnapshot, 'phase'>): boolean {
  return MERCHANT_PHASES[phase].proves === 'review';
}

/** A document of an answer that is being uploaded. */
export interface Upload {
  readonly id: string;
  readonly document: DocumentRef;
  readonly description: string;
}

export function missingDocuments({ uploaded }: BoardingState, answers: readonly PendingAnswer[]): Upload[] {
  return answers.flatMap(documentsOf).filter(({ id }) => !uploaded.includes(id));
}

/** Reports whether documents of an answer are uploaded but their review is not requested yet. */
export function isPartlySent({ uploaded }: BoardingState, answered: PendingAnswer): boolean {
  return documentsOf(answered).some(({ id }) => uploaded.includes(id));
}

function documentsOf({ requirement: { id, detail }, resolution: { answer } }: PendingAnswer): Upload[] {
  if (answer.kind !== 'documents') return [];
  return answer.documents.map((document) => ({ id: `${id}/${document.key}`, document, description: detail }));
}

export function afterUpload(before: BoardingState, { id }: Upload): BoardingState {
  return { ...before, uploaded: [...before.uploaded, id] };
}

export function notesOf(answers: readonly PendingAnswer[]): readonly string[] {
  return answers.map(({ requirement: { id, about = id } }) => about);
}

export function commentOf(answers: readonly PendingAnswer[]): string {
  const texts = answers.flatMap(({ requirement, resolution: { answer } }) =>
    answer.kind === 'text' ? `${requirement.detail}\n${answer.text}` : [],
  );
  return texts.join('\n\n');
}

/** Returns the state after a delivery. If the underwriters still list a note after `until`, a person is asked again. */
export function afterDelivery(
  before: BoardingState,
  answers: readonly PendingAnswer[],
  { status, statusDate }: StatusVersion,
  until: number,
): BoardingState {
  const delivered = Object.fromEntries(notesOf(answers).map((note) => [note, { status, statusDate, until }]));
  return { ...before, delivered: { ...before.delivered, ...delivered }, uploaded: [] };
}

/** @param until when to send them again although the status is the same, in milliseconds since 1970 */
export function withRefusedAnswers(
  before: BoardingState,
  answers: readonly PendingAnswer[],
  { status, statusDate }: StatusVersion,
  until?: number,
): BoardingState {
  const { refusedAnswers } = before;
  // If the list alternates between two notes, remember both sets of answers.
  const isSameStatus = refusedAnswers?.status === status && refusedAnswers.statusDate === statusDate;
  const refused = new Set([...(isSameStatus ? refusedAnswers.answers : []), requirementIdsOf(answers)]);
  const held = { status, statusDate, answers: [...refused], ...(until !== undefined && { until }) };
  return { ...before, refusedAnswers: held };
}

/** Reports whether a read lists notes whose answers are delivered. */
export function listsDeliveredNote({ delivered }: BoardingState, { notes }: StatusSnapshot): boolean {
  return notes.some(({ id }) => Object.hasOwn(delivered, id));
}

/** The IDs of notes whose answers are delivered. Undefined while note IDs change with each read. */
export function deliveredNotes({ delivered, volatile, seen }: BoardingState): readonly string[] | undefined {
  return comparable(volatile, seen).noteIds && Object.keys(delivered);
}
