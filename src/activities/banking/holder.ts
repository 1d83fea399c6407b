import { activityInfo } from '@temporalio/activity';
import type {
  BankingActivities,
  BusinessIdentity,
  BusinessToFind,
  Candidate,
  HolderRequest,
  HolderVerdict,
  RefusedSubmission,
  Submission,
  SubmittedProfile,
} from '../../messages/banking-activities.js';
import { businessOnboardingInput } from '../../messages/inputs.js';
import type { BankingClient } from '../../partners/banking/client.js';
import { type HolderSubmission, OWNER_FIELDS, submissionOf } from '../../partners/banking/holder.js';
import type { BankingOperations } from '../../partners/banking/operations.js';
import { isProfileUnderReview, UNKNOWN_STATUS } from '../../partners/banking/phases.js';
import { accountHolder, beneficialOwner } from '../../partners/banking/requests.js';
import type { BankingProfile, BoardingResponse } from '../../partners/banking/responses.js';
import { operationName } from '../../partners/catalogue.js';
import type { CallOptions } from '../../partners/client.js';
import { withoutEntities } from '../../partners/encoding.js';
import type { FieldProblem } from '../../partners/partner-error.js';
import { cleanStatusName } from '../../partners/phases.js';
import { callOptions, ifFound, ifVisible, parseRequest, withFieldNames, withRetries } from '../failures.js';
import { isClearlyBefore, isRealDate } from '../partner-dates.js';
import { nudgeOwnPoll } from '../poll.js';
import type { Reservations } from '../reservations.js';
import { sendOnceThenRead, sendRepeatably } from '../write.js';
import type { ProfileReader } from './profiles.js';
import { problemsIn, withoutId } from './refusal.js';

type HolderOperation = keyof BankingOperations &
  ('submitBusinessAccountHolder' | 'updateBusinessAccountHolder');

/** Activities that submit, find and correct a business. Problems name fields of the input. */
export function holderActivities(
  client: BankingClient,
  candidates: Candidates,
  { snapshotOf }: ProfileReader,
  reservations: Reservations,
) {
  /**
   * Reserves the profile in a response if it is new: the name and tax number match the business, the bank has not decided, and the
   * profile was created after the submission. Another onboarding's reservation counts even if this account cannot read the profile.
   */
  async function reserveSubmitted(
    { profileId, since, ...business }: BusinessToFind & { profileId: number; since: string },
    options: CallOptions,
  ): Promise<SubmittedProfile> {
    const read: { inspected?: SubmittedProfile } = {};
    const against = await reservations.reserveNew(profileId, async () => {
      const profile = await client.getProfile({ id: profileId }, options);
      const now = await snapshotOf(profile, options);
      const { createdDate } = profile;
      const candidate = await candidates.compare(profileId, profile, business, ownId());
      read.inspected = { candidate, now };
      return [
        ...candidate.against,
        ...(!isRealDate(createdDate) && !isProfileUnderReview(now.phase)
          ? [`its status is ${now.bankingStatus}`]
          : []),
        ...(isClearlyBefore(createdDate, since) ? [`it was created at ${createdDate}`] : []),
        ...(!isRealDate(createdDate) && isNameless(profile) ? [SHOWS_NOTHING] : []),
      ];
    });
    // Without a result, another onboarding has the profile, and the bank hides it.
    const inspected = read.inspected ?? { candidate: await candidates.hiddenCandidate(profileId, ownId()) };
    return { ...inspected, candidate: { ...inspected.candidate, against, unclear: [] } };
  }

  return {
    submitHolder: ({ declined = [], refused = [], since, ...business }) =>
      sendOnceThenRead<Submission, SubmittedProfile | undefined>(
        async (options) => {
          const read = { signal: options.signal };
          const existing = await candidates.findByMerchant(business.merchantProfileId, read);
          if (existing && !declined.includes(existing.id))
            return { existing: await candidates.compare(existing.id, existing, business, ownId()) };
          const saved = await candidates.findSaved(refused, declined, business, read);
          if (saved) return { existing: saved, isSaved: true };
          let baseline: readonly number[] = [];
          const verdict = await sendHolder(business, 'submitBusinessAccountHolder', async (submission) => {
            const named = await candidates.findByDba(submission.doingBusinessAsName, read);
            baseline = existing === null ? named : [...named, existing.id];
            options.compareWith({ baseline });
            const response = await client.submitBusinessAccountHolder(submission, options);
            if (response.success && !response.profileId)
              throw withoutId('submitBusinessAccountHolder', 'a profile');
            return response;
          });
          return { ...verdict, baseline };
        },
        async (submitted, options) =>
          'existing' in submitted || submitted.profileId === null
            ? undefined
            : reserveSubmitted({ ...business, profileId: submitted.profileId, since }, options),
      ),

    reserveSubmittedProfile: (request) =>
      withRetries(() => reserveSubmitted(request, callOptions()), { mayBeNew: true, mayBeForeign: true }),

    findCandidates: ({ baseline, ...business }) =>
      withRetries(() => candidates.find(business, baseline, callOptions())),

    examineProfile: ({ profileId, ...business }) =>
      withRetries(() => candidates.examine(profileId, business, callOptions())),

    inspectProfile: ({ profileId, workflowId, ...business }) =>
      withRetries(async () => {
        const options = callOptions();
        const profile = await candidates.readVisible(profileId, options);
        if (!profile) return null;
        const candidate = await candidates.compare(profileId, profile, business, workflowId);
        return { candidate, now: await snapshotOf(profile, options) };
      }),

    correctHolder: ({ profileId, ...request }) =>
      sendRepeatably(async (options) => {
        await reservations.ensureReserved(profileId);
        const verdict = await sendHolder(request, 'updateBusinessAccountHolder', (submission) =>
          client.updateBusinessAccountHolder({ profileId, ...submission }, options),
        );
        nudgeOwnPoll();
        return verdict;
      }),
  } satisfies Partial<BankingActivities>;
}

