import { workflowInfo } from '@temporalio/workflow';
import type { Candidate } from '../../messages/banking-activities.js';
import { masked } from '../../privacy/masked.js';
import { askForCorrection, doubts, RejectedByPartner, runStep } from '../journey/run-step.js';
import { type Business, bank } from './business.js';

/**
 * Follows the profile that the input names, or asks until one can be followed. It needs no question only on the same evidence as
 * a profile that Gangway finds.
 */
export async function followProfile(business: Business, profileId: number): Promise<void> {
  const { journey, status } = business;
  const { workflowId } = workflowInfo();
  const title = `adopt banking profile ${profileId}`;
  for (;;) {
    const found = await runStep(journey, {
      effect: 'read',
      title: `read banking profile ${profileId}`,
      run: () => bank.inspectProfile({ ...business.toFind, profileId, workflowId }),
    });
    if (!found) {
      const message = `the bank shows no banking profile ${profileId}`;
      await askForCorrection(journey, { title }, [{ field: '', message }]);
      continue;
    }
    const adopted = await ours(business, title, found.candidate);
    if (adopted === undefined) continue;
    business.knowProfile(adopted, 'profile-adopted');
    // Only a person submits a profile that reads as new.
    business.remembered = { ...business.remembered, problems: [] };
    if (isSurelyOurs(found.candidate)) status.replaceWith(found.now);
    return;
  }
}

export function isSurelyOurs({ against, unclear }: Candidate): boolean {
  return against.length === 0 && unclear.length === 0;
}

/** `banking profile 3001 of “Corner Bakery” (Submitted): its EIN is not shown` */
export function described({ profileId, dba, bankingStatus, against, unclear }: Candidate): string {
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
export function adoptable(business: Business): (id: string) => Promise<number> {
  const { journey } = business;
  const doubt = doubts();
  return async (id) => {
    const profileId = Number(id);
    const found = await runStep(journey, {
      effect: 'read',
      title: `read banking profile ${id}`,
      run: () => bank.examineProfile({ ...business.toFind, profileId }),
      endsWhenRejected: true,
    });
    if (!found)
      throw new RejectedByPartner([{ field: '', message: `the bank shows no banking profile ${id}` }]);
    if (found.against.length > 0) doubt(profileId, described(found));
    return profileId;
  };
}

/**
 * The profile of this business: the one that the bank has, where evidence shows it. Otherwise a person is asked.
 *
 * @param title what is being done, for people
 * @returns undefined for `retry`
 */
export async function ours(
  business: Business,
  title: string,
  existing: Candidate,
): Promise<number | undefined> {
  const { profileId } = existing;
  if (isSurelyOurs(existing)) return profileId;
  const [found, otherwise] = business.isFollowed
    ? ['The bank has', 'If not, abandon. Retry reads the profile again.']
    : ['For the merchant, the bank has', 'If not, retry: the business is then submitted as a new one.'];
  const adopt = adoptable(business);
  let problem = '';
  for (;;) {
    const answer = await business.journey.ask({
      kind: 'uncertain-write',
      title: `Whose banking profile? ${title}`,
      detail:
        `${problem}${found} ${described(existing)}. If it belongs to this business, adopt ${profileId}. ` +
        otherwise,
      answers: ['adopt', 'retry', 'abandon'],
    });
    if (answer?.kind !== 'adopt') return undefined;
    if (Number(answer.id) === profileId) return profileId;
    try {
      return await adopt(answer.id);
    } catch (error) {
      if (!(error instanceof RejectedByPartner)) throw error;
      problem = `${answer.id} cannot be adopted: ${error.message}\n`;
    }
  }
}
