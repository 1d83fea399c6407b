import type { Client } from '@temporalio/client';
import { z } from 'zod';
import { atAccount, workflowId } from '../../messages/ids.js';
import { accountName, dueInHours, externalId, type KnownAccounts, partnerId } from '../../messages/inputs.js';
import { defined } from '../../messages/objects.js';
import { partId } from '../../messages/onboardings.js';
import { DEFAULT_DUE_IN_HOURS } from '../../messages/requirements.js';
import { SEARCH_ATTRIBUTES } from '../../messages/search-attributes.js';
import { type Preview, promptly, type Ready, RefusedRow } from '../../operators/batch/ready.js';
import type { RowRules } from '../../operators/batch/validation.js';
import { ein } from '../../partners/banking/rules.js';
import { text } from '../../partners/fields.js';
import { isNestedDeeper, TOO_NESTED } from '../../partners/json.js';
import { fieldProblems } from '../../partners/rules-in-words.js';
import { describe } from '../../temporal/onboardings.js';
import {
  type StartableType,
  type Started,
  type StartOptions,
  startBusinessOnboarding,
  startCustomerOnboarding,
  startMerchantBoarding,
} from '../../temporal/start.js';
import { type Followed, PartnerReads } from './partner-reads.js';

/** A row of `gangway adopt`: a merchant, a banking profile, or both of one customer. */
function rowSchema(known: KnownAccounts) {
  return z
    .strictObject({
      externalId,
      account: accountName(known),
      dba: text,
      merchantProfileId: partnerId.optional(),
      agentProfileId: partnerId.optional(),
      profileId: partnerId.optional(),
      legalBusinessName: text.optional(),
      employerIdentificationNumber: ein.optional(),
      dueInHours: dueInHours.default(DEFAULT_DUE_IN_HOURS),
    })
    .superRefine((row, context) => {
      const { merchantProfileId, profileId } = row;
      const wrong = (field: keyof typeof row, message: string) =>
        context.addIssue({ code: 'custom', path: [field], message });
      if (merchantProfileId === undefined && profileId === undefined)
        wrong('merchantProfileId', 'is required, or profileId, or both');
      if (merchantProfileId === undefined && row.agentProfileId !== undefined)
        wrong('agentProfileId', 'belongs to a merchantProfileId');
      for (const field of ['legalBusinessName', 'employerIdentificationNumber'] as const) {
        if (profileId === undefined && row[field] !== undefined) wrong(field, 'belongs to a profileId');
        // One customer's profile must never end on the record of another customer.
        if (profileId !== undefined && merchantProfileId === undefined && row[field] === undefined)
          wrong(field, 'is required to compare the profile, or merchantProfileId');
      }
    });
}

type AdoptedRow = z.output<ReturnType<typeof rowSchema>>;

interface AdoptionOptions {
  /** The rows are read at their partners, and not started. */
  readonly dryRun: boolean;
}

/** The rows of a file for `gangway adopt`. */
export function adoptionRules(known: KnownAccounts, { dryRun }: AdoptionOptions): RowRules {
  const schema = rowSchema(known);
  const reads = new PartnerReads();
  return {
    schemas: [schema],
    check: ({ line, value, problems }) => {
      if (problems) return { line, problems };
      if (isNestedDeeper(value)) return { line, problems: [{ field: '', message: TOO_NESTED }] };
      const { success, data: row, error } = schema.safeParse(value);
      if (!success) return { line, problems: fieldProblems(error) };
      return readyToAdopt(line, row, reads, dryRun);
    },
  };
}

