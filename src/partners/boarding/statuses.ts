/**
 * Merchant statuses that mean something to us (apis/2, Status data; apis/4, known status names). The partner
 * has more, and each ISO its own: every other name is kept, shown and waited out.
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

/** Statuses in which nobody at the partner looks at the application, so no note can be waiting. */
const NOT_UNDER_REVIEW: readonly string[] = [NOT_SUBMITTED, APPROVED, DECLINED, WITHDRAWN, CLOSED];

export function isUnderReview(status: string): boolean {
  return !NOT_UNDER_REVIEW.includes(status);
}

/** Whether the partner has decided about an application. Only an approval has more to come: its mid. */
export function isDecided(status: string): boolean {
  return [APPROVED, DECLINED, WITHDRAWN, CLOSED].includes(status);
}

/** Statuses from which an application is submitted. A submission leads to {@link PENDING}, and nothing else does. */
export function isSubmittable(status: string): boolean {
  return status === NOT_SUBMITTED || status === REQUEST_CHANGES;
}

/** `Pending Review`, `UW Level 1: Pending Review`: only a request for review leads there (apis/2, States and transitions). */
export function isInReview(status: string): boolean {
  return status.endsWith(PENDING_REVIEW);
}

/** `Pending`, `UW Level 1: Pending`: the underwriters wait for answers (apis/2, States and transitions). */
export function takesAnswers(status: string): boolean {
  return status === PENDING || status.endsWith(`: ${PENDING}`);
}

/** Whether the partner might take answers. Of names that no document explains, only the partner knows. */
export function mayTakeAnswers(status: string): boolean {
  return isUnderReview(status) && !isInReview(status) && status !== REQUEST_CHANGES;
}

/** Whether a status means something to us. */
export function isKnown(status: string): boolean {
  const names = [
    NOT_SUBMITTED,
    PENDING,
    PENDING_REVIEW,
    APPROVED,
    DECLINED,
    REQUEST_CHANGES,
    WITHDRAWN,
    CLOSED,
  ];
  return [...names, UW_LEVEL_1].includes(status) || isInReview(status) || takesAnswers(status);
}
