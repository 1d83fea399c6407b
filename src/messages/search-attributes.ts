import { defineSearchAttributeKey } from '@temporalio/common';

/**
 * What can be filtered by in the Web UI and in `gangway list`. Search attributes are never encrypted: ids and
 * states only, nothing personal. Ids are keywords, for that type has room on every visibility store.
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

/**
 * What workflows count, for Prometheus. Each is counted by workflow type, system and account as well; no label holds more
 * than a few words of ours. Operations at the partners are of the catalogue, or an activity type where a worker died.
 */
export const COUNTERS = {
  started: ['gangway_workflows_started_total', 'Onboardings and single operations that began'],
  /** By `outcome`. */
  ended: ['gangway_workflows_ended_total', 'Onboardings and single operations that ended'],
  /** These four by `kind`. */
  requirementsRaised: ['gangway_requirements_raised_total', 'Requirements raised: a person is asked'],
  requirementsAnswered: ['gangway_requirements_answered_total', 'Requirements that a person answered'],
  requirementsClosed: ['gangway_requirements_closed_total', 'Requirements closed without an answer'],
  requirementsOverdue: ['gangway_requirements_overdue_total', 'Requirements not answered by their due date'],
  /** By `operation`. */
  uncertainWrites: ['gangway_uncertain_writes_total', 'Writes of which nobody knew whether they took effect'],
} as const satisfies Readonly<Record<string, readonly [name: string, help: string]>>;
