import { AT_MOST_ONCE } from '../../at-most-once/workflow.js';
import type { Seen, StatusSnapshot } from '../../messages/boarding-activities.js';
import type { FollowedMerchantInput, MerchantBoardingInput } from '../../messages/inputs.js';
import { isFollowed } from '../../messages/onboardings.js';
import { isDecided } from '../../partners/boarding/phases.js';
import { ANSWER, POLL, partnerActivities, REPEATABLE } from '../journey/activity-proxies.js';
import type { NextSteps } from '../journey/current-details.js';
import { stays } from '../journey/ending.js';
import { type CorrectableInput, requireFields } from '../journey/input.js';
import { Journey } from '../journey/journey.js';
import type { Carried } from '../journey/stateful.js';
import { StatusPoll } from '../journey/status-poll.js';
import { Tasks } from '../journey/tasks.js';
import { NOTHING, type Remembered, type Situation } from './decisions.js';
import { isPartlySent } from './deliveries.js';

export const partner = partnerActivities('boarding')({
  inspectMerchant: { ...REPEATABLE, summary: 'Read a merchant to adopt' },
  reserveMerchant: { ...REPEATABLE, summary: 'Reserve the merchant for this boarding' },
  createMerchant: { ...AT_MOST_ONCE, summary: 'Create the merchant' },
  claimMerchant: { ...REPEATABLE, summary: 'Find out whether the created merchant is new' },
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

/** One boarding: its state, and what runs. */
export class Boarding {
  readonly journey: Journey<Remembered, Input>;
  readonly input: CorrectableInput<Input>;
  /** Nothing is sent unless a person asked for it. */
  readonly isFollowed: boolean;
  readonly poll: StatusPoll<Seen, StatusSnapshot>;
  readonly tasks = new Tasks();

  constructor(input: Input, carried?: Carried<Remembered>) {
    requireFields(input, { externalId: 'string', merchant: 'object' });
    this.isFollowed = isFollowed(input);
    if (this.isFollowed) requireFields(input, { merchantProfileId: 'number' });
    this.journey = new Journey<Remembered, Input>({
      ...{ input, carried, memory: NOTHING, correctable: 'merchantBoarding', isPartlySent },
      nextSteps: this.isFollowed ? NEXT_STEPS_FOLLOWED : NEXT_STEPS,
      dba: ({ merchant }) => String(merchant.dba),
      leftBehind: stays('merchant', 'merchantProfileId', 'not submitted'),
    });
    this.input = this.journey.input;
    this.poll = new StatusPoll(this.journey, this.journey.cell, (seen, pace) =>
      partner.awaitStatusChange({ merchantProfileId: this.merchantProfileId, seen, pace }),
    );
  }

  get remembered(): Remembered {
    return this.journey.memory;
  }

  get merchantProfileId(): number {
    const { merchantProfileId } = this.journey.state.facts;
    if (merchantProfileId === undefined) throw new Error('the merchant does not exist yet');
    return merchantProfileId;
  }

  get dba(): string {
    return String(this.input.current.merchant.dba);
  }

  /** The last read since a write began shows a decision. */
  get isDecided(): boolean {
    const { latest } = this.poll;
    return latest !== undefined && isDecided(latest.phase);
  }

  get situation(): Situation {
    const { open, answered } = this.journey;
    return {
      merchantProfileId: this.merchantProfileId,
      dba: this.dba,
      isFollowed: this.isFollowed,
      isWriting: this.tasks.isBusy,
      inARow: this.poll.changes,
      now: Date.now(),
      ...{ open, answered },
    };
  }
}
