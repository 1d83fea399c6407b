import { continueAsNew, workflowInfo } from '@temporalio/workflow';
import type { StatusSnapshot } from '../messages/boarding-activities.js';
import type { FollowedMerchantInput } from '../messages/followed-inputs.js';
import type { MerchantBoardingInput } from '../messages/inputs.js';
import { formsOf } from '../messages/listed.js';
import { defined } from '../messages/objects.js';
import type { MerchantBoardingOutcome } from '../messages/onboardings.js';
import { isFollowed, mayBeDone, type Restored } from '../messages/onboardings.js';
import type { MerchantPhase } from '../partners/boarding/phases.js';
import { masked } from '../privacy/masked.js';
import { Application, partner } from './boarding/application.js';
import { Underwriting, type UnderwritingRecords } from './boarding/underwriting.js';
import type { JourneyRecords } from './journey/journey.js';
import { partnerFailure } from './journey/partner-failure.js';
import { askForCorrection, doubts, RejectedByPartner, runStep } from './journey/run-step.js';
import { followStatus } from './journey/status-poll.js';

/** What a run hands to the next one when its history has grown long. The input travels with its corrections. */
export interface Carried {
  readonly journey: JourneyRecords;
  readonly underwriting: UnderwritingRecords;
}

/**
 * Boards one merchant: looks up agent profile and boarding settings, creates the merchant, sets its fees, submits it, and
 * delivers answers to underwriting notes until a `mid` exists or the partner declines (apis/2). A merchant that is followed
 * exists, and is neither changed nor submitted without an answer of a person. Started as `merchant-boarding-<externalId>`.
 */
export async function merchantBoarding(
  input: MerchantBoardingInput | FollowedMerchantInput,
  carried?: Carried,
  restored?: Restored,
): Promise<MerchantBoardingOutcome> {
  const application = new Application(input, carried?.journey);
  const { journey } = application;
  return journey.run<MerchantBoardingOutcome>(
    async () => {
      const underwriting = new Underwriting(
        application,
        carried?.underwriting ?? (await createOrAdopt(application, restored)),
      );
      return followStatus(underwriting, () =>
        continueAsNew<typeof merchantBoarding>(application.input.current, {
          journey: journey.records,
          underwriting: underwriting.records,
        }),
      );
    },
    (comment) => {
      const { merchantProfileId } = journey.state.facts;
      return { outcome: 'abandoned', comment, ...defined({ merchantProfileId }) };
    },
  );
}

/** A merchant at the partner. */
interface ExistingMerchant {
  readonly merchantProfileId: number;
  readonly phase: MerchantPhase;
  /** What was read of a merchant that existed before. */
  readonly now?: StatusSnapshot;
  /** The ended boarding that created it. */
  readonly formerOwner?: string;
}

/** Creates the merchant, or adopts the one that the input or a person names. */
async function createOrAdopt(application: Application, restored?: Restored): Promise<UnderwritingRecords> {
  const { journey } = application;
  const given = application.input.current.merchantProfileId;
  const { merchantProfileId, phase, now, formerOwner } =
    given === undefined ? await create(application, restored) : await adoptGiven(application, given);
  journey.state.know({ merchantProfileId });
  journey.timeline.add(now ? 'merchant-adopted' : 'merchant-created', {
    detail: [
      `merchant ${merchantProfileId}`,
      now && `status ${now.status}`,
      formerOwner && `formerly of ${formerOwner}`,
    ]
      .filter(Boolean)
      .join(', '),
  });
  const before = { applied: false, delivered: {}, uploaded: [] };
  if (!application.isFollowed || !now) {
    return { ...before, seen: { phase: phase === 'not-submitted' ? phase : null } };
  }
  const { agentProfileId } = application.input.current;
  if (agentProfileId !== undefined) journey.state.knowAgentProfile(agentProfileId);
  // A person learns of all that was read, also that nobody has submitted it.
  application.status.replaceWith(now);
  return { ...before, seen: { phase: null } };
}

