import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import { unreportedOutcome } from '../../at-most-once/workflow.js';
import { PARTNER_ERROR } from '../../messages/activities.js';
import type { Answer } from '../../messages/requirements.js';
import { problemText } from '../../partners/bounds.js';
import type { FieldProblem, PartnerErrorDetails } from '../../partners/partner-error.js';
import { redact } from '../../platform/privacy/masked.js';
import type { OnceWrite, StepContext } from './step.js';

/** The failed partner call in the failure of an activity; throws any other error. */
export function partnerFailure(error: unknown): PartnerErrorDetails {
  if (!(error instanceof ActivityFailure)) throw error;
  const { cause, activityType } = error;
  if (cause instanceof ApplicationFailure && cause.type === PARTNER_ERROR)
    return cause.details?.[0] as PartnerErrorDetails;
  const unreported = unreportedOutcome(cause);
  if (!unreported) throw error;
  const { outcome, reason, sent } = unreported;
  return { ...ownFailure(outcome === 'none' ? 'NotSent' : 'Uncertain', activityType, reason), ...sent };
}

export function ownFailure(
  kind: PartnerErrorDetails['kind'],
  operation: string,
  reason: string,
  fields: readonly FieldProblem[] = [],
): PartnerErrorDetails {
  return { system: 'gangway', operation, kind, fields, reason };
}

/** Ends a step that the partner or our own check rejected. A `run` also throws it when a successful response reports problems. */
export class Rejected extends Error {
  override readonly name: string = 'Rejected';
  constructor(
    readonly problems: readonly FieldProblem[],
    readonly status?: number,
  ) {
    super(describeProblems(problems));
  }
}

/** Thrown by Gangway itself for an id that a person must not confirm, or not without a second confirmation. */
export class NotConfirmable extends Rejected {
  override readonly name = 'NotConfirmable';
  constructor(message: string) {
    super([{ field: '', message }]);
  }
}

/** Returns a check that throws {@link NotConfirmable} for an id the first time. The second time overrides that. */
export function requireSecondConfirmation(
  again = 'confirm it again',
): (id: string | number, why: string) => void {
  const warned = new Set<string>();
  return (id, why) => {
    if (warned.has(String(id))) return;
    warned.add(String(id));
    throw new NotConfirmable(`${why}. To use it anyway, ${again}`);
  };
}

interface Correctable {
  readonly title: string;
  readonly advice?: string | undefined;
  readonly correct?: OnceWrite<unknown>['correct'] | undefined;
  readonly replace?: OnceWrite<unknown>['replace'] | undefined;
  /** The person may confirm what was done by hand, by an id of this format. */
  readonly confirmFormat?: 'digits' | 'text' | undefined;
}

/** Asks a person to correct what the partner, or our own check, rejected. Undefined if the question was superseded first. */
export async function askForCorrection(
  { ask, blankFor }: Pick<StepContext, 'ask' | 'blankFor'>,
  { title, advice, correct, replace, confirmFormat }: Correctable,
  problems: readonly FieldProblem[],
  isSuperseded?: () => boolean,
): Promise<Answer | undefined> {
  const fields = problems.flatMap(({ field }) => field || []);
  const blank = correct && (await blankFor(fields));
  const answer = await ask(
    {
      kind: 'rejected-input',
      title: `Rejected: ${title}`,
      detail: [describeProblems(problems), ...(advice ? [advice] : [])].join('\n'),
      ...(fields.length > 0 && { fields }),
      ...(blank && { blank }),
      answers: [
        ...(correct ? (['correction'] as const) : []),
        ...(replace ? (['documents'] as const) : []),
        ...(confirmFormat ? (['confirm'] as const) : []),
        'retry',
        'abandon',
      ],
      ...(confirmFormat === 'text' && { idFormat: confirmFormat }),
    },
    isSuperseded,
  );
  if (answer?.kind === 'correction') correct?.(answer.patch);
  if (answer?.kind === 'documents' && answer.documents[0]) replace?.(answer.documents[0]);
  return answer;
}

export function describeProblems(problems: readonly FieldProblem[]): string {
  const lines = problems.map(({ field, message }) => problemText({ field, message: redact(message) }));
  return lines.join('\n') || 'the partner gave no reason';
}
