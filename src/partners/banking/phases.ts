/**
 * What the status of a banking profile means, in our own names: everything that is decided about a business is decided by them.
 * The partner's names are in `statuses.ts`.
 */
export type ProfilePhase = 'new' | 'under-review' | 'approved' | 'declined' | 'closed' | 'withdrawn';

/** Whether the partner has yet to decide, so that a ticket of it may be waiting. */
export function isUnderReview(phase: ProfilePhase): boolean {
  return phase === 'new' || phase === 'under-review';
}
