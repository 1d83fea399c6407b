/**
 * What programs in TypeScript import to work with Gangway through their own Temporal client: the input and the outcome of each
 * workflow, its query and its update, workflow ids, search attributes, and outbound events. Workflow code may import it,
 * because it does no I/O.
 *
 * @packageDocumentation
 */
export type {
  ChangeAddressInput,
  CloseCardInput,
  EnsureWebhooksInput,
  GenerateStatementInput,
  OperationOutcome,
  RestoreSubUserInput,
  SetCardNicknameInput,
  StatementRequest,
  WebhookRequest,
} from './messages/banking-activities.js';
export type {
  FollowedBusinessInput,
  FollowedCustomerInput,
  FollowedMerchantInput,
} from './messages/followed-inputs.js';
export {
  type ClaimReceipt,
  type ClaimRequest,
  type Confirmation,
  type ConfirmationReceipt,
  claimRequirement,
  confirmAnswer,
  currentClaim,
  type ProposalReceipt,
  type ProposedAnswer,
  proposeAnswer,
  proposedAnswer,
  type Withdrawal,
  type WithdrawalReceipt,
  withdrawProposal,
} from './messages/handling.js';
export { DEFAULT_TASK_QUEUE, WORKFLOW_ID_PREFIXES, type WorkflowType, workflowId } from './messages/ids.js';
export type {
  BusinessOnboardingInput,
  CustomerOnboardingInput,
  MerchantBoardingInput,
  TerminalProvisioningInput,
} from './messages/inputs.js';
export {
  type OnboardingState,
  stateQuery,
  type TimelineEntry,
  type Unfinished,
  type UnfinishedWrite,
} from './messages/onboarding-state.js';
export type {
  BusinessOnboardingOutcome,
  CustomerOnboardingOutcome,
  MerchantBoardingOutcome,
  TerminalProvisioningOutcome,
  UnstartedPart,
} from './messages/onboardings.js';
export type {
  About,
  Completed,
  OutboundEvent,
  OutboundEventData,
  OutboundEventType,
  RequirementEvent,
  StageChanged,
} from './messages/outbound-events.js';
export {
  type Answer,
  type AnswerKind,
  type Claim,
  type DocumentRef,
  type Proposal,
  REQUIREMENT_KINDS,
  type Requirement,
  type RequirementKind,
  type Resolution,
  type ResolutionReceipt,
  resolveRequirement,
} from './messages/requirements.js';
export { SEARCH_ATTRIBUTES } from './messages/search-attributes.js';
export { OUTCOMES, type OutcomeName, STAGES, type Stage } from './messages/stages.js';
export type { TimelineEvent } from './messages/timeline-events.js';
export type { FieldProblem } from './partners/partner-error.js';