function readyToAdopt(line: number, row: AdoptedRow, reads: PartnerReads, dryRun: boolean): Ready {
  const { merchantProfileId, profileId, account } = row;
  const type = typeOf(row);
  const id = workflowId(type, row.externalId, account);
  const claims = Object.entries({ externalId: row.externalId, merchantProfileId, profileId }).flatMap(
    ([field, value]) => (value === undefined ? [] : [[field, atAccount(String(value), account)] as const]),
  );
  return {
    line,
    externalId: row.externalId,
    unique: Object.fromEntries(claims),
    type,
    workflowId: id,
    restart: 'adopt it under another externalId',
    start: async (client, options) => {
      const earlier = await promptly(client, () => earlierOf(client, row, id));
      if (earlier && dryRun) return attached;
      if (earlier) return earlier;
      const preview = await reads.preview(client, options.taskQueue, follow(row));
      return dryRun ? preview : promptly(client, () => start(client, row, options));
    },
  };
}

const attached: Preview = {
  word: 'attached',
  text: 'attached: an onboarding with this externalId exists, and nothing would be started',
  json: { attached: true },
};

function typeOf({ merchantProfileId, profileId }: AdoptedRow): StartableType {
  if (profileId === undefined) return 'merchantBoarding';
  return merchantProfileId === undefined ? 'businessOnboarding' : 'customerOnboarding';
}

/**
 * The onboarding that a row attaches to; undefined when there is none.
 *
 * @throws {RefusedRow} when an onboarding of this `externalId` has another merchant or profile
 */
async function earlierOf(client: Client, row: AdoptedRow, id: string): Promise<Started | undefined> {
  const { account, merchantProfileId, profileId } = row;
  const parts = [
    ...(merchantProfileId === undefined ? [] : [partId('boarding', row.externalId, account)]),
    ...(profileId === undefined ? [] : [partId('business', row.externalId, account)]),
  ];
  const found = await Promise.all([...new Set([id, ...parts])].map((each) => describe(client, each)));
  for (const onboarding of found) {
    const has = (key: 'merchantProfileId' | 'bankingProfileId') =>
      onboarding?.typedSearchAttributes.get(SEARCH_ATTRIBUTES[key]);
    const differs = (given: number | undefined, known: string | undefined) =>
      given !== undefined && known !== undefined && String(given) !== known;
    const [merchant, profile] = [has('merchantProfileId'), has('bankingProfileId')];
    if (differs(merchantProfileId, merchant))
      throw new RefusedRow(`${onboarding?.workflowId} exists, and has merchant ${merchant}`);
    if (differs(profileId, profile))
      throw new RefusedRow(`${onboarding?.workflowId} exists, and has banking profile ${profile}`);
  }
  const [onboarding] = found;
  return onboarding && { workflowId: id, runId: onboarding.runId, started: false };
}

function follow(row: AdoptedRow): Followed {
  const { externalId, account, dba, merchantProfileId, agentProfileId, profileId, dueInHours } = row;
  const { legalBusinessName, employerIdentificationNumber } = row;
  const common = { externalId, ...defined({ account }), follow: true, dueInHours } as const;
  const holder = {
    doingBusinessAsName: dba,
    ...defined({ legalBusinessName, employerIdentificationNumber }),
  };
  return {
    ...(merchantProfileId !== undefined && {
      merchant: { ...common, merchantProfileId, merchant: { dba }, ...defined({ agentProfileId }) },
    }),
    ...(profileId !== undefined && {
      business: { ...common, profileId, holder, ...defined({ merchantProfileId }) },
    }),
  };
}

async function start(client: Client, row: AdoptedRow, options: StartOptions): Promise<Started> {
  const { merchant, business } = follow(row);
  if (!merchant && business) return startBusinessOnboarding(client, business, options);
  if (!merchant) throw new Error('unreachable');
  if (!business) return startMerchantBoarding(client, merchant, options);
  const { externalId, account, ...boarding } = merchant;
  const { externalId: _, account: __, merchantProfileId: ___, ...ofBank } = business;
  const customer = { externalId, ...defined({ account }), boarding, business: ofBank } as const;
  return startCustomerOnboarding(client, { ...customer, onDecline: 'continue' }, options);
}
