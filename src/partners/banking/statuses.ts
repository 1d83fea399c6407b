/**
 * Values of `bankingStatus` that mean something to us (apis/1, Banking profile record). The contract lists twelve and
 * no transitions between them; every other name is kept, shown and waited out.
 */
export const NEW = 'New';
export const APPROVED = 'Approved';
export const APPROVED_UW = 'ApprovedUW';
export const AUTO_APPROVED_UW = 'AutoApprovedUW';
export const DENIED = 'Denied';
export const CLOSED = 'Closed';
export const CANCELLED = 'Cancelled';

/** Stands for the status of a profile that tells none. */
export const UNKNOWN = 'Unknown';

const IN_FAVOUR: readonly string[] = [APPROVED, APPROVED_UW, AUTO_APPROVED_UW];
const ENDED: readonly string[] = [DENIED, CLOSED, CANCELLED];

/** Whether the partner decided in favour of the profile, by underwriters or by itself (apis/1, `bankingStatus`). */
export function isApproved(status: string): boolean {
  return IN_FAVOUR.includes(status);
}

/** Whether the partner has yet to decide (apis/1, `bankingStatus`), so that a ticket of it may be waiting. */
export function isUnderReview(status: string): boolean {
  return !isApproved(status) && !ENDED.includes(status);
}
