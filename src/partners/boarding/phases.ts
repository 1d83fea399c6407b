import type { StatusMeaning } from '../phases.js';

/**
 * The meaning of a merchant's status, in our own names: all decisions about a merchant depend on these. The partner's
 * names are in `schemas.ts`.
 *
 * - `submitted`: the underwriters have the application and accept answers. Only a submission leads there.
 * - `awaiting-answers`: the underwriters wait for answers
 * - `in-review`: only a request for review leads there
 * - `other`: a status that no document explains. The underwriters may be at work
 */
export type MerchantPhase =
  | 'not-submitted'
  | 'submitted'
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

/** Reports whether an application can be submitted. A submission leads to `submitted`. */
export function isSubmittable(phase: MerchantPhase): boolean {
  return phase === 'not-submitted' || phase === 'changes-requested';
}

export function takesAnswers(phase: MerchantPhase): boolean {
  return phase === 'submitted' || phase === 'awaiting-answers';
}

/** Reports whether the partner might accept answers of a person. It might for a status that no document explains. */
export function mayTakeAnswers(phase: MerchantPhase): boolean {
  return takesAnswers(phase) || phase === 'other';
}
