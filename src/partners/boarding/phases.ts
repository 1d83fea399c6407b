import type { StatusMeaning } from '../phases.js';

/**
 * The meaning of a merchant's status. All decisions about a merchant depend on the phase; only `schemas.ts` knows the partner's
 * status names.
 *
 * - `pending`: the underwriters have the application and accept answers. It may also mean that nobody has submitted it, because the
 *   status of an unsubmitted merchant is an assumption (docs/partner-apis.md#merchant-boarding-assumptions)
 * - `awaiting-answers`: the underwriters wait for answers
 * - `in-review`: the underwriters review answers. Only a request for review leads to it
 * - `other`: an undocumented status. The underwriters may be at work
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

/**
 * The phase of each meaning that a person can choose for a status. The two phases that are evidence of a write cannot be chosen.
 */
export const EXPLAINED_MERCHANT_PHASES: Readonly<Record<StatusMeaning, MerchantPhase>> = {
  'not-submitted': 'not-submitted',
  'under-review': 'other',
  'needs-answers': 'awaiting-answers',
  'wants-changes': 'changes-requested',
  'ended-declined': 'declined',
  'ended-closed': 'closed',
  approved: 'approved',
};

/** What Gangway does in a phase. A new phase is a row, and a new status name an entry in `schemas.ts`. */
export interface PhaseRules {
  /** `asked`: underwriters are at work, so their notes are read, and people are asked about them. */
  readonly notes: 'asked' | 'ignored';
  /** What happens to answers once all listed notes have one. `tried`: they are sent, but may be refused. */
  readonly answer: 'sent' | 'tried' | 'waits';
  /** What happens to an answer whose note is no longer listed. It `waits` during a review, because notes may then come and go. */
  readonly answerToGoneNote: 'dropped' | 'waits';
  /**
   * `submitted`: people are asked for the requested changes, which are then submitted. Otherwise, what happens to an answer to an
   * earlier request.
   */
  readonly changes: 'submitted' | 'dropped' | 'waits';
  /** The submissions that can be sent in this phase. */
  readonly submissions: readonly ('first' | 'next')[];
  /** The write that this phase proves, because nothing else leads to it. */
  readonly proves: 'submission' | 'review' | null;
  /** The outcome. After an approval, it waits for the mid. */
  readonly outcome: 'boarded' | 'declined' | 'withdrawn' | 'closed' | null;
  /**
   * What Gangway does if it reads this phase right after a create. Nobody should have submitted the merchant yet, so it asks a
   * person about any phase that it has not caused.
   *
   * - `ask-whose`: the create probably returned another merchant and made none
   * - `ask-changes`: a person makes the changes that the partner wants, and they are submitted
   * - `ask-submitted`: a person says whether the merchant was submitted
   */
  readonly afterCreate: 'submit' | 'ask-whose' | 'ask-changes' | 'ask-submitted';
}

// biome-ignore format: a table
export const MERCHANT_PHASES: Readonly<Record<MerchantPhase, PhaseRules>> = {
  //                      notes      answer   gone note  changes      submissions        proves        outcome      after a create
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
  submissions: PhaseRules['submissions'],
  proves: PhaseRules['proves'],
  outcome: PhaseRules['outcome'],
  afterCreate: PhaseRules['afterCreate'],
): PhaseRules {
  return { notes, answer, answerToGoneNote, changes, submissions, proves, outcome, afterCreate };
}

/** Reports whether the partner has decided about an application. Only an approval is followed by something: the mid. */
export function isDecided(phase: MerchantPhase): boolean {
  return MERCHANT_PHASES[phase].outcome !== null;
}

/** Reports whether underwriters are working on the application, so a note can be open. */
export function isMerchantUnderReview(phase: MerchantPhase): boolean {
  return MERCHANT_PHASES[phase].notes === 'asked';
}

/** Returns the phases in which the first or a later submission can be sent. */
export function phasesBefore(submission: 'first' | 'next'): readonly MerchantPhase[] {
  const phases = Object.keys(MERCHANT_PHASES) as MerchantPhase[];
  return phases.filter((phase) => MERCHANT_PHASES[phase].submissions.includes(submission));
}