/** Sends a holder. Rejects one that the schema does not accept, for example with five owners: E7 has no fields for the fifth. */
async function sendHolder(
  { holder, beneficialOwners }: HolderRequest,
  operation: HolderOperation,
  submit: (submission: HolderSubmission) => Promise<BoardingResponse>,
): Promise<HolderVerdict> {
  const call = { system: 'banking', operation: operationName(operation) };
  const input = parseRequest(holderRequest, { holder, beneficialOwners }, call);
  const submission = submissionOf(input.holder, input.beneficialOwners);
  return verdictOf(
    await withFieldNames(
      (field) => inputPath(field) ?? field,
      () => submit(submission),
    ),
  );
}

const holderRequest = businessOnboardingInput().pick({ holder: true, beneficialOwners: true });

/**
 * Assumption: the partner reports problems as `field: message`, separated by semicolons or line breaks, or as free text. With
 * problems, a success says only that the call arrived.
 */
function verdictOf(response: BoardingResponse): HolderVerdict {
  const { profileId, financialAccountId = null, errors } = response;
  const problems = problemsIn({ errors, success: response.success && !errors?.trim() });
  const texts = problems.flatMap(({ message }) => message.split(/[;\n]\s{0,20}(?=[\w.]+:\s)/));
  return { profileId: profileId || null, financialAccountId, problems: texts.map(problemOf) };
}

function problemOf(text: string): FieldProblem {
  const [, name = '', message = ''] = /^([\w.]+):\s+(\S.*)$/s.exec(text.trim()) ?? [];
  const field = inputPath(name);
  return field === undefined ? { field: '', message: text.trim() } : { field, message };
}

const HOLDER_FIELDS = byLowerCase(Object.keys(accountHolder.shape));
const OWNERS = byLowerCase(OWNER_FIELDS);
const FIELDS_OF_OWNER = byLowerCase(Object.keys(beneficialOwner.shape));

/** Translates a field of E7, in any case, to its path in the input: `email` to `holder.email`, `owner2.ssn` to `beneficialOwners.1.ssn`. */
function inputPath(field: string): string | undefined {
  // Such services begin the path of an unreadable field with `$.`.
  const [first = '', ...rest] = field.replace(/^\$\./, '').split('.');
  const name = HOLDER_FIELDS.get(first.toLowerCase());
  if (name !== undefined) return ['holder', name, ...rest].join('.');
  const owner = OWNERS.get(first.toLowerCase());
  if (owner === undefined) return undefined;
  const inOwner = rest.map((each) => FIELDS_OF_OWNER.get(each.toLowerCase()) ?? each);
  return ['beneficialOwners', OWNER_FIELDS.indexOf(owner), ...inOwner].join('.');
}

function byLowerCase<Name extends string>(names: readonly Name[]): ReadonlyMap<string, Name> {
  return new Map(names.map((name) => [name.toLowerCase(), name]));
}

