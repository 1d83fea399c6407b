import { AT_MOST_ONCE } from '../../at-most-once/workflow.js';
import type { SeenStatus, StatusSnapshot } from '../../messages/boarding-activities.js';
import type { FollowedMerchantInput, MerchantBoardingInput } from '../../messages/inputs.js';
import { isFollowed } from '../../messages/onboardings.js';
import { isDecided } from '../../partners/boarding/phases.js';
import { ANSWER, POLL, partnerActivities, REPEATABLE } from '../runtime/activity-proxies.js';
import type { NextSteps } from '../runtime/current-details.js';
import { requireFields } from '../runtime/input.js';
import { OnboardingRuntime } from '../runtime/onboarding-runtime.js';
import { describeLeftBehind } from '../runtime/run-to-end.js';
import type { CarriedState } from '../runtime/stateful.js';
import { StatusPoll } from '../runtime/status-poll.js';
import { Tasks } from '../runtime/tasks.js';
import { type BoardingContext, type BoardingState, INITIAL_BOARDING_STATE } from './decisions.js';
import { isPartlySent } from './deliveries.js';

export const partner = partnerActivities('boarding')({
  inspectMerchant: { ...REPEATABLE, summary: 'Read a merchant to import' },
  reserveMerchant: { ...REPEATABLE, summary: 'Reserve the merchant for this boarding' },
  createMerchant: { ...AT_MOST_ONCE, summary: 'Create the merchant' },
  reserveCreatedMerchant: { ...REPEATABLE, summary: 'Find out whether the created merchant is new' },
  changeFees: { ...REPEATABLE, summary: 'Change the fees as asked' },
  submitMerchant: { ...AT_MOST_ONCE, summary: 'Submit to underwriting' },
  readStatus: { ...REPEATABLE, summary: 'Read the status' },
  attachDocument: { ...ANSWER, summary: 'Upload a document' },
  requestUnderwritingReview: { ...ANSWER, summary: 'Report that the underwriting notes are answered' },
  awaitStatusChange: { ...POLL, summary: 'Wait until the status changes (one read per attempt)' },
});

const NEXT_STEPS: NextSteps = {
  preparing: 'create the merchant at the partner',
  applying: 'set its fees and submit it to underwriting',
  underwriting: 'wait for the underwriters; their notes show up here',
  boarding: 'approved; wait for the processor to assign the `mid`',
  boarded: 'The merchant can take payments.',
  closed: 'The partner closed the merchant.',
};

const NEXT_STEPS_FOLLOWED: NextSteps = {
  ...NEXT_STEPS,
  preparing: 'read the merchant at the partner',
  applying: 'wait until the application is submitted to underwriting',
};

type Input = MerchantBoardingInput | FollowedMerchantInput;

export class BoardingRuntime extends OnboardingRuntime<BoardingState, Input> {
  /** Gangway sends only what a person asks for. */
  readonly isFollowed: boolean;
  readonly poll = new StatusPoll<SeenStatus, StatusSnapshot>(this, (seen, pace) =>
    partner.awaitStatusChange({ merchantProfileId: this.merchantProfileId, seen, pace }),
  );
  readonly tasks = new Tasks();

  constructor(input: Input, carriedState?: CarriedState<BoardingState>) {
    requireFields(input, { externalId: 'string', merchant: 'object' });
    const follows = isFollowed(input);
    if (follows) requireFields(input, { merchantProfileId: 'number' });
    super({
      input,
      carriedState,
      partnerState: INITIAL_BOARDING_STATE,
      correctable: 'merchantBoarding',
      isPartlySent,
      nextSteps: follows ? NEXT_STEPS_FOLLOWED : NEXT_STEPS,
      dba: ({ merchant }) => String(merchant.dba),
      leftBehind: describeLeftBehind('merchant', 'merchantProfileId', 'not submitted'),
    });
    this.isFollowed = follows;
  }

  get merchantProfileId(): number {
    const { merchantProfileId } = this.published.facts;
    if (merchantProfileId === undefined) throw new Error('the merchant does not exist yet');
    return merchantProfileId;
  }

  get dba(): string {
    return String(this.input.current.merchant.dba);
  }

  /** True if the latest read shows a decision. A read from before the current write does not count. */
  get isDecided(): boolean {
    const { latest } = this.poll;
    return latest !== undefined && isDecided(latest.phase);
  }

  get context(): BoardingContext {
    const { open, answered } = this;
    return {
      merchantProfileId: this.merchantProfileId,
      dba: this.dba,
      isFollowed: this.isFollowed,
      isWriting: this.tasks.isBusy,
      consecutiveChanges: this.poll.changes,
      now: Date.now(),
      open,
      answered,
    };
  }
}
