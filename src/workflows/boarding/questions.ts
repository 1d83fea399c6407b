import type { Note } from '../../messages/boarding-activities.js';
import { masked } from '../../privacy/masked.js';
import type { Question } from '../journey/requirement-queue.js';

/** A correction to fill in where nobody knows which field it changes. */
const ANY_OF_APPLICATION = { application: { '': '' } };

export function noteQuestion({ id, text, author, more }: Note): Question {
  const detail = masked(text);
  const from = author === null ? '' : ` from ${masked(author)}`;
  const title = `Note${from}: ${beginningOf(detail)}`;
  return {
    about: id,
    kind: 'underwriting-note',
    title: more === undefined ? title : `${more} more underwriting notes`,
    detail,
    answers: ['text', 'documents', 'abandon'],
  };
}

const IN_TITLE = 100;

function beginningOf(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= IN_TITLE ? line : `${line.slice(0, IN_TITLE - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

export function midQuestion(merchantProfileId: number, given: string): Question {
  return {
    kind: 'unclear-mid',
    title: 'Unexpected mid',
    detail:
      `The partner approved merchant ${merchantProfileId} and shows the mid “${given}”, which is not 1 to 20 digits. ` +
      'Look up the mid in the partner’s portal, and adopt the correct one. ' +
      'This requirement closes when the partner shows a mid of digits.',
    answers: ['adopt', 'abandon'],
    idFormat: 'text',
  };
}

/** Asks for the changes that the partner wants, with its comment. */
export function changesQuestion(comment: string | null): Question {
  return {
    kind: 'request-changes',
    title: 'Changes requested',
    detail: masked(comment ?? 'The partner gave no comment.'),
    answers: ['correction', 'retry', 'abandon'],
    blank: ANY_OF_APPLICATION,
  };
}

/** Asks about a followed merchant whose application nobody has submitted. */
export function notSubmittedQuestion(
  { merchantProfileId, dba }: { readonly merchantProfileId: number; readonly dba: string },
  status: string,
): Question {
  return {
    kind: 'not-submitted',
    title: 'Not submitted to underwriting',
    detail:
      `Merchant ${merchantProfileId} (“${masked(dba)}”) reads as ${status}. Gangway follows it, and submits nothing by itself. ` +
      'Submit it in the partner’s portal: this requirement then closes by itself. Or retry: Gangway submits it as the ' +
      'partner has it. A correction is sent with the submission.',
    answers: ['correction', 'retry', 'abandon'],
    blank: ANY_OF_APPLICATION,
  };
}