const commonIds = ([first = [], ...others]: readonly (readonly number[])[]) =>
  first.filter((id) => others.every((ids) => ids.includes(id)));

type Candidates = ReturnType<typeof profileCandidates>;

const ownId = () => activityInfo().workflowExecution?.workflowId;

/** Functions that find profiles that may belong to a business, and compare them with it. */
export function profileCandidates(client: BankingClient, { ownerOf }: Reservations) {
  async function find(business: BusinessToFind, baseline: readonly number[], options: CallOptions) {
    const [ofThisMerchant, sameName] = await Promise.all([
      findByMerchant(business.merchantProfileId, options),
      findByDba(business.holder.doingBusinessAsName, options),
    ]);
    const ids = new Set(ofThisMerchant === null ? sameName : [ofThisMerchant.id, ...sameName]);
    const others = [...ids].filter((id) => !baseline.includes(id)).slice(0, MAX_EXAMINED);
    const candidates = await Promise.all(others.map((id) => examine(id, business, options)));
    return candidates.filter(
      (each) => each !== null && (each.isNamesOnly === true || !each.against.includes(OTHER_DBA)),
    ) as Candidate[];
  }

  /** Finds the profile of a merchant (E5). Use {@link compare} before you rely on the result. */
  async function findByMerchant(merchantProfileId: number | undefined, options: CallOptions) {
    if (merchantProfileId === undefined) return null;
    return ifFound(client.findProfileByMerchant({ merchantProfileId }, options), null);
  }

  /**
   * Finds profiles by dba (E9). Searches twice at the same time, because a list can lack a row. The partner also matches parts of
   * names, so the profiles with exactly this dba come first.
   */
  async function findByDba(name: string, options: CallOptions) {
    const dba = name.trim();
    if (dba === '') return [];
    const search = () => client.searchBusinessAccountHolders({ dba }, options);
    const matches = (await Promise.all([search(), search()])).flat();
    const isSame = (each: (typeof matches)[number]) => compareTexts(each.dba, dba) === 'same';
    const sorted = [...matches.filter(isSame), ...matches.filter((each) => !isSame(each))];
    return [...new Set(sorted.map(({ id }) => id))];
  }

  /** Finds the new profile that a refused submission named or created: one of this business that no other onboarding has. */
  async function findSaved(
    refused: readonly RefusedSubmission[],
    declined: readonly number[],
    business: BusinessIdentity,
    options: CallOptions,
  ): Promise<Candidate | undefined> {
    for (const [dba, ofDba] of Map.groupBy(refused, (each) => each.dba)) {
      const knownIds = declined.concat(commonIds(ofDba.map(({ baseline }) => baseline)));
      const named = ofDba.flatMap(({ profileId }) => profileId ?? []);
      const ids = new Set([...named, ...(await findByDba(dba, options))]);
      for (const id of [...ids].filter((each) => !knownIds.includes(each)).slice(0, MAX_EXAMINED)) {
        const candidate = await examine(id, business, options);
        if (candidate && (candidate.against.length === 0 || named.includes(id))) return candidate;
      }
    }
    return undefined;
  }

  /** Compares the current record of a profile with a business. Returns null if this account cannot see the record. */
  async function examine(profileId: number, business: BusinessIdentity, options: CallOptions) {
    const profile = await readVisible(profileId, options);
    return profile && compare(profileId, profile, business, ownId());
  }

  /** Reads a profile. Returns null if it does not exist, or if this account cannot see it. */
  function readVisible(profileId: number, options: CallOptions) {
    return ifVisible(client.getProfile({ id: profileId }, options), null);
  }

  /** @param workflowId the workflow ID of the business's onboarding */
  async function compare(
    profileId: number,
    { bankingStatus, businessAccountHolder: record }: BankingProfile,
    business: BusinessIdentity,
    workflowId: string | undefined,
  ): Promise<Candidate> {
    const owner = await ownerOf(profileId, workflowId);
    const others = owner === undefined ? [] : [owner];
    const { isNamesOnly, against, unclear } = evidenceOf(record, business);
    return {
      profileId,
      dba: record?.doingBusinessAsName ?? null,
      bankingStatus: cleanStatusName(bankingStatus ?? UNKNOWN_STATUS),
      against: [...others.map((each) => `${each} has it`), ...against],
      owners: others,
      unclear,
      ...(isNamesOnly && others.length === 0 && { isNamesOnly }),
    };
  }

  async function hiddenCandidate(profileId: number, workflowId: string | undefined): Promise<Candidate> {
    const owner = await ownerOf(profileId, workflowId);
    const owners = owner === undefined ? [] : [owner];
    return {
      profileId,
      dba: null,
      bankingStatus: UNKNOWN_STATUS,
      owners,
      against: [],
      unclear: [],
      isHidden: true,
    };
  }

  return { find, findByMerchant, findByDba, findSaved, examine, readVisible, compare, hiddenCandidate };
}

