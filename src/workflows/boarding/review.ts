import type { Delivery, StatusSnapshot, Warned } from '../../messages/boarding-activities.js';
import { MERCHANT_PHASES } from '../../partners/boarding/phases.js';
import type { FieldProblem } from '../../partners/partner-error.js';
import { redact } from '../../platform/privacy/masked.js';
import { deadlinesOf, isAskedTooOften, withoutExpired } from '../runtime/reducer.js';
import { removeAnswered } from '../runtime/requirements.js';
import { runOnce } from '../runtime/run-step.js';
import type { PendingAnswer } from '../runtime/state.js';
import { askForCorrection, Rejected } from '../runtime/step.js';
import { runPendingTasks } from '../runtime/tasks.js';
import { type BoardingRuntime, partner } from './boarding.js';
import { isUnchangedSinceSubmission, type StatusVersion } from './decisions.js';
import {
  afterDelivery,
  afterUpload,
  commentOf,
  deliveredNotes,
  listsDeliveredNote,
  missingDocuments,
  notesOf,
  showsReview,
  type Upload,
  withRefusedAnswers,
} from './deliveries.js';
import { readStatus, readUndecided } from './steps.js';

const REVIEW = 'request the review of the answers';

/** How long answers wait for notes that the partner shows and hides. */
const HIDDEN_MS = 3_600_000;

export async function deliverAnswers(
  boarding: BoardingRuntime,
  answers: readonly PendingAnswer[],
): Promise<void> {
  const uploads = missingDocuments(boarding.partnerState, answers).map(({ id }) => id);
  const problems = await boarding.whileSending(answers, [...uploads, REVIEW], async () => {
    boarding.poll.forgetLatest();
    await uploadDocuments(boarding, answers);
    boarding.poll.forgetLatest();
    try {
      const sent = await requestReview(boarding, answers);
      if (sent.delivered) await recordDelivery(boarding, answers, sent.before);
      // A person is asked about the other note first, or the answers wait for their own notes.
      else if (sent.isIncomplete || areGone(answers, sent.before)) boarding.poll.replaceWith(sent.before);
      else
        holdAnswers(boarding, answers, sent.before, isListed(answers, sent.before) ? undefined : HIDDEN_MS);
    } catch (error) {
      if (!(error instanceof Rejected)) throw error;
      const now = await readStatus(boarding);
      // The partner takes answers, but not these.
      if (MERCHANT_PHASES[now.phase].answer === 'sent') return error.problems;
      holdAnswers(boarding, answers, now);
    }
    return undefined;
  });
  // The answers are not in flight now, so a person can take one back and change it.
  if (problems) await askAboutReview(boarding, answers, problems);
}

async function uploadDocuments(boarding: BoardingRuntime, answers: readonly PendingAnswer[]): Promise<void> {
  await runPendingTasks(() =>
    missingDocuments(boarding.partnerState, answers).map((document) => ({
      name: document.id,
      run: async () => {
        await upload(boarding, document);
        boarding.patchState(afterUpload(boarding.partnerState, document));
      },
    })),
  );
}

async function recordDelivery(
  boarding: BoardingRuntime,
  answers: readonly PendingAnswer[],
  before: StatusVersion,
): Promise<void> {
  boarding.update(...answers.map(({ requirement }) => removeAnswered(requirement.id)));
  boarding.patchState(afterDelivery(boarding.partnerState, answers, before, Date.now() + boarding.dueInMs));
  boarding.record('answers-delivered');
  boarding.published.report();
  // The poll may have seen the partner ask again, but nobody was asked while these answers were in flight.
  const { latest } = boarding.poll;
  if (latest && listsDeliveredNote(boarding.partnerState, latest))
    boarding.poll.replaceWith(await readStatus(boarding, true));
}

/** Reads the status. A person is asked again about answered notes that are still listed, or a submission that does not show. */
export async function rereadStatus(boarding: BoardingRuntime): Promise<void> {
  const begunAt = Date.now();
  // Without its notes, a read would end the wait for them, and nobody would be asked.
  const isAboutNotes = deadlinesOf(boarding.partnerState.delivered).some((time) => time <= begunAt);
  const now = await readStatus(boarding, isAboutNotes);
  const { delivered, dueAt = begunAt + 1 } = boarding.partnerState;
  const isSubmissionLost = dueAt <= begunAt && isUnchangedSinceSubmission(boarding.partnerState, now);
  boarding.patchState({ delivered: withoutExpired(delivered, begunAt), isSubmissionLost });
  boarding.poll.replaceWith(now);
}

