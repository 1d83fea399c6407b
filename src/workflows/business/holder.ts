import type { Candidate, ProfileSnapshot, Submission } from '../../messages/banking-activities.js';
import { mayBeDone, type Restored } from '../../messages/onboardings.js';
import type { FieldProblem } from '../../partners/partner-error.js';
import { askForCorrection, RejectedByPartner, runStep } from '../journey/carry-out.js';
import { masked } from '../journey/masked.js';
import { correctHolder, examineProfile, findCandidates, readProfile, submitHolder } from './activities.js';
import type { BusinessApplication } from './application.js';

const SUBMIT = 'submit the business account holder';

/**
 * Makes sure that the partner has the holder, in a profile that was there before or in a new one.
 *
 * @returns what is wrong with it; null when the profile was adopted, so that this is not known
 */
export async function findOrSubmit(
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
    const { profileId, financialAccountId, problems } = submitted;
    if (profileId !== null) {
      know(application, profileId, 'holder-submitted');
      application.knowAccount(financialAccountId);
      return problems;
    }
    await askToCorrect(application, problems);
  }
}

/** Asks a person to correct what is wrong with the submission. False when that became moot. */
export function askToCorrect(
  { journey, correct }: BusinessApplication,
  problems: readonly FieldProblem[],
  moot?: () => boolean,
): Promise<boolean> {
  return askForCorrection(journey, { title: SUBMIT, correct }, problems, moot);
}

/** Reads the profile, as often as it takes. */
export function read({ journey, profileId }: BusinessApplication): Promise<ProfileSnapshot> {
  const run = () => readProfile({ profileId });
  return runStep(journey, { title: 'read the banking profile', run });
}

/** Replaces the holder by the one with all corrections, until the partner takes it, or until that is moot. */
export async function replaceHolder(application: BusinessApplication, moot?: () => boolean): Promise<void> {
  const { journey, profileId, correct } = application;
  const title = 'correct the business account holder';
  for (;;) {
    const { problems } = await runStep(journey, {
      title,
      run: () => correctHolder({ profileId, ...application.submission }),
      correct,
      repeats: true,
    });
    if (problems.length === 0) break;
    if (!(await askForCorrection(journey, { title, correct }, problems, moot))) return;
  }
  journey.timeline.add('holder-corrected');
}

/** The partner's word, or the profile that a lost submission made. */
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
  const { journey, correct } = application;
  const adoptable = adoption(application);
  let candidates: readonly Candidate[] = [];
  return runStep<Submitted>(journey, {
    title: SUBMIT,
    run: () => submitHolder({ ...application.business, declined }),
    correct,
    once: {
      mayBeDone: inDoubt,
      lookForEffect: async (wasInDoubt, baseline) => {
        if (!wasInDoubt || !baseline || application.dba === '') return undefined;
        const known = [...baseline, ...declined];
        candidates = await runStep(journey, {
          title: 'look for the business at the bank',
          run: () => findCandidates({ ...application.business, baseline: known }),
        });
        const [made, ...more] = candidates.filter(isSurelyOurs);
        return made && more.length === 0 ? { found: { adopted: made.profileId } } : undefined;
      },
      adopt: async (id) => ({ adopted: await adoptable(id) }),
      get hint() {
        const seen = candidates.map((candidate) => `The bank has ${described(candidate)}.\n`);
        return (
          `${seen.length > 0 ? '\n' : ''}${seen.join('')}` +
          `Look in the partner’s portal for a banking profile of “${masked(application.dba)}”. ` +
          'If it is there, adopt its profile id; if it is not, retry.'
        );
      },
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
 * The profile that a person names, once it is known to exist. What speaks against it is reported first; the same id, given
 * once more, is adopted all the same.
 *
 * @throws {RejectedByPartner} when the person is to be asked again
 */
function adoption(application: BusinessApplication): (id: string) => Promise<number> {
  const { journey } = application;
  const warned = new Set<number>();
  return async (id) => {
    const profileId = Number(id);
    const found = await runStep(journey, {
      title: `look at banking profile ${id}`,
      run: () => examineProfile({ ...application.business, profileId }),
      endsWhenRejected: true,
    });
    const refuse = (message: string) => new RejectedByPartner([{ field: '', message }]);
    if (!found) throw refuse(`the bank shows us no banking profile ${id}`);
    if (found.against.length > 0 && !warned.has(profileId)) {
      warned.add(profileId);
      throw refuse(`${described(found)}. Adopt it once more if it is the one all the same.`);
    }
    return profileId;
  };
}

/**
 * Asks whether a business has the profile that the partner finds for its merchant, without evidence that it is the same one.
 *
 * @returns the profile to adopt; undefined when the business is to be submitted
 */
async function askWhose(application: BusinessApplication, existing: Candidate): Promise<number | undefined> {
  const { journey } = application;
  const adoptable = adoption(application);
  let problem = '';
  for (;;) {
    const answer = await journey.ask({
      kind: 'uncertain-write',
      title: `Is it this business? ${SUBMIT}`,
      detail:
        `${problem}The bank finds for the merchant ${described(existing)}. If it is the one of this business, adopt ${existing.profileId}; ` +
        'if not, retry, which submits the business as a new one.',
      answers: ['adopt', 'retry', 'abandon'],
    });
    if (answer?.kind !== 'adopt') return undefined;
    if (Number(answer.id) === existing.profileId) return existing.profileId;
    try {
      return await adoptable(answer.id);
    } catch (error) {
      if (!(error instanceof RejectedByPartner)) throw error;
      problem = `${answer.id} cannot be adopted: ${error.message}\n`;
    }
  }
}

/** A profile that nobody has submitted yet, or whose submission was found wanting, still reads as new. */
function adopt(application: BusinessApplication, id: number): null {
  know(application, id, 'profile-adopted');
  return null;
}

function know({ journey }: BusinessApplication, profileId: number, event: string): void {
  journey.know({ profileId });
  journey.timeline.add(event, { detail: `banking profile ${profileId}` });
  journey.publish();
}
