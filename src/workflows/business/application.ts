import type { BusinessToFind, ProfileSnapshot, SeenProfile } from '../../messages/banking-activities.js';
import type { BusinessOnboardingInput } from '../../messages/inputs.js';
import { mergePatch } from '../../messages/objects.js';
import { CORRECTABLE_BUSINESS_FIELDS } from '../../messages/onboardings.js';
import { DEFAULT_DUE_IN_HOURS } from '../../messages/requirements.js';
import type { NextSteps } from '../journey/current-details.js';
import { Follower } from '../journey/follower.js';
import { requireFields } from '../journey/input.js';
import { type Facts, Journey, type JourneyRecords } from '../journey/journey.js';
import { awaitProfileChange } from './activities.js';

const NEXT_STEPS: NextSteps = {
  applying: 'submit the business account holder, unless the bank has the profile',
  underwriting: 'wait for the bank; its tickets show up here',
  opening: 'approved; open the financial account',
  onboarded: 'nothing, the bank has taken the business aboard',
  closed: 'nothing, the bank closed the profile',
};

function leftBehind({ profileId, partnerStatus }: Facts): string {
  return profileId
    ? `banking profile ${profileId} stays at the partner, last seen as ${partnerStatus ?? 'not read yet'}`
    : 'no banking profile is known at the partner';
}

/** The application of a business as it stands, corrections included. */
export class BusinessApplication {
  readonly journey: Journey;
  /** Knows the status of the profile, once there is one. */
  readonly follower: Follower<SeenProfile, ProfileSnapshot>;
  #input: BusinessOnboardingInput;

  constructor(input: BusinessOnboardingInput, records?: JourneyRecords) {
    requireFields(input, { externalId: 'string', holder: 'object' });
    requireFields(input.holder, { doingBusinessAsName: 'string' });
    this.#input = input;
    this.journey = new Journey({
      dueInHours: input.dueInHours ?? DEFAULT_DUE_IN_HOURS,
      correctable: CORRECTABLE_BUSINESS_FIELDS,
      input: { type: 'businessOnboarding', current: () => this.#input },
      nextSteps: NEXT_STEPS,
      leftBehind,
      // A customer's merchant raises some of the same kinds.
      idPrefix: 'business-',
      records,
    });
    const { merchantProfileId } = input;
    if (merchantProfileId !== undefined) this.journey.know({ merchantProfileId });
    this.follower = new Follower(this.journey, (seen, pace) =>
      awaitProfileChange({ profileId: this.profileId, seen, pace }),
    );
  }

  get input(): BusinessOnboardingInput {
    return this.#input;
  }

  /** '' when a correction took it away, which is told before anything is sent. */
  get dba(): string {
    const name: unknown = this.#input.holder?.doingBusinessAsName;
    return typeof name === 'string' ? name.trim() : '';
  }

  /** The holder with its owners, for the partner. */
  get submission(): Pick<BusinessOnboardingInput, 'holder' | 'beneficialOwners'> {
    const { holder, beneficialOwners } = this.#input;
    return { holder, ...(beneficialOwners && { beneficialOwners }) };
  }

  /** The same with its merchant, to be found at the partner. */
  get business(): BusinessToFind {
    const { merchantProfileId } = this.#input;
    return { ...this.submission, ...(merchantProfileId !== undefined && { merchantProfileId }) };
  }

  /**
   * What the next run needs to know. The partner has the social security numbers by then; should it want the holder once
   * more, a person is asked for them again.
   */
  get inputToCarry(): BusinessOnboardingInput {
    const { holder, beneficialOwners, ...rest } = this.#input;
    return {
      ...rest,
      holder: withoutSsn(holder),
      ...(beneficialOwners && { beneficialOwners: beneficialOwners.map(withoutSsn) }),
    };
  }

  readonly correct = (patch: Readonly<Record<string, unknown>>): void => {
    this.#input = mergePatch(this.#input, patch);
  };

  get profileId(): number {
    const { profileId } = this.journey.state;
    if (profileId === undefined) throw new Error('the profile does not exist yet');
    return profileId;
  }

  /** Takes note of a financial account, once. */
  knowAccount(financialAccountId: string | null): void {
    const { journey } = this;
    if (financialAccountId === null || financialAccountId === journey.state.financialAccountId) return;
    journey.know({ financialAccountId });
    journey.timeline.add('financial-account-opened', { detail: financialAccountId });
  }

  get knownProfile(): { profileId?: number } {
    const { profileId } = this.journey.state;
    return profileId === undefined ? {} : { profileId };
  }
}

/** Still typed as whole: what is missing turns up where the holder is checked before it is sent. */
function withoutSsn<Person extends { readonly ssn: string }>(person: Person): Person {
  const { ssn: _, ...rest } = person;
  return rest as Person;
}
