import { expect, it } from 'vitest';
import { isApproved, isUnderReview } from '../../../../src/partners/banking/statuses.js';

/** The twelve of the contract, and others. */
it.each([
  ['New', 'under review'],
  ['Submitted', 'under review'],
  ['PendingUW', 'under review'],
  ['ApprovedUW', 'approved'],
  ['Closed', 'ended'],
  ['Cancelled', 'ended'],
  ['Pending_Review', 'under review'],
  ['Denied', 'ended'],
  ['Approved', 'approved'],
  ['Pending', 'under review'],
  ['InReview', 'under review'],
  ['AutoApprovedUW', 'approved'],
  ['approved', 'under review'],
  ['EscalatedToCommittee', 'under review'],
  ['Unknown', 'under review'],
])('a profile that is %s is %s', (status, expected) => {
  const means = isApproved(status) ? 'approved' : isUnderReview(status) ? 'under review' : 'ended';
  expect(means).toBe(expected);
});
