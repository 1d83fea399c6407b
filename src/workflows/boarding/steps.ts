import { condition } from '@temporalio/workflow';
import type { StatusSnapshot, Submission, Warned } from '../../messages/boarding-activities.js';
import { defined } from '../../messages/objects.js';
import { isFollowed, mayBeDone, type Restored } from '../../messages/onboardings.js';
import { isDecided, isSubmittable, takesAnswers } from '../../partners/boarding/phases.js';
import type { FieldProblem } from '../../partners/partner-error.js';
import { masked } from '../../privacy/masked.js';
import type { Answered } from '../journey/requirement-queue.js';
import { askForCorrection, doubts, NotAdoptable, Rejected, runRead, runStep } from '../journey/run-step.js';
import { type FoundMerchant, inspect, recordAdoption } from './adoption.js';
import { type Boarding, partner } from './boarding.js';
import { type StatusMark, UNSUBMITTED } from './decisions.js';
import { commentOf, notesOf, showsReview, showsSubmission, type Upload, withWaiting } from './deliveries.js';

/** The merchant, which a person may have found at the partner after a creation with an unknown outcome. */
interface Created {
  readonly merchantProfileId: number;
  readonly found?: FoundMerchant;
}

export async function createMerchant(boarding: Boarding, restored?: Restored): Promise<void> {
  const { journey, input } = boarding;
  const doubt = doubts();
  const { merchantProfileId, found } = await runStep<Created>(journey, {
    effect: 'once',
    title: 'create the merchant',
    run: async (send) => {
      const { current } = input;
      if (isFollowed(current)) throw new Error('a followed merchant is never created');
      const { createVersion: version = 'v2', merchant, externalId: guid, ...others } = current;
      const { agentProfileId, agent, boardingSettingsId, boardingSettings } = others;
      const references = defined({ agentProfileId, agent, boardingSettingsId, boardingSettings });
      const created = await send(partner.createMerchant, { version, merchant, guid, references });
      if ('problems' in created) throw new Rejected(created.problems);
      journey.state.knowAgentProfile(created.agentProfileId);
      return created;
    },
    correct: input.correct,
    mayBeDone: mayBeDone(restored),
    readEvidence: 'none',
    polledEvidence: 'none',
    // The partner's API has no search for merchants, so only a person can look.
    adopt: async (id) => {
      const found = await inspect(boarding, Number(id));
      const { formerOwner, now } = found;
      if (formerOwner !== undefined) throw new NotAdoptable(`it is the merchant of ${formerOwner}`);
      if (now.phase !== 'not-submitted' && !restored)
        doubt(
          id,
          `merchant ${id} has the status ${now.status}, and nobody has submitted the one that was created`,
        );
      return { merchantProfileId: found.merchantProfileId, found };
    },
    get whereToLook() {
      const { merchant, externalId } = input.current;
      return (
        `Look in the partner’s portal for a merchant with dba “${masked(String(merchant.dba))}” and guid ${externalId}. ` +
        'If it is there, adopt its merchant profile id.'
      );
    },
  });
  if (found) {
    recordAdoption(boarding, found);
    return;
  }
  journey.state.know({ merchantProfileId });
  journey.timeline.add('merchant-created', { detail: `merchant ${merchantProfileId}` });
  boarding.remembered = UNSUBMITTED;
}

export const FEES = 'set the fees';

