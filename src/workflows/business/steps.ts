import { workflowInfo } from '@temporalio/workflow';
import type {
  Candidate,
  ProfileSnapshot,
  RefusedSubmission,
  Submission,
  SubmittedProfile,
} from '../../messages/banking-activities.js';
import { omitUndefined } from '../../messages/objects.js';
import type { Requirement } from '../../messages/requirements.js';
import type { OnboardingRuntime } from '../runtime/onboarding-runtime.js';
import { ownershipPassesUnasked, runIdempotent, runOnce, runRead } from '../runtime/run-step.js';
import { askForCorrection, NotConfirmable, Rejected, requireSecondConfirmation } from '../runtime/step.js';
import { type BusinessRuntime, bank } from './business.js';
import { describeCandidate, inPortal, ownershipQuestion, type SOURCES, ticketIdOf } from './questions.js';

export const SUBMIT = 'submit the business account holder';

type Submitted =
  | (Exclude<Submission, { existing: unknown }> & { readonly profileId: number; readonly since: string })
  | { readonly existing: Candidate; readonly isSaved?: true }
  | { readonly confirmed: Candidate };

/**
 * Submits the holder once, unless the bank already has a profile for the merchant, or a profile from an earlier submission.
 *
 * @param unclaimed submissions whose profile is unknown, because the bank refused them or responded with another business's profile
 * @param uncertainty why the holder may already have been submitted
 */
export function submitBusiness(
  business: BusinessRuntime,
  declined: readonly number[],
  unclaimed: RefusedSubmission[],
  uncertainty: string | undefined,
): Promise<Submitted> {
  const confirmNamed = confirmCandidate(business);
  let candidates: readonly Candidate[] = [];
  const recordRefusal = (baseline: readonly number[], saved = '') => {
    const profileId = /^\d+$/.test(saved) ? { profileId: Number(saved) } : {};
    unclaimed.push({ dba: business.dba, baseline, ...profileId });
  };
  return runOnce<Submitted>(business, {
    title: SUBMIT,
    run: async (send) => {
      const since = new Date().toISOString();
      const request = {
        ...business.toFind,
        since,
        declined,
        ...(unclaimed.length > 0 && { refused: unclaimed }),
      };
      const submitted = await send(bank.submitHolder, request);
      if ('existing' in submitted) return submitted;
      const { profileId, problems, baseline } = submitted;
      if (profileId !== null) return { ...submitted, profileId, since };
      recordRefusal(baseline);
      throw new Rejected(problems);
    },
    onFailure: ({ kind, baseline, saved }) => {
      if (kind === 'Rejected' && baseline) recordRefusal(baseline, saved);
    },
    correct: business.input.correct,
    mayBeDone: uncertainty,
    readEvidence: async ({ isUncertain, baseline }) => {
      if (!isUncertain || !baseline || business.dba === '') return undefined;
      const profileIds = [...baseline, ...declined];
      candidates = await runRead(business, 'look for the business at the bank', () =>
        bank.findCandidates({ ...business.toFind, baseline: profileIds }),
      );
      const [candidate, ...more] = candidates.filter(isSurelyOurs);
      return candidate && more.length === 0 ? { result: { confirmed: candidate } } : undefined;
    },
    polledEvidence: 'none',
    confirm: async (id) => ({ confirmed: await confirmNamed(id) }),
    get whereToLook() {
      const seen = candidates.map((candidate) => `The bank has ${describeCandidate(candidate)}.\n`);
      return `${seen.length > 0 ? '\n' : ''}${seen.join('')}${inPortal(business)}`;
    },
  });
}

export function readProfile(business: BusinessRuntime): Promise<ProfileSnapshot> {
  const { profileId } = business;
  return runRead(business, 'read the banking profile', () => bank.readProfile({ profileId }));
}

/**
 * Reserves the profile in the response to a submission, if the submission's activity could not. A profile that the bank hides may
 * belong to another business.
 */
export async function reserveSubmitted(
  business: BusinessRuntime,
  { now, profileId, since }: { readonly now?: SubmittedProfile; profileId: number; since: string },
): Promise<SubmittedProfile> {
  if (now) return now;
  const title = `read banking profile ${profileId}`;
  const run = () => bank.reserveSubmittedProfile({ ...business.toFind, profileId, since });
  try {
    return await runRead(business, title, run, { endsWhenRejected: true });
  } catch (error) {
    if (!(error instanceof Rejected)) throw error;
    const against = [`it cannot be read (${error.message})`];
    const hidden = { profileId, dba: null, bankingStatus: 'unknown', owners: [], unclear: [] };
    return { candidate: { ...hidden, against } };
  }
}

export const CORRECT = 'correct the business account holder';

/** Sends the corrected holder. Asks for further corrections until the partner accepts it or the correction is superseded. */
export async function replaceHolder(business: BusinessRuntime, isSuperseded?: () => boolean): Promise<void> {
  const { profileId } = business;
  const { correct } = business.input;
  const title = CORRECT;
  const run = async () => {
    const { problems } = await bank.correctHolder({ profileId, ...business.submission });
    if (problems.length > 0) throw new Rejected(problems);
  };
  for (;;) {
    try {
      await runIdempotent(business, { title, run, endsWhenRejected: true });
      return business.record('holder-corrected');
    } catch (error) {
      if (!(error instanceof Rejected)) throw error;
      if (!(await askForCorrection(business, { title, correct }, error.problems, isSuperseded))) return;
    }
  }
}

