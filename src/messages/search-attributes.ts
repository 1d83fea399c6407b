import { defineSearchAttributeKey } from '@temporalio/common';
import { LONGEST, shortened } from '../partners/bounds.js';
import { BATCH_MEMO } from './batches.js';
import type { WorkflowType } from './ids.js';
import { type DbaForm, indexedDba, indexedWords } from './listed.js';
import { firstStage } from './stages.js';

/**
 * Columns and filters in the Web UI and in `gangway list`. Search attributes are never encrypted: names of businesses, ids and states
 * only, nothing personal. Ids are keywords, because every visibility store has enough columns of that type.
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
  /** These two have their form in messages/listed.ts. */
  requirements: defineSearchAttributeKey('Requirements', 'KEYWORD_LIST'),
  stageTimes: defineSearchAttributeKey('StageTimes', 'KEYWORD_LIST'),
} as const;

/** The header that carries the dba of a workflow to its activities, in the form of the search attribute, for their log lines. */
export const DBA_HEADER = 'gangway-dba';

/** The values that lists and the Web UI show of a workflow before its first task. */
export interface FirstSight {
  /** One line for the Web UI. Default: the dba. */
  readonly summary?: string;
  /** For an onboarding. */
  readonly dba?: string | undefined;
  /** Default: `shown`. */
  readonly dbaForm?: DbaForm | undefined;
  readonly account?: string | undefined;
  /** Workflow id of the batch that starts it. */
  readonly batch?: string | undefined;
}

/** The options of a start that make a {@link FirstSight} visible. The memo and the summary are encrypted. */
export function initialVisibility(
  type: WorkflowType,
  { dba: name, summary = name, dbaForm = 'shown', account, batch }: FirstSight,
) {
  const dba = name === undefined ? undefined : shortened(name, LONGEST.line);
  return {
    staticSummary: shortened(summary ?? '', LONGEST.summary),
    ...(dba !== undefined && {
      memo: { dba, ...(batch !== undefined && { [BATCH_MEMO]: batch }) },
    }),
    typedSearchAttributes: [
      { key: SEARCH_ATTRIBUTES.stage, value: firstStage(type) },
      { key: SEARCH_ATTRIBUTES.actionRequired, value: false },
      ...(dba === undefined ? [] : dbaAttributes(dba, dbaForm)),
      ...(account === undefined ? [] : [{ key: SEARCH_ATTRIBUTES.partnerAccount, value: account }]),
    ],
  };
}

/** The search attributes of a dba. */
export function dbaAttributes(dba: string, form: DbaForm) {
  return [
    { key: SEARCH_ATTRIBUTES.dba, value: indexedDba(dba, form) },
    { key: SEARCH_ATTRIBUTES.dbaWords, value: indexedWords(dba, form) },
  ];
}

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
} as const satisfies Readonly<Record<string, readonly [name: string, help: string]>>;
