import type { StatusMeaning } from '../phases.js';

/**
 * The meaning of a merchant's status, in our own names: all decisions about a merchant depend on these. The partner's
 * names are in `schemas.ts`.
 *
 * - `pending`: the underwriters have the application and accept answers, or nobody has submitted it yet: a status for a merchant
 *   that is not submitted is only assumed (docs/partner-apis.md#merchant-boarding-assumptions)
 * - `awaiting-answers`: the underwriters wait for answers
 * - `in-review`: only a request for review leads there
 * - `other`: a status that no document explains. The underwriters may be at work
 */
export type MerchantPhase =
  | 'not-submitted'
  | 'pending'
  | 'awaiting-answers'
  | 'in-review'
  | 'changes-requested'
  | 'approved'
  | 'declined'
  | 'withdrawn'
  | 'closed'
  | 'other';

/** The phase of a status that a person explained. Neither of the phases that are evidence of a write is among them. */
export const EXPLAINED: Readonly<Record<StatusMeaning, MerchantPhase>> = {
  'under-review': 'other',
  'needs-answers': 'awaiting-answers',
  'ended-declined': 'declined',
  'ended-closed': 'closed',
  approved: 'approved',
};

/** Reports whether the partner has decided about an application. Only after an approval is more to come: the mid. */
export function isDecided(phase: MerchantPhase): boolean {
  return ['approved', 'declined', 'withdrawn', 'closed'].includes(phase);
}

/** Reports whether underwriters work on the application, so that a note can be open. */
export function isUnderReview(phase: MerchantPhase): boolean {
  return phase !== 'not-submitted' && !isDecided(phase);
}

/** The phases in which a first submission is sent: each may be that of a merchant which nobody has submitted. */
export const BEFORE_SUBMISSION: readonly MerchantPhase[] = ['not-submitted', 'pending'];

/** The phases in which an application is submitted again. A submission leads to `pending`. */
export const BEFORE_RESUBMISSION: readonly MerchantPhase[] = ['not-submitted', 'changes-requested'];

/**
 * What happens in the phase that a merchant has right after its create, before anything is written to it. Nobody has submitted it
 * yet, so a person is asked about every phase that Gangway has not caused.
 *
 * - `ask-whose`: the merchant is probably another one, and the create made none
 * - `ask-changes`: a person answers what the partner wants changed, and that is submitted
 * - `ask-submitted`: a person says whether somebody has submitted it
 */
export function afterCreate(phase: MerchantPhase): 'submit' | 'ask-whose' | 'ask-changes' | 'ask-submitted' {
  if (isDecided(phase)) return 'ask-whose';
  if (BEFORE_SUBMISSION.includes(phase)) return 'submit';
  return phase === 'changes-requested' ? 'ask-changes' : 'ask-submitted';
}

export function takesAnswers(phase: MerchantPhase): boolean {
  return phase === 'pending' || phase === 'awaiting-answers';
}

/** Reports whether the partner might accept answers of a person. It might for a status that no document explains. */
export function mayTakeAnswers(phase: MerchantPhase): boolean {
  return takesAnswers(phase) || phase === 'other';
}
