import { defineSearchAttributeKey } from '@temporalio/common';

/**
 * Filters in the Web UI and in `gangway list`. Search attributes are never encrypted: ids and states only, nothing personal. Ids
 * are keywords, because every visibility store has enough columns of that type.
 */
export const SEARCH_ATTRIBUTES = {
  partnerAccount: defineSearchAttributeKey('PartnerAccount', 'KEYWORD'),
  stage: defineSearchAttributeKey('OnboardingStage', 'KEYWORD'),
  partnerStatus: defineSearchAttributeKey('PartnerStatus', 'KEYWORD'),
  merchantProfileId: defineSearchAttributeKey('MerchantProfileId', 'KEYWORD'),
  bankingProfileId: defineSearchAttributeKey('BankingProfileId', 'KEYWORD'),
  mid: defineSearchAttributeKey('Mid', 'KEYWORD'),
  agentProfileId: defineSearchAttributeKey('AgentProfileId', 'KEYWORD'),
  actionRequired: defineSearchAttributeKey('ActionRequired', 'BOOL'),
  actionDueAt: defineSearchAttributeKey('ActionDueAt', 'DATETIME'),
} as const;

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
  /** These four by `kind`. */
  'requirement-raised': ['gangway_requirements_raised_total', 'Requirements raised: a person is asked'],
  'requirement-resolved': ['gangway_requirements_answered_total', 'Requirements that a person answered'],
  'requirement-closed': ['gangway_requirements_closed_total', 'Requirements closed without an answer'],
  'requirement-overdue': [
    'gangway_requirements_overdue_total',
    'Requirements not answered by their due date',
  ],
  /** By `operation`. */
  'write-uncertain': ['gangway_uncertain_writes_total', 'Writes with an unknown outcome'],
} as const satisfies Readonly<Record<string, readonly [name: string, help: string]>>;
