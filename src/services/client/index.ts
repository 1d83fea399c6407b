/**
 * `gangway/client`: a typed client for programs that start onboardings, follow them and answer their requirements. `gangway`, the
 * command, is built on it.
 *
 * @packageDocumentation
 */

export type { ClaimAndProposal } from '../../messages/claims.js';
export type { BusinessToOnboard, CustomerToOnboard, MerchantToBoard } from '../../messages/inputs.js';
export type { ListedRequirement, StageSeconds } from '../../messages/list-fields.js';
export { BadSetting } from '../../platform/settings/settings.js';
export { TemporalUnavailable } from '../../temporal/connection.js';
export { UnknownOnboarding } from '../../temporal/find-onboarding.js';
export type { Listed } from '../../temporal/search.js';
export type { Started } from '../../temporal/start.js';
export { TemporalProblem } from '../../temporal/unavailable.js';
export { OBSTACLES, type Obstacle, UnreadableOnboarding } from '../../temporal/unreadable.js';
export { EndedOnboarding, UpdateTimedOut } from '../inbox/send-answer.js';
export type { OpenRequirement, PartState, Waits } from '../inbox/waiting-state.js';
export { InvalidInput } from '../texts/invalid-input.js';
export {
  type GangwayClient,
  type GangwayOptions,
  gangwayClient,
  type ListOptions,
  type OnboardingOptions,
} from './client.js';
export {
  type Advice,
  EndedWithoutOutcome,
  type Outcome,
  type OutcomeOptions,
  type OwnedEntry,
  type Owner,
  type Reading,
  StillRunning,
  type Watching,
  type WatchOptions,
} from './watching.js';
