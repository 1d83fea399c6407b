import type { Note } from '../../messages/boarding-activities.js';
import { redact } from '../../platform/privacy/masked.js';
import type { Question } from '../runtime/state.js';

export function noteQuestion({ id, text, author, more }: Note): Question {
  const detail = redact(text);
  const from = author === null ? '' : ` from ${redact(author)}`;
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

export function midQuestion(merchantProfileId: number, mid: string): Question {
  return {
    kind: 'unclear-mid',
    title: 'Unexpected mid',
    detail:
      `The partner approved merchant ${merchantProfileId} and shows the mid “${mid}”, which is a placeholder, or not 1 to 20 digits. ` +
      'Look up the mid in the partner’s portal, and confirm the correct one. ' +
      'This requirement closes when the partner shows a mid of digits.',
    answers: ['confirm', 'abandon'],
    idFormat: 'text',
  };
}

export function changesQuestion(comment: string | null): Question {
  const detail = redact(comment ?? 'The partner gave no comment.');
  return { kind: 'changes-requested', title: 'Changes requested', detail, ...ANSWERED_BY_SUBMISSION };
}

/** The correction starts blank, because the partner does not say which field to change. */
const ANSWERED_BY_SUBMISSION = {
  answers: ['correction', 'retry', 'abandon'],
  blank: { application: { '': '' } },
} as const;

/**
 * Asks whether to submit the merchant. `lost`: the partner accepted a submission but does not show it. `unclear`: somebody may have
 * submitted it. `missing`: nobody has, and Gangway only follows the merchant.
 */
export function submissionQuestion(
  why: 'lost' | 'unclear' | 'missing',
  { merchantProfileId, dba }: { readonly merchantProfileId: number; readonly dba: string },
  status: string,
): Question {
  const merchant = `${merchantProfileId} (“${redact(dba)}”)`;
  const [title, detail] = {
    lost: [
      'Submitted, and not shown',
      `The partner has accepted the submission of merchant ${merchant}, and still shows it as ${status}. Ask the partner whether underwriting ` +
        'has the application. If it has, wait: this requirement closes by itself when the status shows it. If it has not, retry: ' +
        'Gangway submits it again.',
    ],
    unclear: [
      'Submitted to underwriting?',
      `Merchant ${merchant} reads as ${status}. Gangway has not submitted it, and this status does not show whether somebody else has. Look ` +
        'in the partner’s portal whether underwriting has the application. If it has, confirm ' +
        `${merchantProfileId}: Gangway then waits for the underwriters. If it has not, retry: Gangway submits it.`,
    ],
    missing: [
      'Not submitted to underwriting',
      `Merchant ${merchant} reads as ${status}. Gangway follows it, and submits nothing by itself. Submit it in the partner’s portal: this ` +
        'requirement then closes by itself. Or retry: Gangway submits it as the partner has it.',
    ],
  }[why] as [string, string];
  const { answers, blank } = ANSWERED_BY_SUBMISSION;
  return {
    kind: 'not-submitted',
    title,
    detail: `${detail} A correction is sent with the submission.`,
    answers: why === 'unclear' ? ['confirm', ...answers] : answers,
    blank,
  };
}
