import { AT_MOST_ONCE } from '../../at-most-once/workflow.js';
import type {
  BusinessToFind,
  HolderRequest,
  ProfileSnapshot,
  SeenProfile,
} from '../../messages/banking-activities.js';
import type { BusinessOnboardingInput, FollowedBusinessInput } from '../../messages/inputs.js';
import { isFollowed } from '../../messages/onboardings.js';
import { ANSWER, POLL, partnerActivities, REPEATABLE } from '../runtime/activity-proxies.js';
import type { NextSteps } from '../runtime/current-details.js';
import { requireFields } from '../runtime/input.js';
import { OnboardingRuntime } from '../runtime/onboarding-runtime.js';
import { describeLeftBehind } from '../runtime/run-to-end.js';
import type { CarriedState } from '../runtime/stateful.js';
import { StatusPoll } from '../runtime/status-poll.js';
import { Tasks } from '../runtime/tasks.js';
import { commandTransition } from '../runtime/until-decided.js';
import {
  accountCommands,
  type BusinessContext,
  type BusinessState,
  INITIAL_BUSINESS_STATE,
} from './decisions.js';

export const bank = partnerActivities('banking')({
  submitHolder: { ...AT_MOST_ONCE, summary: 'Submit the business account holder' },
  findCandidates: { ...REPEATABLE, summary: 'Look for the business at the bank' },
  examineProfile: { ...REPEATABLE, summary: 'Read a banking profile to import' },
  inspectProfile: { ...REPEATABLE, summary: 'Read a banking profile to follow' },
  reserveProfile: { ...REPEATABLE, summary: 'Reserve the profile for this onboarding' },
  reserveSubmittedProfile: { ...REPEATABLE, summary: 'Find out whether the submitted profile is new' },
  correctHolder: { ...ANSWER, summary: 'Correct the business account holder' },
  readProfile: { ...REPEATABLE, summary: 'Read the banking profile' },
  awaitProfileChange: { ...POLL, summary: 'Wait until the banking profile changes (one read per attempt)' },
  openFinancialAccount: { ...AT_MOST_ONCE, summary: 'Open a financial account' },
  replyToTicket: { ...ANSWER, summary: 'Reply to a ticket' },
  findReply: { ...REPEATABLE, summary: 'Look for the reply to a ticket' },
});

const NEXT_STEPS: NextSteps = {
  applying: 'submit the business account holder, unless the bank has the profile',
  underwriting: 'wait for the bank; its tickets show up here',
  opening: 'approved; open the financial account',
  onboarded: 'The bank approved the business.',
  closed: 'The bank closed the profile.',
};

const NEXT_STEPS_FOLLOWED: NextSteps = { ...NEXT_STEPS, applying: 'read the profile at the bank' };

type Input = BusinessOnboardingInput | FollowedBusinessInput;

export class BusinessRuntime extends OnboardingRuntime<BusinessState, Input> {
  /** Gangway sends only what a person asks for. */
  readonly isFollowed: boolean;
  readonly poll = new StatusPoll<SeenProfile, ProfileSnapshot>(this, (seen, pace) =>
    bank.awaitProfileChange({ profileId: this.profileId, seen, pace }),
  );
  readonly tasks = new Tasks();
  readonly gracePeriod = '5s';

  constructor(input: Input, carriedState?: CarriedState<BusinessState>) {
    requireFields(input, { externalId: 'string', holder: 'object' });
    const follows = isFollowed(input);
    if (follows) requireFields(input, { profileId: 'number' });
    requireFields(input.holder, { doingBusinessAsName: 'string' });
    super({
      input,
      carriedState,
      partnerState: INITIAL_BUSINESS_STATE,
      correctable: 'businessOnboarding',
      nextSteps: follows ? NEXT_STEPS_FOLLOWED : NEXT_STEPS,
      dba: dbaOf,
      leftBehind: describeLeftBehind('banking profile', 'profileId', 'not read yet'),
      // A customer lists these next to its merchant's requirements, so IDs need a prefix.
      idPrefix: 'business-',
    });
    this.isFollowed = follows;
    const { merchantProfileId } = input;
    if (merchantProfileId !== undefined) this.published.setFacts({ merchantProfileId });
  }

  get dba(): string {
    return dbaOf(this.input.current);
  }

  /**
   * The holder with its owners. Despite the type, a correction may have left it incomplete; a check before the request reports
   * that.
   */
  get submission(): HolderRequest {
    const { holder, beneficialOwners } = this.input.current;
    return { holder, ...(beneficialOwners && { beneficialOwners }) } as HolderRequest;
  }

  get toFind(): BusinessToFind {
    const { merchantProfileId } = this.input.current;
    return { ...this.submission, ...(merchantProfileId !== undefined && { merchantProfileId }) };
  }

  get profileId(): number {
    const { profileId } = this.published.facts;
    if (profileId === undefined) throw new Error('the profile does not exist yet');
    return profileId;
  }

  get context(): BusinessContext {
    const { dueInMs, open, answered, published } = this;
    return {
      profileId: this.profileId,
      dba: this.dba,
      isFollowed: this.isFollowed,
      wantsAccount: this.input.current.openFinancialAccount === true,
      financialAccountId: published.facts.financialAccountId,
      running: this.tasks.running,
      now: Date.now(),
      dueInMs,
      open,
      answered,
    };
  }

  setProfile(profileId: number, event: 'holder-submitted' | 'profile-imported'): void {
    this.published.setFacts({ profileId });
    this.record(event, { detail: `banking profile ${profileId}` });
  }

  setAccount(financialAccountId: string | null): void {
    this.update(...accountCommands(financialAccountId, this.published.facts).map(commandTransition));
  }
}

/** Returns '' if a correction removed the dba. The check before the request reports that. */
function dbaOf({ holder }: Input): string {
  const name: unknown = holder?.doingBusinessAsName;
  return typeof name === 'string' ? name.trim() : '';
}
