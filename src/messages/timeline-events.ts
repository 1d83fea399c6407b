/** The events of a timeline. docs/codes.md has a text for each. */
export const TIMELINE_EVENTS = [
  // The life of a workflow.
  ...['started', 'status-changed', 'ended', 'cancelled'],
  // Questions to a person, and their answers.
  ...['requirement-raised', 'requirement-resolved', 'requirement-closed', 'requirement-overdue'],
  ...['requirement-claimed', 'requirement-released', 'requirement-taken-over', 'requirement-unclaimed'],
  ...['answer-taken-back', 'answer-dropped', 'answer-rejected', 'answer-proposed'],
  ...['proposal-withdrawn', 'proposal-dropped', 'remark-added'],
  // Writes whose outcome was unknown, or that were in flight at the end, and what partners remark.
  ...['write-uncertain', 'write-adopted', 'write-unfinished', 'partner-warned'],
  // A merchant.
  ...['merchant-created', 'merchant-adopted', 'fees-read', 'fees-changed'],
  ...['submitted', 'submission-moot', 'answers-delivered', 'answers-wait'],
  ...['temporary-mid', 'mid-confirmed', 'restless'],
  // A business.
  ...['holder-submitted', 'holder-corrected', 'profile-adopted', 'profile-locked', 'profile-unlocked'],
  ...['ticket-answered', 'financial-account-opened'],
  // A terminal.
  ...['payments-account-created', 'payments-account-adopted', 'terminal-created', 'terminal-adopted'],
  // For a customer, about one of its parts.
  ...['boarding-attached', 'boarding-ended', 'boarding-failed', 'boarding-reset'],
  ...['business-attached', 'business-ended', 'business-failed', 'business-reset'],
  ...['terminal-attached', 'terminal-ended', 'terminal-failed', 'terminal-reset'],
  // Single operations.
  ...['card-closed', 'nickname-set', 'nickname-cleared', 'address-changed', 'sub-user-restored'],
  ...['webhook-created', 'webhook-existed', 'statement-saved', 'statement-sent'],
  // The account at a partner.
  ...['credentials-refused', 'credentials-work', 'status-explained'],
] as const;

/** An event of a timeline, in kebab case. */
export type TimelineEvent = (typeof TIMELINE_EVENTS)[number];

const ENDED = ['gangway_workflows_ended_total', 'Onboardings and single operations that ended'] as const;

/**
 * The Prometheus counter of each timeline event that is counted. Further labels: the workflow type, the system and the account.
 * Every label has few values: an operation is one of the catalogue, or an activity type when a worker died.
 */
export const COUNTERS = {
  started: ['gangway_workflows_started_total', 'Onboardings and single operations that began'],
  /** By `outcome`. */
  ended: ENDED,
  cancelled: ENDED,
  /** These five by `kind`. */
  'requirement-raised': ['gangway_requirements_raised_total', 'Requirements raised: a person is asked'],
  'requirement-resolved': ['gangway_requirements_answered_total', 'Requirements that a person answered'],
  'requirement-closed': ['gangway_requirements_closed_total', 'Requirements closed without an answer'],
  'requirement-overdue': [
    'gangway_requirements_overdue_total',
    'Requirements not answered by their due date',
  ],
  'requirement-unclaimed': [
    'gangway_requirements_unclaimed_total',
    'Requirements that nobody claimed in time',
  ],
  /** By `operation`. */
  'write-uncertain': ['gangway_uncertain_writes_total', 'Writes with an unknown outcome'],
} as const satisfies Readonly<Partial<Record<TimelineEvent, readonly [name: string, help: string]>>>;
