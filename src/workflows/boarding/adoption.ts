import { workflowInfo } from '@temporalio/workflow';
import type { StatusSnapshot } from '../../messages/boarding-activities.js';
import { formsOf } from '../../messages/listed.js';
import { defined } from '../../messages/objects.js';
import { masked } from '../../privacy/masked.js';
import { partnerFailure } from '../journey/call-failures.js';
import { askForCorrection, NotAdoptable, Rejected, runStep } from '../journey/run-step.js';
import { type Boarding, partner } from './boarding.js';
import { UNSUBMITTED } from './decisions.js';

/** A merchant that existed before its boarding. */
export interface FoundMerchant {
  readonly merchantProfileId: number;
  readonly now: StatusSnapshot;
  /** The ended boarding that created it, and its dba, which may be masked. */
  readonly formerOwner?: string;
  readonly formerDba?: string;
}

/** Continues with an existing merchant: submits it, unless somebody has. */
export async function adoptMerchant(boarding: Boarding, merchantProfileId: number): Promise<void> {
  recordAdoption(boarding, await findAdoptable(boarding, merchantProfileId));
}

export function recordAdoption(
  boarding: Boarding,
  { merchantProfileId, now, formerOwner }: FoundMerchant,
): void {
  const { state, timeline } = boarding.journey;
  state.know({ merchantProfileId });
  const formerly = formerOwner === undefined ? '' : `, formerly of ${formerOwner}`;
  const detail = `merchant ${merchantProfileId}, status ${now.status}${formerly}`;
  timeline.add('merchant-adopted', { detail });
  if (!boarding.isFollowed && now.phase === 'not-submitted') boarding.remembered = UNSUBMITTED;
}

/** Follows the merchant that the input names. Reports the whole snapshot to a person, including "not submitted". */
export async function followMerchant(boarding: Boarding, merchantProfileId: number): Promise<void> {
  const found = await findAdoptable(boarding, merchantProfileId);
  recordAdoption(boarding, found);
  const { agentProfileId } = boarding.input.current;
  if (agentProfileId !== undefined) boarding.journey.state.knowAgentProfile(agentProfileId);
  boarding.status.replaceWith(found.now);
}

/** Reads the merchant until it can be adopted. A person is asked what to do while it cannot. */
async function findAdoptable(boarding: Boarding, merchantProfileId: number): Promise<FoundMerchant> {
  let isConfirmed = false;
  for (;;) {
    try {
      const found = await inspect(boarding, merchantProfileId);
      const { formerOwner, formerDba } = found;
      const isAnother = formerDba !== undefined && !formsOf(boarding.dba).includes(formerDba);
      if (!isAnother || isConfirmed) return found;
      isConfirmed = true;
      throw new NotAdoptable(
        `it is the merchant “${masked(formerDba)}” of ${formerOwner}. To adopt it anyway, retry`,
      );
    } catch (error) {
      if (!(error instanceof Rejected)) throw error;
      const title = `adopt merchant ${merchantProfileId}`;
      await askForCorrection(boarding.journey, { title }, error.problems);
    }
  }
}

/** Reads a merchant that is to be adopted. Another organization must not have it, nor another running boarding. */
export async function inspect({ journey }: Boarding, merchantProfileId: number): Promise<FoundMerchant> {
  const { taskQueue, workflowId } = workflowInfo();
  const { now, owner } = await runStep(journey, {
    effect: 'read',
    title: `read merchant ${merchantProfileId}`,
    run: () =>
      partner.inspectMerchant({ merchantProfileId, taskQueue, workflowId }).catch((error: unknown) => {
        const { kind, status = 403 } = partnerFailure(error);
        if (kind !== 'Forbidden') throw error;
        throw new NotAdoptable(
          `the partner does not let us read it (${status}): it belongs to another organization`,
        );
      }),
    endsWhenRejected: true,
  });
  if (owner?.isRunning) throw new NotAdoptable(`workflow ${owner.workflowId} has this merchant`);
  return { merchantProfileId, now, ...defined({ formerOwner: owner?.workflowId, formerDba: owner?.dba }) };
}
