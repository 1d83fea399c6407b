/** The steps before the submission: creating or importing the merchant, and setting its fees. */
import { condition, sleep, workflowInfo } from '@temporalio/workflow';
import type {
  CreatedMerchant,
  MerchantOwner,
  SavedMerchant,
  StatusSnapshot,
} from '../../messages/boarding-activities.js';
import type { MerchantBoardingInput } from '../../messages/inputs.js';
import { dbaForms } from '../../messages/list-fields.js';
import { omitUndefined } from '../../messages/objects.js';
import { mayBeDone, type Restored } from '../../messages/onboardings.js';
import { isDecided, phasesBefore } from '../../partners/boarding/phases.js';
import type { FieldProblem } from '../../partners/partner-error.js';
import { redact } from '../../platform/privacy/masked.js';
import { ownershipPassesUnasked, runIdempotent, runOnce, runRead } from '../runtime/run-step.js';
import { setAgent } from '../runtime/state.js';
import {
  askForCorrection,
  NotConfirmable,
  partnerFailureOf,
  Rejected,
  requireSecondConfirmation,
} from '../runtime/step.js';
import { type BoardingRuntime, partner } from './boarding.js';
import { UNSUBMITTED_STATE } from './decisions.js';
import { comparable } from './volatile-fields.js';

/** A merchant that already exists, perhaps created by an earlier boarding that has ended. */
interface ExistingMerchant {
  readonly merchantProfileId: number;
  readonly now: StatusSnapshot;
  readonly owner?: MerchantOwner;
}

/**
 * Creates the merchant. If the outcome is unknown, a person looks for the merchant at the partner. The response may contain a
 * merchant that the partner already had, so Gangway reserves the merchant, or asks a person whose it is.
 */
export async function createMerchant(boarding: BoardingRuntime, restored?: Restored): Promise<void> {
  for (let problems: readonly FieldProblem[] | undefined; ; ) {
    const merchant = await createStep(boarding, problems, restored);
    if ('merchant' in merchant) return importExisting(boarding, merchant.merchant, restored);
    const { merchantProfileId, since, respondedAt } = merchant;
    const created = omitUndefined({ respondedAt });
    // Name the merchant in the timeline now: the boarding may end before its owner is known.
    if (merchant.now?.length !== 0)
      boarding.record('write-uncertain', {
        detail: `${CREATE}: the partner responded with merchant ${merchantProfileId}`,
      });
    const against =
      merchant.now ?? (await reserveCreated(boarding, { merchantProfileId, since, ...created }));
    if (against.length === 0) {
      boarding.published.setFacts({ merchantProfileId });
      boarding.record('merchant-created', { detail: `merchant ${merchantProfileId}` });
      boarding.patchState(UNSUBMITTED_STATE);
      return;
    }
    problems = [{ field: '', message: describeForeign(merchantProfileId, against) }];
  }
}

const CREATE = 'create the merchant';

/** Reserves the merchant in the response to a create, if the create's activity could not. */
async function reserveCreated(
  boarding: BoardingRuntime,
  created: Parameters<typeof partner.reserveCreatedMerchant>[0],
): Promise<readonly string[]> {
  try {
    const run = () => partner.reserveCreatedMerchant(created).catch(unlessForbidden);
    const title = `read merchant ${created.merchantProfileId}`;
    return await runRead(boarding, title, run, { endsWhenRejected: true });
  } catch (error) {
    // It may belong to another organization, in which case retrying the read would never succeed.
    if (error instanceof Rejected) return [`it cannot be read (${error.message})`];
    throw error;
  }
}

function unlessForbidden(error: unknown): never {
  const { kind, status = 403 } = partnerFailureOf(error);
  if (kind !== 'Forbidden') throw error;
  throw new NotConfirmable(
    `the partner does not let us read it (${status}): it belongs to another organization`,
  );
}

function describeForeign(merchantProfileId: number, against: readonly string[]): string {
  return (
    `The partner responded to the create with merchant ${merchantProfileId}, but ${against.join(', ')}. ` +
    'It may be a merchant that the partner had before, so nothing was written to it. If it is, correct what the partner takes for ' +
    'the same merchant, such as the email. Another boarding that runs and has it must be abandoned before this one can import it'
  );
}

