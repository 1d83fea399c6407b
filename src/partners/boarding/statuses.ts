import type { MerchantPhase } from './phases.js';

/**
 * The partner's names of merchant statuses that mean something to us (apis/2, Status data; apis/4, known status names). The
 * partner has more, and each ISO its own: every other name is kept, shown and waited out. No other file decides by a name.
 */
export const NOT_SUBMITTED = 'Not Submitted';
export const PENDING = 'Pending';
export const PENDING_REVIEW = 'Pending Review';
export const APPROVED = 'Approved';
export const DECLINED = 'Declined';
export const REQUEST_CHANGES = 'RequestChanges';
export const WITHDRAWN = 'Withdrawn';
export const CLOSED = 'Closed';
export const UW_LEVEL_1 = 'UW Level 1';
export const UW_LEVEL_1_PENDING = 'UW Level 1: Pending';
export const UW_LEVEL_1_PENDING_REVIEW = 'UW Level 1: Pending Review';

const PHASES: ReadonlyMap<string, MerchantPhase> = new Map([
  [NOT_SUBMITTED, 'not-submitted'],
  [PENDING, 'submitted'],
  [APPROVED, 'approved'],
  [DECLINED, 'declined'],
  [REQUEST_CHANGES, 'changes-requested'],
  [WITHDRAWN, 'withdrawn'],
  [CLOSED, 'closed'],
]);

/** What a status means. Those of the underwriters' levels end alike: `UW Level 1: Pending` (apis/2, States and transitions). */
export function phaseOf(status: string): MerchantPhase {
  const phase = PHASES.get(status);
  if (phase !== undefined) return phase;
  if (status.endsWith(PENDING_REVIEW)) return 'in-review';
  return status.endsWith(`: ${PENDING}`) ? 'awaiting-answers' : 'other';
}
