import type {
  BusinessToFind,
  HolderRequest,
  ProfileSnapshot,
  SeenProfile,
} from '../../messages/banking-activities.js';
import type { FollowedBusinessInput } from '../../messages/followed-inputs.js';
import type { BusinessOnboardingInput } from '../../messages/inputs.js';
import { CORRECTABLE_BUSINESS_FIELDS, isFollowed } from '../../messages/onboardings.js';
import { type Answer, DEFAULT_DUE_IN_HOURS } from '../../messages/requirements.js';
import type { FieldProblem } from '../../partners/partner-error.js';
import type { NextSteps } from '../journey/current-details.js';
import { CorrectableInput, requireFields } from '../journey/input.js';
import { createJourney, type Journey, type JourneyRecords } from '../journey/journey.js';
import { ANSWER, ONCE, POLL, partnerActivities, REPEATABLE } from '../journey/partner-activities.js';
import type { Facts } from '../journey/published-state.js';
import { askForCorrection, doubts, RejectedByPartner, runStep } from '../journey/run-step.js';
import { StatusPoll } from '../journey/status-poll.js';

export const bank = partnerActivities('banking')({
  submitHolder: { ...ONCE, summary: 'Submit the business account holder' },
  findCandidates: { ...REPEATABLE, summary: 'Look for the business at the bank' },
  examineProfile: { ...REPEATABLE, summary: 'Read a banking profile to adopt' },
  inspectProfile: { ...REPEATABLE, summary: 'Read a banking profile to follow' },
  correctHolder: { ...ANSWER, summary: 'Correct the business account holder' },
  readProfile: { ...REPEATABLE, summary: 'Read the banking profile' },
  awaitProfileChange: { ...POLL, summary: 'Wait until the banking profile changes (one read per attempt)' },
  openFinancialAccount: { ...ONCE, summary: 'Open a financial account' },
});

const NEXT_STEPS: NextSteps = {
  applying: 'submit the business account holder, unless the bank has the profile',
  underwriting: 'wait for the bank; its tickets show up here',
  opening: 'approved; open the financial account',
  onboarded: 'The bank approved the business.',
  closed: 'The bank closed the profile.',
};

/** What differs where the bank has the profile, and Gangway only follows it. */
const NEXT_STEPS_FOLLOWED: NextSteps = { ...NEXT_STEPS, applying: 'read the profile at the bank' };

function leftBehind({ profileId, partnerStatus }: Facts): string {
  return profileId
    ? `banking profile ${profileId} stays at the partner, last seen as ${partnerStatus ?? 'not read yet'}`
    : 'no banking profile is known at the partner';
}

/** The application of a business as it stands: its input with corrections, and what is known of its profile. */
export class BusinessApplication {
  readonly journey: Journey;
  /** Polls the status of the profile, once there is one. */
  readonly status: StatusPoll<SeenProfile, ProfileSnapshot>;
  readonly input: CorrectableInput<BusinessOnboardingInput | FollowedBusinessInput>;
  /** Nothing is sent that no person asked for. */
  readonly isFollowed: boolean;

  constructor(input: BusinessOnboardingInput | FollowedBusinessInput, records?: JourneyRecords) {
    requireFields(input, { externalId: 'string', holder: 'object' });
    this.isFollowed = isFollowed(input);
    if (this.isFollowed) requireFields(input, { profileId: 'number' });
    requireFields(input.holder, { doingBusinessAsName: 'string' });
    this.input = new CorrectableInput('businessOnboarding', CORRECTABLE_BUSINESS_FIELDS, input);
    this.journey = createJourney({
      dueInHours: input.dueInHours ?? DEFAULT_DUE_IN_HOURS,
      input: this.input,
      nextSteps: this.isFollowed ? NEXT_STEPS_FOLLOWED : NEXT_STEPS,
      dba: () => this.dba,
      leftBehind,
      // A customer shows the requirements of its merchant beside these.
      idPrefix: 'business-',
      records,
    });
    const { merchantProfileId } = input;
    if (merchantProfileId !== undefined) this.journey.state.know({ merchantProfileId });
    this.status = new StatusPoll(this.journey, (seen, pace) =>
      bank.awaitProfileChange({ profileId: this.profileId, seen, pace }),
    );
  }

  /** '' when a correction removed it, which is reported before anything is sent. */
  get dba(): string {
    const name: unknown = this.input.current.holder?.doingBusinessAsName;
    return typeof name === 'string' ? name.trim() : '';
  }

