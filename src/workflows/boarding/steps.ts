/** The steps up to the submission, which people may have asked for again. */
import { condition, sleep, workflowInfo } from '@temporalio/workflow';
import type {
  CreatedMerchant,
  MerchantOwner,
  SavedMerchant,
  StatusSnapshot,
} from '../../messages/boarding-activities.js';
import type { MerchantBoardingInput } from '../../messages/inputs.js';
import { formsOf } from '../../messages/listed.js';
import { defined } from '../../messages/objects.js';
import { mayBeDone, type Restored } from '../../messages/onboardings.js';
import { isDecided, phasesBefore } from '../../partners/boarding/phases.js';
import type { FieldProblem } from '../../partners/partner-error.js';
import { masked } from '../../platform/privacy/masked.js';
import { partnerFailure } from '../journey/call-failures.js';
import { askForCorrection, doubts, NotAdoptable, Rejected } from '../journey/rejections.js';
import { isOwnAtOnce, runIdempotent, runOnce, runRead } from '../journey/run-step.js';
import { ofAgent } from '../journey/state.js';
import { type Boarding, partner } from './boarding.js';
import { UNSUBMITTED } from './decisions.js';
import { comparable } from './restless.js';

/** A merchant that existed before its boarding, perhaps with the ended boarding that created it. */
interface FoundMerchant {
  readonly merchantProfileId: number;
  readonly now: StatusSnapshot;
  readonly owner?: MerchantOwner;
}

/**
 * Creates the merchant. After a creation with an unknown outcome, a person may find it at the partner. The partner may also respond
 * with a merchant that it has already, so the one in the response is reserved, or a person is asked.
 */
export async function createMerchant(boarding: Boarding, restored?: Restored): Promise<void> {
  const { journey } = boarding;
  for (let rejected: readonly FieldProblem[] | undefined; ; ) {
    const merchant = await createStep(boarding, rejected, restored);
    if ('found' in merchant) return adopt(boarding, merchant.found, restored);
    const { merchantProfileId, since, respondedAt } = merchant;
    const created = defined({ respondedAt });
    // If the boarding ends before anybody knows whose merchant it is, this is all that is left of it.
    if (merchant.now?.length !== 0)
      journey.timeline.add('write-uncertain', {
        detail: `${CREATE}: the partner responded with merchant ${merchantProfileId}`,
      });
    const against = merchant.now ?? (await claim(boarding, { merchantProfileId, since, ...created }));
    if (against.length === 0) {
      journey.state.know({ merchantProfileId });
      journey.timeline.add('merchant-created', { detail: `merchant ${merchantProfileId}` });
      journey.remember(UNSUBMITTED);
      return;
    }
    rejected = [{ field: '', message: notOurs(merchantProfileId, against) }];
  }
}

const CREATE = 'create the merchant';

/** Reserves the merchant in the response to a create, if the create itself could not do that. */
async function claim(
  { journey }: Boarding,
  created: Parameters<typeof partner.claimMerchant>[0],
): Promise<readonly string[]> {
  try {
    const run = () => partner.claimMerchant(created).catch(unlessForbidden);
    const title = `read merchant ${created.merchantProfileId}`;
    return await runRead(journey, title, run, { endsWhenRejected: true });
  } catch (error) {
    // It may be that of another organization, so retrying the read alone could go on forever.
    if (error instanceof Rejected) return [`it cannot be read (${error.message})`];
    throw error;
  }
}

function unlessForbidden(error: unknown): never {
  const { kind, status = 403 } = partnerFailure(error);
  if (kind !== 'Forbidden') throw error;
  throw new NotAdoptable(
    `the partner does not let us read it (${status}): it belongs to another organization`,
  );
}

function notOurs(merchantProfileId: number, against: readonly string[]): string {
  return (
    `The partner responded to the create with merchant ${merchantProfileId}, but ${against.join(', ')}. ` +
    'It may be a merchant that the partner had before, so nothing was written to it. If it is, correct what the partner takes for ' +
    'the same merchant, such as the email. Another boarding that runs and has it must be abandoned before this one can adopt it'
  );
}

type Created = (CreatedMerchant & { readonly since: string }) | { readonly found: FoundMerchant };

function createStep(
  boarding: Boarding,
  rejected: readonly FieldProblem[] | undefined,
  restored: Restored | undefined,
): Promise<Created> {
  const { journey, input } = boarding;
  const doubt = doubts();
  let since = '';
  let saved: readonly SavedMerchant[] = [];
  return runOnce<Created>(journey, {
    title: CREATE,
    run: async (send) => {
      since = new Date().toISOString();
      // One that is followed exists.
      const current = input.current as MerchantBoardingInput;
      const { createVersion: version = 'v2', merchant, externalId: guid, ...others } = current;
      const { agentProfileId, agent, boardingSettingsId, boardingSettings } = others;
      const references = defined({ agentProfileId, agent, boardingSettingsId, boardingSettings });
      const request = { version, merchant, guid, references, since, saved };
      const created = await send(partner.createMerchant, request);
      if ('problems' in created) {
        // A person who tries again has looked.
        if (created.saved) saved = [];
        throw new Rejected([...created.problems, ...(created.saved ?? []).map(isSaved)]);
      }
      journey.update(ofAgent(created.agentProfileId));
      return { ...created, since };
    },
    failed: ({ saved: id = '' }) => {
      if (/^\d+$/.test(id)) saved = [...saved, { id: Number(id), since }];
    },
    correct: input.correct,
    mayBeDone: rejected ? undefined : mayBeDone(restored),
    rejected,
    readEvidence: 'none',
    polledEvidence: 'none',
    // The partner's API has no search for merchants, so only a person can look.
    adopt: async (id) => {
      const found = await inspect(boarding, Number(id));
      const { owner, now } = found;
      if (owner)
        doubt(`${id} of ${owner.workflowId}`, `it is the merchant of ${owner.workflowId}, which has ended`);
      if (!phasesBefore('first').includes(now.phase) && !restored)
        doubt(
          id,
          `merchant ${id} has the status ${now.status}, and nobody has submitted the one that was created`,
        );
      return { found };
    },
    get whereToLook() {
      return (
        `Look in the partner’s portal for a merchant with dba “${masked(boarding.dba)}” and guid ${input.current.externalId}. ` +
        'If it is there, adopt its merchant profile id.'
      );
    },
  });
}

