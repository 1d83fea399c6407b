import { setHandler } from '@temporalio/workflow';
import { inputQuery } from '../../messages/activities.js';
import {
  claimRequirement,
  confirmAnswer,
  proposeAnswer,
  proposedAnswer,
  withdrawProposal,
} from '../../messages/claims.js';
import { stateQuery, stepWaits } from '../../messages/onboarding-state.js';
import { reportAgain } from '../../messages/onboardings.js';
import { RESOLVING, resolveRequirement } from '../../messages/requirements.js';
import type { Answers } from './answers.js';
import type { Claims } from './claims.js';
import type { CustomerReports } from './customer-reports.js';
import type { PublishedState } from './published-state.js';
import type { StepWaits } from './step-waits.js';

/** The parts of a workflow that take messages. */
export interface Receivers {
  readonly state: PublishedState;
  readonly answers: Answers;
  readonly claims: Claims;
  readonly reports: CustomerReports;
  readonly waits: StepWaits;
}

/** Handles every message that a workflow with a journey takes. Called before its first `await`, so that none is missed. */
export function handleMessages({ state, answers, claims, reports, waits }: Receivers): void {
  handleState(state);
  handleAnswers(answers);
  if (answers.input) setHandler(inputQuery, answers.input, { description: 'The input with all corrections' });
  handleClaims(claims);
  setHandler(reportAgain, () => reports.again());
  setHandler(stepWaits, (wait) => waits.onWait(wait));
}

export function handleState(state: PublishedState): void {
  setHandler(stateQuery, () => state.current, {
    description: 'The state, with everything that has happened',
  });
}

export function handleAnswers({ resolve, validate }: Pick<Answers, 'resolve' | 'validate'>): void {
  setHandler(resolveRequirement, resolve, { validator: validate, description: RESOLVING });
}

export function handleClaims(claims: Claims, handle: typeof setHandler = setHandler): void {
  handle(claimRequirement, claims.claim, {
    validator: claims.validateClaim,
    description: 'Claims a requirement until a time, or releases it if no time is given',
  });
  handle(proposeAnswer, claims.propose, {
    validator: claims.validateProposal,
    description: 'Proposes an answer that a second person confirms. Data: as for resolveRequirement',
  });
  handle(confirmAnswer, claims.confirm, {
    validator: claims.validateConfirmation,
    description: 'Confirms an answer that another person proposed',
  });
  handle(withdrawProposal, claims.withdraw, {
    validator: claims.validateWithdrawal,
    description: 'Removes a proposed answer',
  });
  handle(proposedAnswer, claims.proposed, {
    description: 'The whole proposed answer to a requirement',
  });
}
