import type { StatusMeaning } from '../phases.js';

/**
 * The meaning of a banking profile's status. All decisions about a business depend on the phase; only `responses.ts` knows the
 * partner's status names.
 */
export type ProfilePhase = 'new' | 'under-review' | 'approved' | 'declined' | 'closed' | 'withdrawn';

/** The status of a profile if the response has none. */
export const UNKNOWN_STATUS = 'Unknown';

/** What a phase means for a business. A new phase is a row. */
export const PROFILE_PHASES: Readonly<Record<ProfilePhase, ProfileRules>> = {
  new: { tickets: 'asked', holder: 'missing', outcome: null },
  'under-review': { tickets: 'asked', holder: 'accepted', outcome: null },
  approved: { tickets: 'ignored', holder: 'accepted', outcome: 'onboarded' },
  declined: { tickets: 'ignored', holder: 'accepted', outcome: 'declined' },
  closed: { tickets: 'ignored', holder: 'accepted', outcome: 'closed' },
  withdrawn: { tickets: 'ignored', holder: 'accepted', outcome: 'withdrawn' },
};

export interface ProfileRules {
  /** `asked`: the partner has not decided, so tickets are read, and people are asked about them. */
  readonly tickets: 'asked' | 'ignored';
  /** `missing`: nobody has submitted a holder, or the bank has rejected it. */
  readonly holder: 'missing' | 'accepted';
  /** The outcome. After an approval, it waits for the financial account, if one is requested. */
  readonly outcome: 'onboarded' | 'declined' | 'closed' | 'withdrawn' | null;
}

/** Reports whether the bank is still reviewing the profile, so a ticket can be open. */
export function isProfileUnderReview(phase: ProfilePhase): boolean {
  return PROFILE_PHASES[phase].tickets === 'asked';
}

/** The phase of each meaning that a person can choose for a status. The bank asks through tickets, in any status. */
export const EXPLAINED_PROFILE_PHASES: Readonly<Record<StatusMeaning, ProfilePhase>> = {
  'not-submitted': 'new',
  'under-review': 'under-review',
  'needs-answers': 'under-review',
  'wants-changes': 'under-review',
  'ended-declined': 'declined',
  'ended-closed': 'closed',
  approved: 'approved',
};
