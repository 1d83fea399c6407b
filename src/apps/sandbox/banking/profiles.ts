import type { BankingOperations } from '../../../partners/banking/operations.js';
import { PROFILE_APPROVED, profilePhase } from '../../../partners/banking/responses.js';
import type { Signs } from '../ledger.js';
import { invalidField, type Merchants, Refusal } from '../routes.js';
import { scenarioOf, unknownMagicValue } from '../scenario.js';
import { Store } from '../store.js';
import {
  boardedResponse,
  type Holder,
  ownersOf,
  primaryAuthorizedPersonId,
  refusedResponse,
} from './holder-record.js';
import {
  type Address,
  type Person,
  Profile,
  type ProfileBasics,
  type ProfileContext,
  profileIdOf,
} from './profile.js';
import { BUSINESS_SCENARIOS, DANGLING_SSN, type Problem, REFUSED_SSN, UNVERIFIED_SSN } from './scenarios.js';
import { type BankingHandlers, type BankingUser, SANDBOX_PARTNERS } from './users.js';

interface ProfilesContext extends Omit<ProfileContext, 'merchantProfileIdOf'> {
  record(operation: keyof BankingOperations & string, id: number, signs?: Signs): void;
  isCode(code: string, kind: string | undefined): boolean;
  readonly merchants: () => Merchants;
}

export class Profiles {
  readonly #profiles = new Store<Profile>({ kind: 'profile', id: (number) => 3_000 + number });
  readonly #context: ProfilesContext & ProfileContext;

  constructor(context: ProfilesContext) {
    this.#context = { ...context, merchantProfileIdOf: (profile) => this.merchantProfileIdOf(profile) };
  }

  /**
   * The merchant that a business is tied to: set by hand, or else the only one of the same name that no other profile is tied
   * to. If there are several, as in a franchise, nobody can say which.
   */
  merchantProfileIdOf(profile: Profile): number | null {
    const merchants = this.#context.merchants();
    const name = profile.merchantProfileId === undefined && profile.holder?.doingBusinessAsName;
    const named = name ? merchants.idsNamed(name) : [];
    if (named.length > 0) {
      const tied = new Set<number>();
      for (const { merchantProfileId: id } of this.#profiles.of())
        if (id !== undefined) tied.add(merchants.latestLike(id));
      const [free, ...more] = named.filter((id) => !tied.has(id));
      if (more.length === 0) profile.merchantProfileId = free;
    }
    const { merchantProfileId: id } = profile;
    return id === undefined ? null : merchants.latestLike(id);
  }

  find(id: number): Profile | undefined {
    return this.#profiles.find(id);
  }

  addPerson(partnerId: number, person: Person, id?: number): Profile {
    const profile = this.#add(partnerId, 'OnlineBankingApplication', person, id);
    profile.bankingStatus = PROFILE_APPROVED;
    return profile;
  }

  #add(partnerId: number, createdBy: ProfileBasics['createdBy'], person?: Person, id?: number): Profile {
    const agentId = SANDBOX_PARTNERS.find((partner) => partner.partnerId === partnerId)?.agentIds[0] ?? 0;
    const make = (id: number | string) =>
      new Profile({ id: Number(id), partnerId, agentId, createdBy }, this.#context, person);
    return this.#profiles.add({ partnerId }, make, id);
  }

  get(id: number, user: BankingUser, isStatusRead = false): Profile {
    const profile = this.#profiles.get(id, user);
    profile.advance(isStatusRead);
    return profile;
  }

  readonly handlers = {
    submitBusinessAccountHolder: (holder, user) => this.#submit(holder, user),
    getBusinessAccountHolder: ({ profileId }, user) => {
      const { holderRecord } = this.get(profileId, user);
      if (!holderRecord) throw new Refusal(404, `profile ${profileId} is not that of a business`);
      return holderRecord;
    },
    updateBusinessAccountHolder: ({ profileId, ...holder }, user) => this.#update(profileId, holder, user),
    findProfileByMerchant: ({ merchantProfileId }, user) => {
      const profile = this.#ofMerchant(merchantProfileId);
      if (!profile) throw new Refusal(404, `no banking profile for merchant profile ${merchantProfileId}`);
      return this.get(profile.id, user, true).record;
    },
    getProfile: ({ id }, user) => this.get(id, user, true).record,
    findProfileByUser: ({ userProfileId }, user) => this.get(profileIdOf(userProfileId), user, true).record,
    submitBusinessCustomer: (request, user) => this.#openAccount(request['profileId'], user),
    searchBusinessAccountHolders: ({ dba, count, ...scope }, user) => {
      const holders = this.#inScope(scope, user).flatMap(({ id, holder }) =>
        holder && matches(holder.doingBusinessAsName, dba) ? [{ id, dba: holder.doingBusinessAsName }] : [],
      );
      return limited(holders, count);
    },
    changeAddress: ({ oneTimeCode, secureOperationType, associatedPersonId, city, ...change }, user) => {
      if (oneTimeCode !== undefined && !this.#context.isCode(oneTimeCode, secureOperationType)) {
        throw new Refusal(403, 'The one-time code is wrong');
      }
      const address = { ...change, extendedAddress: change.extendedAddress ?? null, locality: city };
      const id =
        associatedPersonId === undefined
          ? this.#moveUser(address, user)
          : this.#moveAssociate(associatedPersonId, address, user);
      this.#context.record('changeAddress', id);
      return {};
    },
  } satisfies BankingHandlers;

