/** The events of a timeline, in kebab case. Each has a text in src/operators/texts/timeline-texts.ts. */
export type TimelineEvent =
  // The life of a workflow.
  | 'started'
  | 'status-changed'
  | 'ended'
  | 'cancelled'
  // Questions to a person, and their answers.
  | `requirement-${'raised' | 'resolved' | 'closed' | 'overdue'}`
  | `requirement-${'claimed' | 'released' | 'taken-over'}`
  | `answer-${'taken-back' | 'dropped' | 'rejected' | 'proposed'}`
  | `proposal-${'withdrawn' | 'dropped'}`
  // Writes whose outcome was unknown, or that were in flight at the end, and what partners remark.
  | `write-${'uncertain' | 'adopted' | 'unfinished'}`
  | 'partner-warned'
  // A merchant.
  | `merchant-${'created' | 'adopted'}`
  | `fees-${'read' | 'changed'}`
  | 'submitted'
  | 'submission-moot'
  | `answers-${'delivered' | 'wait'}`
  | 'temporary-mid'
  | 'mid-confirmed'
  | 'restless'
  // A business.
  | `holder-${'submitted' | 'corrected'}`
  | `profile-${'adopted' | 'locked' | 'unlocked'}`
  | 'ticket-answered'
  | 'financial-account-opened'
  // A terminal.
  | `${'payments-account' | 'terminal'}-${'created' | 'adopted'}`
  // For a customer, about one of its parts.
  | `${'boarding' | 'business' | 'terminal'}-${'attached' | 'ended' | 'failed' | 'reset'}`
  // Single operations.
  | 'card-closed'
  | `nickname-${'set' | 'cleared'}`
  | 'address-changed'
  | 'sub-user-restored'
  | `webhook-${'created' | 'existed'}`
  | `statement-${'saved' | 'sent'}`
  // The account at a partner.
  | `credentials-${'refused' | 'work'}`
  | 'status-explained';
