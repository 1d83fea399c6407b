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
