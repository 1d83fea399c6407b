/** What a timeline records, in kebab case. Each has a text in src/commands/help/timeline.ts. */
export type TimelineEvent =
  | LifeEvent
  | RequirementEvent
  | WriteEvent
  | BoardingEvent
  | BusinessEvent
  | TerminalEvent
  | PartEvent
  | OperationEvent
  | AccountEvent;

type LifeEvent = 'started' | 'status-changed' | 'ended' | 'cancelled';

export type RequirementEvent =
  | 'requirement-raised'
  | 'requirement-resolved'
  | 'requirement-closed'
  | 'requirement-overdue';

type WriteEvent =
  | 'write-uncertain'
  | 'write-adopted'
  | 'write-unfinished'
  | 'partner-warned'
  | 'answer-taken-back'
  | 'answer-dropped'
  | 'answer-rejected';

type BoardingEvent =
  | 'merchant-created'
  | 'merchant-adopted'
  | 'fees-read'
  | 'fees-changed'
  | 'submitted'
  | 'submission-moot'
  | 'answers-delivered'
  | 'answers-wait'
  | 'temporary-mid'
  | 'mid-confirmed'
  | 'restless';

type BusinessEvent =
  | 'holder-submitted'
  | 'holder-corrected'
  | 'profile-adopted'
  | 'profile-locked'
  | 'profile-unlocked'
  | 'ticket-answered'
  | 'financial-account-opened';

type TerminalEvent = `${'payments-account' | 'terminal'}-${'created' | 'adopted'}`;

/** Of a customer, about one of its parts. */
export type PartEvent =
  `${'boarding' | 'business' | 'terminal'}-${'attached' | 'ended' | 'failed' | 'reset'}`;

type OperationEvent =
  | 'card-closed'
  | 'nickname-set'
  | 'nickname-cleared'
  | 'address-changed'
  | 'sub-user-restored'
  | 'webhook-created'
  | 'webhook-existed'
  | 'statement-saved'
  | 'statement-sent';

type AccountEvent = 'credentials-refused' | 'credentials-work';
