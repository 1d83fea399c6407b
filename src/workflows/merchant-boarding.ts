import { workflowInfo } from '@temporalio/workflow';
import type { ChosenReferences } from '../messages/boarding-activities.js';
import type { MerchantBoardingInput } from '../messages/inputs.js';
import { defined } from '../messages/objects.js';
import type { MerchantBoardingOutcome } from '../messages/onboardings.js';
import { mayBeDone, type Restored } from '../messages/onboardings.js';
import type { MerchantPhase } from '../partners/boarding/phases.js';
import { createMerchant, inspectMerchant, resolveReferences } from './boarding/activities.js';
import { Application } from './boarding/application.js';
import { followUnderwriting, type UnderwritingRecords } from './boarding/underwriting.js';
import { askForCorrection, RejectedByPartner, runStep } from './journey/carry-out.js';
import type { JourneyRecords } from './journey/journey.js';
import { masked } from './journey/masked.js';
import { partnerFailure } from './journey/partner-failure.js';

/** What a run hands to the next one when its history has grown long. The input travels with its corrections. */
export interface Carried {
  readonly journey: JourneyRecords;
  readonly underwriting: UnderwritingRecords;
}

/**
 * Boards one merchant: agent profile and boarding settings, create, fees, submit, then underwriting until a `mid`
 * exists or the partner says no (apis/2). Started as `merchant-boarding-<externalId>`.
 */
export async function merchantBoarding(
  input: MerchantBoardingInput,
  carried?: Carried,
  restored?: Restored,
): Promise<MerchantBoardingOutcome> {
  const application = new Application(input, carried?.journey);
  const { journey } = application;

  return journey.liveThrough<MerchantBoardingOutcome>(
    async () => {
      if (carried) return followUnderwriting(application, carried.underwriting);

      journey.enter('preparing');
      const phase = await findOrCreate(application, restored);
      const seen = { phase: phase === 'not-submitted' ? phase : null };
      return followUnderwriting(application, { seen, applied: false, delivered: {}, uploaded: [] });
    },
    (comment) => ({ outcome: 'abandoned', comment, ...application.knownMerchant }),
  );
}

/** A merchant at the partner. */
interface ExistingMerchant {
  readonly merchantProfileId: number;
  readonly phase: MerchantPhase;
  /** The partner's name of its status, of a merchant that was there before. */
  readonly adoptedAs?: string;
  /** The boarding that had it, and has ended. */
  readonly formerOwner?: string;
}

/** Creates the merchant, or adopts the one that the input or a person names. Returns where it stands. */
async function findOrCreate(application: Application, restored?: Restored): Promise<MerchantPhase> {
  const { journey, input } = application;
  const { merchantProfileId, phase, adoptedAs, formerOwner } =
    input.merchantProfileId === undefined
      ? await create(application, restored)
      : await adoptGiven(application, input.merchantProfileId);
  journey.know({ merchantProfileId });
  journey.timeline.add(adoptedAs === undefined ? 'merchant-created' : 'merchant-adopted', {
    detail: [
      `merchant ${merchantProfileId}`,
      adoptedAs !== undefined && `which is ${adoptedAs}`,
      formerOwner && `of ${formerOwner} before`,
    ]
      .filter(Boolean)
      .join(', '),
  });
  return phase;
}

async function create(application: Application, restored?: Restored): Promise<ExistingMerchant> {
  const { journey } = application;
  let references: ChosenReferences;
  return runStep<ExistingMerchant>(journey, {
    title: 'create the merchant',
    prepare: async () => {
      references = await chooseReferences(application);
      journey.knowAgentProfile(references.agentProfileId);
    },
    run: async () => {
      const { create: version = 'v2', merchant, externalId: guid } = application.input;
      const created = await createMerchant({ version, merchant, guid, ...references });
      return { ...created, phase: 'not-submitted' };
    },
    correct: application.correct,
    once: {
      mayBeDone: mayBeDone(restored),
      // The partner's API has no search for merchants, so only a person can look.
      adopt: (id) => adopt(application, Number(id)),
      get hint() {
        const { merchant, externalId } = application.input;
        return (
          `Look in the partner’s portal for a merchant with dba “${masked(String(merchant.dba))}” and guid ${externalId}. ` +
          'If it is there, adopt its merchant profile id; if it is not, retry.'
        );
      },
    },
  });
}

/** Adopts the merchant that the input names, or asks until it can be adopted. */
async function adoptGiven(application: Application, merchantProfileId: number): Promise<ExistingMerchant> {
  for (;;) {
    try {
      return await adopt(application, merchantProfileId);
    } catch (error) {
      if (!(error instanceof RejectedByPartner)) throw error;
      await askForCorrection(
        application.journey,
        { title: `adopt merchant ${merchantProfileId}` },
        error.problems,
      );
    }
  }
}

/**
 * Looks at a merchant before it is adopted.
 *
 * @throws {RejectedByPartner} when the partner has no such merchant of ours, or another boarding that runs has it
 */
async function adopt({ journey }: Application, merchantProfileId: number): Promise<ExistingMerchant> {
  const { taskQueue } = workflowInfo();
  const { status, phase, owner } = await runStep(journey, {
    title: `read merchant ${merchantProfileId}`,
    run: () =>
      inspectMerchant({ merchantProfileId, taskQueue }).catch((error: unknown) => {
        if (partnerFailure(error).kind !== 'Forbidden') throw error;
        const message = 'the partner does not let us read it (403): it belongs to another organization';
        throw new RejectedByPartner([{ field: '', message }]);
      }),
    endsWhenRejected: true,
  });
  if (owner?.isRunning)
    throw new RejectedByPartner([{ field: '', message: `it is the merchant of ${owner.workflowId}` }]);
  return { merchantProfileId, phase, adoptedAs: status, ...(owner && { formerOwner: owner.workflowId }) };
}

/** Agent profile and boarding settings, by id, by name, or the only ones there are; otherwise a person chooses. */
async function chooseReferences(application: Application): Promise<ChosenReferences> {
  const { journey, correct } = application;
  const title = 'look up agent profile and boarding settings';
  for (;;) {
    const { agentProfileId, agent, boardingSettingsId, boardingSettings } = application.input;
    if (agentProfileId !== undefined && boardingSettingsId !== undefined) {
      return { agentProfileId, boardingSettingsId };
    }
    const request = defined({ agentProfileId, agent, boardingSettingsId, boardingSettings });
    const found = await runStep(journey, { title, run: () => resolveReferences(request) });
    if (!('problems' in found)) return found;
    await askForCorrection(journey, { title, correct }, found.problems);
  }
}
