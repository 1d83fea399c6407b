import { z } from 'zod';
import { isPersonName, PERSON_NAME_RULE } from '../../../messages/actors.js';
import { LONGEST_REMARK } from '../../../messages/claims.js';
import { DEFAULT_ASSIGNED_HOURS, DEFAULT_CLAIM_HOURS, LONGEST_CLAIM_DAYS } from '../../../messages/codes.js';
import { STAGES, type Stage } from '../../../messages/onboarding-state.js';
import { REQUIREMENT_KINDS } from '../../../messages/requirements.js';
import { EACH_ONBOARDING, ONBOARDINGS, type OnboardingType } from '../../../messages/workflow-types.js';
import { SYSTEM_NAMES } from '../../../partners/system-names.js';
import { requirementView } from '../../../services/inbox/requirement-view.js';
import { answerBody } from '../../../temporal/program-requests.js';

/** The shapes of the API's requests and responses. A response never contains a field that is missing here. */

/** The nouns of the API for the kinds of onboardings: `merchant`. */
export const NOUNS = EACH_ONBOARDING.map(([, { nouns }]) => nouns[0]) as [string, ...string[]];

export function nounOf(type: string): string | undefined {
  return type in ONBOARDINGS ? ONBOARDINGS[type as OnboardingType].nouns[0] : undefined;
}

const time = z.iso.datetime({ offset: true });
/** A time in a response. Only its format is described. */
export const at = z.string().meta({ format: 'date-time' });
/** A short text. Temporal cannot search for control characters or half a surrogate pair. */
const short = z
  .string()
  .min(1)
  .max(300)
  .refine((text) => !/[\p{Cc}\p{Cs}]/u.test(text), 'must have no control characters');
const since = (what: string) =>
  time
    .transform((text) => new Date(text))
    // Converting to UTC can lead beyond the years that Temporal accepts.
    .refine((date) => /^\d{4}-/.test(date.toISOString()), 'must be a time of the years 0000 to 9999')
    .optional()
    .describe(what);
const flag = z
  .enum(['true', 'false'])
  .transform((text) => text === 'true')
  .optional()
  .meta({ type: 'boolean', enum: undefined });

const limit = z.coerce.number().int().min(1).max(200).default(50);
const cursor = z.string().min(1).max(4_000).optional().describe('`next` of the page before');

const EXAMPLE = 'merchant-boarding-m-1001';
const workflowId = short.meta({ examples: [EXAMPLE] });

/** The sandbox asks two questions about it. */
export const MERCHANT_EXAMPLE = {
  type: 'merchant',
  merchant: {
    dba: 'Harbor Books [notes]',
    firstName: 'Ben',
    lastName: 'Reader',
    cashDiscount: 'No',
    pos: 'None',
  },
  agentProfileId: 101,
  boardingSettingsId: 11,
  dueInHours: 24,
};

export const onboardingPath = z.object({ onboarding: workflowId });
export const requirementPath = z.object({
  onboarding: workflowId,
  id: short.meta({ examples: ['note-13e54e3f88e6'] }),
});
/** OpenAPI requires one name per path parameter, for all methods. */
export const externalIdPath = z.object({
  onboarding: short.meta({ description: 'Your key, the `externalId`', examples: ['m-1001'] }),
});

export const onboardingQuery = z.strictObject({
  type: z.enum(NOUNS).optional(),
  account: short.optional().describe('A partner account; `default` for the unnamed account'),
  stage: z.enum(STAGES as [Stage, ...Stage[]]).optional(),
  partnerStatus: short.optional(),
  state: z.enum(['running', 'ended']).optional(),
  waiting: flag.describe('`true`: only those that wait for a person'),
  startedSince: since('Started at this time or later'),
  startedBefore: since('Started before this time'),
  endedSince: since('Ended at this time or later'),
  endedBefore: since('Ended before this time'),
  externalId: short.optional(),
  mid: short.optional(),
  merchantProfileId: short.optional(),
  find: short.optional().describe('Beginnings of words of the name, or the beginning of an ID'),
  limit,
  cursor,
});

export const requirementQuery = z.strictObject({
  kind: z.enum(REQUIREMENT_KINDS).optional(),
  partner: z.enum(SYSTEM_NAMES).optional(),
  account: short.optional().describe('A partner account; `default` for the unnamed account'),
  onboarding: short.optional(),
  overdue: flag.describe('`true`: only those that are past their due date'),
  claimed: flag,
  claimedBy: short.optional().describe('A person, or an actor as in the timeline'),
  limit: limit.describe('The most onboardings of a page, each with all its requirements'),
  cursor,
});

