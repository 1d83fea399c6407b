import type { Seen, StatusSnapshot } from '../../messages/boarding-activities.js';
import { CORRECTABLE_MERCHANT_MEMBERS } from '../../messages/merchant-boarding.js';
import type { MerchantBoardingInput } from '../../messages/merchant-boarding-input.js';
import { mergePatch } from '../../messages/merge-patch.js';
import { DEFAULT_DUE_IN_HOURS } from '../../messages/requirements.js';
import { askForCorrection, carryOut, type OnceOnly } from '../journey/carry-out.js';
import type { NextSteps } from '../journey/current-details.js';
import { Follower } from '../journey/follower.js';
import { requireMembers } from '../journey/input.js';
import { type Facts, Journey, type JourneyRecords } from '../journey/journey.js';
import { applyFees, awaitStatusChange, readStatus, submitMerchant } from './activities.js';

const NEXT_STEPS: NextSteps = {
  preparing: 'create the merchant at the partner',
  applying: 'set its fees and submit it to underwriting',
  underwriting: 'wait for the underwriters; their notes show up here',
  boarding: 'approved; wait for the processor to give the `mid`',
  boarded: 'nothing, the merchant can take payments',
  closed: 'nothing, the partner closed the merchant',
};

function leftBehind({ merchantProfileId, partnerStatus }: Facts): string {
  return merchantProfileId
    ? `merchant ${merchantProfileId} stays at the partner, last seen as ${partnerStatus ?? 'not submitted'}`
    : 'no merchant is known at the partner';
}

/** The merchant's application as it stands, corrections included. */
export class Application {
  readonly journey: Journey;
  /** Knows the status of the merchant, once there is one. */
  readonly follower: Follower<Seen, StatusSnapshot>;
  #input: MerchantBoardingInput;

  constructor(input: MerchantBoardingInput, records?: JourneyRecords) {
    requireMembers(input, { externalId: 'string', merchant: 'object' });
    this.#input = input;
    this.journey = new Journey({
      dueInHours: input.dueInHours ?? DEFAULT_DUE_IN_HOURS,
      correctable: CORRECTABLE_MERCHANT_MEMBERS,
      nextSteps: NEXT_STEPS,
      leftBehind,
      records,
    });
    this.follower = new Follower(this.journey, (seen) =>
      awaitStatusChange({ merchantProfileId: this.merchantProfileId, seen }),
    );
  }

  get input(): MerchantBoardingInput {
    return this.#input;
  }

  readonly correct = (patch: Readonly<Record<string, unknown>>): void => {
    this.#input = mergePatch(this.#input, patch);
  };

  get merchantProfileId(): number {
    const { merchantProfileId } = this.journey.state;
    if (merchantProfileId === undefined) throw new Error('the merchant does not exist yet');
    return merchantProfileId;
  }

  get knownMerchant(): { merchantProfileId?: number } {
    const { merchantProfileId } = this.journey.state;
    return merchantProfileId === undefined ? {} : { merchantProfileId };
  }
}

/** Reads the fees, changes those that the input asks for, and asks a person when the partner keeps others. */
export async function setFees(application: Application): Promise<void> {
  const { journey, merchantProfileId, correct } = application;
  const title = 'set the fees';
  for (;;) {
    const { changed, differing } = await carryOut(journey, {
      title,
      run: () => {
        const { fees } = application.input;
        return applyFees({ merchantProfileId, ...(fees && { changes: fees }) });
      },
      correct,
    });
    if (differing.length === 0) {
      journey.timeline.add(changed > 0 ? 'fees-changed' : 'fees-read');
      return;
    }
    await askForCorrection(journey, { title, correct }, differing);
  }
}

/** Submits the application to underwriting, from `before` on: the status in which it waits for that. */
export async function submit(application: Application, before: string): Promise<void> {
  const { journey, merchantProfileId } = application;
  await carryOut(journey, {
    title: 'submit to underwriting',
    run: () => submitMerchant({ merchantProfileId, application: application.input.application ?? {} }),
    correct: application.correct,
    once: effectShowsInStatus(application, before, 'the submission'),
  });
  journey.timeline.add('submitted');
}

/** A write that moves a merchant on from status `before`: whether it took effect is seen there, sooner or later. */
export function effectShowsInStatus(application: Application, before: string, what: string): OnceOnly<void> {
  const { follower, merchantProfileId } = application;
  return {
    lookForEffect: async () => {
      if ((await read(application)).status !== before) return { found: undefined };
      follower.follow({ status: before });
      return undefined;
    },
    settled: () => follower.news !== undefined && follower.news.status !== before,
    adopt: () => undefined,
    hint:
      `Merchant ${merchantProfileId} still reads as ${before}. ` +
      `If the partner has ${what}, adopt ${merchantProfileId}; if not, retry.`,
  };
}

/** Reads the status, as often as it takes. */
export function read({ journey, merchantProfileId }: Application): Promise<StatusSnapshot> {
  return carryOut(journey, { title: 'read the status', run: () => readStatus({ merchantProfileId }) });
}
