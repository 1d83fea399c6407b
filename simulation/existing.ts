import type { LedgerEntry } from '../src/apps/sandbox/ledger.js';
import { workflowId } from '../src/messages/ids.js';
import type { MerchantBoardingInput } from '../src/messages/inputs.js';
import { omitUndefined } from '../src/messages/objects.js';
import { bankingClient } from '../src/partners/banking/client.js';
import { type AccountHolder, type BeneficialOwner, submissionOf } from '../src/partners/banking/holder.js';
import { boardingClient } from '../src/partners/boarding/client.js';
import { byHand } from '../src/partners/by-hand.js';
import type { Party } from './cast.js';
import { createOf } from './ledger.js';
import { MARKERS } from './markers.js';
import { PARTNERS_URL, type Partners } from './partners.js';
import type { Existing, Plan, Twist } from './plan.js';
import type { Seeded } from './seeded.js';

/** The bank takes the holder only after a correction, or does what only Gangway asks for. */
const ONLY_NEW = /^(ssn|correction|account)/;

const WHO = { url: PARTNERS_URL, username: 'sandbox', password: MARKERS.password };

/** The client of somebody who works at the bank without Gangway. */
export function bankByHand() {
  const device = { deviceToken: MARKERS.deviceToken, deviceName: 'simulation' };
  return byHand(bankingClient({ ...WHO, ...device, form: 'user' }));
}

/** The name of an account. */
export const ACCOUNT = 'west';

/** Fees of the sandbox. */
const SAME_FEES = { minimumDiscountStartDate: '2026-01-01T00:00:00.000Z', miscFees: [] };

/** The party of an input that the plan changes. */
export function twisted(party: Party, { twists }: Plan): Party {
  const is = (twist: Twist) => twists.includes(twist);
  const { type, externalId } = party;
  const isNew = (part: object) => !('merchantProfileId' in part);
  const change = (part: object): object => {
    const { dueInHours, agentProfileId, ...rest } = part as Partial<MerchantBoardingInput>;
    const isDue = !is('undue') || party.parts.business?.scenario === 'reopened-ticket';
    const name = is('nobody') ? 'Nobody' : is('agent') ? 'Harbor Agents' : undefined;
    const agent = 'merchant' in part && isNew(part) && name ? { agent: name } : { agentProfileId };
    const fees = is('fees') && rest.fees && { ...rest.fees, ...SAME_FEES };
    const hours = {
      ...(isDue && { dueInHours }),
      ...(is('unclaimed') && dueInHours && { unclaimedInHours: 1 }),
    };
    return omitUndefined({ ...rest, ...(fees && { fees }), ...hours, ...agent });
  };
  const cancels = is('cancels') && type === 'customerOnboarding';
  const account = is('account') ? ACCOUNT : undefined;
  const all = change(party.input) as Record<string, unknown>;
  for (const part of ['boarding', 'business']) if (all[part]) all[part] = change(all[part] as object);
  const input = {
    ...all,
    ...(cancels && { onDecline: 'cancel-other' }),
    ...omitUndefined({ account }),
  } as never;
  return { ...party, input, workflowId: workflowId(type, externalId, account) };
}

/** The party once more, with the merchant that it has by now. */
export function startedAgain(party: Party, ledger: readonly LedgerEntry[]): Party {
  const created = createOf(party, ledger);
  if (!created || party.type === 'businessOnboarding') return party;
  const name = <Part extends object>({ agentProfileId: _, ...part }: Part & { agentProfileId?: number }) => ({
    ...part,
    merchantProfileId: Number(created.id),
  });
  const { input } = party;
  const named =
    'boarding' in input ? { ...input, boarding: name(input.boarding as never) } : name(input as never);
  return { ...party, input: named as never };
}

type Merchant = Omit<MerchantBoardingInput, 'externalId'>;

interface Business {
  readonly holder: AccountHolder;
  readonly beneficialOwners?: readonly BeneficialOwner[] | undefined;
  readonly dueInHours: number;
}