/** Opens a financial account for an approved business, unless it already has one. */
export async function openAccount(business: BusinessRuntime): Promise<void> {
  const { profileId } = business;
  const warnOnce = requireSecondConfirmation();
  const financialAccountId = await runOnce<string>(business, {
    title: 'open the financial account',
    run: async (send) => {
      const opened = await send(bank.openFinancialAccount, { profileId });
      if (opened.financialAccountId === null) throw new Rejected(opened.problems);
      return opened.financialAccountId;
    },
    readEvidence: async () => {
      const { financialAccountId } = await readProfile(business);
      return financialAccountId === null ? undefined : { result: financialAccountId };
    },
    polledEvidence: () => {
      const { financialAccountId: result } = business.published.facts;
      return result === undefined ? undefined : { result };
    },
    confirm: async (id) => {
      const { financialAccountId: accountId } = await readProfile(business);
      if (accountId !== id)
        warnOnce(id, `the bank shows ${accountId ?? 'no financial account'} for profile ${profileId}`);
      return id;
    },
    idFormat: 'text',
    whereToLook:
      `Look in the partner’s portal whether banking profile ${profileId} has a financial account. ` +
      'If it has, confirm its id.',
  });
  business.setAccount(financialAccountId);
}

export function titleOfReply(requirement: Requirement): string {
  return `reply to ticket ${ticketIdOf(requirement)}`;
}

/** Replies to a ticket at most once. Returns the ticket ID of the reply, or null if a person confirmed it. Throws `Rejected`. */
export async function sendReply(
  runtime: OnboardingRuntime,
  requirement: Requirement,
  text: string,
  profileId?: number,
): Promise<number | null> {
  const ticketId = ticketIdOf(requirement);
  const { replyId } = await runOnce<{ readonly replyId: number | null }>(runtime, {
    title: titleOfReply(requirement),
    run: (send) => send(bank.replyToTicket, { ticketId, topic: null, text, ...omitUndefined({ profileId }) }),
    endsWhenRejected: true,
    readEvidence: async ({ baseline }) => {
      if (!baseline) return undefined;
      const find = () => bank.findReply({ ticketId, text, baseline });
      const result = await runRead(runtime, `look for the reply to ticket ${ticketId}`, find);
      return result === null ? undefined : { result: { replyId: result } };
    },
    polledEvidence: 'none',
    confirm: () => ({ replyId: null }),
    whereToLook: `Look in the partner’s portal whether ticket ${ticketId} has the reply. If it has, confirm ${ticketId}.`,
  });
  return replyId;
}

/**
 * Imports the profile that the input names. Asks a person first if something about the profile is missing or contradicts the input.
 */
export async function followProfile(business: BusinessRuntime, profileId: number): Promise<void> {
  const { workflowId } = workflowInfo();
  const title = `import banking profile ${profileId}`;
  for (;;) {
    const profile = await runRead(business, `read banking profile ${profileId}`, () =>
      bank.inspectProfile({ ...business.toFind, profileId, workflowId }),
    );
    if (!profile) {
      const message = `the bank shows no banking profile ${profileId}`;
      await askForCorrection(business, { title }, [{ field: '', message }]);
      continue;
    }
    const confirmed = await confirmOwnership(business, title, profile.candidate, 'followed');
    if (confirmed === undefined) continue;
    await importProfile(business, confirmed, isSurelyOurs(profile.candidate) ? profile.now : undefined);
    // Only a person submits a profile that reads as new.
    business.patchState({ problems: [] });
    return;
  }
}

/** Reserves a profile that exists. */
export async function importProfile(
  business: BusinessRuntime,
  { profileId, owners }: Pick<Candidate, 'profileId' | 'owners'>,
  now?: ProfileSnapshot,
): Promise<void> {
  business.setProfile(profileId, 'profile-imported');
  business.published.refresh();
  const isRecent = await ownershipPassesUnasked(business, `import banking profile ${profileId}`, () =>
    bank.reserveProfile({ id: profileId, knownOwners: owners }),
  );
  if (now && isRecent) business.poll.replaceWith(now);
}

function isSurelyOurs({ against, unclear }: Candidate): boolean {
  return against.length === 0 && unclear.length === 0;
}

/** Checks the profile ID that a person enters. Entering the same ID twice overrides contradicting evidence. */
function confirmCandidate(business: BusinessRuntime): (id: string) => Promise<Candidate> {
  const warnOnce = requireSecondConfirmation();
  return async (id) => {
    const profileId = Number(id);
    const run = () => bank.examineProfile({ ...business.toFind, profileId });
    const title = `read banking profile ${id}`;
    const candidate = await runRead(business, title, run, { endsWhenRejected: true });
    if (!candidate) throw new NotConfirmable(`the bank shows no banking profile ${id}`);
    if (candidate.against.length > 0 && !candidate.isNamesOnly)
      warnOnce(profileId, describeCandidate(candidate));
    return candidate;
  };
}

/** Returns the profile if evidence or a person says that it belongs to this business; undefined if the person answers "retry". */
export async function confirmOwnership(
  business: BusinessRuntime,
  title: string,
  existing: Candidate,
  source: keyof typeof SOURCES,
): Promise<Candidate | undefined> {
  const { profileId, isHidden } = existing;
  if (isSurelyOurs(existing)) return existing;
  const confirmNamed = confirmCandidate(business);
  let problem = '';
  for (;;) {
    const answer = await business.ask(ownershipQuestion(business, title, existing, source, problem));
    if (answer?.kind !== 'confirm') return undefined;
    // A hidden profile still needs the check, because another onboarding may have reserved it.
    if (Number(answer.id) === profileId && !isHidden) return existing;
    try {
      return await confirmNamed(answer.id);
    } catch (error) {
      if (!(error instanceof Rejected)) throw error;
      problem = `${answer.id} cannot be confirmed: ${error.message}\n`;
    }
  }
}
