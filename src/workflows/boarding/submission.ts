/** Submissions to underwriting: the first one, and later ones that a person or the partner asks for. */
import { sleep } from '@temporalio/workflow';
import type { StatusSnapshot, Submission } from '../../messages/boarding-activities.js';
import { MERCHANT_PHASES, type MerchantPhase, phasesBefore } from '../../partners/boarding/phases.js';
import { redact } from '../../platform/privacy/masked.js';
import { dropAnswer, removeAnswered, requireNotAbandoned } from '../runtime/requirements.js';
import { runOnce } from '../runtime/run-step.js';
import type { PendingAnswer } from '../runtime/state.js';
import type { EarlierAttempts } from '../runtime/step.js';
import { commandTransition } from '../runtime/until-decided.js';
import { type BoardingRuntime, partner } from './boarding.js';
import { changesCommands } from './decisions.js';
import { showsSubmission } from './deliveries.js';
import { FEES, readStatus, readUndecided, setFees } from './steps.js';

const SUBMIT = 'submit to underwriting';

/** The pause after two reads that contradict each other. */
const READS_DISAGREE = '1 minute';

/** Submits the merchant with the answers' corrections, or records that a person confirmed the submission. */
export async function submitAnswers(
  boarding: BoardingRuntime,
  answers: readonly PendingAnswer[],
): Promise<void> {
  const { input } = boarding;
  const confirmed = answers.find(({ resolution: { answer } }) => answer.kind === 'confirm');
  if (confirmed) {
    boarding.patchState({ submitted: true });
    boarding.record('submitted', { detail: 'as a person has confirmed' });
    boarding.update(removeAnswered(confirmed.requirement.id));
    boarding.published.enter('underwriting');
    return;
  }
  const { seen } = boarding.partnerState;
  await boarding.whileSending(answers, [FEES, SUBMIT], async () => {
    for (const { resolution } of answers) {
      const answer = requireNotAbandoned(resolution);
      if (answer.kind !== 'correction') continue;
      input.applyTentatively(answer.patch);
      if (!('fees' in answer.patch)) continue;
      await setFees(boarding);
      input.commit('fees');
    }
    const now = await submitToUnderwriting(boarding, answers);
    if (!now) {
      input.rollBack();
      return;
    }
    input.commit();
    // The poll may have seen the partner ask again, but nobody was asked while these answers were in flight.
    const { volatile } = boarding.partnerState;
    boarding.update(...changesCommands({ seen, volatile }, now, boarding.context).map(commandTransition));
  });
  boarding.published.report();
}

/** Submits the application with the answers. Returns undefined if the status had changed, or somebody else had submitted it. */
export async function submitToUnderwriting(
  boarding: BoardingRuntime,
  answers: readonly PendingAnswer[] = [],
): Promise<StatusSnapshot | undefined> {
  boarding.poll.forgetLatest();
  const { status: askedIn = '', statusDate = null, phase: phaseBefore } = boarding.partnerState.seen;
  const isAgain = phaseBefore === 'changes-requested';
  const submission = await (isAgain ? submissionOfChanges(boarding) : firstSubmission(boarding));
  const { submitted: isSubmitted, status, phase, isBySomebodyElse } = submission;
  if (isSubmitted) {
    boarding.record('submitted', isBySomebodyElse && { detail: 'by somebody else' });
    boarding.patchState({
      submitted: true,
      isSubmissionLost: false,
      dueAt: Date.now() + boarding.dueInMs,
      ...(isAgain && { changesSentIn: { status: askedIn, statusDate } }),
    });
    const close = ({ requirement: { id } }: PendingAnswer) =>
      isBySomebodyElse ? dropAnswer(id, 'somebody else has submitted it') : removeAnswered(id);
    boarding.update(...answers.map(close));
  } else {
    boarding.record('submission-superseded', { detail: `the status is ${status}` });
    if (!boarding.partnerState.submitted && MERCHANT_PHASES[phase].afterCreate === 'ask-submitted')
      boarding.patchState({ unclearPhase: phase });
  }
  const now = submission.now ?? (await readStatus(boarding));
  // One of the two reads is stale. Without a pause, this would repeat as fast as the partner responds.
  if (!isSubmitted && now.phase !== phase) await sleep(READS_DISAGREE);
  boarding.poll.replaceWith(now);
  return isSubmitted && !isBySomebodyElse ? now : undefined;
}

/** `isBySomebodyElse`: our request was rejected because somebody else had submitted the merchant. */
type SubmissionResult = Submission & { readonly isBySomebodyElse?: true };

/**
 * Makes the first submission. Only a submission ends the phases before it, so a later phase is evidence. An undocumented status is
 * none: the partner may have put the merchant on hold.
 */
function firstSubmission(boarding: BoardingRuntime): Promise<SubmissionResult> {
  const { submitted, seen } = boarding.partnerState;
  // If an earlier submission was lost, this one counts as a later submission.
  const before = phasesBefore(submitted ? 'next' : 'first');
  // Without a status, the phase was never read, only assumed for a new merchant.
  const lastPhase = seen.status === undefined ? undefined : (seen.phase ?? undefined);
  const phases = (earlier: EarlierAttempts) => phasesToSendIn(boarding, before, earlier.phase ?? lastPhase);
  return sendSubmission(boarding, {
    phases,
    // When a person explains the status, its phase changes although the partner changed nothing.
    isOurs: ({ phase, status }, earlier) =>
      phase === 'pending' ||
      (mayBeAccepted(earlier) &&
        phase !== 'other' &&
        status !== seen.status &&
        !phases(earlier).includes(phase)),
    proves: (now, earlier) => showsSubmission(now, earlier.phase),
    readStatus: () => readStatus(boarding),
    isSuperseded: () => false,
  });
}

