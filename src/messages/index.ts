/**
 * `gangway/messages`: the messages between programs and Gangway. It exports the schema of each input, the outcome, query and
 * updates of each workflow, workflow IDs, search attributes, and outbound events. It does no I/O and imports no Node modules, so
 * browsers and workflow code can import it too. The schemas import zod, which `import type` avoids.
 *
 * @packageDocumentation
 */

export type { FieldProblem } from '../partners/partner-error.js';
export type {
  EnsuredWebhook,
  SavedStatement,
  StatementRequest,
  WebhookRequest,
} from './banking-activities.js';
export {
  type Assignment,
  type AssignmentReceipt,
  addRemark,
  assignRequirement,
  type Confirmation,
  type ConfirmationReceipt,
  confirmAnswer,
  currentClaim,
  type ProposalReceipt,
  type ProposedAnswer,
  proposeAnswer,
  proposedAnswer,
  type Remark,
  type RemarkReceipt,
  type Withdrawal,
  type WithdrawalReceipt,
  withdrawProposal,
} from './claims.js';
export {
  OUTCOMES,
  type OutcomeName,
  STAGES,
  type Stage,
  TIMELINE_EVENTS,
  type TimelineEvent,
} from './codes.js';
export { DEFAULT_TASK_QUEUE, WORKFLOW_ID_PREFIXES, workflowId } from './ids.js';
export type {
  FollowedBusinessInput,
  FollowedCustomerInput,
  FollowedMerchantInput,
} from './inputs.js';
export {
  type BusinessOnboardingInput,
  businessOnboardingInput,
  type CustomerOnboardingInput,
  customerOnboardingInput,
  type KnownAccounts,
  type MerchantBoardingInput,
  merchantBoardingInput,
  NO_ACCOUNTS,
} from './inputs.js';
export type { OnboardingOutcomes } from './onboarding-outcomes.js';
export {
  type OnboardingState,
  stateQuery,
  type TimelineEntry,
  type Unfinished,
  type UnfinishedWrite,
} from './onboarding-state.js';
export {
  type BusinessOnboardingOutcome,
  type CustomerOnboardingOutcome,
  type MerchantBoardingOutcome,
  PARTS,
  type Part,
  type UnstartedPart,
} from './onboardings.js';
export type {
  About,
  Completed,
  OutboundEvent,
  OutboundEventData,
  OutboundEventType,
  RequirementAssigned,
  RequirementEvent,
  StageChanged,
} from './outbound-events.js';
export type {
  OperationName,
  OperationOutcome,
  OperationRequest,
  OperationResult,
  PartnerOperationInput,
  PartnerOperations,
} from './partner-operations.js';
export {
  type Answer,
  type AnswerKind,
  type Claim,
  type DocumentRef,
  type FourEyes,
  type IdempotencyKey,
  type Proposal,
  REQUIREMENT_KINDS,
  type Requirement,
  type RequirementKind,
  type Resolution,
  type ResolutionReceipt,
  resolveRequirement,
} from './requirements.js';
export { SEARCH_ATTRIBUTES } from './search-attributes.js';
export {
  ONBOARDINGS,
  type OnboardingType,
  type OutcomeOf,
  type StageOf,
  type WorkflowType,
} from './workflow-types.js';
