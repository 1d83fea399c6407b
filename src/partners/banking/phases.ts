import type { StatusMeaning } from '../phases.js';

/**
 * The meaning of a banking profile's status, in our own names: all decisions about a business depend on these. The
 * partner's names are in `responses.ts`.
 */
export type ProfilePhase = 'new' | 'under-review' | 'approved' | 'declined' | 'closed' | 'withdrawn';

/** The status of a profile in a response that has none. */
export const UNKNOWN_STATUS = 'Unknown';

/** What a phase means for a business. A new phase is a row. */
export const PROFILE_PHASES: Readonly<Record<ProfilePhase, ProfileRules>> = {
  new: { tickets: 'asked', holder: 'missing', ends: null },
  'under-review': { tickets: 'asked', holder: 'accepted', ends: null },
  approved: { tickets: 'ignored', holder: 'accepted', ends: 'onboarded' },
  declined: { tickets: 'ignored', holder: 'accepted', ends: 'declined' },
  closed: { tickets: 'ignored', holder: 'accepted', ends: 'closed' },
  withdrawn: { tickets: 'ignored', holder: 'accepted', ends: 'withdrawn' },
};

export interface ProfileRules {
  /** The partner has not decided yet, so one of its tickets may be open. */
  readonly tickets: 'asked' | 'ignored';
  /** Nobody has submitted a holder, or the bank has rejected it. */
  readonly holder: 'missing' | 'accepted';
  /** The outcome. That of an approval waits for the financial account, where one is wanted. */
  readonly ends: 'onboarded' | 'declined' | 'closed' | 'withdrawn' | null;
}

/** Reports whether the bank has not decided yet, so that a ticket can be open. */
export function isProfileUnderReview(phase: ProfilePhase): boolean {
  return PROFILE_PHASES[phase].tickets === 'asked';
}

/** The phase of a status that a person explained. The bank asks by tickets, in any status. */
export const EXPLAINED_PROFILE_PHASES: Readonly<Record<StatusMeaning, ProfilePhase>> = {
  'not-submitted': 'new',
  'under-review': 'under-review',
  'needs-answers': 'under-review',
  'wants-changes': 'under-review',
  'ended-declined': 'declined',
  'ended-closed': 'closed',
  approved: 'approved',
};