type CreateResult = CreatedMerchant | { readonly merchant: ExistingMerchant };

function createStep(
  boarding: BoardingRuntime,
  earlierProblems: readonly FieldProblem[] | undefined,
  restored: Restored | undefined,
): Promise<CreateResult> {
  const { input } = boarding;
  const warnOnce = requireSecondConfirmation();
  let since = '';
  let saved: readonly SavedMerchant[] = [];
  return runOnce<CreateResult>(boarding, {
    title: CREATE,
    run: async (send) => {
      since = new Date().toISOString();
      // A followed merchant already exists, so this input is not one.
      const current = input.current as MerchantBoardingInput;
      const { createVersion: version = 'v2', merchant, externalId: guid, ...others } = current;
      const { agentProfileId, agent, boardingSettingsId, boardingSettings } = others;
      const references = omitUndefined({ agentProfileId, agent, boardingSettingsId, boardingSettings });
      const request = { version, merchant, guid, references, saved };
      const created = await send(partner.createMerchant, request);
      if ('problems' in created) {
        // A person who answers "again" has looked at the partner.
        if (created.saved) saved = [];
        throw new Rejected([...created.problems, ...(created.saved ?? []).map(problemWithSaved)]);
      }
      boarding.update(setAgent(created.agentProfileId));
      return created;
    },
    onFailure: ({ saved: id = '' }) => {
      if (/^\d+$/.test(id)) saved = [...saved, { id: Number(id), since }];
    },
    correct: input.correct,
    mayBeDone: earlierProblems ? undefined : mayBeDone(restored),
    earlierProblems,
    readEvidence: 'none',
    polledEvidence: 'none',
    // The partner's API has no search for merchants, so only a person can look.
    confirm: async (id) => {
      const merchant = await inspectMerchant(boarding, Number(id));
      const { owner, now } = merchant;
      if (owner)
        warnOnce(
          `${id} of ${owner.workflowId}`,
          `it is the merchant of ${owner.workflowId}, which has ended`,
        );
      if (!phasesBefore('first').includes(now.phase) && !restored)
        warnOnce(
          id,
          `merchant ${id} has the status ${now.status}, and nobody has submitted the one that was created`,
        );
      return { merchant };
    },
    get whereToLook() {
      return (
        `Look in the partner’s portal for a merchant with dba “${redact(boarding.dba)}” and guid ${input.current.externalId}. ` +
        'If it is there, confirm its merchant profile id.'
      );
    },
  });
}

function problemWithSaved(id: number): FieldProblem {
  const message =
    `nothing was sent, because the partner shows merchant ${id}, which its refusal named: another create may make a second one. ` +
    `If it is the merchant of this boarding, confirm ${id}. If it is not, retry`;
  return { field: '', message };
}

/**
 * Imports the merchant that the input names. With `follow`, asks a person about everything that the first read shows, including a
 * missing submission.
 */
export async function importMerchant(
  boarding: BoardingRuntime,
  merchantProfileId: number,
  restored?: Restored,
): Promise<void> {
  await importExisting(boarding, await findImportable(boarding, merchantProfileId), restored);
  const { agentProfileId } = boarding.input.current;
  if (boarding.isFollowed && agentProfileId !== undefined) boarding.update(setAgent(agentProfileId));
}

/** Reserves an existing merchant. A pending merchant may or may not be submitted, unless the backup of this boarding says so. */
async function importExisting(
  boarding: BoardingRuntime,
  { merchantProfileId, now, owner }: ExistingMerchant,
  restored?: Restored,
): Promise<void> {
  const { isFollowed, published } = boarding;
  published.setFacts({ merchantProfileId });
  const formerly = owner ? `, formerly of ${owner.workflowId}` : '';
  const detail = `merchant ${merchantProfileId}, status ${now.status}${formerly}`;
  boarding.record('merchant-imported', { detail });
  const { status, phase } = now;
  if (!isFollowed && phase === 'not-submitted')
    boarding.patchState({ ...UNSUBMITTED_STATE, seen: { status, phase } });
  if (!isFollowed && phase === 'pending')
    boarding.patchState(restored?.isSubmitted ? { submitted: true } : { unclearPhase: phase });
  published.refresh();
  const isRecent = await ownershipPassesUnasked(boarding, `import merchant ${merchantProfileId}`, () =>
    partner.reserveMerchant({ id: merchantProfileId }),
  );
  if (isFollowed && isRecent) boarding.poll.replaceWith(now);
}

