/** The codes that people see: stages, outcomes, kinds of requirements, and timeline events. docs/codes.md explains each. */

import { EACH_ONBOARDING, type OnboardingType, type OutcomeOf, type StageOf } from './workflow-types.js';

/** The outcome of an onboarding or a single operation. */
export type OutcomeName = OutcomeOf<OnboardingType> | 'done' | 'rejected';

const ENDS = EACH_ONBOARDING.map(([, { success, otherwise }]) => [success, ...otherwise]);

/** The outcomes of an onboarding or a single operation. */
export const OUTCOMES = [...new Set([...ENDS.flat(), 'done', 'rejected'])] as readonly OutcomeName[];

/** The stage of an onboarding, or its outcome. */
export type Stage = StageOf<OnboardingType> | 'working' | OutcomeName | 'cancelled';

/** The stages of a workflow, in order. */
export function stagesOf(workflowType: string): readonly Stage[] {
  const own = EACH_ONBOARDING.find(([type]) => type === workflowType)?.[1].stages;
  return (own as readonly Stage[] | undefined) ?? ['working'];
}

/** The stages and outcomes of an onboarding: see docs/codes.md#stage, also for the spelling of `cancelled`. */
export const STAGES: readonly Stage[] = [
  ...new Set(EACH_ONBOARDING.flatMap(([type]) => stagesOf(type))),
  'working',
  ...OUTCOMES,
  'cancelled',
];

/** Returns the first stage of a workflow type. */
export function firstStage(workflowType: string): Stage {
  return stagesOf(workflowType)[0] ?? 'working';
}

/** The reasons to ask a person. */
export const REQUIREMENT_KINDS = [
  'underwriting-note',
  'changes-requested',
  'not-submitted',
  'unclear-mid',
  'rejected-input',
  'uncertain-write',
  'ticket',
  'locked-profile',
  'credentials',
  'one-time-code',
  'waiting',
  'unreadable',
  'software-error',
  'new-status',
] as const;

/** The reason to ask a person. */
export type RequirementKind = (typeof REQUIREMENT_KINDS)[number];

/** A person's task for each kind of requirement, short enough for a list. */
export const TASKS: Readonly<Record<RequirementKind, string>> = {
  'underwriting-note': 'answer note',
  'changes-requested': 'change input',
  'not-submitted': 'submit or not',
  'unclear-mid': 'confirm mid',
  'rejected-input': 'correct input',
  'uncertain-write': 'check write',
  ticket: 'answer ticket',
  'locked-profile': 'unlock profile',
  credentials: 'check access',
  'one-time-code': 'enter code',
  waiting: 'ask partner',
  unreadable: 'check response',
  'software-error': 'replace build',
  'new-status': 'explain status',
};

/** The default length of a claim, in hours. */
export const DEFAULT_CLAIM_HOURS = 4;

/** The default length of an assignment to a colleague, in hours. It spans a weekend. */
export const DEFAULT_ASSIGNED_HOURS = 72;

/** The maximum length of a claim, in days. */
export const LONGEST_CLAIM_DAYS = 7;

/** The default and maximum validity of a merchant's link, in days. */
export const DEFAULT_LINK_DAYS = 7;
export const LONGEST_LINK_DAYS = 30;

/** Why a link accepts no answer. `received`: it can no longer change. `handled`: a colleague proposed one. `over`: nobody asks. */
export const LINK_ENDS = ['answered', 'received', 'handled', 'over', 'expired', 'revoked', 'locked'] as const;

/** The languages of the merchant's page. */
export const LINK_LANGUAGES = ['en', 'es'] as const;

/** The events of a timeline. */
export const TIMELINE_EVENTS = [
  // The life of a workflow.
  'started',
  'status-changed',
  'ended',
  'cancelled',
  // Questions to a person, and their answers.
  'requirement-raised',
  'requirement-resolved',
  'requirement-closed',
  'requirement-overdue',
  'requirement-claimed',
  'requirement-released',
  'requirement-taken-over',
  'requirement-unclaimed',
  'requirement-assigned',
  'answer-taken-back',
  'answer-dropped',
  'answer-rejected',
  'answer-proposed',
  'answer-confirmed',
  'proposal-withdrawn',
  'proposal-dropped',
  'remark-added',
  // A link through which the merchant answers.
  'merchant-asked',
  'merchant-began',
  'answer-sent-back',
  'link-revoked',
  // Uncertain writes, writes in flight at the end, and partners' warnings.
  'write-uncertain',
  'write-confirmed',
  'write-unfinished',
  'partner-warned',
  // A merchant.
  'merchant-created',
  'merchant-imported',
  'fees-read',
  'fees-changed',
  'submitted',
  'submission-superseded',
  'answers-delivered',
  'answers-wait',
  'temporary-mid',
  'mid-confirmed',
  'volatile',
  // A business.
  'holder-submitted',
  'holder-corrected',
  'profile-imported',
  'profile-locked',
  'profile-unlocked',
  'ticket-answered',
  'financial-account-opened',
  // For a customer, about one of its parts.
  'boarding-attached',
  'boarding-ended',
  'boarding-failed',
  'boarding-reset',
  'business-attached',
  'business-ended',
  'business-failed',
  'business-reset',
  // Single operations.
  'card-closed',
  'nickname-set',
  'nickname-cleared',
  'address-changed',
  'sub-user-restored',
  'webhook-created',
  'webhook-existed',
  'statement-saved',
  'statement-sent',
  // The account at a partner.
  'credentials-refused',
  'credentials-work',
  'status-explained',
] as const;

/** An event of a timeline, in kebab case. */
export type TimelineEvent = (typeof TIMELINE_EVENTS)[number];

/** Kinds of activity, with their events. `partner` has the events without a person, except questions. */
export const ACTIVITIES = {
  start: ['started'],
  answer: [
    'requirement-resolved',
    'answer-proposed',
    'answer-confirmed',
    'proposal-withdrawn',
    'answer-taken-back',
    'answer-dropped',
  ],
  correction: ['requirement-resolved'],
  assignment: [
    'requirement-claimed',
    'requirement-assigned',
    'requirement-released',
    'requirement-taken-over',
  ],
  remark: ['remark-added'],
  question: ['requirement-raised', 'requirement-closed', 'requirement-overdue', 'requirement-unclaimed'],
  partner: [],
  person: [],
} as const satisfies Readonly<Record<string, readonly TimelineEvent[]>>;

/** A kind of activity. */
export type ActivityKind = keyof typeof ACTIVITIES;

const ENDED = ['gangway_workflows_ended_total', 'Onboardings and single operations that ended'] as const;

/**
 * The Prometheus counters of timeline events. All also have the labels workflow type, system and account. Every label has few
 * values: `operation` is a name in the catalogue, or an activity type if a worker died.
 */
export const COUNTERS = {
  started: ['gangway_workflows_started_total', 'Onboardings and single operations that began'],
  /** Labeled by `outcome`. */
  ended: ENDED,
  cancelled: ENDED,
  /** These five are labeled by `kind`. */
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
  /** Labeled by `operation`. */
  'write-uncertain': ['gangway_uncertain_writes_total', 'Writes with an unknown outcome'],
} as const satisfies Readonly<Partial<Record<TimelineEvent, readonly [name: string, help: string]>>>;
