import { continueAsNew } from '@temporalio/workflow';
import type { RefusedSubmission } from '../messages/banking-activities.js';
import type { BusinessOnboardingInput, FollowedBusinessInput } from '../messages/inputs.js';
import { defined } from '../messages/objects.js';
import {
  type BusinessOnboardingOutcome,
  isFollowed,
  mayBeDone,
  type Restored,
} from '../messages/onboardings.js';
import { Business } from './business/business.js';
import {
  type Due,
  isAccepted,
  KINDS,
  next,
  onDelivered,
  onRead,
  type Remembered,
  stageOf,
} from './business/decisions.js';
import {
  adopt,
  CORRECT,
  claimed,
  followProfile,
  openAccount,
  ours,
  read,
  replaceHolder,
  SUBMIT,
  sendReply,
  submit,
  titleOfReply,
} from './business/steps.js';
import { askingAgain, onRejected } from './business/tickets.js';
import { askForCorrection, Rejected } from './journey/rejections.js';
import { removed, unlessAbandoned } from './journey/requirements.js';
import type { Answered } from './journey/state.js';
import type { Carried } from './journey/stateful.js';
import { reacted, runUntilDecided } from './journey/until-decided.js';

/**
 * Onboards one business at the bank (docs/partner-apis.md#banking): finds its profile or submits its holder, has the holder
 * corrected, and delivers answers to tickets until the bank has decided. Opens a financial account when the input asks for
 * one. A business that is followed has its profile, and nothing is sent without an answer of a person. Started as
 * `business-onboarding-<externalId>`.
 */
export async function businessOnboarding(
  input: BusinessOnboardingInput | FollowedBusinessInput,
  carried?: Carried<Remembered>,
  restored?: Restored,
): Promise<BusinessOnboardingOutcome> {
  const business = new Business(input, carried);
  const { journey } = business;
  return journey.run<BusinessOnboardingOutcome>(
    async () => {
      if (!carried) await findOrSubmit(business, restored);
      journey.state.know({ stage: stageOf(business.remembered, business.situation) });
      return runUntilDecided(
        business,
        { kinds: KINDS, next, onRead },
        (due) => begin(business, due),
        (state) => continueAsNew<typeof businessOnboarding>(business.inputToCarry, state),
      );
    },
    (comment, { profileId }) => ({ outcome: 'abandoned', comment, ...defined({ profileId }) }),
  );
}

async function findOrSubmit(business: Business, restored: Restored | undefined): Promise<void> {
  const { current } = business.input;
  const known = restored?.profileId;
  if (isFollowed(current)) await followProfile(business, known ?? current.profileId);
  else if (known === undefined) await submitUnlessFound(business, mayBeDone(restored));
  else await adopt(business, { profileId: known, owners: [] });
}

/** @param inDoubt why it may have been submitted before */
async function submitUnlessFound(business: Business, inDoubt: string | undefined): Promise<void> {
  const declined: number[] = [];
  const unclaimed: RefusedSubmission[] = [];
  for (let mayBeSubmitted = inDoubt; ; mayBeSubmitted = undefined) {
    const submitted = await submit(business, declined, unclaimed, mayBeSubmitted);
    if ('adopted' in submitted) return adopt(business, submitted.adopted);
    if ('existing' in submitted) {
      const source = submitted.isSaved ? 'earlier' : 'merchant';
      const found = await ours(business, SUBMIT, submitted.existing, source);
      if (found) return adopt(business, found);
      declined.push(submitted.existing.profileId);
      continue;
    }
    const { profileId, financialAccountId, problems, baseline } = submitted;
    // If the onboarding ends before anybody knows whose profile it is, this is all that is left of it.
    if (submitted.now === undefined || submitted.now.candidate.against.length > 0)
      business.journey.timeline.add('write-uncertain', {
        detail: `${SUBMIT}: the bank responded with banking profile ${profileId}`,
      });
    const { candidate, now } = await claimed(business, submitted);
    if (candidate.against.length > 0 || !now) {
      const found = await ours(business, SUBMIT, candidate, 'response');
      if (found) return adopt(business, found);
      declined.push(profileId);
      unclaimed.push({ dba: business.dba, baseline });
      continue;
    }
    business.knowProfile(profileId, 'holder-submitted');
    business.knowAccount(financialAccountId);
    business.journey.remember({ problems });
    business.poll.replaceWith(now);
    return;
  }
}

async function begin(business: Business, due: Due): Promise<void> {
  switch (due.begin) {
    case 'problems':
      return correctProblems(business);
    case 'correction':
      return deliverCorrection(business, due.answered);
    case 'reply':
      return deliverReply(business, due.answered, due.text);
    case 'account':
      return openAccount(business);
    case 'late tickets':
      return readLateTickets(business);
  }
}

/** Has the problems of the holder corrected, unless the bank accepts it meanwhile. */
async function correctProblems(business: Business): Promise<void> {
  const { journey, input } = business;
  const isMoot = () => isAccepted(business.remembered);
  const problems = business.remembered.problems ?? [];
  const correctable = { title: SUBMIT, correct: input.correct };
  if (problems.length === 0 || (await askForCorrection(journey, correctable, problems, isMoot)))
    await replaceHolder(business, isMoot);
  journey.remember({ problems: [] });
  journey.state.enter(stageOf(business.remembered, business.situation));
}

/** Sends the holder as a person corrected it, who was asked by a ticket, or about a profile that nobody has submitted. */
async function deliverCorrection(business: Business, answered: Answered): Promise<void> {
  const { journey } = business;
  const { requirement, resolution } = answered;
  await journey.whileSending([answered], [CORRECT], async () => {
    const answer = unlessAbandoned(resolution);
    if (answer.kind === 'correction') business.input.correct(answer.patch);
    if (requirement.kind === 'ticket') {
      await replaceHolder(business);
      delivered(business, answered);
    } else {
      await replaceHolder(business, () => isAccepted(business.remembered));
      journey.update(removed(requirement.id));
    }
  });
}

/** Replies to a ticket. If the bank rejects the reply and still asks, a person is asked again. */
async function deliverReply(business: Business, answered: Answered, text: string): Promise<void> {
  const { journey, poll } = business;
  const { requirement } = answered;
  await journey.whileSending([answered], [titleOfReply(requirement)], async () => {
    try {
      delivered(business, answered, await sendReply(journey, requirement, text, business.profileId));
    } catch (error) {
      if (!(error instanceof Rejected)) throw error;
      const now = await read(business);
      journey.update(reacted(onRejected(business.remembered, requirement, error.message)));
      poll.replaceWith(now);
    }
  });
}

function delivered(business: Business, { requirement }: Answered, replyId: number | null = null): void {
  const reaction = onDelivered(business.remembered, requirement, replyId, business.situation);
  business.journey.update(reacted(reaction));
  business.journey.state.report();
}

/** Reads the tickets once more, and asks those again that are still listed long after their answers. */
async function readLateTickets(business: Business): Promise<void> {
  const begunAt = Date.now();
  const now = await read(business);
  business.journey.remember(askingAgain(business.remembered, begunAt));
  business.poll.replaceWith(now);
}
