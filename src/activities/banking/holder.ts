import { activityInfo, getClient } from '@temporalio/activity';
import type {
  BankingActivities,
  BusinessToFind,
  Candidate,
  HolderRequest,
  HolderVerdict,
} from '../../messages/banking-activities.js';
import { workflowTaskQueue } from '../../messages/ids.js';
import { businessOnboardingInput } from '../../messages/inputs.js';
import type { BankingClient } from '../../partners/banking/client.js';
import { type HolderSubmission, OWNER_FIELDS, submissionOf } from '../../partners/banking/holder.js';
import type { BankingOperations } from '../../partners/banking/operations.js';
import { accountHolder, beneficialOwner } from '../../partners/banking/requests.js';
import type { BoardingResponse } from '../../partners/banking/responses.js';
import { UNKNOWN } from '../../partners/banking/statuses.js';
import { operationName } from '../../partners/catalogue.js';
import { type CallOptions, fieldProblems } from '../../partners/client.js';
import { type FieldProblem, PartnerError } from '../../partners/partner-error.js';
import { type Owner, ownersOf } from '../../temporal/onboardings.js';
import { repeatable, untilCancelled } from '../failures.js';
import { nudgeOwnPoll } from '../poll.js';
import { write } from '../write.js';
import { isRefused, notTold, orNone, problemsIn } from './refusal.js';

type HolderOperation = keyof BankingOperations &
  ('submitBusinessAccountHolder' | 'updateBusinessAccountHolder');

type HolderCalls = Pick<
  BankingActivities,
  'submitHolder' | 'findCandidates' | 'examineProfile' | 'correctHolder'
>;

/** Submits a business, finds it again and corrects it. Problems are reported by their place in the input. */
export function holderActivities(client: BankingClient, candidates: Candidates): HolderCalls {
  const ownId = () => activityInfo().workflowExecution?.workflowId;

  return {
    submitHolder: ({ declined = [], ...business }) =>
      write(async (options) => {
        const read = { signal: options.signal };
        const existing = await candidates.ofMerchant(business.merchantProfileId, read);
        if (existing !== null && !declined.includes(existing)) {
          const found = await candidates.examine(existing, business, ownId(), read);
          if (found) return { existing: found };
        }
        return judged(business, 'submitBusinessAccountHolder', async (submission) => {
          const named = await candidates.named(submission.doingBusinessAsName.trim(), read);
          options.startFrom(existing === null ? named : [...named, existing]);
          const answer = await client.submitBusinessAccountHolder(submission, options);
          if (answer.success && !answer.profileId) throw notTold('submitBusinessAccountHolder', 'a profile');
          return answer;
        });
      }),

    findCandidates: ({ baseline, ...business }) =>
      repeatable(async () => {
        const { holder, merchantProfileId } = business;
        const options = untilCancelled();
        const ofMerchant = await candidates.ofMerchant(merchantProfileId, options);
        const named = await candidates.named(holder.doingBusinessAsName.trim(), options);
        const ids = [...new Set([...(ofMerchant === null ? [] : [ofMerchant]), ...named])];
        const found = await Promise.all(
          ids
            .filter((id) => !baseline.includes(id))
            .map((id) => candidates.examine(id, business, ownId(), options)),
        );
        return found.filter((candidate) => candidate !== null);
      }),

    examineProfile: ({ profileId, ...business }) =>
      repeatable(() => candidates.examine(profileId, business, ownId(), untilCancelled())),

    correctHolder: ({ profileId, ...request }) =>
      write(
        async (options) => {
          const verdict = await judged(request, 'updateBusinessAccountHolder', (submission) =>
            client.updateBusinessAccountHolder({ profileId, ...submission }, options),
          );
          nudgeOwnPoll();
          return verdict;
        },
        { mayRepeat: true },
      ),
  };
}

/** @throws {PartnerError} whose fields are those of the input */
async function judged(
  request: HolderRequest,
  operation: HolderOperation,
  submit: (submission: HolderSubmission) => Promise<BoardingResponse>,
): Promise<HolderVerdict> {
  try {
    return verdictOf(await submit(checked(request, operation)));
  } catch (error) {
    if (!(error instanceof PartnerError)) throw error;
    const fields = error.fields.map(({ field, message }) => ({ field: inputPath(field) ?? field, message }));
    throw new PartnerError({ ...error.details, fields }, { cause: error });
  }
}

const holderRequest = businessOnboardingInput().pick({ holder: true, beneficialOwners: true });

/** A correction by a person may have made anything of the input, such as five owners, which E7 has no members for. */
function checked({ holder, beneficialOwners }: HolderRequest, operation: HolderOperation): HolderSubmission {
  const input = holderRequest.safeParse({ holder, beneficialOwners });
  if (input.success) return submissionOf(input.data.holder, input.data.beneficialOwners);
  throw new PartnerError({
    system: 'banking',
    operation: operationName(operation),
    kind: 'Rejected',
    fields: fieldProblems(input.error),
    reason: 'not sent: invalid request',
  });
}

/** Assumed: what is wrong is told as `member: message`, several of them apart by semicolons or lines; or in any words. */
function verdictOf(answer: BoardingResponse): HolderVerdict {
  const { profileId, financialAccountId } = answer;
  const said = problemsIn(answer).flatMap(({ message }) => message.split(/[;\n]\s*(?=[\w.]+:\s)/));
  return { profileId: profileId || null, financialAccountId, problems: said.map(problemTold) };
}

function problemTold(said: string): FieldProblem {
  const [, name = '', message = ''] = /^([\w.]+):\s+(.+)$/s.exec(said.trim()) ?? [];
  const field = inputPath(name);
  return field === undefined ? { field: '', message: said.trim() } : { field, message };
}

const HOLDER_MEMBERS = byLowerCase(Object.keys(accountHolder.shape));
const OWNERS = byLowerCase(OWNER_FIELDS);
const MEMBERS_OF_OWNER = byLowerCase(Object.keys(beneficialOwner.shape));

/**
 * Where in a `BusinessOnboardingInput` stands what the partner calls by this name, in upper or lower case: `email` is
 * `holder.email`, `owner2.ssn` is `beneficialOwners.1.ssn`. Undefined for a name that is not of E7.
 */
export function inputPath(field: string): string | undefined {
  // `$.` is how services of its kind begin the path of a member that they could not read.
  const [first = '', ...rest] = field.replace(/^\$\./, '').split('.');
  const member = HOLDER_MEMBERS.get(first.toLowerCase());
  if (member !== undefined) return ['holder', member, ...rest].join('.');
  const owner = OWNERS.get(first.toLowerCase());
  if (owner === undefined) return undefined;
  const inOwner = rest.map((name) => MEMBERS_OF_OWNER.get(name.toLowerCase()) ?? name);
  return ['beneficialOwners', OWNER_FIELDS.indexOf(owner), ...inOwner].join('.');
}

function byLowerCase<Name extends string>(names: readonly Name[]): ReadonlyMap<string, Name> {
  return new Map(names.map((name) => [name.toLowerCase(), name]));
}

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
