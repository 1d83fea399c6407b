import type { HolderVerdict, ProfileSnapshot, ProfilesFound } from '../../messages/banking-activities.js';
import { NEW } from '../../partners/banking/statuses.js';
import { askForCorrection, carryOut } from '../journey/carry-out.js';
import { masked } from '../journey/masked.js';
import { correctHolder, findProfiles, readProfile, submitHolder } from './activities.js';
import type { BusinessApplication } from './application.js';

const SUBMIT = 'submit the business account holder';

/** Makes sure that the partner has the holder and takes it, as a profile that was there before or as a new one. */
export async function findOrSubmit(application: BusinessApplication): Promise<void> {
  const { journey, correct } = application;
  const before = await find(application);
  if (before.ofMerchant !== null) return adopt(application, before.ofMerchant);

  journey.enter('applying');
  for (;;) {
    const submitted = await submit(application, before);
    if (submitted.isAdopted) return adopt(application, submitted.profileId);
    const { profileId, financialAccountId, problems } = submitted;
    if (profileId !== null) know(application, profileId, 'holder-submitted');
    application.knowAccount(financialAccountId);
    if (problems.length === 0) return;
    await askForCorrection(journey, { title: SUBMIT, correct }, problems);
    if (profileId !== null) return replaceHolder(application);
  }
}

/** Reads the profile, as often as it takes. */
export function read({ journey, profileId }: BusinessApplication): Promise<ProfileSnapshot> {
  const run = () => readProfile({ profileId });
  return carryOut(journey, { title: 'read the banking profile', run });
}

/** Replaces the holder by the one with all corrections, until the partner takes it. */
export async function replaceHolder(application: BusinessApplication): Promise<void> {
  const { journey, profileId, correct } = application;
  const title = 'correct the business account holder';
  for (;;) {
    const { problems } = await carryOut(journey, {
      title,
      run: () => correctHolder({ profileId, ...application.submission }),
      correct,
    });
    if (problems.length === 0) break;
    await askForCorrection(journey, { title, correct }, problems);
  }
  journey.timeline.add('holder-corrected');
}

/** What the partner had when it was asked for this name. */
interface Found extends ProfilesFound {
  readonly dba: string;
}

async function find({ journey, input, dba }: BusinessApplication): Promise<Found> {
  // A search for no name would find them all. That it is missing is told before anything is sent.
  if (dba === '') return { dba, ofMerchant: null, ofSameName: [] };
  const { merchantProfileId } = input;
  const found = await carryOut(journey, {
    title: 'look for the business at the bank',
    run: () => findProfiles({ ...(merchantProfileId !== undefined && { merchantProfileId }), dba }),
  });
  return { ...found, dba };
}

/** Found at the partner after a call whose answer was lost, or named by a person: the verdict on it is not known. */
interface Adopted {
  readonly profileId: number;
  readonly isAdopted: true;
}

type Submitted = (HolderVerdict & { readonly isAdopted: false }) | Adopted;

/** @param first what the partner had before: a profile of the same name that was there then is not ours */
function submit(application: BusinessApplication, first: Found): Promise<Submitted> {
  const { journey, correct } = application;
  let before = first;
  const adopted = (profileId: number): Adopted => ({ profileId, isAdopted: true });
  return carryOut<Submitted>(journey, {
    title: SUBMIT,
    prepare: async () => {
      if (before.dba !== application.dba) before = await find(application);
    },
    run: async () => ({ ...(await submitHolder(application.submission)), isAdopted: false }),
    correct,
    once: {
      lookForEffect: async () => {
        const { ofMerchant, ofSameName } = await find(application);
        if (ofMerchant !== null) return { found: adopted(ofMerchant) };
        const [made, ...more] = ofSameName.filter((id) => !before.ofSameName.includes(id));
        return made !== undefined && more.length === 0 ? { found: adopted(made) } : undefined;
      },
      adopt: (id) => adopted(Number(id)),
      get hint() {
        return (
          `Look in the partner’s portal for a banking profile of “${masked(application.dba)}”. ` +
          'If it is there, adopt its profile id; if it is not, retry.'
        );
      },
    },
  });
}

/** A profile that nobody has submitted yet, or whose submission was found wanting, still reads as new. */
async function adopt(application: BusinessApplication, id: number): Promise<void> {
  const { journey } = application;
  know(application, id, 'profile-adopted');
  const { bankingStatus, financialAccountId } = await read(application);
  application.knowAccount(financialAccountId);
  if (bankingStatus !== NEW) return;
  journey.enter('applying');
  await replaceHolder(application);
}

function know({ journey }: BusinessApplication, profileId: number, event: string): void {
  journey.know({ profileId });
  journey.timeline.add(event, { detail: `banking profile ${profileId}` });
  journey.publish();
}
