import { continueAsNew, workflowInfo } from '@temporalio/workflow';
import type { Candidate, Submission } from '../messages/banking-activities.js';
import type { FollowedBusinessInput } from '../messages/followed-inputs.js';
import type { BusinessOnboardingInput } from '../messages/inputs.js';
import { defined } from '../messages/objects.js';
import type { BusinessOnboardingOutcome } from '../messages/onboardings.js';
import { isFollowed, mayBeDone, type Restored } from '../messages/onboardings.js';
import type { FieldProblem } from '../partners/partner-error.js';
import { masked } from '../privacy/masked.js';
import { askToCorrect, BusinessApplication, bank, SUBMIT } from './business/application.js';
import { Underwriting, type UnderwritingRecords } from './business/underwriting.js';
import { handleMessages } from './journey/handlers.js';
import type { JourneyRecords } from './journey/journey.js';
import { askForCorrection, doubts, RejectedByPartner, runStep } from './journey/run-step.js';
import { followStatus } from './journey/status-poll.js';

/** What a run hands to the next one when its history has grown long. The input travels with its corrections. */
export interface CarriedBusiness {
  readonly journey: JourneyRecords;
  readonly underwriting: UnderwritingRecords;
}

/**
 * Onboards one business at the bank (apis/1): finds its profile or submits its holder, has the holder corrected, and delivers
 * answers to tickets until the bank has decided. Opens a financial account when the input asks for one. A business that is
 * followed has its profile, and nothing is sent without an answer of a person. Started as `business-onboarding-<externalId>`.
 */
export async function businessOnboarding(
  input: BusinessOnboardingInput | FollowedBusinessInput,
  carried?: CarriedBusiness,
  restored?: Restored,
): Promise<BusinessOnboardingOutcome> {
  const application = new BusinessApplication(input, carried?.journey);
  const { journey } = application;
  handleMessages(journey);
  return journey.run<BusinessOnboardingOutcome>(
    async () => {
      const underwriting = new Underwriting(
        application,
        carried?.underwriting ?? (await findOrSubmit(application, restored)),
      );
      journey.state.know({ stage: underwriting.stage });
      return followStatus(underwriting, () =>
        continueAsNew<typeof businessOnboarding>(application.inputToCarry, {
          journey: journey.records,
          underwriting: underwriting.records,
        }),
      );
    },
    (comment) => {
      const { profileId } = journey.state.facts;
      return { outcome: 'abandoned', comment, ...defined({ profileId }) };
    },
  );
}

/** Finds the profile of the business at the bank, or submits the holder, which makes a profile. */
async function findOrSubmit(
  application: BusinessApplication,
  restored?: Restored,
): Promise<UnderwritingRecords> {
  const { current } = application.input;
  const problems = isFollowed(current)
    ? await adoptGiven(application, restored?.profileId ?? current.profileId)
    : await submitUnlessKnown(application, restored);
  return { seen: null, problems, delivered: {}, replies: [] };
}

/** @returns the problems of the submission; null when the profile was adopted, so that they are not known */
async function submitUnlessKnown(
  application: BusinessApplication,
  restored?: Restored,
): Promise<readonly FieldProblem[] | null> {
  if (restored?.profileId !== undefined) return adopt(application, restored.profileId);
  const declined: number[] = [];
  let inDoubt = mayBeDone(restored);
  for (;;) {
    const submitted = await submit(application, declined, inDoubt);
    inDoubt = undefined;
    if ('adopted' in submitted) return adopt(application, submitted.adopted);
    if ('existing' in submitted) {
      const { existing } = submitted;
      const profileId = isSurelyOurs(existing) ? existing.profileId : await askWhose(application, existing);
      if (profileId !== undefined) return adopt(application, profileId);
      declined.push(existing.profileId);
      continue;
    }
    const { profileId, financialAccountId, problems, now } = submitted;
    if (profileId !== null) {
      application.knowProfile(profileId, 'holder-submitted');
      application.knowAccount(financialAccountId);
      if (now) application.status.replaceWith(now);
      return problems;
    }
    await askToCorrect(application, problems);
  }
}

/**
 * Adopts the profile of a followed business, or asks until one can be adopted. It is adopted without a question only on the same
 * evidence as one that Gangway finds.
 *
 * @returns no problems: only a person submits a profile that reads as new
 */
async function adoptGiven(
  application: BusinessApplication,
  profileId: number,
): Promise<readonly FieldProblem[]> {
  const { journey } = application;
  const { workflowId } = workflowInfo();
  const title = `adopt banking profile ${profileId}`;
  for (;;) {
    const found = await runStep(journey, {
      effect: 'read',
      title: `read banking profile ${profileId}`,
      run: () => bank.inspectProfile({ ...application.business, profileId, workflowId }),
    });
    if (!found) {
      const message = `the bank shows no banking profile ${profileId}`;
      await askForCorrection(journey, { title }, [{ field: '', message }]);
      continue;
    }
    const { candidate, now } = found;
    const isOurs = isSurelyOurs(candidate);
    const adopted = isOurs ? profileId : await askWhose(application, candidate);
    if (adopted === undefined) continue;
    adopt(application, adopted);
    if (isOurs) application.status.replaceWith(now);
    return [];
  }
}

