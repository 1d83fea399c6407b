import { continueAsNew } from '@temporalio/workflow';
import type { RefusedSubmission } from '../messages/banking-activities.js';
import type { BusinessOnboardingInput, FollowedBusinessInput } from '../messages/inputs.js';
import { omitUndefined } from '../messages/objects.js';
import {
  type BusinessOnboardingOutcome,
  isFollowed,
  mayBeDone,
  type Restored,
} from '../messages/onboardings.js';
import { BusinessRuntime } from './business/business.js';
import {
  BUSINESS_RULE_KINDS,
  type BusinessState,
  isAccepted,
  type PendingTask,
  planBusiness,
  reduceBusiness,
  reduceDelivery,
  stageOf,
} from './business/decisions.js';
import {
  CORRECT,
  confirmOwnership,
  followProfile,
  importProfile,
  openAccount,
  readProfile,
  replaceHolder,
  reserveSubmitted,
  SUBMIT,
  sendReply,
  submitBusiness,
  titleOfReply,
} from './business/steps.js';
import { reduceRejection, withDeadline } from './business/tickets.js';
import { withoutSsns } from './runtime/input.js';
import { removeAnswered, requireNotAbandoned } from './runtime/requirements.js';
import type { PendingAnswer } from './runtime/state.js';
import type { CarriedState } from './runtime/stateful.js';
import { askForCorrection, Rejected } from './runtime/step.js';
import { reductionTransition, runUntilDecided } from './runtime/until-decided.js';

/**
 * Onboards one business at the bank (docs/partner-apis.md#banking): finds its profile or submits its holder, asks a person to
 * correct a rejected holder, and delivers answers to tickets until the bank decides. Opens a financial account if the input asks
 * for one. With `follow: true`, the profile already exists, and Gangway sends nothing unless a person asks. The workflow ID is
 * `business-onboarding-<externalId>`.
 */
export async function businessOnboarding(
  input: BusinessOnboardingInput | FollowedBusinessInput,
  carriedState?: CarriedState<BusinessState>,
  restored?: Restored,
): Promise<BusinessOnboardingOutcome> {
  const business = new BusinessRuntime(input, carriedState);
  return business.run<BusinessOnboardingOutcome>(
    async () => {
      if (!carriedState) await findOrSubmit(business, restored);
      business.published.setFacts({ stage: stageOf(business.partnerState, business.context) });
      return runUntilDecided(
        business,
        { kinds: BUSINESS_RULE_KINDS, plan: planBusiness, reduce: reduceBusiness },
        (pending) => runTask(business, pending),
        (state) => continueAsNew<typeof businessOnboarding>(withoutSsns(business.input.current), state),
      );
    },
    (comment, { profileId }) => ({ outcome: 'abandoned', comment, ...omitUndefined({ profileId }) }),
  );
}

async function findOrSubmit(business: BusinessRuntime, restored: Restored | undefined): Promise<void> {
  const { current } = business.input;
  const existingId = restored?.profileId;
  if (isFollowed(current)) await followProfile(business, existingId ?? current.profileId);
  else if (existingId === undefined) await submitUnlessFound(business, mayBeDone(restored));
  else await importProfile(business, { profileId: existingId, owners: [] });
}