  #submit(holder: Holder, user: BankingUser) {
    const scenario = scenarioOf(BUSINESS_SCENARIOS, holder.doingBusinessAsName);
    if (!scenario) {
      throw invalidField(
        'doingBusinessAsName',
        unknownMagicValue(BUSINESS_SCENARIOS, holder.doingBusinessAsName),
      );
    }
    if (holder.ssn === DANGLING_SSN)
      throw new Refusal(404, 'Something that the submission refers to is missing');
    if (holder.ssn === REFUSED_SSN) return refusedResponse(0, 'ssn: the applicant cannot be served');
    const profile = this.#add(user.partnerId, 'BankingAPI');
    this.merchantProfileIdOf(profile);
    const { doingBusinessAsName: name, legalBusinessName: of } = holder;
    this.#context.record('submitBusinessAccountHolder', profile.id, { name, of });
    return judged(profile, profile.submit(holder, scenario, problemOf(holder) ?? scenario.problem));
  }

  #update(id: number, holder: Holder, user: BankingUser) {
    const profile = this.get(id, user);
    if (!profile.holder) throw new Refusal(404, `profile ${id} is not that of a business`);
    if (profile.refusesChanges) return refusedResponse(id, profile.refusesChanges);
    const problem = profile.update(holder, problemOf(holder));
    this.#context.record('updateBusinessAccountHolder', id);
    return judged(profile, problem);
  }

  /**
   * Assumed: what opens a financial account for an approved profile, up to as many as its settings allow. The first request gets the
   * account that the bank has just opened by itself.
   */
  #openAccount(profileId: unknown, user: BankingUser) {
    if (typeof profileId !== 'number') throw invalidField('profileId', 'is required by the sandbox');
    const profile = this.get(profileId, user);
    if (profilePhase(profile.bankingStatus) !== 'approved')
      return refusedResponse(profileId, `the profile is ${profile.bankingStatus}`);
    const financialAccountId = profile.ownAccount ?? this.#context.openAccount(profile);
    profile.ownAccount = undefined;
    if (financialAccountId === undefined)
      return refusedResponse(profileId, 'the profile has as many accounts as it may');
    profile.financialAccountId ??= financialAccountId;
    this.#context.record('submitBusinessCustomer', profileId, { name: financialAccountId });
    return { ...boardedResponse(profileId), financialAccountId };
  }

  #ofMerchant(merchantProfileId: number): Profile | undefined {
    const latest = this.#context.merchants().latestLike(merchantProfileId);
    return this.#profiles.of().findLast((profile) => this.merchantProfileIdOf(profile) === latest);
  }

  #inScope(
    { isoId, agentIds }: { agentIds?: number[] | null | undefined; isoId?: number | null | undefined },
    user: BankingUser,
  ): Profile[] {
    const partners: readonly { partnerId: number; isoId: number; agentIds: readonly number[] }[] =
      SANDBOX_PARTNERS;
    const scopes = [
      ...(typeof isoId === 'number'
        ? [{ what: `ISO ${isoId}`, owner: partners.find((each) => each.isoId === isoId) }]
        : []),
      ...(agentIds ?? []).map((id) => {
        return { what: `agent ${id}`, owner: partners.find((each) => each.agentIds.includes(id)) };
      }),
    ];
    for (const { what, owner } of scopes) {
      if (!owner) throw new Refusal(404, `${what} not found`);
      if (owner.partnerId !== user.partnerId) throw new Refusal(403, `${what} belongs to another partner`);
    }
    const isWanted = ({ basics }: Profile) => !agentIds?.length || agentIds.includes(basics.agentId);
    return this.#profiles.of(user).filter(isWanted);
  }

  #moveUser(address: Address, user: BankingUser): number {
    if (user.profileId === undefined) throw new Refusal(403, 'The user has no address to change');
    this.get(user.profileId, user).address = address;
    return user.profileId;
  }

  #moveAssociate(personId: string, address: Address, user: BankingUser): number {
    const [, id = ''] = personId.split('-');
    const profile = this.get(Number(id), user);
    const { holder } = profile;
    const unknown = new Refusal(404, `associated person ${personId} not found`);
    if (!holder) throw unknown;
    const { streetAddress, extendedAddress, locality, postalCode, state } = address;
    if (personId === primaryAuthorizedPersonId(profile.id)) {
      profile.update({
        ...holder,
        primaryAuthorizedStreetAddress: streetAddress,
        primaryAuthorizedExtendedAddress: extendedAddress,
        primaryAuthorizedLocality: locality,
        primaryAuthorizedPostalCode: postalCode,
        primaryAuthorizedState: state,
      });
      return profile.id;
    }
    const owned = ownersOf(profile.id, holder).find((owner) => owner.id === personId);
    if (!owned) throw unknown;
    const moved = { homeAddress: streetAddress, extendedAddress, city: locality, state };
    profile.update({
      ...holder,
      [owned.field]: { ...owned.owner, ...moved, zipCode: postalCode.slice(0, 5) },
    });
    return profile.id;
  }
}

function problemOf({ ssn }: Holder): Problem | undefined {
  return ssn === UNVERIFIED_SSN ? { field: 'ssn', message: 'cannot be verified' } : undefined;
}

function judged({ id, financialAccountId }: Profile, problem: Problem | undefined) {
  if (problem) return refusedResponse(id, `${problem.field}: ${problem.message}`);
  return { ...boardedResponse(id), ...(financialAccountId !== null && { financialAccountId }) };
}

function matches(name: string, part: string | null | undefined): boolean {
  return name.toLowerCase().includes((part ?? '').toLowerCase());
}

function limited<Item>(items: readonly Item[], count: number | undefined): readonly Item[] {
  return count === undefined ? items : items.slice(0, Math.max(0, count));
}
