/** The submission to underwriting: the first one, and those that people or the partner ask for later. */
import type { StatusSnapshot, Submission } from '../../messages/boarding-activities.js';
import { MERCHANT_PHASES, type MerchantPhase, phasesBefore } from '../../partners/boarding/phases.js';
import { masked } from '../../platform/privacy/masked.js';
import { dropped, removed, unlessAbandoned } from '../journey/requirements.js';
import { runOnce } from '../journey/run-step.js';
import type { Answered } from '../journey/state.js';
import type { Earlier } from '../journey/step.js';
import { decided } from '../journey/until-decided.js';
import { type Boarding, partner } from './boarding.js';
import { onChangesRequested } from './decisions.js';
import { showsSubmission } from './deliveries.js';
import { FEES, read, readUndecided, setFees } from './steps.js';

const SUBMIT = 'submit to underwriting';

export async function submitAsAnswered(boarding: Boarding, answers: readonly Answered[]): Promise<void> {
  const { journey, input } = boarding;
  const confirmed = answers.find(({ resolution: { answer } }) => answer.kind === 'adopt');
  if (confirmed) {
    journey.remember({ submitted: true });
    journey.timeline.add('submitted', { detail: 'as a person has confirmed' });
    journey.update(removed(confirmed.requirement.id));
    journey.state.enter('underwriting');
    return;
  }
  const { seen } = boarding.remembered;
  await journey.whileSending(answers, [FEES, SUBMIT], async () => {
    for (const { resolution } of answers) {
      const answer = unlessAbandoned(resolution);
      if (answer.kind !== 'correction') continue;
      input.tryOut(answer.patch);
      if (!('fees' in answer.patch)) continue;
      await setFees(boarding);
      input.keep('fees');
    }
    const now = await submit(boarding, answers);
    if (!now) {
      input.restore();
      return;
    }
    input.keep();
    // The poll may have read earlier that the partner asks again. Nobody was asked, because these answers were in flight.
    const { restless } = boarding.remembered;
    journey.update(...onChangesRequested({ seen, restless }, now, boarding.situation).map(decided));
  });
  journey.state.report();
}

/** Submits the application, which delivers the answers, and reads the status. Undefined if the status had changed before. */
export async function submit(
  boarding: Boarding,
  answers: readonly Answered[] = [],
): Promise<StatusSnapshot | undefined> {
  boarding.poll.forgetLatest();
  const submission = await submitStep(boarding);
  const { submitted: isSubmitted, status, phase, isOthers } = submission;
  const { journey } = boarding;
  if (isSubmitted) {
    journey.timeline.add('submitted', isOthers && { detail: 'by somebody else' });
    journey.remember({ submitted: true, isLost: false, shownBy: Date.now() + journey.dueInMs });
    const close = ({ requirement: { id } }: Answered) =>
      isOthers ? dropped(id, 'somebody else has submitted it') : removed(id);
    journey.update(...answers.map(close));
  } else {
    journey.timeline.add('submission-moot', { detail: `the status is ${status}` });
    if (!boarding.remembered.submitted && MERCHANT_PHASES[phase].afterCreate === 'ask-submitted')
      journey.remember({ unclearIn: phase });
  }
  const now = submission.now ?? (await read(boarding));
  boarding.poll.replaceWith(now);
  return isSubmitted && !isOthers ? now : undefined;
}

/** `isOthers`: ours was rejected, and somebody else has submitted it. */
type Submitted = Submission & { readonly isOthers?: true };

function submitStep(boarding: Boarding): Promise<Submitted> {
  const isAgain = boarding.remembered.seen.phase === 'changes-requested';
  return isAgain ? resubmission(boarding) : firstSubmission(boarding);
}

/** Nothing but a submission leads away from the phases before the first one. */
function firstSubmission(boarding: Boarding): Promise<Submitted> {
  const { submitted, seen } = boarding.remembered;
  // Once a person has said that nobody has submitted it, its phase is one before a submission.
  const before = phasesBefore(submitted ? 'next' : 'first');
  // The phase of a new merchant is assumed, and has no status.
  const shown = seen.status === undefined ? undefined : (seen.phase ?? undefined);
  const phases = (earlier: Earlier) => phasesToSendIn(boarding, before, earlier.phase ?? shown);
  return sendSubmission(boarding, {
    phases,
    isOurs: (phase, earlier) =>
      phase === 'pending' || (mayBeTaken(earlier) && !phases(earlier).includes(phase)),
    shows: (now, earlier) => showsSubmission(now, earlier.phase),
    readStatus: () => read(boarding),
    isMoot: () => false,
  });
}

