import type { Client } from '@temporalio/client';
import { z } from 'zod';
import type { RowRules } from '../../batches/validation.js';
import type {
  FollowedBusinessInput,
  FollowedCustomerInput,
  FollowedMerchantInput,
} from '../../messages/followed-inputs.js';
import { atAccount, workflowId } from '../../messages/ids.js';
import { accountName, dueInHours, externalId, type KnownAccounts, partnerId } from '../../messages/inputs.js';
import { defined } from '../../messages/objects.js';
import { partId } from '../../messages/onboardings.js';
import { DEFAULT_DUE_IN_HOURS } from '../../messages/requirements.js';
import { SEARCH_ATTRIBUTES } from '../../messages/search-attributes.js';
import { ein } from '../../partners/banking/rules.js';
import { text } from '../../partners/fields.js';
import { isNestedDeeper, TOO_NESTED } from '../../partners/json.js';
import { fieldProblems } from '../../partners/rules-in-words.js';
import { describe } from '../../temporal/onboardings.js';
import type { StartableType } from '../../temporal/start.js';
import { promptly } from '../../temporal/unavailable.js';
import { type CommandLine, withTemporal } from '../cli/command-line.js';
import { type FormatOptions, withValidRows } from './batch.js';
import {
  type Adoptable,
  type Followed,
  type PartnerReads,
  type Preview,
  partnerReads,
  RefusedRow,
} from './partner-reads.js';
import { type RunOptions, readAndFollow } from './run.js';

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

export function adoptionRules(known: KnownAccounts): RowRules<Adoptable> {
  const schema = rowSchema(known);
  const preview = partnerReads();
  return {
    schemas: [schema],
    check: ({ line, value, problems }) => {
      if (problems) return { line, problems };
      if (isNestedDeeper(value)) return { line, problems: [{ field: '', message: TOO_NESTED }] };
      const { success, data: row, error } = schema.safeParse(value);
      if (!success) return { line, problems: fieldProblems(error) };
      return readyToAdopt(line, row, preview);
    },
  };
}

function readyToAdopt(line: number, row: AdoptedRow, preview: PartnerReads): Adoptable {
  const { externalId, merchantProfileId, profileId, account } = row;
  const type = typeOf(row);
  const id = workflowId(type, externalId, account);
  const claims = Object.entries(defined({ externalId, merchantProfileId, profileId }));
  return {
    ...{ line, externalId, type, workflowId: id, input: inputOf(row) },
    unique: Object.fromEntries(claims.map(([field, value]) => [field, atAccount(String(value), account)])),
    preview: async (client, taskQueue) =>
      (await promptly(client, () => exists(client, row, id)))
        ? attached
        : preview(client, taskQueue, follow(row)),
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

/** Whether a row attaches to an onboarding. @throws {RefusedRow} when that has another merchant or profile */
async function exists(client: Client, row: AdoptedRow, id: string): Promise<boolean> {
  const { account, merchantProfileId, profileId } = row;
  const parts = [
    ...(merchantProfileId === undefined ? [] : [partId('boarding', row.externalId, account)]),
    ...(profileId === undefined ? [] : [partId('business', row.externalId, account)]),
  ];
  const found = await Promise.all([...new Set([id, ...parts])].map((each) => describe(client, each)));
  const given = [
    ['merchant', SEARCH_ATTRIBUTES.merchantProfileId, merchantProfileId],
    ['banking profile', SEARCH_ATTRIBUTES.bankingProfileId, profileId],
  ] as const;
  for (const onboarding of found)
    for (const [what, attribute, wanted] of given) {
      const known = onboarding?.typedSearchAttributes.get(attribute);
      if (wanted !== undefined && known !== undefined && String(wanted) !== known)
        throw new RefusedRow(`${onboarding?.workflowId} exists, and has ${what} ${known}`);
    }
  return found[0] !== undefined;
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

function inputOf(row: AdoptedRow): FollowedMerchantInput | FollowedBusinessInput | FollowedCustomerInput {
  const { merchant, business } = follow(row);
  if (!merchant && business) return business;
  if (!merchant) throw new Error('unreachable');
  if (!business) return merchant;
  const { externalId, account, ...boarding } = merchant;
  const { externalId: _, account: __, merchantProfileId: ___, ...ofBank } = business;
  return { externalId, ...defined({ account }), boarding, business: ofBank, onDecline: 'continue' };
}

type AdoptOptions = FormatOptions & RunOptions;

export async function adopt(cli: CommandLine, file: string, options: AdoptOptions): Promise<void> {
  await withValidRows(cli, file, options, adoptionRules(cli.config()), (name, validation, rows) =>
    withTemporal(cli, (context) => readAndFollow(context, name, rows(), validation.rows, options), {
      finishes: true,
    }),
  );
}
