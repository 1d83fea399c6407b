import type { Candidate, ProfileSnapshot, Submission } from '../../messages/banking-activities.js';
import type { Answer, Requirement } from '../../messages/requirements.js';
import type { FieldProblem } from '../../partners/partner-error.js';
import { masked } from '../../privacy/masked.js';
import type { Journey } from '../journey/journey.js';
import { askForCorrection, doubts, RejectedByPartner, runStep } from '../journey/run-step.js';
import { adoptable, described, isSurelyOurs } from './adoption.js';
import { type Business, bank } from './business.js';
import { ticketIdOf } from './tickets.js';

export const SUBMIT = 'submit the business account holder';

/** Asks a person to correct what is wrong with the submission. Undefined when that became moot. */
export function askToCorrect(
  { journey, input }: Business,
  problems: readonly FieldProblem[],
  isMoot?: () => boolean,
): Promise<Answer | undefined> {
  return askForCorrection(journey, { title: SUBMIT, correct: input.correct }, problems, isMoot);
}

type Submitted = Submission | { readonly adopted: number };

/**
 * Submits the holder, once, unless the bank has a profile for its merchant.
 *
 * @param declined profiles of the merchant that are not those of the business
 * @param inDoubt why it may have been submitted before
 */
export function submit(
  business: Business,
  declined: readonly number[],
  inDoubt: string | undefined,
): Promise<Submitted> {
  const { journey } = business;
  const adopt = adoptable(business);
  let candidates: readonly Candidate[] = [];
  return runStep<Submitted>(journey, {
    effect: 'once',
    title: SUBMIT,
    run: (send) => send(bank.submitHolder, { ...business.toFind, declined }),
    correct: business.input.correct,
    mayBeDone: inDoubt,
    readEvidence: async (wasInDoubt, baseline) => {
      if (!wasInDoubt || !baseline || business.dba === '') return undefined;
      const known = [...baseline, ...declined];
      candidates = await runStep(journey, {
        effect: 'read',
        title: 'look for the business at the bank',
        run: () => bank.findCandidates({ ...business.toFind, baseline: known }),
      });
      const [made, ...more] = candidates.filter(isSurelyOurs);
      return made && more.length === 0 ? { found: { adopted: made.profileId } } : undefined;
    },
    polledEvidence: 'none',
    adopt: async (id) => ({ adopted: await adopt(id) }),
    get whereToLook() {
      const seen = candidates.map((candidate) => `The bank has ${described(candidate)}.\n`);
      return (
        `${seen.length > 0 ? '\n' : ''}${seen.join('')}` +
        `Look in the partner’s portal for a banking profile of “${masked(business.dba)}”. ` +
        'If it is there, adopt its profile id.'
      );
    },
  });
}

/** Reads the profile, as often as it takes. */
export function read({ journey, profileId }: Business): Promise<ProfileSnapshot> {
  const run = () => bank.readProfile({ profileId });
  return runStep(journey, { effect: 'read', title: 'read the banking profile', run });
}

export const CORRECT = 'correct the business account holder';

/** Replaces the holder by the corrected one, until the partner accepts it or the correction is moot. */
export async function replaceHolder(business: Business, isMoot?: () => boolean): Promise<void> {
  const { journey, profileId } = business;
  const { correct } = business.input;
  const title = CORRECT;
  for (;;) {
    const { problems } = await runStep(journey, {
      effect: 'idempotent',
      title,
      run: () => bank.correctHolder({ profileId, ...business.submission }),
      correct,
    });
    if (problems.length === 0) break;
    if (!(await askForCorrection(journey, { title, correct }, problems, isMoot))) return;
  }
  journey.timeline.add('holder-corrected');
}

/** Opens a financial account for an approved business, unless it has one by then. */
export async function openAccount(business: Business): Promise<void> {
  const { journey, profileId } = business;
  const doubt = doubts();
  const financialAccountId = await runStep<string>(journey, {
    effect: 'once',
    title: 'open the financial account',
    run: async (send) => {
      const opened = await send(bank.openFinancialAccount, { profileId });
      if (opened.financialAccountId === null) throw new RejectedByPartner(opened.problems);
      return opened.financialAccountId;
    },
    readEvidence: async () => {
      const { financialAccountId } = await read(business);
      return financialAccountId === null ? undefined : { found: financialAccountId };
    },
    polledEvidence: () => {
      const { financialAccountId: found } = journey.state.facts;
      return found === undefined ? undefined : { found };
    },
    adopt: async (id) => {
      const { financialAccountId: shown } = await read(business);
      if (shown !== id)
        doubt(id, `the bank shows ${shown ?? 'no financial account'} for profile ${profileId}`);
      return id;
    },
    idFormat: 'text',
    whereToLook:
      `Look in the partner’s portal whether banking profile ${profileId} has a financial account. ` +
      'If it has, adopt its id.',
  });
  business.knowAccount(financialAccountId);
}

export function titleOfReply(requirement: Requirement): string {
  return `reply to ticket ${ticketIdOf(requirement)}`;
}

/**
 * Replies to the ticket of a requirement, once.
 *
 * @returns the id of the reply, which is a ticket as well; null when a person adopted it
 * @throws {RejectedByPartner} when the partner rejects it
 * @throws {Abandoned} when its outcome is unknown and a person abandons it
 */
export async function sendReply(
  journey: Journey,
  requirement: Requirement,
  text: string,
): Promise<number | null> {
  const ticketId = ticketIdOf(requirement);
  const { replyId } = await runStep<{ readonly replyId: number | null }>(journey, {
    effect: 'once',
    title: titleOfReply(requirement),
    run: (send) => send(bank.replyToTicket, { ticketId, topic: null, text }),
    endsWhenRejected: true,
    readEvidence: async (wasInDoubt, baseline) => {
      if (!wasInDoubt || !baseline) return undefined;
      const title = `look for the reply to ticket ${ticketId}`;
      const run = () => bank.findReply({ ticketId, text, baseline });
      const found = await runStep(journey, { effect: 'read', title, run });
      return found === null ? undefined : { found: { replyId: found } };
    },
    polledEvidence: 'none',
    adopt: () => ({ replyId: null }),
    whereToLook: `Look in the partner’s portal whether ticket ${ticketId} has the reply. If it has, adopt ${ticketId}.`,
  });
  return replyId;
}