/**
 * The partner has asked for changes. A decision may be about the earlier submission, so it is no evidence of one whose outcome is
 * uncertain. Only a submission leads to `pending`, and it is ours, with the corrections, only if one of ours may have arrived.
 */
function resubmission(boarding: Boarding): Promise<Submitted> {
  const before = ({ phase = 'changes-requested' }: Earlier) => phase;
  return sendSubmission(boarding, {
    phases: (earlier) => phasesToSendIn(boarding, phasesBefore('next'), before(earlier)),
    isOurs: (phase, earlier) => phase === 'pending' && mayHaveArrived(earlier),
    shows: (now, earlier) => showsSubmission(now, before(earlier), mayHaveArrived(earlier)),
    readStatus: (earlier) => (mayHaveArrived(earlier) ? readUndecided(boarding) : read(boarding)),
    isMoot: (earlier) => mayHaveArrived(earlier) && boarding.isDecided,
  });
}

function mayHaveArrived(earlier: Earlier): boolean {
  return earlier.isUncertain || mayBeTaken(earlier);
}

/** Reports whether the last response lists problems and has the status of a success: it may be a submission with warnings. */
function mayBeTaken({ failure }: Earlier): boolean {
  const { kind, status = 0 } = failure ?? {};
  return kind === 'Rejected' && status >= 200 && status < 300;
}

function phasesToSendIn(
  { remembered: { unclearIn } }: Boarding,
  phases: readonly MerchantPhase[],
  before: string | undefined,
): readonly MerchantPhase[] {
  const all = [...phases, ...(unclearIn ? [unclearIn] : [])];
  return all.filter((phase) => phase !== 'pending' || before === undefined || before === 'pending');
}

/** What distinguishes the first submission from a later one, as functions of what earlier requests have shown. */
interface SubmissionRules {
  /** The phases in which it is sent. In any other, it is moot. */
  readonly phases: (earlier: Earlier) => readonly MerchantPhase[];
  /** Reports whether the merchant is in this phase because of our submission. */
  readonly isOurs: (phase: MerchantPhase, earlier: Earlier) => boolean;
  /** Reports whether a read is evidence of the submission. */
  readonly shows: (now: StatusSnapshot, earlier: Earlier) => boolean;
  readonly readStatus: (earlier: Earlier) => Promise<StatusSnapshot>;
  readonly isMoot: (earlier: Earlier) => boolean;
}

function sendSubmission(boarding: Boarding, rules: SubmissionRules): Promise<Submitted> {
  const { journey, merchantProfileId, input, poll } = boarding;
  let readsAs = 'not submitted';
  let hasNewFees = false;
  const submissionIn = ({ status, phase }: StatusSnapshot | Submission, earlier: Earlier) => ({
    submitted: rules.isOurs(phase, earlier),
    ...{ status, phase },
  });
  const effectIn = (now: StatusSnapshot | undefined, earlier: Earlier) =>
    now && rules.shows(now, earlier) ? { found: submissionIn(now, earlier) } : undefined;
  const withSender = (found: Submission, earlier: Earlier): Submitted =>
    found.submitted && !mayHaveArrived(earlier) ? { ...found, isOthers: true } : found;
  return runOnce<Submitted>(journey, {
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
      readsAs = now.status;
      // The submission was rejected because the status had changed before it arrived.
      const isLate = !earlier.isUncertain && !rules.phases(earlier).includes(now.phase);
      const effect = effectIn(now, earlier) ?? (isLate ? { found: submissionIn(now, earlier) } : undefined);
      return effect && { found: withSender(effect.found, earlier) };
    },
    polledEvidence: (earlier) => effectIn(poll.latest, earlier),
    isMoot: rules.isMoot,
    adopt: () => ({ submitted: true, status: readsAs, phase: 'pending' }),
    get whereToLook() {
      return (
        `Merchant ${merchantProfileId} (“${masked(boarding.dba)}”) still reads as ${readsAs}. ` +
        `If the partner has the submission, adopt ${merchantProfileId}.`
      );
    },
  });
}