/** @param uncertainty why the holder may already have been submitted */
async function submitUnlessFound(business: BusinessRuntime, uncertainty: string | undefined): Promise<void> {
  const declined: number[] = [];
  const unclaimed: RefusedSubmission[] = [];
  for (let mayBeSubmitted = uncertainty; ; mayBeSubmitted = undefined) {
    const submitted = await submitBusiness(business, declined, unclaimed, mayBeSubmitted);
    if ('confirmed' in submitted) return importProfile(business, submitted.confirmed);
    if ('existing' in submitted) {
      const source = submitted.isSaved ? 'earlier' : 'merchant';
      const match = await confirmOwnership(business, SUBMIT, submitted.existing, source);
      if (match) return importProfile(business, match);
      declined.push(submitted.existing.profileId);
      continue;
    }
    const { profileId, financialAccountId, problems, baseline } = submitted;
    // Name the profile in the timeline now: the onboarding may end before its owner is known.
    if (submitted.now === undefined || submitted.now.candidate.against.length > 0)
      business.record('write-uncertain', {
        detail: `${SUBMIT}: the bank responded with banking profile ${profileId}`,
      });
    const { candidate, now } = await reserveSubmitted(business, submitted);
    if (candidate.against.length > 0 || !now) {
      const match = await confirmOwnership(business, SUBMIT, candidate, 'response');
      if (match) return importProfile(business, match);
      declined.push(profileId);
      unclaimed.push({ dba: business.dba, baseline });
      continue;
    }
    business.setProfile(profileId, 'holder-submitted');
    business.setAccount(financialAccountId);
    business.patchState({ problems });
    business.poll.replaceWith(now);
    return;
  }
}

async function runTask(business: BusinessRuntime, pending: PendingTask): Promise<void> {
  switch (pending.begin) {
    case 'problems':
      return correctProblems(business);
    case 'correction':
      return deliverCorrection(business, pending.answered);
    case 'reply':
      return deliverReply(business, pending.answered, pending.text);
    case 'account':
      return openAccount(business);
    case 'late tickets':
      return readTicketsAfterDeadline(business);
  }
}

/** Asks a person to fix the rejected holder, and sends it again. Stops if the bank accepts it first. */
async function correctProblems(business: BusinessRuntime): Promise<void> {
  const { input } = business;
  const isSuperseded = () => isAccepted(business.partnerState);
  const problems = business.partnerState.problems ?? [];
  const correctable = { title: SUBMIT, correct: input.correct };
  if (problems.length === 0 || (await askForCorrection(business, correctable, problems, isSuperseded)))
    await replaceHolder(business, isSuperseded);
  business.patchState({ problems: [] });
  business.published.enter(stageOf(business.partnerState, business.context));
}

/** Sends the holder with a person's correction. The correction answers a ticket, or the question about an unsubmitted profile. */
async function deliverCorrection(business: BusinessRuntime, answered: PendingAnswer): Promise<void> {
  const { requirement, resolution } = answered;
  await business.whileSending([answered], [CORRECT], async () => {
    const answer = requireNotAbandoned(resolution);
    if (answer.kind === 'correction') business.input.correct(answer.patch);
    if (requirement.kind === 'ticket') {
      await replaceHolder(business);
      recordDelivery(business, answered);
    } else {
      await replaceHolder(business, () => isAccepted(business.partnerState));
      business.update(removeAnswered(requirement.id));
    }
  });
}

/** Replies to a ticket. If the bank rejects the reply and still asks, a person is asked again. */
async function deliverReply(business: BusinessRuntime, answered: PendingAnswer, text: string): Promise<void> {
  const { requirement } = answered;
  await business.whileSending([answered], [titleOfReply(requirement)], async () => {
    try {
      recordDelivery(business, answered, await sendReply(business, requirement, text, business.profileId));
    } catch (error) {
      if (!(error instanceof Rejected)) throw error;
      const now = await readProfile(business);
      business.update(
        reductionTransition(reduceRejection(business.partnerState, requirement, error.message)),
      );
      business.poll.replaceWith(now);
    }
  });
}

function recordDelivery(
  business: BusinessRuntime,
  { requirement }: PendingAnswer,
  replyId: number | null = null,
): void {
  const reduction = reduceDelivery(business.partnerState, requirement, replyId, business.context);
  business.update(reductionTransition(reduction));
  business.published.report();
}

/** Reads the tickets. Asks a person again about those that the bank still lists after the deadline of their answers. */
async function readTicketsAfterDeadline(business: BusinessRuntime): Promise<void> {
  const begunAt = Date.now();
  const now = await readProfile(business);
  business.patchState(withDeadline(business.partnerState, begunAt));
  business.poll.replaceWith(now);
}
