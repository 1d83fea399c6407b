import type { LedgerEntry } from '../src/apps/sandbox/ledger.js';
import { workflowId } from '../src/messages/ids.js';
import type { CustomerOnboardingInput, MerchantBoardingInput } from '../src/messages/inputs.js';
import { omitUndefined } from '../src/messages/objects.js';
import { bankingClient } from '../src/partners/banking/client.js';
import { submissionOf } from '../src/partners/banking/holder.js';
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
  const { type, externalId, input } = party;
  const has = (twist: Twist) => twists.includes(twist);
  const isDue = !has('undue') || party.parts.business?.scenario === 'reopened-ticket';
  const name = has('nobody') ? 'Nobody' : has('agent') ? 'Harbor Agents' : undefined;
  const change = (part: object) => {
    const { dueInHours, agentProfileId, fees, ...rest } = part as Partial<MerchantBoardingInput>;
    const isNew = rest.merchant && !rest.merchantProfileId;
    return omitUndefined({
      ...rest,
      fees: fees && has('fees') ? { ...fees, ...SAME_FEES } : fees,
      dueInHours: isDue ? dueInHours : undefined,
      unclaimedInHours: has('unclaimed') && dueInHours ? 1 : undefined,
      ...(isNew && name ? { agent: name } : { agentProfileId }),
    });
  };
  const account = has('account') ? ACCOUNT : undefined;
  const changed =
    type === 'customerOnboarding'
      ? { ...input, boarding: change(input.boarding), business: change(input.business) }
      : change(input);
  const onDecline = has('cancels') && type === 'customerOnboarding' ? 'cancel-other' : undefined;
  return {
    ...party,
    input: { ...changed, ...omitUndefined({ onDecline, account }) } as never,
    workflowId: workflowId(type, externalId, account),
  };
}

/** The party once more, with the merchant that it has by now. */
export function startedAgain(party: Party, ledger: readonly LedgerEntry[]): Party {
  const created = createOf(party, ledger);
  if (!created || party.type === 'businessOnboarding') return party;
  const own = { merchantProfileId: Number(created.id), agentProfileId: undefined };
  const named = (part: object) => omitUndefined({ ...part, ...own });
  const { type, input } = party;
  const changed =
    type === 'customerOnboarding' ? { ...input, boarding: named(input.boarding) } : named(input);
  return { ...party, input: changed as never };
}

type Merchant = CustomerOnboardingInput['boarding'];
type Business = CustomerOnboardingInput['business'];

/** Puts it there. @returns the party with the input that fits */
export async function existingOf(
  party: Party,
  how: Existing,
  partners: Partners,
  chance: Seeded,
): Promise<Party> {
  const { externalId, type, input, parts } = party;
  const isNew = party.twin || ONLY_NEW.test(parts.business?.scenario ?? '');
  if (how === 'nothing' || isNew) return party;
  const bank = bankByHand();
  const boarding = byHand(boardingClient(WHO));
  const isFollowed = how === 'followed';

  const submit = ({ holder, beneficialOwners }: Business) =>
    bank.submitBusinessAccountHolder(submissionOf(holder, beneficialOwners));

  async function merchantOf({ createVersion: _, fees, ...options }: Merchant) {
    const { merchant, dueInHours } = options;
    const isSubmitted = chance.happens(isFollowed ? 0.7 : 0.3);
    const its = { agentProfileId: 101, guid: externalId };
    const { merchantProfileId } = await boarding.createMerchant({ ...merchant, ...its });
    if (isSubmitted) await boarding.submitMerchant({ merchantProfileId });
    const { dba } = merchant;
    if (isFollowed)
      return { follow: true, merchantProfileId, merchant: { dba }, agentProfileId: 101, dueInHours };
    // The fees of one that is submitted stay as they are.
    return { ...options, ...(!isSubmitted && fees && { fees }), merchantProfileId };
  }

  /** Somebody may know no more of it than its name, unless it has to be corrected as a whole. */
  async function followedBusiness(business: Business) {
    const { holder, beneficialOwners, dueInHours } = business;
    const { doingBusinessAsName } = holder;
    const isCorrected = 'update-business-account-holder' in (parts.business?.writes ?? {});
    const facts = !isCorrected && chance.happens(0.3) ? { doingBusinessAsName } : holder;
    const { profileId } = await submit(business);
    return { follow: true, profileId, holder: facts, ...omitUndefined({ beneficialOwners }), dueInHours };
  }

  /** The business of a merchant that has a profile, which may not show all of itself, or be of another business. */
  async function namedBusiness(business: Business) {
    const merchantProfileId = 4_000 + Number(externalId.split('-').at(-1));
    const hides = chance.pick([[], ['doingBusinessAsName', 'employerIdentificationNumber']]);
    const isOthers = chance.happens(0.3);
    const others = { legalBusinessName: 'Harbor LLC', employerIdentificationNumber: '500600700' };
    const holder = { ...business.holder, ...(isOthers && others) };
    const { profileId } = await submit({ ...business, holder });
    if (isOthers) partners.forget();
    await partners.control('POST', `/sandbox/profiles/${profileId}/transition`, { merchantProfileId, hides });
    return { ...business, merchantProfileId };
  }

  async function change(): Promise<object> {
    if (type === 'merchantBoarding') return merchantOf(input);
    if (type === 'businessOnboarding') return isFollowed ? followedBusiness(input) : namedBusiness(input);
    const changed = { boarding: await merchantOf(input.boarding) };
    if (!isFollowed) return { ...input, ...changed };
    return { ...changed, business: await followedBusiness(input.business), onDecline: 'continue' };
  }

  if (how !== 'before') return { ...party, input: { ...(await change()), externalId } as never };
  if (type !== 'businessOnboarding') return party;
  await submit(input);
  partners.forget();
  return party;
}
