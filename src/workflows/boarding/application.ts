import type { Seen, StatusSnapshot, Submission, Warned } from '../../messages/boarding-activities.js';
import type { FollowedMerchantInput } from '../../messages/followed-inputs.js';
import type { MerchantBoardingInput } from '../../messages/inputs.js';
import { CORRECTABLE_MERCHANT_FIELDS, isFollowed } from '../../messages/onboardings.js';
import { DEFAULT_DUE_IN_HOURS, type DocumentRef } from '../../messages/requirements.js';
import { isDecided, isSubmittable, isUnderReview } from '../../partners/boarding/phases.js';
import { masked } from '../../privacy/masked.js';
import type { NextSteps } from '../journey/current-details.js';
import { CorrectableInput, requireFields } from '../journey/input.js';
import { Journey, type JourneyRecords } from '../journey/journey.js';
import { ANSWER, ONCE, POLL, partnerActivities, REPEATABLE } from '../journey/partner-activities.js';
import type { Facts } from '../journey/published-state.js';
import type { Answered } from '../journey/requirement-queue.js';
import { askForCorrection, runStep } from '../journey/run-step.js';
import { StatusPoll } from '../journey/status-poll.js';

export const partner = partnerActivities('boarding')({
  inspectMerchant: { ...REPEATABLE, summary: 'Read a merchant to adopt' },
  createMerchant: { ...ONCE, summary: 'Create the merchant' },
  changeFees: { ...REPEATABLE, summary: 'Change the fees as asked' },
  submitMerchant: { ...ONCE, summary: 'Submit to underwriting' },
  readStatus: { ...REPEATABLE, summary: 'Read the status' },
  attachDocument: { ...ANSWER, summary: 'Upload a document' },
  requestUnderwritingReview: { ...ANSWER, summary: 'Report that the underwriting notes are answered' },
  awaitStatusChange: { ...POLL, summary: 'Wait until the status changes (one read per attempt)' },
});

const NEXT_STEPS: NextSteps = {
  preparing: 'create the merchant at the partner',
  applying: 'set its fees and submit it to underwriting',
  underwriting: 'wait for the underwriters; their notes show up here',
  boarding: 'approved; wait for the processor to give the `mid`',
  boarded: 'The merchant can take payments.',
  closed: 'The partner closed the merchant.',
};

/** What differs where the partner has the merchant, and Gangway only follows it. */
const NEXT_STEPS_FOLLOWED: NextSteps = {
  ...NEXT_STEPS,
  preparing: 'read the merchant at the partner',
  applying: 'wait until the application is submitted to underwriting',
};

function leftBehind({ merchantProfileId, partnerStatus }: Facts): string {
  return merchantProfileId
    ? `merchant ${merchantProfileId} stays at the partner, last seen as ${partnerStatus ?? 'not submitted'}`
    : 'no merchant is known at the partner';
}

/** A merchant's application as it stands: its input with corrections, and what is known of the merchant. */
export class Application {
  readonly journey: Journey;
  /** Polls the status of the merchant, once there is one. */
  readonly status: StatusPoll<Seen, StatusSnapshot>;
  readonly input: CorrectableInput<MerchantBoardingInput | FollowedMerchantInput>;
  /** Nothing is sent that no person asked for. */
  readonly isFollowed: boolean;

  constructor(input: MerchantBoardingInput | FollowedMerchantInput, records?: JourneyRecords) {
    requireFields(input, { externalId: 'string', merchant: 'object' });
    this.isFollowed = isFollowed(input);
    if (this.isFollowed) requireFields(input, { merchantProfileId: 'number' });
    this.input = new CorrectableInput('merchantBoarding', CORRECTABLE_MERCHANT_FIELDS, input);
    this.journey = new Journey({
      dueInHours: input.dueInHours ?? DEFAULT_DUE_IN_HOURS,
      input: this.input,
      nextSteps: this.isFollowed ? NEXT_STEPS_FOLLOWED : NEXT_STEPS,
      dba: () => String(this.input.current.merchant.dba),
      leftBehind,
      records,
    });
    this.status = new StatusPoll(this.journey, (seen, pace) =>
      partner.awaitStatusChange({ merchantProfileId: this.merchantProfileId, seen, pace }),
    );
  }

