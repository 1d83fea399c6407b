import { continueAsNew } from '@temporalio/workflow';
import type { FollowedMerchantInput } from '../messages/followed-inputs.js';
import type { MerchantBoardingInput } from '../messages/inputs.js';
import { defined } from '../messages/objects.js';
import type { MerchantBoardingOutcome, Restored } from '../messages/onboardings.js';
import { adoptMerchant, followMerchant } from './boarding/adoption.js';
import { Boarding } from './boarding/boarding.js';
import { type Due, onChangesRequested, type Remembered } from './boarding/decisions.js';
import { afterDelivery, afterUpload, listsDelivered, missingDocuments } from './boarding/deliveries.js';
import {
  askAboutReview,
  createMerchant,
  FEES,
  REVIEW,
  read,
  requestReview,
  SUBMIT,
  setFees,
  submit,
  upload,
} from './boarding/steps.js';
import { apply, type Carried, followUntilDecided } from './journey/following.js';
import { type Answered, unlessAbandoned } from './journey/requirement-queue.js';
import { runDueTasks } from './journey/tasks.js';

/**
 * Boards one merchant: looks up agent profile and boarding settings, creates the merchant, sets its fees, submits it, and
 * delivers answers to underwriting notes until a `mid` exists or the partner declines (apis/2). A merchant that is followed
 * exists, and is neither changed nor submitted without an answer of a person. Started as `merchant-boarding-<externalId>`.
 */
export async function merchantBoarding(
  input: MerchantBoardingInput | FollowedMerchantInput,
  carried?: Carried<Remembered>,
  restored?: Restored,
): Promise<MerchantBoardingOutcome> {
  const boarding = new Boarding(input, carried);
  return boarding.journey.run<MerchantBoardingOutcome>(
    async () => {
      if (!carried) await establishMerchant(boarding, restored);
      return followUntilDecided(
        boarding,
        (due) => send(boarding, due),
        () => continueAsNew<typeof merchantBoarding>(boarding.input.current, boarding.carried),
      );
    },
    (comment, { merchantProfileId }) => ({
      outcome: 'abandoned',
      comment,
      ...defined({ merchantProfileId }),
    }),
  );
}

/** Creates the merchant, or reads the one that exists. */
async function establishMerchant(boarding: Boarding, restored: Restored | undefined): Promise<void> {
  const { merchantProfileId } = boarding.input.current;
  if (merchantProfileId === undefined) await createMerchant(boarding, restored);
  else if (boarding.isFollowed) await followMerchant(boarding, merchantProfileId);
  else await adoptMerchant(boarding, merchantProfileId);
}

/** Sends what is due by the rules of `boarding/decisions.ts`. Meanwhile the status is polled. */
async function send(boarding: Boarding, due: Due): Promise<void> {
  switch (due.send) {
    case 'application':
      boarding.journey.state.know({ stage: 'applying' });
      await setFees(boarding);
      await submit(boarding);
      break;
    case 'submission':
      await submitAsAnswered(boarding, due.answers);
      break;
    case 'answers':
      await deliverAnswers(boarding, due.answers);
  }
}

/** Submits the application with the corrections of a person. */
async function submitAsAnswered(boarding: Boarding, answers: readonly Answered[]): Promise<void> {
  const { journey, input } = boarding;
  const { requirements, state } = journey;
  const { seen } = boarding.remembered;
  await requirements.whileSending(answers, [FEES, SUBMIT], async () => {
    for (const { resolution } of answers) {
      const answer = unlessAbandoned(resolution);
      if (answer.kind !== 'correction') continue;
      input.tryOut(answer.patch);
      if (!('fees' in answer.patch)) continue;
      await setFees(boarding);
      input.keep('fees');
    }
    const now = await submit(boarding, answers);
    if (!now) {
      input.restore();
      return;
    }
    input.keep();
    // The poll may have read earlier that the partner asks again. Nobody was asked, because these answers were in flight.
    const { restless } = boarding.remembered;
    apply(journey, onChangesRequested({ seen, restless }, now, boarding.situation));
  });
  state.report();
}

/** Uploads the documents of the answers concurrently, then requests the review. */
async function deliverAnswers(boarding: Boarding, answers: readonly Answered[]): Promise<void> {
  const { requirements, state, timeline } = boarding.journey;
  const uploads = missingDocuments(boarding.remembered, answers).map(({ id }) => id);
  const review = await requirements.whileSending(answers, [...uploads, REVIEW], async () => {
    await uploadDocuments(boarding, answers);
    const review = await requestReview(boarding, answers);
    if (review.became !== 'delivered') return review;
    for (const { requirement } of answers) requirements.removeAnswered(requirement.id);
    boarding.remembered = afterDelivery(boarding.remembered, answers, review.before);
    timeline.add('answers-delivered');
    state.report();
    // The poll may have read that the partner asks again. Nobody was asked, because these answers were in flight.
    const { polled } = boarding;
    if (polled && listsDelivered(boarding.remembered, polled))
      boarding.status.replaceWith(await read(boarding));
    return review;
  });
  // The answers are no longer on their way, so a person can take one back and change it.
  if (review.became === 'rejected') await askAboutReview(boarding, answers, review.problems);
}

async function uploadDocuments(boarding: Boarding, answers: readonly Answered[]): Promise<void> {
  boarding.beginWrite();
  await runDueTasks(() =>
    missingDocuments(boarding.remembered, answers).map((document) => ({
      name: document.id,
      run: async () => {
        await upload(boarding, document);
        boarding.remembered = afterUpload(boarding.remembered, document);
      },
    })),
  );
}
