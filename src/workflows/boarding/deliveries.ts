/** The answers that go to the partner, and the evidence of their arrival: functions of values. */
import type { StatusSnapshot } from '../../messages/boarding-activities.js';
import type { DocumentRef } from '../../messages/requirements.js';
import { isDecided, MERCHANT_PHASES } from '../../partners/boarding/phases.js';
import type { PendingAnswer } from '../runtime/state.js';
import { type BoardingState, requirementIdsOf, type StatusVersion } from './decisions.js';
import { comparable } from './volatile-fields.js';

/**
 * Reports whether the status shows that a submission arrived. Only a submission leads from another phase to `pending`. A decision is
 * evidence as well, unless it may be about an earlier submission.
 *
 * @param before the phase just before it was sent; undefined when nobody knows
 */
export function showsSubmission(
  { phase }: Pick<StatusSnapshot, 'phase'>,
  before: string | undefined,
  isAgainUncertain = false,
): boolean {
  const isMoved = MERCHANT_PHASES[phase].proves === 'submission' && before !== undefined && before !== phase;
  return isMoved || (isDecided(phase) && !isAgainUncertain);
}

/** Evidence that the underwriters have the answers. That they no longer list a note is none: they may have withdrawn it. */
export function showsReview({ phase }: Pick<StatusSnapshot, 'phase'>): boolean {
  return MERCHANT_PHASES[phase].proves === 'review';
}

/** A document of an answer, in flight to the underwriters. */
export interface Upload {
  readonly id: string;
  readonly document: DocumentRef;
  readonly description: string;
}

export function missingDocuments({ uploaded }: BoardingState, answers: readonly PendingAnswer[]): Upload[] {
  return answers.flatMap(documentsOf).filter(({ id }) => !uploaded.includes(id));
}

/** Reports whether a document of an answer is uploaded, and its review is not requested yet. */
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

/** Returns the state after the underwriters took the answers. If they still list a note after `until`, a person is asked again. */
export function afterDelivery(
  before: BoardingState,
  answers: readonly PendingAnswer[],
  { status, statusDate }: StatusVersion,
  until: number,
): BoardingState {
  const delivered = Object.fromEntries(notesOf(answers).map((note) => [note, { status, statusDate, until }]));
  return { ...before, delivered: { ...before.delivered, ...delivered }, uploaded: [] };
}

export function withDeferred(
  before: BoardingState,
  answers: readonly PendingAnswer[],
  { status, statusDate }: StatusVersion,
): BoardingState {
  const { deferred } = before;
  // A list that shows one of two notes by turns has two sets of answers.
  const isSameStatus = deferred?.status === status && deferred.statusDate === statusDate;
  const refused = new Set([...(isSameStatus ? deferred.answers : []), requirementIdsOf(answers)]);
  return { ...before, deferred: { status, statusDate, answers: [...refused] } };
}

/** Reports whether a read lists notes whose answers are delivered. */
export function listsDeliveredNote({ delivered }: BoardingState, { notes }: StatusSnapshot): boolean {
  return notes.some(({ id }) => Object.hasOwn(delivered, id));
}

/** The notes whose answers the partner has. Undefined while their IDs change with each read. */
export function deliveredNotes({ delivered, volatile, seen }: BoardingState): readonly string[] | undefined {
  return comparable(volatile, seen).noteIds && Object.keys(delivered);
}
