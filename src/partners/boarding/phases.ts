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
export const EXPLAINED_MERCHANT_PHASES: Readonly<Record<StatusMeaning, MerchantPhase>> = {
  'not-submitted': 'not-submitted',
  'under-review': 'other',
  'needs-answers': 'awaiting-answers',
  'wants-changes': 'changes-requested',
  'ended-declined': 'declined',
  'ended-closed': 'closed',
  approved: 'approved',
};

/** What a phase means for a boarding. A new phase is a row. */
export interface PhaseRules {
  /** Underwriters are at work, so what they ask is read, and people are asked. */
  readonly notes: 'asked' | 'ignored';
  /** An answer to a listed note, once all of them are answered. No document says whether the partner takes it where it is `tried`. */
  readonly answer: 'sent' | 'tried' | 'waits';
  /** An answer to a note that is not listed any more. While the partner reviews answers, it may list a note or not. */
  readonly answerToGoneNote: 'dropped' | 'waits';
  /** Changes that the partner requests are asked and submitted; or an answer to an earlier request is dropped, or waits. */
  readonly changes: 'submitted' | 'dropped' | 'waits';
  /** The submissions that begin in this phase. */
  readonly begins: readonly ('first' | 'next')[];
  /** The only write that leads to this phase, which therefore proves it. */
  readonly proves: 'submission' | 'review' | null;
  /** The outcome. That of an approval waits for the mid. */
  readonly ends: 'boarded' | 'declined' | 'withdrawn' | 'closed' | null;
  /**
   * What follows right after a create, before anything is written. Nobody has submitted the merchant then, so a person is asked about
   * every phase that Gangway has not caused.
   *
   * - `ask-whose`: the merchant is probably another one, and the create made none
   * - `ask-changes`: a person answers what the partner wants changed, and that is submitted
   * - `ask-submitted`: a person says whether somebody has submitted it
   */
  readonly afterCreate: 'submit' | 'ask-whose' | 'ask-changes' | 'ask-submitted';
}

// biome-ignore format: a table
export const MERCHANT_PHASES: Readonly<Record<MerchantPhase, PhaseRules>> = {
  //                      notes      answer   gone note  changes      begins             proves        ends         after a create
  'not-submitted':     row('ignored', 'waits', 'waits',     'waits',     ['first', 'next'], null,         null,        'submit'),
  pending:             row('asked',   'sent',  'dropped',   'dropped',   ['first'],         'submission', null,        'submit'),
  'awaiting-answers':  row('asked',   'sent',  'dropped',   'waits',     [],                null,         null,        'ask-submitted'),
  'in-review':         row('asked',   'waits', 'waits',     'dropped',   [],                'review',     null,        'ask-submitted'),
  'changes-requested': row('asked',   'waits', 'dropped',   'submitted', ['next'],          null,         null,        'ask-changes'),
  other:               row('asked',   'tried', 'dropped',   'waits',     [],                null,         null,        'ask-submitted'),
  approved:            row('ignored', 'waits', 'waits',     'waits',     [],                null,         'boarded',   'ask-whose'),
  declined:            row('ignored', 'waits', 'waits',     'waits',     [],                null,         'declined',  'ask-whose'),
  withdrawn:           row('ignored', 'waits', 'waits',     'waits',     [],                null,         'withdrawn', 'ask-whose'),
  closed:              row('ignored', 'waits', 'waits',     'waits',     [],                null,         'closed',    'ask-whose'),
};

function row(
  notes: PhaseRules['notes'],
  answer: PhaseRules['answer'],
  answerToGoneNote: PhaseRules['answerToGoneNote'],
  changes: PhaseRules['changes'],
  begins: PhaseRules['begins'],
  proves: PhaseRules['proves'],
  ends: PhaseRules['ends'],
  afterCreate: PhaseRules['afterCreate'],
): PhaseRules {
  return { notes, answer, answerToGoneNote, changes, begins, proves, ends, afterCreate };
}

/** Reports whether the partner has decided about an application. Only after an approval is more to come: the mid. */
export function isDecided(phase: MerchantPhase): boolean {
  return MERCHANT_PHASES[phase].ends !== null;
}

/** Reports whether underwriters are working on the application, so that a note can be open. */
export function isMerchantUnderReview(phase: MerchantPhase): boolean {
  return MERCHANT_PHASES[phase].notes === 'asked';
}

/** The phases in which the first submission is sent, or a later one. */
export function phasesBefore(submission: 'first' | 'next'): readonly MerchantPhase[] {
  const phases = Object.keys(MERCHANT_PHASES) as MerchantPhase[];
  return phases.filter((phase) => MERCHANT_PHASES[phase].begins.includes(submission));
}
