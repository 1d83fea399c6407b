import type { BusinessOnboardingInput } from '../messages/inputs.js';
import type { BusinessOnboardingOutcome, Restored } from '../messages/onboardings.js';
import { BusinessApplication } from './business/application.js';
import { type FollowingRecords, followProfile } from './business/following.js';
import { findOrSubmit } from './business/holder.js';
import type { JourneyRecords } from './journey/journey.js';

/** What a run hands to the next one when its history has grown long. The input travels with its corrections. */
export interface CarriedBusiness {
  readonly journey: JourneyRecords;
  readonly following: FollowingRecords;
}

/**
 * Onboards one business at the bank: finds or submits it, follows its `bankingStatus` and tickets until the partner has
 * decided, opens a financial account when asked to (apis/1). Started as `business-onboarding-<externalId>`.
 */
export async function businessOnboarding(
  input: BusinessOnboardingInput,
  carried?: CarriedBusiness,
  restored?: Restored,
): Promise<BusinessOnboardingOutcome> {
  const application = new BusinessApplication(input, carried?.journey);
  const { journey } = application;

  return journey.liveThrough<BusinessOnboardingOutcome>(
    async () => {
      if (carried) return followProfile(application, carried.following);
      journey.enter('applying');
      const problems = await findOrSubmit(application, restored);
      return followProfile(application, { seen: null, problems, delivered: {}, replies: [] });
    },
    (comment) => ({ outcome: 'abandoned', comment, ...application.knownProfile }),
  );
}
