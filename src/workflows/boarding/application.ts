import type { Seen, StatusSnapshot, Submission } from '../../messages/boarding-activities.js';
import type { MerchantBoardingInput } from '../../messages/inputs.js';
import { mergePatch } from '../../messages/objects.js';
import { CORRECTABLE_MERCHANT_FIELDS, type MerchantBoardingOutcome } from '../../messages/onboardings.js';
import { DEFAULT_DUE_IN_HOURS } from '../../messages/requirements.js';
import { isDecided, isSubmittable } from '../../partners/boarding/phases.js';
import { askForCorrection, runStep } from '../journey/carry-out.js';
import type { NextSteps } from '../journey/current-details.js';
import { Follower } from '../journey/follower.js';
import { requireFields } from '../journey/input.js';
import { type Facts, Journey, type JourneyRecords } from '../journey/journey.js';
import { masked } from '../journey/masked.js';
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
    requireFields(input, { externalId: 'string', merchant: 'object' });
    this.#input = input;
    this.journey = new Journey({
      dueInHours: input.dueInHours ?? DEFAULT_DUE_IN_HOURS,
      correctable: CORRECTABLE_MERCHANT_FIELDS,
      input: { type: 'merchantBoarding', current: () => this.#input },
      nextSteps: NEXT_STEPS,
      leftBehind,
      records,
    });
    this.follower = new Follower(this.journey, (seen, pace) =>
      awaitStatusChange({ merchantProfileId: this.merchantProfileId, seen, pace }),
    );
  }

  get input(): MerchantBoardingInput {
    return this.#input;
  }

  readonly correct = (patch: Readonly<Record<string, unknown>>): void => {
    this.#input = mergePatch(this.#input, patch);
  };

  /** Undoes corrections that did not reach the partner, whose answer can still be taken back. */
  restore(input: MerchantBoardingInput): void {
    this.#input = input;
  }

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
    const { changed, differing } = await runStep(journey, {
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

/**
 * Submits the application to underwriting, when it can be submitted as it stands.
 *
 * @param latest what the partner showed since then, looked at while a person is asked
 */
export async function submit(
  application: Application,
  latest: () => StatusSnapshot | undefined,
): Promise<Submission> {
  const { journey, merchantProfileId } = application;
  const { dba } = application.input.merchant;
  let readsAs = 'not submitted';
  let hasNewFees = false;
  const effectIn = (now: StatusSnapshot | undefined) =>
    now && (now.phase === 'submitted' || isDecided(now.phase)) ? { found: submissionIn(now) } : undefined;
  const submission = await runStep<Submission>(journey, {
    title: 'submit to underwriting',
    prepare: async () => {
      if (hasNewFees) await setFees(application);
      hasNewFees = false;
    },
    run: () => submitMerchant({ merchantProfileId, application: application.input.application ?? {} }),
    correct: (patch) => {
      application.correct(patch);
      hasNewFees ||= 'fees' in patch;
    },
    once: {
      lookForEffect: async (wasInDoubt) => {
        const now = await read(application);
        readsAs = now.status;
        // Rejected because the status moved on before it came.
        const isMoot = !wasInDoubt && !isSubmittable(now.phase);
        return effectIn(now) ?? (isMoot ? { found: submissionIn(now) } : undefined);
      },
      effectSeen: () => effectIn(latest()),
      adopt: () => ({ submitted: true, status: readsAs, phase: 'submitted' }),
      get hint() {
        return (
          `Merchant ${merchantProfileId} (“${masked(String(dba))}”) still reads as ${readsAs}. ` +
          `If the partner has the submission, adopt ${merchantProfileId}; if not, retry.`
        );
      },
    },
  });
  // Nothing else than a submission leads there, be it an earlier one whose response was lost.
  return { ...submission, submitted: submission.submitted || submission.phase === 'submitted' };
}

function submissionIn({ status, phase }: StatusSnapshot): Submission {
  return { submitted: phase === 'submitted', status, phase };
}

/** Reads the status, as often as it takes. */
export function read({ journey, merchantProfileId }: Application): Promise<StatusSnapshot> {
  return runStep(journey, { title: 'read the status', run: () => readStatus({ merchantProfileId }) });
}

/** How the boarding ends with this status; undefined while it goes on. */
export function outcomeOf(
  { phase, comment: said, mid }: StatusSnapshot,
  merchantProfileId: number,
): MerchantBoardingOutcome | undefined {
  const comment = said && masked(said);
  switch (phase) {
    case 'approved':
      return mid === null ? undefined : { outcome: 'boarded', mid, merchantProfileId };
    case 'declined':
    case 'withdrawn':
    case 'closed':
      return { outcome: phase, comment, merchantProfileId };
    default:
      return undefined;
  }
}
