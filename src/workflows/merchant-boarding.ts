import { continueAsNew } from '@temporalio/workflow';
import type { FollowedMerchantInput, MerchantBoardingInput } from '../messages/inputs.js';
import { defined } from '../messages/objects.js';
import type { MerchantBoardingOutcome, Restored } from '../messages/onboardings.js';
import { Boarding } from './boarding/boarding.js';
import { type Due, KINDS, next, onRead, type Remembered } from './boarding/decisions.js';
import { deliverAnswers, readLate } from './boarding/review.js';
import { adoptMerchant, createMerchant, setFees } from './boarding/steps.js';
import { submit, submitAsAnswered } from './boarding/submission.js';
import type { Carried } from './journey/stateful.js';
import { runUntilDecided } from './journey/until-decided.js';

/**
 * Boards one merchant (docs/partner-apis.md#merchant-boarding): creates it, sets its fees, submits it, and delivers answers to
 * underwriting notes, until it is `boarded` with a `mid`, `declined`, `withdrawn`, `closed` or `abandoned`. With
 * `follow: true` the merchant exists already, and nothing is sent unless a person asks for it. Started as
 * `merchant-boarding-<externalId>`.
 *
 * A person is asked about:
 * - notes, requested changes, a missing submission and an unclear mid: `boarding/decisions.ts`
 * - a step that the partner rejects or forbids, or whose outcome is unknown: `journey/run-step.ts`
 * - a merchant that cannot be adopted, and fees that the partner keeps: `boarding/steps.ts`; answers that it rejects: `boarding/review.ts`
 * - a step that waits longer than `GANGWAY_WAIT_MAX`: `journey/step-waits.ts`
 * - what holds up all onboardings: refused credentials and unreadable responses in `partnerAccount`, and a status that nobody
 *   knows in `partnerRecord`
 *
 * Once the merchant exists, the status is polled while a person is asked. An answer to a question of `decisions.ts` can be taken
 * back until it is on its way. When the partner decides, open questions close. A write that was sent still runs to its end. Answers
 * that were not delivered by then are dropped, and the timeline says whether one may have arrived (`journey/requirements.ts`).
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
      return runUntilDecided(
        boarding,
        { kinds: KINDS, next, onRead },
        (due) => send(boarding, due),
        (state) => continueAsNew<typeof merchantBoarding>(boarding.input.current, state),
      );
    },
    (comment, { merchantProfileId }) => ({
      outcome: 'abandoned',
      comment,
      ...defined({ merchantProfileId }),
    }),
  );
}

async function establishMerchant(boarding: Boarding, restored: Restored | undefined): Promise<void> {
  const { merchantProfileId } = boarding.input.current;
  if (merchantProfileId === undefined) await createMerchant(boarding, restored);
  else await adoptMerchant(boarding, merchantProfileId, restored);
}

/** Sends what is due by the rules of `boarding/decisions.ts`. */
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
      break;
    case 'late read':
      await readLate(boarding);
  }
}