/** Reads the merchant until it can be imported. Asks a person each time that it cannot. */
async function findImportable(
  boarding: BoardingRuntime,
  merchantProfileId: number,
): Promise<ExistingMerchant> {
  const title = `import merchant ${merchantProfileId}`;
  const warnOnce = requireSecondConfirmation('retry');
  for (;;) {
    try {
      const merchant = await inspectMerchant(boarding, merchantProfileId);
      const { owner } = merchant;
      if (owner?.dba !== undefined && !dbaForms(boarding.dba).includes(owner.dba))
        warnOnce(merchantProfileId, `it is the merchant “${redact(owner.dba)}” of ${owner.workflowId}`);
      return merchant;
    } catch (error) {
      if (!(error instanceof Rejected)) throw error;
      await askForCorrection(boarding, { title }, error.problems);
    }
  }
}

/** Reads the merchant to import. Rejects one that belongs to another organization or another running boarding. */
async function inspectMerchant(
  boarding: BoardingRuntime,
  merchantProfileId: number,
): Promise<ExistingMerchant> {
  const { workflowId } = workflowInfo();
  const title = `read merchant ${merchantProfileId}`;
  const run = () => partner.inspectMerchant({ merchantProfileId, workflowId }).catch(unlessForbidden);
  const inspection = await runRead(boarding, title, run, { endsWhenRejected: true });
  const { owner } = inspection;
  if (owner?.isRunning) throw new NotConfirmable(`workflow ${owner.workflowId} has this merchant`);
  return { merchantProfileId, ...inspection };
}

export const FEES = 'set the fees';

/** Pauses between reads of the fees. The partner may need this long until all of its servers show accepted fees. */
const PAUSES_BETWEEN_READS = ['10s', '1 minute', '10 minutes', '1 hour'] as const;

/** Sets the requested fees, if any. Asks a person if the partner keeps different fees. */
export async function setFees(boarding: BoardingRuntime): Promise<void> {
  const { merchantProfileId, input } = boarding;
  const { correct } = input;
  const title = FEES;
  for (let reads = 0; ; reads += 1) {
    if (!input.current.fees) return;
    const run = () => partner.changeFees({ merchantProfileId, changes: input.current.fees ?? {} });
    const { changed, differing } = await runIdempotent(boarding, { title, run, correct });
    if (differing.length === 0) {
      const { feePlan } = input.current as Partial<MerchantBoardingInput>;
      const plan = feePlan === undefined ? {} : { detail: `fee plan ${feePlan}` };
      boarding.record(changed > 0 ? 'fees-changed' : 'fees-read', plan);
      return;
    }
    const wait = PAUSES_BETWEEN_READS[reads];
    if (wait) await sleep(wait);
    else await askForCorrection(boarding, { title, correct }, differing);
  }
}

/** @param needsNotes waits until the partner's notes can be read, too */
export function readStatus(boarding: BoardingRuntime, needsNotes = false): Promise<StatusSnapshot> {
  const { merchantProfileId, partnerState: state } = boarding;
  const request = { merchantProfileId, seen: comparable(state.volatile, state.seen), needsNotes };
  return runRead(boarding, 'read the status', () => partner.readStatus(request));
}

/** Reads the status. After a decision, waits until the partner takes it back. The end of the boarding cancels the wait. */
export async function readUndecided(boarding: BoardingRuntime): Promise<StatusSnapshot> {
  const now = await readStatus(boarding);
  if (!isDecided(now.phase)) return now;
  const { poll } = boarding;
  poll.replaceWith(now);
  await condition(() => poll.latest !== undefined && !boarding.isDecided);
  return poll.latest ?? now;
}
