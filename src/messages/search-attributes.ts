import { defineSearchAttributeKey } from '@temporalio/common';
import { LONGEST, truncate } from '../partners/text-limits.js';
import { BATCH_MEMO } from './batches.js';
import { firstStage } from './codes.js';
import { type DbaForm, indexedDba, indexedWords } from './list-fields.js';
import { omitUndefined } from './objects.js';
import type { WorkflowType } from './workflow-types.js';

/**
 * Columns and filters in the Web UI and in `gangway list`. Search attributes are never encrypted: names of businesses, IDs and states
 * only, nothing personal. IDs are keywords, because every visibility store has enough columns of that type.
 * @example SEARCH_ATTRIBUTES.stage.name // 'OnboardingStage'
 */
export const SEARCH_ATTRIBUTES = {
  /** See `GANGWAY_DBA`. */
  dba: defineSearchAttributeKey('Dba', 'KEYWORD'),
  /** See `indexedWords`. */
  dbaWords: defineSearchAttributeKey('DbaWords', 'TEXT'),
  partnerAccount: defineSearchAttributeKey('PartnerAccount', 'KEYWORD'),
  stage: defineSearchAttributeKey('OnboardingStage', 'KEYWORD'),
  partnerStatus: defineSearchAttributeKey('PartnerStatus', 'KEYWORD'),
  merchantProfileId: defineSearchAttributeKey('MerchantProfileId', 'KEYWORD'),
  bankingProfileId: defineSearchAttributeKey('BankingProfileId', 'KEYWORD'),
  mid: defineSearchAttributeKey('Mid', 'KEYWORD'),
  agentProfileId: defineSearchAttributeKey('AgentProfileId', 'KEYWORD'),
  actionRequired: defineSearchAttributeKey('ActionRequired', 'BOOL'),
  actionDueAt: defineSearchAttributeKey('ActionDueAt', 'DATETIME'),
  /** These two have their form in messages/list-fields.ts. */
  requirements: defineSearchAttributeKey('Requirements', 'KEYWORD_LIST'),
  stageTimes: defineSearchAttributeKey('StageTimes', 'KEYWORD_LIST'),
} as const;

/** The header that carries the dba of a workflow to its activities, in the form of the search attribute, for their log lines. */
export const DBA_HEADER = 'gangway-dba';

/** The field of the memo that has the actor who started the workflow. */
export const STARTER_MEMO = 'startedBy';

/** The values that lists and the Web UI show of a workflow before its first task. */
export interface FirstSight {
  /** One line for the Web UI. Default: the dba. */
  readonly summary?: string;
  readonly dba?: string | undefined;
  /** Default: `shown`. */
  readonly dbaForm?: DbaForm | undefined;
  readonly account?: string | undefined;
  /** Workflow ID of the batch that starts it. */
  readonly batch?: string | undefined;
  /** The person or program that starts it. */
  readonly actor?: string | undefined;
}

// Keeps M1.
/** The options of a start that make a {@link FirstSight} visible. The memo and the summary are encrypted. */
export function initialVisibility(
  type: WorkflowType,
  { dba: name, summary = name, dbaForm = 'shown', account, batch, actor }: FirstSight,
) {
  const dba = name === undefined ? undefined : truncate(name, LONGEST.line);
  const startedBy = actor === undefined ? undefined : truncate(actor, LONGEST.line);
  const memo = omitUndefined({ dba, [BATCH_MEMO]: batch, [STARTER_MEMO]: startedBy });
  return {
    staticSummary: truncate(summary ?? '', LONGEST.summary),
    ...(Object.keys(memo).length > 0 && { memo }),
    typedSearchAttributes: [
      { key: SEARCH_ATTRIBUTES.stage, value: firstStage(type) },
      { key: SEARCH_ATTRIBUTES.actionRequired, value: false },
      ...(dba === undefined ? [] : dbaAttributes(dba, dbaForm)),
      ...(account === undefined ? [] : [{ key: SEARCH_ATTRIBUTES.partnerAccount, value: account }]),
    ],
  };
}

export function dbaAttributes(dba: string, form: DbaForm) {
  return [
    { key: SEARCH_ATTRIBUTES.dba, value: indexedDba(dba, form) },
    { key: SEARCH_ATTRIBUTES.dbaWords, value: indexedWords(dba, form) },
  ];
}
