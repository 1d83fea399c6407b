import type { Delivery, StatusSnapshot, Warned } from '../../messages/boarding-activities.js';
import { MERCHANT_PHASES } from '../../partners/boarding/phases.js';
import type { FieldProblem } from '../../partners/partner-error.js';
import { masked } from '../../platform/privacy/masked.js';
import { askForCorrection, Rejected } from '../journey/rejections.js';
import { removed } from '../journey/requirements.js';
import { notLate } from '../journey/rules.js';
import { runOnce } from '../journey/run-step.js';
import type { Answered } from '../journey/state.js';
import { runDueTasks } from '../journey/tasks.js';
import { type Boarding, partner } from './boarding.js';
import type { StatusMark } from './decisions.js';
import {
  afterDelivery,
  afterUpload,
  commentOf,
  deliveredNotes,
  listsDelivered,
  missingDocuments,
  notesOf,
  showsReview,
  type Upload,
  withNotTaken,
} from './deliveries.js';
import { read, readUndecided } from './steps.js';

const REVIEW = 'request the review of the answers';

export async function deliverAnswers(boarding: Boarding, answers: readonly Answered[]): Promise<void> {
  const uploads = missingDocuments(boarding.remembered, answers).map(({ id }) => id);
  const problems = await boarding.journey.whileSending(answers, [...uploads, REVIEW], async () => {
    boarding.poll.forgetLatest();
    await uploadDocuments(boarding, answers);
    boarding.poll.forgetLatest();
    try {
      const sent = await requestReview(boarding, answers);
      if (sent.delivered) await keepDelivery(boarding, answers, sent.before);
      // Somebody is asked about the other note first.
      else if (sent.isIncomplete) boarding.poll.replaceWith(sent.before);
      else keepForLater(boarding, answers, sent.before);
    } catch (error) {
      if (!(error instanceof Rejected)) throw error;
      const now = await read(boarding);
      // The partner takes answers, but not these.
      if (MERCHANT_PHASES[now.phase].answer === 'sent') return error.problems;
      keepForLater(boarding, answers, now);
    }
    return undefined;
  });
  // The answers are no longer on their way, so a person can take one back and change it.
  if (problems) await askAboutReview(boarding, answers, problems);
}

async function uploadDocuments(boarding: Boarding, answers: readonly Answered[]): Promise<void> {
  await runDueTasks(() =>
    missingDocuments(boarding.remembered, answers).map((document) => ({
      name: document.id,
      run: async () => {
        await upload(boarding, document);
        boarding.journey.remember(afterUpload(boarding.remembered, document));
      },
    })),
  );
}

async function keepDelivery(
  boarding: Boarding,
  answers: readonly Answered[],
  before: StatusMark,
): Promise<void> {
  const { journey } = boarding;
  const { state, timeline, dueInMs } = journey;
  journey.update(...answers.map(({ requirement }) => removed(requirement.id)));
  journey.remember(afterDelivery(boarding.remembered, answers, before, Date.now() + dueInMs));
  timeline.add('answers-delivered');
  state.report();
  // The poll may have read that the partner asks again. Nobody was asked, because these answers were in flight.
  const { latest } = boarding.poll;
  if (latest && listsDelivered(boarding.remembered, latest)) boarding.poll.replaceWith(await read(boarding));
}

/** Reads once more. Notes that are still listed long after their answers are asked again, and so is a submission that does not show. */
export async function readLate(boarding: Boarding): Promise<void> {
  const begunAt = Date.now();
  const now = await read(boarding);
  const { delivered, shownBy = begunAt + 1 } = boarding.remembered;
  const isLost = now.phase === 'not-submitted' && shownBy <= begunAt;
  boarding.journey.remember({ delivered: notLate(delivered, begunAt), isLost });
  boarding.poll.replaceWith(now);
}

/** Keeps answers that the partner does not take in this status, until it sets another one or asks something else. */
function keepForLater(boarding: Boarding, answers: readonly Answered[], now: StatusSnapshot): void {
  boarding.journey.remember(withNotTaken(boarding.remembered, answers, now));
  const detail = `the partner takes no answers in status ${now.status}`;
  boarding.journey.timeline.add('answers-wait', { detail });
  boarding.poll.replaceWith(now);
}

/** Asks whether to send rejected answers again, until one is taken back, or the partner changes something. */
async function askAboutReview(
  { journey, poll }: Boarding,
  answers: readonly Answered[],
  problems: readonly FieldProblem[],
): Promise<void> {
  const isTakenBack = () => answers.some(({ requirement: { id } }) => !journey.isAnswered(id));
  const isMoot = () => poll.latest !== undefined || isTakenBack();
  const advice = 'To change an answer, take it back.';
  await askForCorrection(journey, { title: REVIEW, advice }, problems, isMoot);
}

/** Uploads a document of an answer. If the partner rejects it, a person may replace it. */
async function upload(boarding: Boarding, { id, description, ...first }: Upload): Promise<void> {
  const { journey, merchantProfileId } = boarding;
  let { document } = first;
  await runOnce<Warned>(journey, {
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
    isMoot: () => boarding.isDecided,
    adopt: () => ({}),
    whereToLook:
      `Check in the partner’s portal whether merchant ${merchantProfileId} (“${masked(boarding.dba)}”) has the document. ` +
      `If it has, adopt ${merchantProfileId}.`,
  });
}

/** The status before the partner took the answers, or the one with which it did not take them. */
type Sent =
  | { readonly delivered: true; readonly before: StatusMark }
  | (Delivery & { readonly delivered: false });

/** Reports to the underwriters that their notes are answered, with the texts as comment. */
function requestReview(boarding: Boarding, answers: readonly Answered[]): Promise<Sent> {
  const { journey, merchantProfileId, remembered, poll } = boarding;
  // A read after the outcome is uncertain may be too late: the partner may have taken the answers and asked the same again.
  const { status = '', statusDate = null } = remembered.seen;
  const taken = { delivered: true, before: { status, statusDate } } as const;
  const noteIds = notesOf(answers);
  const deliveredIds = deliveredNotes(remembered);
  const comment = commentOf(answers);
  const effectIn = (now: StatusSnapshot | undefined) =>
    now && showsReview(now) ? { found: taken } : undefined;
  const request = {
    ...{ merchantProfileId, noteIds },
    ...(comment && { comment }),
    ...(deliveredIds && { deliveredIds }),
  };
  return runOnce<Sent>(journey, {
    title: REVIEW,
    run: (send) => send(partner.requestUnderwritingReview, request),
    endsWhenRejected: true,
    readEvidence: async ({ isUncertain }) => {
      if (!isUncertain) return undefined;
      return effectIn(poll.latest) ?? effectIn(await readUndecided(boarding));
    },
    polledEvidence: () => effectIn(poll.latest),
    adopt: () => taken,
    whereToLook:
      `Check in the partner’s portal whether merchant ${merchantProfileId} (“${masked(boarding.dba)}”) is in review with these answers. ` +
      `If it is, adopt ${merchantProfileId}.`,
  });
}