/** Reports whether the partner lists none of the answered notes, and a person is asked again about each that it lists later. */
function areGone(answers: readonly PendingAnswer[], now: StatusSnapshot): boolean {
  return !isListed(answers, now) && !answers.some(({ requirement }) => isAskedTooOften(requirement));
}

function isListed(answers: readonly PendingAnswer[], { notes }: StatusSnapshot): boolean {
  return answers.some(({ requirement }) => notes.some(({ id }) => id === requirement.about));
}

/**
 * Holds answers that the partner refuses in this status, until the status or the questions change.
 *
 * @param tryInMs sends them again after this time, for notes that the partner shows and hides
 */
function holdAnswers(
  boarding: BoardingRuntime,
  answers: readonly PendingAnswer[],
  now: StatusSnapshot,
  tryInMs?: number,
): void {
  const { refusedAnswers } = boarding.partnerState;
  const until = tryInMs === undefined ? undefined : Date.now() + tryInMs;
  boarding.patchState(withRefusedAnswers(boarding.partnerState, answers, now, until));
  const detail = until
    ? 'the partner does not list their notes now'
    : `the partner takes no answers in status ${now.status}`;
  if (refusedAnswers?.until === undefined || until === undefined) boarding.record('answers-wait', { detail });
  boarding.poll.replaceWith(now);
}

/** Asks whether to resend rejected answers. Stops if a person takes one back, or if the status changes. */
async function askAboutReview(
  boarding: BoardingRuntime,
  answers: readonly PendingAnswer[],
  problems: readonly FieldProblem[],
): Promise<void> {
  const isTakenBack = () => answers.some(({ requirement: { id } }) => !boarding.isAnswered(id));
  const isSuperseded = () => boarding.poll.latest !== undefined || isTakenBack();
  const advice = 'To change an answer, take it back.';
  await askForCorrection(boarding, { title: REVIEW, advice }, problems, isSuperseded);
}

/** Uploads a document of an answer. If the partner rejects it, a person may replace it. */
async function upload(boarding: BoardingRuntime, { id, description, ...first }: Upload): Promise<void> {
  const { merchantProfileId } = boarding;
  let { document } = first;
  await runOnce<Warned>(boarding, {
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
    isSuperseded: () => boarding.isDecided,
    confirm: () => ({}),
    whereToLook:
      `Check in the partner’s portal whether merchant ${merchantProfileId} (“${redact(boarding.dba)}”) has the document. ` +
      `If it has, confirm ${merchantProfileId}.`,
  });
}

/** The result of sending answers: the status just before the partner accepted them, or the status in which it refused them. */
type ReviewResult =
  | { readonly delivered: true; readonly before: StatusVersion }
  | (Delivery & { readonly delivered: false });

/** Tells the underwriters that their notes are answered, with the texts as the comment. */
function requestReview(boarding: BoardingRuntime, answers: readonly PendingAnswer[]): Promise<ReviewResult> {
  const { merchantProfileId, partnerState: state, poll } = boarding;
  // A read after an uncertain outcome may be too late: the partner may have accepted the answers and asked the same again.
  const { status = '', statusDate = null } = state.seen;
  const taken = { delivered: true, before: { status, statusDate } } as const;
  const noteIds = notesOf(answers);
  const deliveredIds = deliveredNotes(state);
  const comment = commentOf(answers);
  const proofIn = (now: StatusSnapshot | undefined) =>
    now && showsReview(now) ? { result: taken } : undefined;
  const request = {
    merchantProfileId,
    noteIds,
    ...(comment && { comment }),
    ...(deliveredIds && { deliveredIds }),
  };
  return runOnce<ReviewResult>(boarding, {
    title: REVIEW,
    run: (send) => send(partner.requestUnderwritingReview, request),
    endsWhenRejected: true,
    readEvidence: async ({ isUncertain }) => {
      if (!isUncertain) return undefined;
      return proofIn(poll.latest) ?? proofIn(await readUndecided(boarding));
    },
    polledEvidence: () => proofIn(poll.latest),
    confirm: () => taken,
    whereToLook:
      `Check in the partner’s portal whether merchant ${merchantProfileId} (“${redact(boarding.dba)}”) is in review with these answers. ` +
      `If it is, confirm ${merchantProfileId}.`,
  });
}