/** Sets the requested fees, if there are any, and asks a person if the partner keeps others. */
export async function setFees({ journey, merchantProfileId, input }: Boarding): Promise<void> {
  const { correct } = input;
  const title = FEES;
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

/** Submits the application, which delivers the answers, and reads the status. Undefined if the status had changed before. */
export async function submit(
  boarding: Boarding,
  answers: readonly Answered[] = [],
): Promise<StatusSnapshot | undefined> {
  boarding.beginWrite();
  const submission = await submitStep(boarding);
  const { status, phase } = submission;
  // Only a submission leads to this phase, possibly an earlier one whose response was lost.
  const isSubmitted = submission.submitted || phase === 'submitted';
  const { requirements, timeline } = boarding.journey;
  if (isSubmitted) {
    timeline.add('submitted');
    boarding.remembered = { ...boarding.remembered, submitted: true };
    for (const { requirement } of answers) requirements.removeAnswered(requirement.id);
  } else timeline.add('submission-moot', { detail: `the status is ${status}` });
  const now = submission.now ?? (await read(boarding));
  boarding.status.replaceWith(now);
  return isSubmitted ? now : undefined;
}

function submitStep(boarding: Boarding): Promise<Submission> {
  const { journey, merchantProfileId, input } = boarding;
  let readsAs = 'not submitted';
  let hasNewFees = false;
  const isAgain = boarding.remembered.seen.phase === 'changes-requested';
  /** A resubmission whose outcome is unknown. A decision may be about the earlier submission, so it is no evidence. */
  let isAgainInDoubt = false;
  const effectIn = (now: StatusSnapshot | undefined) =>
    now && showsSubmission(now, isAgainInDoubt) ? { found: submissionIn(now) } : undefined;
  return runStep<Submission>(journey, {
    effect: 'once',
    title: SUBMIT,
    prepare: async () => {
      if (hasNewFees) await setFees(boarding);
      hasNewFees = false;
    },
    run: (send) =>
      send(partner.submitMerchant, { merchantProfileId, application: input.current.application ?? {} }),
    correct: (patch) => {
      input.correct(patch);
      hasNewFees ||= 'fees' in patch;
    },
    readEvidence: async (wasInDoubt) => {
      isAgainInDoubt = isAgain && wasInDoubt;
      const now = await read(boarding);
      readsAs = now.status;
      if (isAgainInDoubt && isDecided(now.phase)) {
        await untilTakenBack(boarding, now);
        return effectIn(boarding.polled);
      }
      // The submission was rejected because the status had changed before it arrived.
      const isMoot = !wasInDoubt && !isSubmittable(now.phase);
      return effectIn(now) ?? (isMoot ? { found: submissionIn(now) } : undefined);
    },
    polledEvidence: () => effectIn(boarding.polled),
    isMoot: () => isAgainInDoubt && isDecidedNow(boarding),
    adopt: () => ({ submitted: true, status: readsAs, phase: 'submitted' }),
    get whereToLook() {
      return (
        `Merchant ${merchantProfileId} (“${masked(boarding.dba)}”) still reads as ${readsAs}. ` +
        `If the partner has the submission, adopt ${merchantProfileId}.`
      );
    },
  });
}

function submissionIn({ status, phase }: StatusSnapshot): Submission {
  return { submitted: phase === 'submitted', status, phase };
}

/** Reads the status, as often as it takes. */
export function read({ journey, merchantProfileId }: Boarding): Promise<StatusSnapshot> {
  return runRead(journey, 'read the status', () => partner.readStatus({ merchantProfileId }));
}

/** Uploads a document of an answer. If the partner rejects it, a person may replace it. */
export async function upload(boarding: Boarding, { id, description, ...first }: Upload): Promise<void> {
  const { journey, merchantProfileId } = boarding;
  let { document } = first;
  await runStep<Warned>(journey, {
    effect: 'once',
    id,
    get title() {
      return `upload ${document.fileName}`;
    },
    run: (send) => send(partner.attachDocument, { merchantProfileId, document, description }),
    replace: (other) => {
      document = other;
    },
    readEvidence: 'none',
    polledEvidence: 'none',
    isMoot: () => isDecidedNow(boarding),
    adopt: () => ({}),
    whereToLook:
      `Check in the partner’s portal whether merchant ${merchantProfileId} (“${masked(boarding.dba)}”) has the document. ` +
      `If it has, adopt ${merchantProfileId}.`,
  });
}

export const REVIEW = 'request the review of the answers';

type Review =
  /** @param before the status in which the partner took them */
  | { readonly became: 'delivered'; readonly before: StatusMark }
  /** The partner takes no answers in its status. They wait until it sets another status or asks something else. */
  | { readonly became: 'waiting' }
  /** The partner takes answers, but not these. */
  | { readonly became: 'rejected'; readonly problems: readonly FieldProblem[] };

/** Reports to the underwriters that their notes are answered, with the texts as comment. */
export async function requestReview(boarding: Boarding, answers: readonly Answered[]): Promise<Review> {
  const { timeline } = boarding.journey;
  boarding.beginWrite();
  try {
    const review = await reviewStep(boarding, answers);
    if (review.delivered) return { became: 'delivered', before: review.before };
    return wait(review.before);
  } catch (error) {
    if (!(error instanceof Rejected)) throw error;
    const now = await read(boarding);
    return takesAnswers(now.phase) ? { became: 'rejected', problems: error.problems } : wait(now);
  }

  function wait(now: StatusSnapshot): Review {
    boarding.remembered = withWaiting(boarding.remembered, answers, now);
    timeline.add('answers-wait', { detail: `the partner takes no answers in status ${now.status}` });
    boarding.status.replaceWith(now);
    return { became: 'waiting' };
  }
}

/** Asks whether to send rejected answers again, until one is taken back, or the partner changes something. */
export async function askAboutReview(
  boarding: Boarding,
  answers: readonly Answered[],
  problems: readonly FieldProblem[],
): Promise<void> {
  const { journey } = boarding;
  const isTakenBack = () => answers.some(({ requirement: { id } }) => !journey.requirements.isAnswered(id));
  const isMoot = () => boarding.polled !== undefined || isTakenBack();
  const advice = 'To change an answer, take it back.';
  await askForCorrection(journey, { title: REVIEW, advice }, problems, isMoot);
}

/** The status before the partner took the answers, or the one with which it did not take them. */
type Sent =
  | { readonly delivered: true; readonly before: StatusMark }
  | { readonly delivered: false; readonly before: StatusSnapshot };

function reviewStep(boarding: Boarding, answers: readonly Answered[]): Promise<Sent> {
  const { journey, merchantProfileId, remembered } = boarding;
  // A read after the outcome is in doubt may be too late: the partner may have taken the answers and asked the same again.
  const { status = '', statusDate = null } = remembered.seen;
  const taken = { delivered: true, before: { status, statusDate } } as const;
  const noteIds = notesOf(answers);
  const comment = commentOf(answers);
  const effectIn = (now: StatusSnapshot | undefined) =>
    now && showsReview(now, noteIds) ? { found: taken } : undefined;
  const readEffect = async () => {
    const now = await read(boarding);
    if (!isDecided(now.phase)) return effectIn(now);
    await untilTakenBack(boarding, now);
    return effectIn(boarding.polled);
  };
  return runStep<Sent>(journey, {
    effect: 'once',
    title: REVIEW,
    run: (send) =>
      send(partner.requestUnderwritingReview, { merchantProfileId, ...(comment && { comment }), noteIds }),
    endsWhenRejected: true,
    readEvidence: async (wasInDoubt) =>
      wasInDoubt ? (effectIn(boarding.polled) ?? readEffect()) : undefined,
    polledEvidence: () => effectIn(boarding.polled),
    adopt: () => taken,
    whereToLook:
      `Check in the partner’s portal whether merchant ${merchantProfileId} (“${masked(boarding.dba)}”) is in review with these answers. ` +
      `If it is, adopt ${merchantProfileId}.`,
  });
}

/** Waits until the partner takes its decision back. The end of the boarding cancels this. */
async function untilTakenBack(boarding: Boarding, decision: StatusSnapshot): Promise<void> {
  boarding.status.replaceWith(decision);
  await condition(() => boarding.polled !== undefined && !isDecided(boarding.polled.phase));
}

function isDecidedNow({ polled }: Boarding): boolean {
  return polled !== undefined && isDecided(polled.phase);
}
