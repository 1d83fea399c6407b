import { expect, it } from 'vitest';
import { isClosed } from '../../../../src/partners/banking/client.js';
import { profilePhase } from '../../../../src/partners/banking/responses.js';

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
  ['APPROVED', 'approved'],
  ['constructor', 'under-review'],
  ['EscalatedToCommittee', 'under-review'],
  ['Unknown', 'under-review'],
])('a profile that is %s at the partner is %s to us', (status, phase) => {
  expect(profilePhase(status)).toBe(phase);
});

it.each([
  [3, true],
  ['3', false],
  ['CLOSED', true],
  ['Closed', true],
  [1, false],
  ['SUSPENDED', false],
  [null, false],
])('a card of status %j is closed: %s', (status, expected) => {
  expect(isClosed({ status })).toBe(expected);
});