  get merchantProfileId(): number {
    const { merchantProfileId } = this.journey.state.facts;
    if (merchantProfileId === undefined) throw new Error('the merchant does not exist yet');
    return merchantProfileId;
  }
}

function dbaOf({ input }: Application): string {
  return masked(String(input.current.merchant.dba));
}

/** Sets the fees that the input asks for, if it does, and asks a person when the partner keeps others. */
export async function setFees({ journey, merchantProfileId, input }: Application): Promise<void> {
  const { correct } = input;
  const title = 'set the fees';
  for (;;) {
    if (!input.current.fees) return;
    const run = () => partner.changeFees({ merchantProfileId, changes: input.current.fees ?? {} });
    const { changed, differing } = await runStep(journey, { effect: 'idempotent', title, run, correct });
    if (differing.length === 0) {
      journey.timeline.add(changed > 0 ? 'fees-changed' : 'fees-read');
      return;
    }
    await askForCorrection(journey, { title, correct }, differing);
  }
}

export const SUBMIT = 'submit to underwriting';

/**
 * Submits the application to underwriting, when it can be submitted as it stands.
 *
 * @param polled what the status poll has read since the submission began
 */
export async function submit(
  application: Application,
  polled: () => StatusSnapshot | undefined,
): Promise<Submission> {
  const { journey, merchantProfileId } = application;
  let readsAs = 'not submitted';
  let hasNewFees = false;
  const effectIn = (now: StatusSnapshot | undefined) =>
    now && (now.phase === 'submitted' || isDecided(now.phase)) ? { found: submissionIn(now) } : undefined;
  const submission = await runStep<Submission>(journey, {
    effect: 'once',
    title: SUBMIT,
    prepare: async () => {
      if (hasNewFees) await setFees(application);
      hasNewFees = false;
    },
    run: (send) =>
      send(partner.submitMerchant, {
        merchantProfileId,
        application: application.input.current.application ?? {},
      }),
    correct: (patch) => {
      application.input.correct(patch);
      hasNewFees ||= 'fees' in patch;
    },
    readEvidence: async (wasInDoubt) => {
      const now = await read(application);
      readsAs = now.status;
      // The submission was rejected because the status had changed before it arrived.
      const isMoot = !wasInDoubt && !isSubmittable(now.phase);
      return effectIn(now) ?? (isMoot ? { found: submissionIn(now) } : undefined);
    },
    polledEvidence: () => effectIn(polled()),
    adopt: () => ({ submitted: true, status: readsAs, phase: 'submitted' }),
    get whereToLook() {
      return (
        `Merchant ${merchantProfileId} (“${dbaOf(application)}”) still reads as ${readsAs}. ` +
        `If the partner has the submission, adopt ${merchantProfileId}.`
      );
    },
  });
  // Only a submission leads to this phase, possibly an earlier one whose response was lost.
  return { ...submission, submitted: submission.submitted || submission.phase === 'submitted' };
}

function submissionIn({ status, phase }: StatusSnapshot): Submission {
  return { submitted: phase === 'submitted', status, phase };
}

/** Reads the status, as often as it takes. */
export function read({ journey, merchantProfileId }: Application): Promise<StatusSnapshot> {
  return runStep(journey, {
    effect: 'read',
    title: 'read the status',
    run: () => partner.readStatus({ merchantProfileId }),
  });
}

/** A document of an answer, on its way to the underwriters. */
export interface Upload {
  readonly id: string;
  readonly document: DocumentRef;
  readonly description: string;
}

/** The documents of an answer. */
export function uploadsOf({ requirement, resolution: { answer } }: Answered): Upload[] {
  if (answer.kind !== 'documents') return [];
  return answer.documents.map((document) => ({
    id: `${requirement.id}/${document.key}`,
    document,
    description: requirement.detail,
  }));
}