/** Puts it there. @returns the party with the input that fits */
export async function existingOf(
  party: Party,
  how: Existing,
  partners: Partners,
  chance: Seeded,
): Promise<Party> {
  const { externalId, type, input } = party;
  const isBusiness = type === 'businessOnboarding';
  const { business } = party.parts;
  const isNew = party.twin !== undefined || ONLY_NEW.test(business?.scenario ?? '');
  if (how === 'nothing' || isNew) return party;
  const bank = bankByHand();
  const boarding = byHand(boardingClient(WHO));

  async function profileOf({ holder, beneficialOwners = [] }: Business): Promise<number> {
    const { profileId } = await bank.submitBusinessAccountHolder(submissionOf(holder, beneficialOwners));
    return profileId ?? 0;
  }

  async function merchantOf({ merchant }: Merchant, isSubmitted: boolean) {
    const its = { agentProfileId: 101, guid: externalId };
    const { merchantProfileId } = await boarding.createMerchant({ ...merchant, ...its });
    if (isSubmitted) await boarding.submitMerchant({ merchantProfileId });
    return merchantProfileId;
  }

  /** The fees of one that is submitted stay as they are. */
  async function named<Given extends Merchant>({ createVersion: _, fees, ...options }: Given) {
    const isSubmitted = chance.happens(0.3);
    const merchantProfileId = await merchantOf(options, isSubmitted);
    return { ...options, ...(!isSubmitted && fees && { fees }), merchantProfileId };
  }

  async function followed(options: Merchant) {
    const { merchant, dueInHours } = options;
    const merchantProfileId = await merchantOf(options, chance.happens(0.7));
    return {
      follow: true,
      merchantProfileId,
      merchant: { dba: merchant.dba },
      agentProfileId: 101,
      dueInHours,
    };
  }

  /** Somebody may know no more of it than its name, unless it has to be corrected as a whole. */
  async function followedBusiness(business: Business) {
    const { holder, beneficialOwners, dueInHours } = business;
    const { doingBusinessAsName } = holder;
    const isCorrected = 'update-business-account-holder' in (party.parts.business?.writes ?? {});
    const facts = !isCorrected && chance.happens(0.3) ? { doingBusinessAsName } : { ...holder };
    const profileId = await profileOf(business);
    return {
      follow: true,
      profileId,
      holder: facts,
      ...(beneficialOwners && { beneficialOwners }),
      dueInHours,
    };
  }

  /** The business of a merchant that has a profile, which may not show all of itself, or be of another business. */
  async function namedBusiness(business: Business) {
    const merchantProfileId = 4_000 + Number(externalId.split('-').at(-1));
    const hides = chance.pick([[], ['doingBusinessAsName', 'employerIdentificationNumber']]);
    const { holder } = business;
    const isOthers = chance.happens(0.3);
    const another = { legalBusinessName: 'Harbor LLC', employerIdentificationNumber: '500600700' };
    const profileId = await profileOf(
      isOthers ? { ...business, holder: { ...holder, ...another } } : business,
    );
    if (isOthers) partners.forget();
    const change = { merchantProfileId, hides };
    await partners.control('POST', `/sandbox/profiles/${profileId}/transition`, change);
    return { ...business, merchantProfileId };
  }

  if (how === 'before') {
    if (!isBusiness) return party;
    await profileOf(input);
    partners.forget();
    return party;
  }
  const change = async (): Promise<object> => {
    const isFollowed = how === 'followed';
    if (type === 'merchantBoarding') return isFollowed ? followed(input) : named(input);
    if (isBusiness) return isFollowed ? followedBusiness(input) : namedBusiness(input);
    if (!isFollowed) {
      return { ...input, boarding: await named(input.boarding) };
    }
    const parts = {
      boarding: await followed(input.boarding),
      business: await followedBusiness(input.business),
    };
    return { ...parts, onDecline: 'continue' };
  };
  return { ...party, input: { ...(await change()), externalId } as never };
}