  /**
   * The holder with its owners, for the partner. Typed as if complete: the check before the holder is sent reports what a
   * correction of a followed business still lacks.
   */
  get submission(): HolderRequest {
    const { holder, beneficialOwners } = this.input.current;
    return { holder, ...(beneficialOwners && { beneficialOwners }) } as HolderRequest;
  }

  /** The same with its merchant, to find the business at the partner. */
  get business(): BusinessToFind {
    const { merchantProfileId } = this.input.current;
    return { ...this.submission, ...(merchantProfileId !== undefined && { merchantProfileId }) };
  }

  /**
   * The input of the next run. The partner has the social security numbers by then. If it wants the holder again, a person has
   * to enter them again.
   */
  get inputToCarry(): BusinessOnboardingInput | FollowedBusinessInput {
    const { holder, beneficialOwners, ...rest } = this.input.current;
    return {
      ...rest,
      holder: withoutSsn(holder),
      ...(beneficialOwners && { beneficialOwners: beneficialOwners.map(withoutSsn) }),
    } as BusinessOnboardingInput | FollowedBusinessInput;
  }

  get profileId(): number {
    const { profileId } = this.journey.state.facts;
    if (profileId === undefined) throw new Error('the profile does not exist yet');
    return profileId;
  }

  knowProfile(profileId: number, event: 'holder-submitted' | 'profile-adopted'): void {
    const { state, timeline } = this.journey;
    state.know({ profileId });
    timeline.add(event, { detail: `banking profile ${profileId}` });
  }

  /** Adds a financial account to the state, once. */
  knowAccount(financialAccountId: string | null): void {
    const { journey } = this;
    if (financialAccountId === null || financialAccountId === journey.state.facts.financialAccountId) return;
    journey.state.know({ financialAccountId });
    journey.timeline.add('financial-account-opened', { detail: financialAccountId });
  }
}

/** Typed as if complete: the check before the holder is sent reports what is missing. */
function withoutSsn<Person extends { readonly ssn?: string | undefined }>(person: Person): Person {
  const { ssn: _, ...rest } = person;
  return rest as Person;
}

export const SUBMIT = 'submit the business account holder';

/** Asks a person to correct what is wrong with the submission. Undefined when that became moot. */
export function askToCorrect(
  { journey, input }: BusinessApplication,
  problems: readonly FieldProblem[],
  isMoot?: () => boolean,
): Promise<Answer | undefined> {
  return askForCorrection(journey, { title: SUBMIT, correct: input.correct }, problems, isMoot);
}

/** Reads the profile, as often as it takes. */
export function read({ journey, profileId }: BusinessApplication): Promise<ProfileSnapshot> {
  const run = () => bank.readProfile({ profileId });
  return runStep(journey, { effect: 'read', title: 'read the banking profile', run });
}

export const CORRECT = 'correct the business account holder';

/** Replaces the holder by the corrected one, until the partner accepts it or the correction is moot. */
export async function replaceHolder(application: BusinessApplication, isMoot?: () => boolean): Promise<void> {
  const { journey, profileId } = application;
  const { correct } = application.input;
  const title = CORRECT;
  for (;;) {
    const { problems } = await runStep(journey, {
      effect: 'idempotent',
      title,
      run: () => bank.correctHolder({ profileId, ...application.submission }),
      correct,
    });
    if (problems.length === 0) break;
    if (!(await askForCorrection(journey, { title, correct }, problems, isMoot))) return;
  }
  journey.timeline.add('holder-corrected');
}

/** Opens a financial account for an approved business, unless it has one by then. */
export async function openAccount(application: BusinessApplication): Promise<void> {
  const { journey, profileId } = application;
  const doubt = doubts();
  const financialAccountId = await runStep<string>(journey, {
    effect: 'once',
    title: 'open the financial account',
    run: async (send) => {
      const opened = await send(bank.openFinancialAccount, { profileId });
      if (opened.financialAccountId === null) throw new RejectedByPartner(opened.problems);
      return opened.financialAccountId;
    },
    readEvidence: async () => {
      const { financialAccountId } = await read(application);
      return financialAccountId === null ? undefined : { found: financialAccountId };
    },
    polledEvidence: () => {
      const { financialAccountId: found } = journey.state.facts;
      return found === undefined ? undefined : { found };
    },
    adopt: async (id) => {
      const { financialAccountId: shown } = await read(application);
      if (shown !== id)
        doubt(id, `the bank shows ${shown ?? 'no financial account'} for profile ${profileId}`);
      return id;
    },
    idFormat: 'text',
    whereToLook:
      `Look in the partner’s portal whether banking profile ${profileId} has a financial account. ` +
      'If it has, adopt its id.',
  });
  application.knowAccount(financialAccountId);
}
