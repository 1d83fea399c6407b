import { activityInfo, getClient } from '@temporalio/activity';
import type { BusinessToFind, Candidate } from '../../messages/banking-activities.js';
import { workflowTaskQueue } from '../../messages/task-queues.js';
import type { BankingClient } from '../../partners/banking/client.js';
import { UNKNOWN } from '../../partners/banking/statuses.js';
import type { CallOptions } from '../../partners/client.js';
import { type Owner, ownersOf } from '../../temporal/owners.js';
import { isRefused, orNone } from './refusal.js';

/** Profiles that may be those of a business, and what speaks against each. */
export class Candidates {
  constructor(
    private readonly client: BankingClient,
    /** The account that the onboardings are of; undefined for the one without a name. */
    private readonly partnerAccount: string | undefined,
  ) {}

  /** The profile that the partner finds for a merchant (E5), which is no evidence by itself: {@link examine} compares it. */
  async ofMerchant(merchantProfileId: number | undefined, options: CallOptions): Promise<number | null> {
    if (merchantProfileId === undefined) return null;
    const search = this.client.findProfileByMerchant({ merchantProfileId }, options);
    return orNone(
      search.then(({ id }) => id),
      null,
    );
  }

  /** The profiles whose dba is the same, upper and lower case aside (E9). The partner matches any part of a name as well. */
  async named(dba: string, options: CallOptions): Promise<number[]> {
    if (dba === '') return [];
    const found = await orNone(this.client.searchBusinessAccountHolders({ dba }, options), []);
    return found
      .filter((business) => business.dba !== null && isSameText(business.dba, dba))
      .map(({ id }) => id);
  }

  /**
   * A profile as its record is now, compared with a business. It is the same one with the dba and the merchant, or with the
   * dba, the legal name and the EIN.
   *
   * @returns null when there is none that we may see
   */
  async examine(
    profileId: number,
    { holder, merchantProfileId }: BusinessToFind,
    workflowId: string | undefined,
    options: CallOptions,
  ): Promise<Candidate | null> {
    const profile = await this.client.getProfile({ id: profileId }, options).catch(noneIfRefused);
    if (!profile) return null;
    const { bankingStatus, businessAccountHolder: shown } = profile;
    const against = (await this.owners([profileId], workflowId)).map(
      ({ workflowId: owner }) => `${owner} has it`,
    );
    const unclear: string[] = [];
    const merchant = shown?.merchantProfileId ?? null;
    const isSameMerchant = merchant !== null && merchant === merchantProfileId;
    const dba = shown?.doingBusinessAsName ?? null;
    if (dba === null) unclear.push('its dba is not shown');
    else if (!isSameText(dba, holder?.doingBusinessAsName)) against.push('its dba is another one');
    if (merchant !== null && merchantProfileId !== undefined && !isSameMerchant)
      against.push(`it is of merchant ${merchant}`);
    const ein = compareDigits(shown?.employerIdentificationNumber, holder?.employerIdentificationNumber);
    if (ein === 'different') against.push('its EIN is another one');
    if (!isSameMerchant) {
      if (ein === 'hidden') unclear.push('its EIN is not shown');
      const legal = shown?.legalBusinessName ?? null;
      if (legal === null) unclear.push('its legal name is not shown');
      else if (!isSameText(legal, holder?.legalBusinessName)) against.push('its legal name is another one');
    }
    return { profileId, dba, bankingStatus: bankingStatus ?? UNKNOWN, against, unclear };
  }

  /**
   * The onboardings in this account that have one of these profiles, running or not.
   *
   * @param except a workflow id that is left out
   */
  owners(profileIds: readonly number[], except?: string): Promise<Owner[]> {
    return ownersOf(getClient(), {
      workflowType: 'businessOnboarding',
      attribute: 'bankingProfileId',
      ids: profileIds,
      taskQueue: workflowTaskQueue(activityInfo().taskQueue, 'banking', this.partnerAccount),
      partnerAccount: this.partnerAccount,
      except,
    });
  }
}

function noneIfRefused(error: unknown): null {
  if (isRefused(error)) return null;
  throw error;
}

/** Whether two names are the same, upper and lower case, spaces and punctuation aside. */
function isSameText(one: string, other: unknown): boolean {
  const plain = (text: string) => text.toLowerCase().replace(/[\s.,]+/g, '');
  return typeof other === 'string' && plain(one) === plain(other);
}

/** As few digits as the partner may show for two numbers to count as the same. */
const ENOUGH_DIGITS = 4;

/** Compares a number that may be masked with a whole one, from its end. */
function compareDigits(shown: string | null | undefined, whole: unknown): 'same' | 'different' | 'hidden' {
  if (!shown || typeof whole !== 'string') return 'hidden';
  const places = [...shown.replace(/[\s-]/g, '')].reverse();
  const digits = [...whole].reverse();
  const isDigit = (character: string) => /\d/.test(character);
  if (places.some((place, index) => isDigit(place) && place !== digits[index])) return 'different';
  return places.filter(isDigit).length >= ENOUGH_DIGITS ? 'same' : 'hidden';
}