/**
 * Uploads a document of an answer. Where the partner rejects it, a person may replace it.
 *
 * @param polled what the status poll has read since the uploads began
 */
export async function upload(
  application: Application,
  { description, ...first }: Upload,
  polled: () => StatusSnapshot | undefined,
): Promise<void> {
  const { journey, merchantProfileId } = application;
  let { document } = first;
  await runStep<Warned>(journey, {
    effect: 'once',
    get title() {
      return `upload ${document.fileName}`;
    },
    run: (send) => send(partner.attachDocument, { merchantProfileId, document, description }),
    replace: (other) => {
      document = other;
    },
    readEvidence: 'none',
    polledEvidence: () => {
      const now = polled();
      return now && isDecided(now.phase) ? { found: {} } : undefined;
    },
    adopt: () => ({}),
    whereToLook:
      `Look in the partner’s portal whether merchant ${merchantProfileId} (“${dbaOf(application)}”) has the document. ` +
      `If it has, adopt ${merchantProfileId}.`,
  });
}

/** A status by the partner's name, and when the partner set it. */
export type StatusMark = Pick<StatusSnapshot, 'status' | 'statusDate'>;

/** Whether the partner took the answers: its status before it did, or what it was when it did not. */
export type Review =
  | { readonly delivered: true; readonly before: StatusMark }
  | { readonly delivered: false; readonly before: StatusSnapshot };

export const REVIEW = 'request the review of the answers';

/**
 * Reports to the underwriters that these notes are answered, with the texts as comment.
 *
 * @param begun the status that was seen before the request began. What is read once the outcome is in doubt may be later: the
 *   partner may have taken the answers and asked the same again
 * @param polled what the status poll has read since the request began
 * @param whileDecided waits, when a request is in doubt and the partner has decided. The end of the boarding cancels it, and
 *   whether the request arrived stays unknown
 * @returns whether the partner took the answers, and its status before it did, or in which it did not
 * @throws {RejectedByPartner}
 */
export function requestReview(
  application: Application,
  answered: readonly Answered[],
  begun: StatusMark,
  {
    polled,
    whileDecided,
  }: {
    readonly polled: () => StatusSnapshot | undefined;
    readonly whileDecided: (decision: StatusSnapshot) => Promise<void>;
  },
): Promise<Review> {
  const { journey, merchantProfileId } = application;
  const noteIds = answered.map(({ requirement }) => requirement.about ?? requirement.id);
  const comment = answered.flatMap(textOf).join('\n\n');
  const taken = { delivered: true, before: begun } as const;
  const isTaken = (now: StatusSnapshot) =>
    now.phase === 'in-review' ||
    (isUnderReview(now.phase) && !now.notes.some(({ id }) => noteIds.includes(id)));
  const effectIn = (now: StatusSnapshot | undefined) => (now && isTaken(now) ? { found: taken } : undefined);
  const readEffect = async () => {
    const now = await read(application);
    if (!isDecided(now.phase)) return effectIn(now);
    await whileDecided(now);
    return effectIn(polled());
  };
  return runStep<Review>(journey, {
    effect: 'once',
    title: REVIEW,
    run: (send) =>
      send(partner.requestUnderwritingReview, { merchantProfileId, ...(comment && { comment }), noteIds }),
    endsWhenRejected: true,
    readEvidence: async (wasInDoubt) => (wasInDoubt ? (effectIn(polled()) ?? readEffect()) : undefined),
    polledEvidence: () => effectIn(polled()),
    adopt: () => taken,
    whereToLook:
      `Look in the partner’s portal whether merchant ${merchantProfileId} (“${dbaOf(application)}”) is in review with these answers. ` +
      `If it is, adopt ${merchantProfileId}.`,
  });
}

function textOf({ requirement, resolution: { answer } }: Answered): string[] {
  return answer.kind === 'text' ? [`${requirement.detail}\n${answer.text}`] : [];
}
