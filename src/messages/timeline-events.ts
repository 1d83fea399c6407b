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
