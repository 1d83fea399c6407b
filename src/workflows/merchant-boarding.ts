import { ApplicationFailure, continueAsNew } from '@temporalio/workflow';
import type { FollowedMerchantInput, MerchantBoardingInput } from '../messages/inputs.js';
import { omitUndefined } from '../messages/objects.js';
import type { MerchantBoardingOutcome, Restored } from '../messages/onboardings.js';
import { BoardingRuntime } from './boarding/boarding.js';
import {
  BOARDING_RULE_KINDS,
  type BoardingState,
  type PendingTask,
  planBoarding,
  reduceBoarding,
} from './boarding/decisions.js';
import { deliverAnswers, rereadStatus } from './boarding/review.js';
import { createMerchant, importMerchant, setFees } from './boarding/steps.js';
import { submitAnswers, submitToUnderwriting } from './boarding/submission.js';
import type { CarriedState } from './runtime/stateful.js';
import { runUntilDecided } from './runtime/until-decided.js';

/**
 * Boards one merchant (docs/partner-apis.md#merchant-boarding): creates it, sets its fees, submits it, and delivers answers to
 * underwriting notes, until it is `boarded` with a `mid`, `declined`, `withdrawn`, `closed` or `abandoned`. With
 * `follow: true`, the merchant already exists, and Gangway sends nothing unless a person asks. The workflow ID is
 * `merchant-boarding-<externalId>`. `gangway restore` passes `restored` from the backup.
 *
 * A person is asked about:
 * - underwriting notes, requested changes, a missing submission, and a mid of an unexpected form: `boarding/decisions.ts`
 * - a step that the partner rejects, or whose outcome is unknown: `runtime/run-step.ts`
 * - a merchant that cannot be imported, a merchant in the response to a create that may belong to another boarding, and a fee change
 *   that the partner ignored: `boarding/steps.ts`
 * - a step rejected because another onboarding reserved the merchant: `src/activities/reservations.ts`
 * - answers to notes that the partner rejects: `boarding/review.ts`
 * - a step that waits longer than `GANGWAY_STALLED_AFTER`: `runtime/stalled-calls.ts`
 * - problems that block every onboarding of the account: refused credentials, missing permissions, unreadable responses and bugs in
 *   Gangway (`partner-account.ts`), and an unknown status (`partner-record.ts`)
 *
 * Once the merchant is created or imported, the status poll keeps running, even while a requirement is open. If `decisions.ts` raised
 * the requirement, a person can take the answer back until Gangway starts to send it. When the partner decides, Gangway waits for an
 * in-flight write, drops undelivered answers and closes open requirements. The timeline says whether each dropped answer may have
 * reached the partner (`runtime/requirements.ts`).
 */
export async function merchantBoarding(
  input: MerchantBoardingInput | FollowedMerchantInput,
  carriedState?: CarriedState<BoardingState>,
  restored?: Restored,
): Promise<MerchantBoardingOutcome> {
  if (!carriedState && !restored) requireFeesFromPlan(input);
  const boarding = new BoardingRuntime(input, carriedState);
  return boarding.run<MerchantBoardingOutcome>(
    async () => {
      if (!carriedState) await createOrImportMerchant(boarding, restored);
      return runUntilDecided(
        boarding,
        { kinds: BOARDING_RULE_KINDS, plan: planBoarding, reduce: reduceBoarding },
        (pending) => runTask(boarding, pending),
        (state) => continueAsNew<typeof merchantBoarding>(boarding.input.current, state),
      );
    },
    (comment, { merchantProfileId }) => ({
      outcome: 'abandoned',
      comment,
      ...omitUndefined({ merchantProfileId }),
    }),
  );
}

/** Rejects an input with a fee plan but without its fees, because the merchant would keep the partner's default fees. */
function requireFeesFromPlan(input: MerchantBoardingInput | FollowedMerchantInput): void {
  if (!('feePlan' in input) || input.feePlan === undefined || input.fees) return;
  const message = 'feePlan: is not resolved into fees; start it with gangway, the console or the API';
  throw ApplicationFailure.nonRetryable(message, 'InvalidInput');
}

async function createOrImportMerchant(
  boarding: BoardingRuntime,
  restored: Restored | undefined,
): Promise<void> {
  const { merchantProfileId } = boarding.input.current;
  if (merchantProfileId === undefined) await createMerchant(boarding, restored);
  else await importMerchant(boarding, merchantProfileId, restored);
}

async function runTask(boarding: BoardingRuntime, pending: PendingTask): Promise<void> {
  switch (pending.send) {
    case 'application':
      boarding.published.setFacts({ stage: 'applying' });
      await setFees(boarding);
      await submitToUnderwriting(boarding);
      break;
    case 'submission':
      await submitAnswers(boarding, pending.answers);
      break;
    case 'answers':
      await deliverAnswers(boarding, pending.answers);
      break;
    case 'nothing':
      await rereadStatus(boarding);
  }
}
