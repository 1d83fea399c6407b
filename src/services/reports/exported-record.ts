import { z } from 'zod';
import { exportedSchema } from '../../platform/schemas/shape.js';

/** The document that `gangway export` writes. A reader of version 1 can ignore fields that it does not have. */

const at = z.iso.datetime().describe('UTC');
const json = z.unknown().describe('JSON, with private values masked unless `privateValues` is `shown`');

const timelineEntry = z.strictObject({
  at,
  event: z.string(),
  detail: z.string().optional(),
  actor: z.string().optional().describe('The person who did it, if one did'),
  reason: z.string().optional(),
});

const answer = z.strictObject({
  at: at.describe('When the workflow accepted it'),
  requirementId: z.string(),
  actor: z.string(),
  reason: z.string(),
  answer: json,
});

const requirement = z.strictObject({
  id: z.string(),
  status: z.enum(['open', 'answered', 'closed']),
  kind: z.string().optional().describe('Only of open ones'),
  title: z.string().optional(),
  detail: z.string().optional().describe('Only of open ones, and of partners’ notes and tickets'),
  raisedAt: at.optional(),
  dueAt: at.optional().describe('Only of open ones'),
  overdueAt: at.optional().describe('When it became overdue'),
  unclaimedAt: at.optional().describe('When nobody had claimed it in time'),
  endedAt: at.optional().describe('When it was answered, or closed without an answer'),
  closedBecause: z.string().optional(),
});

const correction = z.strictObject({
  at,
  requirementId: z.string(),
  actor: z.string(),
  reason: z.string(),
  field: z.string().describe('Path in the input: `holder.city`'),
  old: json.optional().describe('Absent when the field had no value'),
  new: json.optional().describe('Absent when the field was removed'),
  takenBack: z.boolean().describe('It was withdrawn before it reached the partner'),
});

const RESULTS = [
  'done',
  'rejected',
  'uncertain',
  'not-sent',
  'rate-limited',
  'unauthorized',
  'forbidden',
  'failed',
  'timed-out',
  'cancelled',
  'pending',
  'not-recorded',
] as const;

const call = z.strictObject({
  number: z.int().describe('In the order in which they were scheduled, from 1'),
  operation: z.string().describe('The activity: `createMerchant`'),
  summary: z.string().optional(),
  system: z.string(),
  scheduledAt: at,
  startedAt: at.optional().describe('When the last attempt began'),
  endedAt: at.optional(),
  attempts: z.int(),
  result: z
    .enum(RESULTS)
    .describe(
      '`uncertain`: whether it took effect is unknown. `not-recorded`: its run ended before its result was recorded',
    ),
  problem: z.string().optional().describe('Why it failed, or why the attempt before failed'),
  httpStatus: z.int().optional(),
  requestId: z.string().optional().describe("The partner's own id of the request"),
  request: json.optional(),
  response: json.optional(),
});

const document = z.strictObject({
  key: z.string().describe('In the document store'),
  fileName: z.string(),
  contentType: z.string(),
  answered: z.array(z.string()).describe('Ids of the requirements that it answers'),
  sentBy: z.array(z.int()).describe('Numbers of the calls that sent it'),
  sha256: z.string().optional().describe('SHA-256 of the bytes in the store at `exportedAt`'),
  bytes: z.int().optional(),
  problem: z.string().optional().describe('Why the store did not return it'),
});

const facts = z.strictObject({
  dba: z.string().optional(),
  stage: z.string().optional(),
  partnerStatus: z.string().optional(),
  merchantProfileId: z.number().optional(),
  profileId: z.number().optional(),
  financialAccountId: z.string().optional(),
  mid: z.string().optional(),
});

const onboarding = z.strictObject({
  workflowId: z.string(),
  workflowType: z.string(),
  externalId: z.string().optional(),
  partnerAccount: z.string().optional(),
  runIds: z.array(z.string()).describe('First to last'),
  status: z
    .string()
    .describe('The workflow’s: `running`, `completed`, `cancelled`, `terminated`, `failed`, `timed_out`'),
  startedAt: at,
  startedBy: z.string().optional().describe('Process that started it'),
  endedAt: at.optional(),
  source: z
    .enum(['worker', 'history'])
    .describe(
      'Source of facts, timeline and requirements: the workflow itself, or its history if no worker responds',
    ),
  notes: z.array(z.string()).describe('What is incomplete, and why'),
  facts,
  outcome: json.optional(),
  input: json.describe('As it was at the start'),
  timeline: z.array(timelineEntry),
  requirements: z.array(requirement),
  answers: z.array(answer).describe('Every answer that a person gave'),
  corrections: z.array(correction).describe('What corrections among the answers changed, a field each'),
  calls: z.array(call),
  documents: z.array(document),
});

export const exportedRecord = z
  .strictObject({
    format: z.literal('gangway-export'),
    version: z.literal(1),
    exportedAt: at,
    exportedBy: z.string(),
    privateValues: z.enum(['masked', 'shown']),
    reason: z.string().optional().describe('Why private values are shown'),
    namespace: z.string(),
    onboarding,
    parts: z.array(onboarding).describe('The merchant and business of a customer'),
  })
  .meta({ title: 'gangway export', description: 'Everything about one onboarding, for an auditor.' });

export type ExportedRecord = z.output<typeof exportedRecord>;
export type ExportedOnboarding = z.output<typeof onboarding>;
export type ExportedRequirement = z.output<typeof requirement>;
export type ExportedCorrection = z.output<typeof correction>;
export type ExportedCall = z.output<typeof call>;
export type ExportedDocument = z.output<typeof document>;
export type CallResult = ExportedCall['result'];

export const recordSchema = () => exportedSchema(exportedRecord);