async function create(application: Application, restored?: Restored): Promise<ExistingMerchant> {
  const { journey } = application;
  const doubt = doubts();
  return runStep<ExistingMerchant & Partial<InspectedMerchant>>(journey, {
    effect: 'once',
    title: 'create the merchant',
    run: async (send) => {
      const { current } = application.input;
      if (isFollowed(current)) throw new Error('a followed merchant is never created');
      const { createVersion: version = 'v2', merchant, externalId: guid, ...others } = current;
      const { agentProfileId, agent, boardingSettingsId, boardingSettings } = others;
      const references = defined({ agentProfileId, agent, boardingSettingsId, boardingSettings });
      const created = await send(partner.createMerchant, { version, merchant, guid, references });
      if ('problems' in created) throw new RejectedByPartner(created.problems);
      journey.state.knowAgentProfile(created.agentProfileId);
      return { ...created, phase: 'not-submitted' };
    },
    correct: application.input.correct,
    mayBeDone: mayBeDone(restored),
    readEvidence: 'none',
    polledEvidence: 'none',
    // The partner's API has no search for merchants, so only a person can look.
    adopt: async (id) => {
      const found = await inspect(application, Number(id));
      const { merchantProfileId, now, phase, formerOwner } = found;
      if (formerOwner !== undefined) throw refused(`it is the merchant of ${formerOwner}`);
      if (phase !== 'not-submitted' && !restored)
        doubt(
          merchantProfileId,
          `merchant ${merchantProfileId} has the status ${now.status}, and nobody has submitted the one that was created`,
        );
      return found;
    },
    get whereToLook() {
      const { merchant, externalId } = application.input.current;
      return (
        `Look in the partner’s portal for a merchant with dba “${masked(String(merchant.dba))}” and guid ${externalId}. ` +
        'If it is there, adopt its merchant profile id.'
      );
    },
  });
}

/** Adopts the merchant that the input names, or asks until it can be adopted. */
async function adoptGiven(application: Application, merchantProfileId: number): Promise<ExistingMerchant> {
  let isConfirmed = false;
  for (;;) {
    try {
      const found = await inspect(application, merchantProfileId);
      const { formerOwner, formerDba } = found;
      const ours = formsOf(String(application.input.current.merchant?.dba));
      const isAnother = formerDba !== undefined && !ours.includes(formerDba);
      if (!isAnother || isConfirmed) return found;
      isConfirmed = true;
      throw refused(`it is the merchant “${masked(formerDba)}” of ${formerOwner}. To adopt it anyway, retry`);
    } catch (error) {
      if (!(error instanceof RejectedByPartner)) throw error;
      const title = `adopt merchant ${merchantProfileId}`;
      await askForCorrection(application.journey, { title }, error.problems);
    }
  }
}

/** What is known of a merchant that is to be adopted. */
interface InspectedMerchant extends ExistingMerchant {
  readonly now: StatusSnapshot;
  /** The dba of {@link ExistingMerchant.formerOwner}, which may be masked. */
  readonly formerDba?: string;
}

/**
 * Reads a merchant before it is adopted.
 *
 * @throws {RejectedByPartner} when our organization does not have the merchant, or another running boarding has it
 */
async function inspect({ journey }: Application, merchantProfileId: number): Promise<InspectedMerchant> {
  const { taskQueue, workflowId } = workflowInfo();
  const { now, owner } = await runStep(journey, {
    effect: 'read',
    title: `read merchant ${merchantProfileId}`,
    run: () =>
      partner.inspectMerchant({ merchantProfileId, taskQueue, workflowId }).catch((error: unknown) => {
        if (partnerFailure(error).kind !== 'Forbidden') throw error;
        throw refused('the partner does not let us read it (403): it belongs to another organization');
      }),
    endsWhenRejected: true,
  });
  if (owner?.isRunning) throw refused(`workflow ${owner.workflowId} has this merchant`);
  const former = defined({ formerOwner: owner?.workflowId, formerDba: owner?.dba });
  return { merchantProfileId, phase: now.phase, now, ...former };
}

function refused(message: string): RejectedByPartner {
  return new RejectedByPartner([{ field: '', message }]);
}
