import {
  APPROVED,
  CLOSED,
  DECLINED,
  PENDING,
  REQUEST_CHANGES,
  UW_LEVEL_1,
  UW_LEVEL_1_PENDING,
  WITHDRAWN,
} from '../../partners/boarding/statuses.js';

/** One thing the underwriters do. Members left out stay as they are. */
export interface Step {
  readonly status?: string;
  readonly comment?: string;
  /** `final`, `temporary` and `unclear`, which is not of digits, make one up; `none` takes it away. */
  readonly mid?: 'final' | 'temporary' | 'unclear' | 'none';
  /** Texts of the notes they leave. */
  readonly notes?: readonly string[];
}

/** What happens to a merchant of a scenario by itself, at the sandbox's pace, after each thing the caller does. */
export interface Scenario {
  readonly description: string;
  /** After the submission put it at Pending. */
  readonly submitted: readonly Step[];
  /** After the first, second, ... underwritingReview put it at Pending Review. */
  readonly reviewed?: readonly (readonly Step[])[];
  /** After a submission that followed RequestChanges put it at Pending again. */
  readonly resubmitted?: readonly Step[];
  /** Every read of the status has a new `statusDate`. */
  readonly restlessDate?: true;
}

const approved: readonly Step[] = [{ status: APPROVED }, { mid: 'final' }];
const twoNotes: Step = {
  notes: ['Please send a voided check for the deposit account.', 'What share of sales is keyed in by hand?'],
};

const twoQuestions: Step = {
  notes: ['Who owns the remaining shares?', 'Which months are the busiest?'],
};
const lease = 'The lease is unsigned. When will it be signed?';

/** A dba that ends in `[name]` plays the scenario of that name; a dba without brackets plays `straight`. */
export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  straight: { description: 'Pending, Approved, then a mid', submitted: approved },
  notes: { description: 'two notes to be answered', submitted: [twoNotes], reviewed: [approved] },
  'more-notes': {
    description: 'a note, and after its answer another one',
    submitted: [{ notes: ['Please describe the goods sold.'] }],
    reviewed: [[{ status: PENDING, notes: ['Please send the supplier invoice of last month.'] }], approved],
  },
  'moot-notes': {
    description: 'two notes, then approved although nobody answered',
    submitted: [twoNotes, ...approved],
  },
  'same-note': {
    description: 'a note, and after its answer the same note again: the answer was not good enough',
    submitted: [{ notes: [lease] }],
    reviewed: [[{ status: PENDING, notes: [lease] }], approved],
  },
  'notes-on-hold': {
    description:
      'two notes; On Hold for a moment, when nobody takes the answers, then Pending with the same notes',
    submitted: [twoQuestions, { status: 'On Hold' }, { status: PENDING }],
    reviewed: [approved],
  },
  'approved-by-mistake': {
    description: 'two notes; Approved for a moment, then Pending with the same notes',
    submitted: [twoQuestions, { status: APPROVED }, { status: PENDING, ...twoQuestions }],
    reviewed: [approved],
  },
  'request-changes': {
    description: 'RequestChanges, approved once submitted again',
    submitted: [
      { status: REQUEST_CHANGES, comment: 'The annual card volume does not match the statements.' },
    ],
    resubmitted: approved,
  },
  declined: {
    description: 'Declined',
    submitted: [{ status: DECLINED, comment: 'Business type is not supported.' }],
  },
  withdrawn: {
    description: 'Withdrawn',
    submitted: [{ status: WITHDRAWN, comment: 'Withdrawn on request of the merchant.' }],
  },
  closed: { description: 'Closed', submitted: [{ status: CLOSED, comment: 'Closed by the sponsor bank.' }] },
  'uw-level-1': {
    description: 'through UW Level 1 with a note, to approval',
    submitted: [
      { status: UW_LEVEL_1 },
      { status: UW_LEVEL_1_PENDING, notes: ['Please send three months of processing statements.'] },
    ],
    reviewed: [approved],
  },
  'temporary-mid': {
    description: 'has a temporary mid while it is still Pending, loses it, and gets the real one',
    submitted: [{ mid: 'temporary' }, { status: APPROVED, mid: 'none' }, { mid: 'final' }],
  },
  'unclear-mid': {
    description: 'Approved, with a text in place of the mid for a moment, then the mid',
    submitted: [{ status: APPROVED }, { mid: 'unclear' }, { mid: 'final' }],
  },
  'conditionally-approved': {
    description: 'Conditionally Approved before Approved',
    submitted: [{ status: 'Conditionally Approved' }, ...approved],
  },
  'unknown-status': {
    description: 'a status that no document names, then approval',
    submitted: [{ status: 'Escalated to Committee' }, ...approved],
  },
  'restless-date': {
    description: 'stays Pending, with a new statusDate in each read',
    submitted: [],
    restlessDate: true,
  },
  waiting: {
    description: 'stays Pending until POST /sandbox/merchants/{id}/transition moves it',
    submitted: [],
  },
};
