import type { SystemName } from '../partners/system-names.js';
import type { BankingActivities } from './banking-activities.js';
import type { BoardingActivities } from './boarding-activities.js';
import type {
  BusinessOnboardingOutcome,
  CustomerOnboardingOutcome,
  MerchantBoardingOutcome,
} from './onboardings.js';
import type { PartnerAccountActivities, PartnerRecordActivities } from './partner-account.js';
import type { ONBOARDINGS, OnboardingType, OutcomeOf } from './workflow-types.js';

/** The result of each kind of onboarding, and its record at the partner. The compiler compares both with `workflow-types.ts`. */

/** The result of each kind of onboarding. */
export interface OnboardingOutcomes {
  readonly merchantBoarding: MerchantBoardingOutcome;
  readonly businessOnboarding: BusinessOnboardingOutcome;
  readonly customerOnboarding: CustomerOnboardingOutcome;
}

type WithoutOutcome<Type extends OnboardingType = OnboardingType> = Type extends keyof OnboardingOutcomes
  ? OnboardingOutcomes[Type]['outcome'] extends OutcomeOf<Type>
    ? never
    : Type
  : Type;

// Each kind of onboarding is above, with the outcomes that its entry names, or this does not compile.
({}) satisfies Record<WithoutOutcome, never>;

/** The activities of workflows at each partner that has some. The worker must have all of them, and workflows find no others. */
export interface PartnerActivities {
  readonly boarding: BoardingActivities;
  readonly banking: BankingActivities;
}

type AtPartner = Extract<(typeof ONBOARDINGS)[OnboardingType], { readonly system: SystemName }>;

/** The activities at a partner that wait for a status other than the one `seen`. */
type PollsAt<Activities> = {
  [Name in keyof Activities]: Activities[Name] extends (
    request: infer Request,
  ) => Promise<{ isFirst: boolean }>
    ? Request extends { readonly seen: unknown }
      ? Name
      : never
    : never;
}[keyof Activities];

type WrongPoll<Kind extends AtPartner> = Kind extends { readonly system: keyof PartnerActivities }
  ? Exclude<Kind['poll'], PollsAt<PartnerActivities[Kind['system']]>>
  : Kind['poll'];

// The poll of each kind of onboarding is a poll of its partner, or this does not compile.
({}) satisfies Record<WrongPoll<AtPartner>, never>;

export type ActivitiesAt<System extends SystemName> = (System extends keyof PartnerActivities
  ? PartnerActivities[System]
  : unknown) &
  PartnerAccountActivities &
  PartnerRecordActivities;
