import type { Note, Seen, StatusSnapshot } from '../../messages/boarding-activities.js';
import type { DocumentRef } from '../../messages/requirements.js';
import { masked } from '../journey/masked.js';
import type { Answered } from '../journey/requirement-desk.js';

/** A status by the partner's name, and when the partner set it. */
export type StatusMark = Pick<StatusSnapshot, 'status' | 'statusDate'>;

/** A document of an answer, on its way to the underwriters. */
export interface Upload {
  readonly id: string;
  readonly document: DocumentRef;
  readonly description: string;
}

/** @param hasRestlessDate then the dates mean nothing */
export function isSame(
  one: Partial<StatusMark> | undefined,
  other: Partial<StatusMark>,
  hasRestlessDate: boolean,
): boolean {
  if (one === undefined || one.status !== other.status) return false;
  return hasRestlessDate || one.statusDate === other.statusDate;
}

export function idsOf(answered: readonly Answered[]): string {
  return answered.map(({ requirement }) => requirement.id).join();
}

export function uploadsOf({ requirement, resolution: { answer } }: Answered): Upload[] {
  if (answer.kind !== 'documents') return [];
  return answer.documents.map((document) => ({
    id: `${requirement.id}/${document.key}`,
    document,
    description: requirement.detail,
  }));
}

export function textOf({ requirement, resolution: { answer } }: Answered): string[] {
  return answer.kind === 'text' ? [`${requirement.detail}\n${answer.text}`] : [];
}

export function noteRequirement({ id, text, author, more }: Note) {
  const title = author === null ? 'Underwriting note' : `Underwriting note from ${author}`;
  return {
    about: id,
    kind: 'underwriting-note',
    title: more === undefined ? title : `${more} more underwriting notes`,
    detail: masked(text),
    answers: ['text', 'documents', 'abandon'],
  } as const;
}

export function toSeen({ notes, ...status }: StatusSnapshot): Seen {
  return { ...status, noteIds: notes.map(({ id }) => id) };
}
