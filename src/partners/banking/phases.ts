import type { StatusMeaning } from '../phases.js';

/**
 * The meaning of a banking profile's status, in our own names: all decisions about a business depend on these. The
 * partner's names are in `responses.ts`.
 */
export type ProfilePhase = 'new' | 'under-review' | 'approved' | 'declined' | 'closed' | 'withdrawn';

/** The status of a profile in a response that has none. */
export const UNKNOWN = 'Unknown';

/** Reports whether the partner has not decided yet, so that one of its tickets may be open. */
export function isUnderReview(phase: ProfilePhase): boolean {
  return phase === 'new' || phase === 'under-review';
}

/** The phase of a status that a person explained. The bank asks by tickets, in any status. */
export const EXPLAINED: Readonly<Record<StatusMeaning, ProfilePhase>> = {
  'under-review': 'under-review',
  'needs-answers': 'under-review',
  'ended-declined': 'declined',
  'ended-closed': 'closed',
  approved: 'approved',
};
