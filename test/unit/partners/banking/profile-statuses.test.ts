import { expect, it } from 'vitest';
import { phaseOf } from '../../../../src/partners/banking/responses.js';

/** The twelve of the contract, and others. */
it.each([
  ['New', 'new'],
  ['Submitted', 'under-review'],
  ['PendingUW', 'under-review'],
  ['ApprovedUW', 'approved'],
  ['Closed', 'closed'],
  ['Cancelled', 'withdrawn'],
  ['Pending_Review', 'under-review'],
  ['Denied', 'declined'],
  ['Approved', 'approved'],
  ['Pending', 'under-review'],
  ['InReview', 'under-review'],
  ['AutoApprovedUW', 'approved'],
  ['approved', 'under-review'],
  ['constructor', 'under-review'],
  ['EscalatedToCommittee', 'under-review'],
  ['Unknown', 'under-review'],
])('a profile that is %s at the partner is %s to us', (status, phase) => {
  expect(phaseOf(status)).toBe(phase);
});