/**
 * Compares the visible parts of a holder with a business. They are the same if the dba and merchant match, or if the dba, legal
 * name and EIN match. A followed business may have only a dba and a merchant.
 */
function evidenceOf(
  record: BankingProfile['businessAccountHolder'],
  { holder, merchantProfileId }: BusinessIdentity,
): Pick<Candidate, 'against' | 'unclear' | 'isNamesOnly'> {
  const merchant = record?.merchantProfileId ?? null;
  const isSameMerchant = merchant !== null && merchant === merchantProfileId;
  const isOther = merchant !== null && merchantProfileId !== undefined && !isSameMerchant;
  const dba = compareTexts(record?.doingBusinessAsName, holder?.doingBusinessAsName ?? null);
  const ein = compareDigits(record?.employerIdentificationNumber, holder?.employerIdentificationNumber);
  const legal = compareTexts(record?.legalBusinessName, holder?.legalBusinessName);
  const unclearOf = (name: string, comparison: Comparison) => [
    comparison === 'not given' && `no ${name} is given`,
    comparison === 'hidden' && `its ${name} is not shown`,
  ];
  const against = [
    dba === 'different' && OTHER_DBA,
    isOther && `it belongs to merchant ${merchant}`,
    ein === 'different' && 'its EIN differs',
    legal === 'different' && !isSameMerchant && 'its legal name differs',
  ];
  const unclear = [
    ...unclearOf('dba', dba),
    ...(isSameMerchant ? [] : [...unclearOf('EIN', ein), ...unclearOf('legal name', legal)]),
  ];
  return {
    against: against.filter((each) => each !== false),
    unclear: unclear.filter((each) => each !== false),
    ...(ein === 'same' && !isOther && { isNamesOnly: true }),
  };
}

const OTHER_DBA = 'its dba differs';
const SHOWS_NOTHING = 'the bank shows neither whose it is nor when it was created';

function isNameless({ businessAccountHolder: record }: BankingProfile): boolean {
  const fields = ['doingBusinessAsName', 'legalBusinessName', 'employerIdentificationNumber'] as const;
  return fields.every((field) => (record?.[field] ?? null) === null);
}

/** The maximum number of profiles to read from one search. */
const MAX_EXAMINED = 20;

type Comparison = 'same' | 'different' | 'hidden' | 'not given';

/** The lengths of names that the bank truncates: 25 characters, or 24 if the last one was a space. */
const TRUNCATED_LENGTHS = [24, 25];

/** Compares a saved name, which may be hidden, with the sent one. Ignores case, accents and truncation at 25 characters. */
function compareTexts(saved: string | null | undefined, sent: unknown): Comparison {
  if (sent === undefined) return 'not given';
  if (saved === null || saved === undefined) return 'hidden';
  if (typeof sent !== 'string') return 'different';
  const [one, other] = [normalized(saved), normalized(sent)];
  const isCut = TRUNCATED_LENGTHS.includes(saved.trim().length) && other.startsWith(one);
  return one === other || isCut ? 'same' : 'different';
}

/** Removes case, spaces, punctuation and accents from a name. A name without any ASCII letter or digit keeps its characters. */
function normalized(text: string): string {
  const plain = withoutEntities(text).normalize('NFKD').toLowerCase();
  return plain.replace(/[^a-z0-9]+/g, '') || plain;
}

/** The minimum number of visible digits for two numbers to count as the same. */
const MIN_DIGITS = 4;

/** Compares a number, which may be masked, with the sent one, from the last digit. */
function compareDigits(saved: string | null | undefined, sent: unknown): Comparison {
  if (sent === undefined) return 'not given';
  if (!saved || typeof sent !== 'string') return 'hidden';
  const places = [...saved.replace(/[\s-]/g, '')].reverse();
  const digits = [...sent].reverse();
  const isDigit = (character: string) => /\d/.test(character);
  if (places.some((place, index) => isDigit(place) && place !== digits[index])) return 'different';
  return places.filter(isDigit).length >= MIN_DIGITS ? 'same' : 'hidden';
}
