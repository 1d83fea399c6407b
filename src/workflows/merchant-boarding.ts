import type { ChosenReferences } from '../messages/boarding-activities.js';
import { defined } from '../messages/defined.js';
import type { MerchantBoardingOutcome } from '../messages/merchant-boarding.js';
import type { MerchantBoardingInput } from '../messages/merchant-boarding-input.js';
import { NOT_SUBMITTED } from '../partners/boarding/statuses.js';
import { createMerchant, resolveReferences } from './boarding/activities.js';
import { Application, read } from './boarding/application.js';
import { followUnderwriting, type UnderwritingRecords } from './boarding/underwriting.js';
import { askForCorrection, carryOut } from './journey/carry-out.js';
import type { JourneyRecords } from './journey/journey.js';

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
): Promise<MerchantBoardingOutcome> {
  const application = new Application(input, carried?.journey);
  const { journey } = application;

  return journey.liveThrough<MerchantBoardingOutcome>(
    async () => {
      if (carried) return followUnderwriting(application, carried.underwriting);

      journey.enter('preparing');
      const isNew = (await findOrCreate(application)) === NOT_SUBMITTED;
      const seen = { status: isNew ? NOT_SUBMITTED : null };
      return followUnderwriting(application, { seen, applied: false, delivered: {}, uploaded: [] });
    },
    (comment) => ({ outcome: 'abandoned', comment, ...application.knownMerchant }),
  );
}

/** A merchant at the partner; `adopted` when it was there before, so that its status is not known yet. */
interface ExistingMerchant {
  readonly merchantProfileId: number;
  readonly adopted: boolean;
}

/** Creates the merchant, or adopts the one that the input or a person names. Answers its status. */
async function findOrCreate(application: Application): Promise<string> {
  const { journey, input } = application;
  const { merchantProfileId, adopted } =
    input.merchantProfileId === undefined
      ? await create(application)
      : { merchantProfileId: input.merchantProfileId, adopted: true };
  journey.know({ merchantProfileId });
  journey.timeline.add(adopted ? 'merchant-adopted' : 'merchant-created', {
    detail: `merchant ${merchantProfileId}`,
  });
  return adopted ? (await read(application)).status : NOT_SUBMITTED;
}

async function create(application: Application): Promise<ExistingMerchant> {
  const { journey } = application;
  let references: ChosenReferences;
  return carryOut<ExistingMerchant>(journey, {
    title: 'create the merchant',
    prepare: async () => {
      references = await chooseReferences(application);
      journey.knowAgentProfile(references.agentProfileId);
    },
    run: async () => {
      const { create: version = 'v2', merchant, externalId: guid } = application.input;
      return { ...(await createMerchant({ version, merchant, guid, ...references })), adopted: false };
    },
    correct: application.correct,
    once: {
      // The partner's API has no search for merchants, so only a person can look.
      adopt: (id) => ({ merchantProfileId: Number(id), adopted: true }),
      hint:
        'Look in the partner’s portal for a merchant with this dba and guid. ' +
        'If it is there, adopt its merchant profile id; if it is not, retry.',
    },
  });
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
    const found = await carryOut(journey, { title, run: () => resolveReferences(request) });
    if (!('problems' in found)) return found;
    await askForCorrection(journey, { title, correct }, found.problems);
  }
}