/** A profile that reads as new may not be submitted yet, or the bank may have rejected its submission. */
function adopt(application: BusinessApplication, profileId: number): null {
  application.knowProfile(profileId, 'profile-adopted');
  return null;
}

/** The response of the partner, or the profile that a lost submission made. */
type Submitted = Submission | { readonly adopted: number };

/**
 * @param declined profiles of the merchant that are not those of the business
 * @param inDoubt why it may have been submitted before
 */
function submit(
  application: BusinessApplication,
  declined: readonly number[],
  inDoubt: string | undefined,
): Promise<Submitted> {
  const { journey } = application;
  const adoptable = adoption(application);
  let candidates: readonly Candidate[] = [];
  return runStep<Submitted>(journey, {
    effect: 'once',
    title: SUBMIT,
    run: (send) => send(bank.submitHolder, { ...application.business, declined }),
    correct: application.input.correct,
    mayBeDone: inDoubt,
    readEvidence: async (wasInDoubt, baseline) => {
      if (!wasInDoubt || !baseline || application.dba === '') return undefined;
      const known = [...baseline, ...declined];
      candidates = await runStep(journey, {
        effect: 'read',
        title: 'look for the business at the bank',
        run: () => bank.findCandidates({ ...application.business, baseline: known }),
      });
      const [made, ...more] = candidates.filter(isSurelyOurs);
      return made && more.length === 0 ? { found: { adopted: made.profileId } } : undefined;
    },
    polledEvidence: 'none',
    adopt: async (id) => ({ adopted: await adoptable(id) }),
    get whereToLook() {
      const seen = candidates.map((candidate) => `The bank has ${described(candidate)}.\n`);
      return (
        `${seen.length > 0 ? '\n' : ''}${seen.join('')}` +
        `Look in the partner’s portal for a banking profile of “${masked(application.dba)}”. ` +
        'If it is there, adopt its profile id.'
      );
    },
  });
}

function isSurelyOurs({ against, unclear }: Candidate): boolean {
  return against.length === 0 && unclear.length === 0;
}

/** `banking profile 3001 of “Corner Bakery” (Submitted): its EIN is not shown` */
function described({ profileId, dba, bankingStatus, against, unclear }: Candidate): string {
  const why = [...against, ...unclear].join(', ');
  const name = dba === null ? 'no dba' : `“${masked(dba)}”`;
  return `banking profile ${profileId} of ${name} (${bankingStatus})${why && `: ${why}`}`;
}

/**
 * Checks the profile that a person names: it must exist, and what contradicts it is reported. When the person names the same
 * profile a second time, it is adopted anyway.
 *
 * @throws {RejectedByPartner} when the person has to be asked again
 */
function adoption(application: BusinessApplication): (id: string) => Promise<number> {
  const { journey } = application;
  const doubt = doubts();
  return async (id) => {
    const profileId = Number(id);
    const found = await runStep(journey, {
      effect: 'read',
      title: `read banking profile ${id}`,
      run: () => bank.examineProfile({ ...application.business, profileId }),
      endsWhenRejected: true,
    });
    if (!found)
      throw new RejectedByPartner([{ field: '', message: `the bank shows no banking profile ${id}` }]);
    if (found.against.length > 0) doubt(profileId, described(found));
    return profileId;
  };
}

/**
 * Asks whether a profile of the bank is the one of this business, where no evidence shows it.
 *
 * @returns the profile to adopt; undefined for `retry`
 */
async function askWhose(application: BusinessApplication, existing: Candidate): Promise<number | undefined> {
  const { journey, isFollowed } = application;
  const { profileId } = existing;
  const texts = isFollowed
    ? {
        title: `adopt banking profile ${profileId}`,
        found: 'The bank has',
        otherwise: 'If not, abandon. Retry reads the profile again.',
      }
    : {
        title: SUBMIT,
        found: 'For the merchant, the bank has',
        otherwise: 'If not, retry: the business is then submitted as a new one.',
      };
  const adoptable = adoption(application);
  let problem = '';
  for (;;) {
    const answer = await journey.ask({
      kind: 'uncertain-write',
      title: `Whose banking profile? ${texts.title}`,
      detail:
        `${problem}${texts.found} ${described(existing)}. If it belongs to this business, adopt ${profileId}. ` +
        texts.otherwise,
      answers: ['adopt', 'retry', 'abandon'],
    });
    if (answer?.kind !== 'adopt') return undefined;
    if (Number(answer.id) === profileId) return profileId;
    try {
      return await adoptable(answer.id);
    } catch (error) {
      if (!(error instanceof RejectedByPartner)) throw error;
      problem = `${answer.id} cannot be adopted: ${error.message}\n`;
    }
  }
}