export const timelineQuery = z.strictObject({ limit, cursor });

export const readQuery = z.strictObject({
  input: z
    .enum(['masked', 'private'])
    .optional()
    .describe('Adds the input, and a proposed answer. `private` needs the scope `private`'),
});

export const reportQuery = z.strictObject({
  since: since('Leaves out what ended before. Default: twelve weeks ago'),
  by: z.enum(['agent', 'account']).optional(),
  partner: z.enum(SYSTEM_NAMES).optional(),
  account: short.optional(),
});

export const person = z
  .string()
  .max(200)
  .refine(isPersonName, PERSON_NAME_RULE)
  .optional()
  .meta({ description: 'The person for whom the program acts', examples: ['Ada Park'] });

const reason = z.string().regex(/\S/, 'must not be empty').max(500);

export const example = <Schema extends z.ZodType>(schema: Schema, value: unknown): Schema =>
  schema.meta({ examples: [value] });

export const answerRequest = example(z.strictObject({ answer: answerBody, reason, person }), {
  answer: { kind: 'text', text: 'About one sale in ten is keyed in by hand.' },
  reason: 'The merchant said so on the phone.',
  person: 'Ada Park',
});
export const takeBackRequest = example(z.strictObject({ reason, person }), { reason: 'The wrong merchant.' });
export const claimRequest = example(
  z.strictObject({
    hours: z
      .number()
      .positive()
      .max(LONGEST_CLAIM_DAYS * 24)
      .default(DEFAULT_CLAIM_HOURS),
    takeOver: z.boolean().default(false).describe('Takes over the claim of somebody else'),
    person,
  }),
  { hours: 2, person: 'Ada Park' },
);
export const assignRequest = example(
  claimRequest.extend({
    assignee: short.describe('A colleague of GANGWAY_PEOPLE_FILE: the name or the ID'),
    hours: claimRequest.shape.hours.unwrap().default(DEFAULT_ASSIGNED_HOURS),
    text: z.string().max(LONGEST_REMARK).optional().describe('A remark for colleagues'),
  }),
  { assignee: 'Bo Baker', text: 'Please call them.', person: 'Ada Park' },
);
export const releaseRequest = example(z.strictObject({ person }), { person: 'Ada Park' });
export const remarkRequest = example(
  z.strictObject({ text: z.string().regex(/\S/, 'must not be empty').max(LONGEST_REMARK), person }),
  { text: 'Called, no answer.', person: 'Ada Park' },
);
export const proposedAt = at.max(40).describe('`proposal.at` of the requirement');
export const confirmRequest = example(
  z.strictObject({ proposedAt, reason: reason.optional(), person: person.unwrap() }),
  { proposedAt: '2026-01-31T12:00:00.000Z', person: 'Bo Baker' },
);
export const withdrawRequest = example(
  z.strictObject({ proposedAt: proposedAt.optional(), reason: reason.optional(), person }),
  { reason: 'The merchant has called again.' },
);
export const cancelRequest = example(z.strictObject({ reason, person }), {
  reason: 'The merchant has closed.',
});

const claim = z.object({ actor: z.string(), until: at, by: z.string().optional() });

const requirementRow = z.object({
  workflowId: z.string().describe('The `onboarding` of its paths'),
  id: z.string(),
  kind: z.enum(REQUIREMENT_KINDS),
  task: z.string(),
  title: z.string().optional(),
  raisedAt: at,
  dueAt: at,
  overdue: z.boolean(),
  claim: claim.optional(),
  proposal: z.object({ actor: z.string(), at }).optional(),
  dba: z.string().optional(),
  partner: z.string().optional(),
  account: z.string().optional(),
});

const onboardingRow = z.object({
  workflowId: z.string(),
  type: z.enum(NOUNS).optional().describe('Absent for a single operation or a partner account'),
  externalId: z.string().optional(),
  account: z.string().optional(),
  dba: z.string().optional(),
  state: z.string().meta({ examples: ['running', 'completed', 'cancelled', 'terminated', 'failed'] }),
  stage: z.string().optional(),
  partnerStatus: z.string().optional(),
  merchantProfileId: z.int().optional(),
  bankingProfileId: z.int().optional(),
  mid: z.string().optional(),
  waiting: z.boolean().describe('It waits for a person'),
  startedAt: at,
  endedAt: at.optional(),
});

