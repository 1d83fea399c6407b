import { expect, it } from 'vitest';
import {
  isDecided,
  isMerchantUnderReview,
  MERCHANT_PHASES,
} from '../../../../src/partners/boarding/phases.js';
import { merchantPhase } from '../../../../src/partners/boarding/schemas.js';

/** Those of docs/partner-apis.md#merchant-boarding-rules and #merchant-boarding-assumptions, and others. */
it.each([
  ['Not Submitted', 'not-submitted', ''],
  ['Pending', 'pending', 'under review, takes answers'],
  ['UW Level 1', 'other', 'under review, may take answers'],
  ['UW Level 1: Pending', 'awaiting-answers', 'under review, takes answers'],
  ['UW Level 1: Pending Review', 'in-review', 'under review'],
  ['UW Level 2', 'other', 'under review, may take answers'],
  ['UW Level 2: Pending', 'awaiting-answers', 'under review, takes answers'],
  ['UW Level 2: Pending Review', 'in-review', 'under review'],
  ['Pending Review', 'in-review', 'under review'],
  ['RequestChanges', 'changes-requested', 'under review'],
  ['Approved', 'approved', 'decided'],
  ['Conditionally Approved', 'other', 'under review, may take answers'],
  ['CR:POS Equipment', 'other', 'under review, may take answers'],
  ['Declined', 'declined', 'decided'],
  ['Withdrawn', 'withdrawn', 'decided'],
  ['Closed', 'closed', 'decided'],
  ['PENDING', 'pending', 'under review, takes answers'],
  ['NOT_SUBMITTED', 'not-submitted', ''],
  ['Request Changes', 'changes-requested', 'under review'],
  ['uw-level-2: pending', 'awaiting-answers', 'under review, takes answers'],
  ['pendingReview', 'in-review', 'under review'],
  ['toString', 'other', 'under review, may take answers'],
])('a merchant that is %s at the partner is %s to us: %s', (status, phase, means) => {
  expect(merchantPhase(status)).toBe(phase);
  const meanings = [
    isMerchantUnderReview(merchantPhase(status)) && 'under review',
    isDecided(merchantPhase(status)) && 'decided',
    { sent: 'takes answers', tried: 'may take answers', waits: '' }[
      MERCHANT_PHASES[merchantPhase(status)].answer
    ],
  ];
  expect(meanings.filter(Boolean).join(', ')).toBe(means);
});

/** What a status means right after a create, before anybody has submitted the merchant: no document says which one it has. */
it.each([
  ['Not Submitted', 'submit'],
  ['Pending', 'submit'],
  ['RequestChanges', 'ask-changes'],
  ...['Approved', 'Declined', 'Withdrawn', 'Closed'].map((status) => [status, 'ask-whose']),
  ...['UW Level 1', 'UW Level 1: Pending', 'UW Level 1: Pending Review', 'Pending Review'].map((status) => [
    status,
    'ask-submitted',
  ]),
  ...['UW Level 2', 'UW Level 2: Pending', 'UW Level 2: Pending Review', 'Escalated'].map((status) => [
    status,
    'ask-submitted',
  ]),
  ...['Conditionally Approved', 'CR:POS Equipment'].map((status) => [status, 'ask-submitted']),
])('a merchant that is %s right after its create leads to: %s', (status = '', next) => {
  expect(MERCHANT_PHASES[merchantPhase(status)].afterCreate).toBe(next);
});