/**
 * Submits the changes that the partner asked for. A decision is not evidence, because it may be about the earlier submission.
 * `pending` proves that the changes are submitted: by Gangway if one of its requests may have arrived, otherwise by somebody else.
 */
function submissionOfChanges(boarding: BoardingRuntime): Promise<SubmissionResult> {
  const before = ({ phase = 'changes-requested' }: EarlierAttempts) => phase;
  return sendSubmission(boarding, {
    phases: (earlier) => phasesToSendIn(boarding, phasesBefore('next'), before(earlier)),
    isOurs: ({ phase }, earlier) => phase === 'pending' && mayHaveArrived(earlier),
    proves: (now, earlier) => showsSubmission(now, before(earlier), mayHaveArrived(earlier)),
    readStatus: (earlier) => (mayHaveArrived(earlier) ? readUndecided(boarding) : readStatus(boarding)),
    isSuperseded: (earlier) => mayHaveArrived(earlier) && boarding.isDecided,
  });
}

function mayHaveArrived(earlier: EarlierAttempts): boolean {
  return earlier.isUncertain || mayBeAccepted(earlier);
}

/** Reports whether the last response lists problems with HTTP 2xx: it may have accepted the submission with warnings. */
function mayBeAccepted({ failure }: EarlierAttempts): boolean {
  const { kind, status = 0 } = failure ?? {};
  return kind === 'Rejected' && status >= 200 && status < 300;
}

/** Leaves out `pending` if an earlier attempt read another phase. `pending` then shows that its submission arrived. */
function phasesToSendIn(
  { partnerState: { unclearPhase } }: BoardingRuntime,
  phases: readonly MerchantPhase[],
  before: string | undefined,
): readonly MerchantPhase[] {
  const all = [...phases, ...(unclearPhase ? [unclearPhase] : [])];
  return all.filter((phase) => phase !== 'pending' || before === undefined || before === 'pending');
}

/** The differences between the first submission and a later one. */
interface SubmissionRules {
  /** The phases in which the submission is sent. Any other phase supersedes it. */
  readonly phases: (earlier: EarlierAttempts) => readonly MerchantPhase[];
  readonly isOurs: (now: StatusSnapshot | Submission, earlier: EarlierAttempts) => boolean;
  /** Reports whether a read proves the submission. */
  readonly proves: (now: StatusSnapshot, earlier: EarlierAttempts) => boolean;
  readonly readStatus: (earlier: EarlierAttempts) => Promise<StatusSnapshot>;
  readonly isSuperseded: (earlier: EarlierAttempts) => boolean;
}

function sendSubmission(boarding: BoardingRuntime, rules: SubmissionRules): Promise<SubmissionResult> {
  const { merchantProfileId, input, poll } = boarding;
  let shownStatus = 'not submitted';
  let hasNewFees = false;
  const submissionIn = (now: StatusSnapshot | Submission, earlier: EarlierAttempts) => ({
    submitted: rules.isOurs(now, earlier),
    status: now.status,
    phase: now.phase,
  });
  const proofIn = (now: StatusSnapshot | undefined, earlier: EarlierAttempts) =>
    now && rules.proves(now, earlier) ? { result: submissionIn(now, earlier) } : undefined;
  const withSender = (result: Submission, earlier: EarlierAttempts): SubmissionResult =>
    result.submitted && !mayHaveArrived(earlier) ? { ...result, isBySomebodyElse: true } : result;
  return runOnce<SubmissionResult>(boarding, {
    title: SUBMIT,
    prepare: async () => {
      if (hasNewFees) await setFees(boarding);
      hasNewFees = false;
    },
    run: async (send, earlier) => {
      const application = input.current.application ?? {};
      const phases = rules.phases(earlier);
      const sent = await send(partner.submitMerchant, { merchantProfileId, phases, application });
      return sent.submitted ? sent : withSender({ ...sent, ...submissionIn(sent, earlier) }, earlier);
    },
    correct: (patch) => {
      input.correct(patch);
      hasNewFees ||= 'fees' in patch;
    },
    readEvidence: async (earlier) => {
      const now = await rules.readStatus(earlier);
      shownStatus = now.status;
      // The partner rejected the submission because the status had changed first.
      const isLate = !earlier.isUncertain && !rules.phases(earlier).includes(now.phase);
      const proof =
        proofIn(now, earlier) ?? (isLate ? { result: { ...submissionIn(now, earlier), now } } : undefined);
      return proof && { result: withSender(proof.result, earlier) };
    },
    polledEvidence: (earlier) => proofIn(poll.latest, earlier),
    isSuperseded: rules.isSuperseded,
    confirm: () => ({ submitted: true, status: shownStatus, phase: 'pending' }),
    get whereToLook() {
      return (
        `Merchant ${merchantProfileId} (“${redact(boarding.dba)}”) still reads as ${shownStatus}. ` +
        `If the partner has the submission, confirm ${merchantProfileId}.`
      );
    },
  });
}