const openJson = z.record(z.string(), z.unknown());
const next = z.string().optional().describe('`cursor` of the next page. Absent on the last one');

export const onboardingPage = z.object({ onboardings: z.array(onboardingRow), next });
export const requirementPage = z.object({ requirements: z.array(requirementRow), next });
export const onboarding = onboardingRow.extend({
  step: z.string().describe('What it does now, for people'),
  outcome: z.string().optional(),
  financialAccountId: z.string().optional(),
  requirements: z.array(requirementRow),
  unsent: z.array(z.string()).describe('IDs of requirements whose answers can be taken back'),
  obstacles: z.array(z.string()).describe('What it waits for besides people'),
  input: openJson.optional(),
});
export const timelinePage = z.object({
  entries: z.array(
    z.object({
      at,
      event: z.string(),
      detail: z.string().optional(),
      actor: z.string().optional(),
      reason: z.string().optional(),
    }),
  ),
  next,
});
export const requirement = z.object({
  requirement: requirementView,
  input: openJson.optional().describe('The input that a correction changes'),
  proposed: answerBody.optional().describe('The whole proposed answer'),
});

const requirementId = z.string();
export const started = z.object({ workflowId: z.string(), unchanged: z.literal(true).optional() });
export const canceled = z.object({ workflowId: z.string(), cancelRequested: z.literal(true) });
export const nudged = z.object({
  workflowId: z.string(),
  nudged: z.boolean().describe('It reads its status now'),
  retried: z.array(z.string()).describe('Calls that are retried now'),
});
export const answered = z.object({
  requirementId,
  acceptedAt: at,
  open: z.int().describe('How many are still open'),
});
export const claimed = z.object({ requirementId, claim: claim.optional() });
export const proposed = z.object({ requirementId, proposedAt: at });
export const about = z.object({ requirementId });

export const documentForm = z.object({ file: z.file() });
export const stored = z.object({ key: z.string(), fileName: z.string(), contentType: z.string() });

const count = z.int();
export const reportShape = z.object({
  version: z.literal(1),
  at,
  namespace: z.string(),
  since: at,
  by: z.string().nullable(),
  filter: z.record(z.string(), z.string()),
  retentionSeconds: z.number().nullable(),
  running: count,
  waiting: count,
  waitingOverADay: count,
  overADay: count,
  ended: count,
  stages: z.array(z.object({ subject: z.string(), stage: z.string(), running: count, waiting: count })),
  stageTimes: z.array(
    z.object({
      subject: z.string(),
      stage: z.string(),
      count,
      medianSeconds: count,
      p90Seconds: count,
      overADay: count,
    }),
  ),
  requirements: z.array(
    z.object({ kind: z.string(), open: count, overdue: count, medianSeconds: count, longestSeconds: count }),
  ),
  longest: z.array(
    z.object({
      workflowId: z.string(),
      dba: z.string().nullable(),
      waits: z.enum(['person', 'stage']),
      for: z.string(),
      since: at,
      partnerStatus: z.string().nullable(),
    }),
  ),
  weeks: z.array(
    z.object({
      subject: z.string(),
      week: z.string(),
      monday: z.string(),
      outcomes: z.record(z.string(), count),
    }),
  ),
  groups: z
    .array(
      z.object({
        group: z.string().nullable(),
        running: count,
        waiting: count,
        succeeded: count,
        others: count,
        medianSeconds: count.nullable(),
      }),
    )
    .optional(),
});

/** The schemas with a name in the OpenAPI document. */
export const NAMED = {
  OnboardingPage: onboardingPage,
  Onboarding: onboarding,
  OnboardingRow: onboardingRow,
  RequirementPage: requirementPage,
  RequirementRow: requirementRow,
  Requirement: requirement,
  TimelinePage: timelinePage,
  Claim: claim,
  Answer: answerBody,
  RequirementView: requirementView,
  AnswerRequest: answerRequest,
  TakeBackRequest: takeBackRequest,
  ClaimRequest: claimRequest,
  AssignRequest: assignRequest,
  ReleaseRequest: releaseRequest,
  RemarkRequest: remarkRequest,
  ConfirmRequest: confirmRequest,
  WithdrawRequest: withdrawRequest,
  CancelRequest: cancelRequest,
  Started: started,
  Canceled: canceled,
  Nudged: nudged,
  Answered: answered,
  Claimed: claimed,
  Proposed: proposed,
  About: about,
  StoredDocument: stored,
  Report: reportShape,
} as const;
