import type { Patch } from '../../messages/activities.js';
import type { FieldProblem, PartnerErrorDetails } from '../../partners/partner-error.js';
import { describeReason, problemText } from '../../partners/text-limits.js';
import { redact } from '../../platform/privacy/masked.js';
import { minuteOf, momentOf } from './current-details.js';
import type { Question } from './state.js';

/** The write in a question: see `OnceWrite`. */
export interface AskedWrite {
  readonly title: string;
  readonly idFormat?: 'text';
  readonly mayBeDone?: string | undefined;
  readonly whereToLook: string;
}

/**
 * Asks for a permission, because the partner accepts our credentials but rejects the call. Only operations ask this. For
 * onboardings, and about rejected credentials, `partnerAccount` asks.
 */
export function permissionQuestion(
  title: string,
  { system, status = 403, fields }: PartnerErrorDetails,
): Question {
  const said = fields.length > 0 ? `\n${describeProblems(fields)}` : '';
  return {
    kind: 'credentials',
    title: `Not permitted: ${title}`,
    detail: `The ${system} partner does not permit this (${status}), or it belongs to another organization. Ask the partner for the permission, then retry.${said}`,
    answers: ['retry', 'abandon'],
  };
}

/** Asks whether a write took effect, because no evidence shows it. `refused` is why the last answer was not accepted. */
export function uncertainWriteQuestion(
  step: AskedWrite,
  failure: PartnerErrorDetails,
  refused: string,
): Question {
  const { reason, unreadable, refusesReads, fields, saved } = failure;
  const { title, idFormat, whereToLook } = step;
  const what = redact(fields.map(problemText).join('; '));
  const why = (unreadable ?? saved ?? refusesReads) === undefined || what === '' ? '' : `: ${what}`;
  const savedRecord = saved === undefined ? '' : `${describeNamed(saved)}. `;
  return {
    kind: 'uncertain-write',
    title: `Outcome unknown: ${title}`,
    detail: `${refused && `${refused}\n`}The request was ${describeSending(step, failure)}. Whether it took effect is unknown (${describeReason(reason)}${why}). ${savedRecord}${whereToLook} ${IF_NOT_THERE}`,
    answers: ['confirm', 'retry', 'abandon'],
    ...(idFormat && { idFormat }),
  };
}

const IF_NOT_THERE =
  'If not, look again a few minutes later, and retry only if it is still not there: retrying too early does it twice.';

/** `sent at 14:05:09`, or `perhaps sent before` if only an earlier workflow can have sent it. */
export function describeSending(
  { mayBeDone }: Pick<AskedWrite, 'mayBeDone'>,
  { sentAt }: PartnerErrorDetails,
): string {
  if (sentAt !== undefined) return `sent at ${momentOf(sentAt)}`;
  return mayBeDone === undefined ? 'sent' : 'perhaps sent before';
}

export interface RejectedInputOptions {
  readonly advice: string | undefined;
  /** A blank correction. Undefined if nothing can be corrected. */
  readonly blank: Patch | undefined;
  readonly canCorrect: boolean;
  readonly canReplace: boolean;
  /** Lets the person confirm work done by hand, with an ID of this format. */
  readonly confirmFormat: 'digits' | 'text' | undefined;
}

/** Asks to correct an input that the partner or our own check rejected. */
export function rejectedInputQuestion(
  title: string,
  problems: readonly FieldProblem[],
  { advice, blank, canCorrect, canReplace, confirmFormat }: RejectedInputOptions,
): Question {
  const fields = problems.flatMap(({ field }) => field || []);
  return {
    kind: 'rejected-input',
    title: `Rejected: ${title}`,
    detail: [describeProblems(problems), ...(advice ? [advice] : [])].join('\n'),
    ...(fields.length > 0 && { fields }),
    ...(blank && { blank }),
    answers: [
      ...(canCorrect ? (['correction'] as const) : []),
      ...(canReplace ? (['documents'] as const) : []),
      ...(confirmFormat ? (['confirm'] as const) : []),
      'retry',
      'abandon',
    ],
    ...(confirmFormat === 'text' && { idFormat: confirmFormat }),
  };
}

/** Advice for a write that the partner rejected but may have saved. */
export function rejectedWriteAdvice(saved: string | undefined, whereToLook: string): string {
  return `${describeSavedRecord(saved)} ${whereToLook} Correct it or retry only if it is not there, because either sends it again.`;
}

export function describeSavedRecord(saved: string | undefined): string {
  if (saved === undefined) return 'The partner may have saved what it refused.';
  return `${describeNamed(saved)}, so the partner may have saved what it refused.`;
}

const describeNamed = (saved: string) => `The response ${saved === '' ? 'has a record' : `names ${saved}`}`;

export function describeProblems(problems: readonly FieldProblem[]): string {
  const lines = problems.map(({ field, message }) => problemText({ field, message: redact(message) }));
  return lines.join('\n') || 'the partner gave no reason';
}

export function waitingQuestion(title: string, since: string, reason: string): Question {
  return {
    kind: 'waiting',
    title: `Waiting for the partner: ${title}`,
    detail:
      `The step has waited since ${minuteOf(since)} (${reason}). Gangway retries it, and this requirement closes when it succeeds. ` +
      'Ask the partner what is wrong. Answer retry to keep waiting. To give up, cancel the workflow.',
    answers: ['retry'],
  };
}