function isSaved(id: number): FieldProblem {
  const message =
    `nothing was sent, because the partner shows merchant ${id}, which its refusal named: another create may make a second one. ` +
    `If it is the merchant of this boarding, adopt ${id}. If it is not, retry`;
  return { field: '', message };
}

/**
 * Continues with the merchant that the input names, and submits it, unless somebody has. If it is only followed, a person is told
 * everything that the first read shows, even that nobody has submitted it.
 */
export async function adoptMerchant(
  boarding: Boarding,
  merchantProfileId: number,
  restored?: Restored,
): Promise<void> {
  await adopt(boarding, await findAdoptable(boarding, merchantProfileId), restored);
  const { agentProfileId } = boarding.input.current;
  if (boarding.isFollowed && agentProfileId !== undefined) boarding.journey.update(ofAgent(agentProfileId));
}

/** Reserves a merchant that exists. Nobody knows whether a pending one was submitted, unless the backup of this boarding says so. */
async function adopt(
  boarding: Boarding,
  { merchantProfileId, now, owner }: FoundMerchant,
  restored?: Restored,
): Promise<void> {
  const { journey, isFollowed } = boarding;
  const { state, timeline } = journey;
  state.know({ merchantProfileId });
  const formerly = owner ? `, formerly of ${owner.workflowId}` : '';
  const detail = `merchant ${merchantProfileId}, status ${now.status}${formerly}`;
  timeline.add('merchant-adopted', { detail });
  const { status, phase } = now;
  if (!isFollowed && phase === 'not-submitted') journey.remember({ ...UNSUBMITTED, seen: { status, phase } });
  if (!isFollowed && phase === 'pending')
    journey.remember(restored?.isSubmitted ? { submitted: true } : { unclearIn: phase });
  state.refresh();
  const isRecent = await isOwnAtOnce(journey, `adopt merchant ${merchantProfileId}`, () =>
    partner.reserveMerchant({ id: merchantProfileId }),
  );
  if (isFollowed && isRecent) boarding.poll.replaceWith(now);
}

/** Reads the merchant until it can be adopted. A person is asked what to do while it cannot. */
async function findAdoptable(boarding: Boarding, merchantProfileId: number): Promise<FoundMerchant> {
  const title = `adopt merchant ${merchantProfileId}`;
  const doubt = doubts('retry');
  for (;;) {
    try {
      const found = await inspect(boarding, merchantProfileId);
      const { owner } = found;
      if (owner?.dba !== undefined && !formsOf(boarding.dba).includes(owner.dba))
        doubt(merchantProfileId, `it is the merchant “${masked(owner.dba)}” of ${owner.workflowId}`);
      return found;
    } catch (error) {
      if (!(error instanceof Rejected)) throw error;
      await askForCorrection(boarding.journey, { title }, error.problems);
    }
  }
}

/** Reads a merchant that is to be adopted. Another organization must not have it, nor another running boarding. */
async function inspect({ journey }: Boarding, merchantProfileId: number): Promise<FoundMerchant> {
  const { workflowId } = workflowInfo();
  const title = `read merchant ${merchantProfileId}`;
  const run = () => partner.inspectMerchant({ merchantProfileId, workflowId }).catch(unlessForbidden);
  const found = await runRead(journey, title, run, { endsWhenRejected: true });
  const { owner } = found;
  if (owner?.isRunning) throw new NotAdoptable(`workflow ${owner.workflowId} has this merchant`);
  return { merchantProfileId, ...found };
}

export const FEES = 'set the fees';

/** How long the partner may take to show on all of its servers what it has accepted, from one look to the next. */
const SHOWN_AFTER = ['10s', '1 minute', '10 minutes', '1 hour'] as const;

/** Sets the requested fees, if there are any, and asks a person if the partner keeps others. */
export async function setFees({ journey, merchantProfileId, input }: Boarding): Promise<void> {
  const { correct } = input;
  const title = FEES;
  for (let looks = 0; ; looks += 1) {
    if (!input.current.fees) return;
    const run = () => partner.changeFees({ merchantProfileId, changes: input.current.fees ?? {} });
    const { changed, differing } = await runIdempotent(journey, { title, run, correct });
    if (differing.length === 0) {
      journey.timeline.add(changed > 0 ? 'fees-changed' : 'fees-read');
      return;
    }
    const wait = SHOWN_AFTER[looks];
    if (wait) await sleep(wait);
    else await askForCorrection(journey, { title, correct }, differing);
  }
}

export function read({ journey, merchantProfileId, remembered }: Boarding): Promise<StatusSnapshot> {
  const seen = comparable(remembered.restless, remembered.seen);
  return runRead(journey, 'read the status', () => partner.readStatus({ merchantProfileId, seen }));
}

/** Reads the status. Waits until the partner takes a decision back; the end of the boarding cancels that. */
export async function readUndecided(boarding: Boarding): Promise<StatusSnapshot> {
  const now = await read(boarding);
  if (!isDecided(now.phase)) return now;
  const { poll } = boarding;
  poll.replaceWith(now);
  await condition(() => poll.latest !== undefined && !boarding.isDecided);
  return poll.latest ?? now;
}
