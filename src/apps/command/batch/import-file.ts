import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { TimeoutFailure } from '@temporalio/common';
import { z } from 'zod';
import type { SingleActivity } from '../../../messages/activities.js';
import type { BankingActivities } from '../../../messages/banking-activities.js';
import type { BoardingActivities } from '../../../messages/boarding-activities.js';
import { atAccount, partnerTaskQueue, workflowId } from '../../../messages/ids.js';
import {
  accountNameSchema,
  dueInHours,
  externalId,
  type FollowedBusinessInput,
  type FollowedCustomerInput,
  type FollowedMerchantInput,
  type KnownAccounts,
  partnerId,
} from '../../../messages/inputs.js';
import { dbaForms } from '../../../messages/list-fields.js';
import { omitUndefined } from '../../../messages/objects.js';
import { partId } from '../../../messages/onboardings.js';
import { businessOutcome, merchantOutcome } from '../../../messages/outcomes.js';
import { DEFAULT_DUE_IN_HOURS, type RequirementKind } from '../../../messages/requirements.js';
import { SEARCH_ATTRIBUTES } from '../../../messages/search-attributes.js';
import { ein } from '../../../partners/banking/rules.js';
import { isMerchantUnderReview } from '../../../partners/boarding/phases.js';
import { text } from '../../../partners/field-schemas.js';
import { isNestedDeeper, TOO_NESTED } from '../../../partners/json.js';
import { isUnauthenticated } from '../../../partners/partner-error.js';
import { fieldProblems } from '../../../partners/schema-messages.js';
import { redact } from '../../../platform/privacy/masked.js';
import { requireWorker } from '../../../services/batches/batches.js';
import type { RowRules } from '../../../services/batches/validation.js';
import type { Outcome } from '../../../services/client/watching.js';
import { explainPartnerFailure, partnerErrorOfFailure } from '../../../services/texts/partner-failures.js';
import { describe } from '../../../temporal/find-onboarding.js';
import { startSingle } from '../../../temporal/single-activities.js';
import { callPromptly } from '../../../temporal/unavailable.js';
import { type CommandLine, withTemporal } from '../cli/command-line.js';
import { outcomeLines } from '../cli/descriptions.js';
import { CommandFailed } from '../cli/errors.js';
import { explainActivity } from '../cli/failures.js';
import { type FormatOptions, withValidRows } from './batch.js';
import { type ImportableRow, type Preview, RefusedRow, type RunOptions, readAndFollow } from './run.js';
import { RERUN } from './waiting.js';

/** A row of `gangway import`: a merchant, a banking profile, or both of one customer. */
function rowSchema(accounts: KnownAccounts) {
  return z
    .strictObject({
      externalId,
      account: accountNameSchema(accounts),
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
        // One customer's profile must never end up on another customer's record.
        if (profileId !== undefined && merchantProfileId === undefined && row[field] === undefined)
          wrong(field, 'is required to compare the profile, or merchantProfileId');
      }
    });
}

type ImportRow = z.output<ReturnType<typeof rowSchema>>;

export function importRules(accounts: KnownAccounts): RowRules<ImportableRow> {
  const schema = rowSchema(accounts);
  const preview = partnerReads();
  return {
    schemas: [schema],
    check: ({ line, value, problems }) => {
      if (problems) return { line, problems };
      if (isNestedDeeper(value)) return { line, problems: [{ field: '', message: TOO_NESTED }] };
      const { success, data: row, error } = schema.safeParse(value);
      if (!success) return { line, problems: fieldProblems(error) };
      return readyToImport(line, row, preview);
    },
  };
}

function readyToImport(
  line: number,
  row: ImportRow,
  preview: ReturnType<typeof partnerReads>,
): ImportableRow {
  const { externalId, merchantProfileId, profileId, account } = row;
  const isBusiness = merchantProfileId === undefined;
  const type =
    profileId === undefined ? 'merchantBoarding' : isBusiness ? 'businessOnboarding' : 'customerOnboarding';
  const id = workflowId(type, externalId, account);
  const claims = Object.entries(omitUndefined({ externalId, merchantProfileId, profileId }));
  return {
    line,
    externalId,
    type,
    workflowId: id,
    input: inputOf(row),
    unique: Object.fromEntries(claims.map(([field, value]) => [field, atAccount(String(value), account)])),
    preview: async (client, taskQueue) =>
      (await callPromptly(client, () => exists(client, row, id)))
        ? attached
        : preview(client, taskQueue, follow(row)),
  };
}

const attached: Preview = {
  word: 'attached',
  text: 'attached: an onboarding with this externalId exists, and nothing would be started',
  json: { attached: true },
};

/** Reports whether a row attaches to an onboarding. @throws {RefusedRow} if that has another merchant or profile */
async function exists(client: Client, row: ImportRow, id: string): Promise<boolean> {
  const { externalId, account, merchantProfileId, profileId } = row;
  const all = [
    ['boarding', 'merchant', SEARCH_ATTRIBUTES.merchantProfileId, merchantProfileId],
    ['business', 'banking profile', SEARCH_ATTRIBUTES.bankingProfileId, profileId],
  ] as const;
  const lookup = all.filter(([, , , wanted]) => wanted !== undefined);
  const ids = new Set([id, ...lookup.map(([part]) => partId(part, externalId, account))]);
  const descriptions = await Promise.all([...ids].map((each) => describe(client, each)));
  for (const onboarding of descriptions)
    for (const [, what, attribute, wanted] of lookup) {
      const entry = onboarding?.typedSearchAttributes.get(attribute);
      if (entry !== undefined && String(wanted) !== entry)
        throw new RefusedRow(`${onboarding?.workflowId} exists, and has ${what} ${entry}`);
    }
  return descriptions[0] !== undefined;
}

function follow(row: ImportRow) {
  const { externalId, account, dba, merchantProfileId, agentProfileId, profileId, dueInHours } = row;
  const { legalBusinessName, employerIdentificationNumber } = row;
  const common = { externalId, ...omitUndefined({ account }), follow: true, dueInHours } as const;
  const names = omitUndefined({ legalBusinessName, employerIdentificationNumber });
  const holder = { doingBusinessAsName: dba, ...names };
  const merchant: FollowedMerchantInput | undefined =
    merchantProfileId === undefined
      ? undefined
      : { ...common, merchantProfileId, merchant: { dba }, ...omitUndefined({ agentProfileId }) };
  const business: FollowedBusinessInput | undefined =
    profileId === undefined
      ? undefined
      : { ...common, profileId, holder, ...omitUndefined({ merchantProfileId }) };
  return { merchant, business };
}

function inputOf(row: ImportRow): FollowedMerchantInput | FollowedBusinessInput | FollowedCustomerInput {
  const { merchant, business } = follow(row);
  if (!merchant && business) return business;
  if (!merchant) throw new Error('unreachable');
  if (!business) return merchant;
  const { externalId, account, ...boarding } = merchant;
  const { externalId: _, account: __, merchantProfileId: ___, ...ofBank } = business;
  return { externalId, ...omitUndefined({ account }), boarding, business: ofBank, onDecline: 'continue' };
}

export async function importFile(cli: CommandLine, file: string, options: FormatOptions & RunOptions) {
  await withValidRows(cli, file, options, importRules(cli.config()), (name, validation, rows) =>
    withTemporal(cli, (context) => readAndFollow(context, name, rows(), validation.rows, options), {
      finishes: true,
    }),
  );
}

type MerchantRead = Awaited<ReturnType<BoardingActivities['inspectMerchant']>>;
type ProfileRead = Awaited<ReturnType<BankingActivities['inspectProfile']>>;
type Followed = ReturnType<typeof follow>;

interface PartPreview {
  readonly status: string;
  readonly requirements: readonly RequirementKind[];
  /** The outcome with which the onboarding would end at once. */
  readonly outcome?: Outcome;
  /** The reasons why a person would be asked whose merchant or profile it is. */
  readonly unclear?: readonly string[];
  /** The ended onboarding from which it would be taken over. */
  readonly previous?: string;
}

/** The maximum wait of a row for a worker, because a rate limit may delay it. */
const ACTIVITY_OPTIONS = {
  scheduleToStartTimeout: '10m',
  startToCloseTimeout: '2m',
  heartbeatTimeout: '10s',
  retry: { initialInterval: '1s', maximumInterval: '30s', maximumAttempts: 5 },
} as const;

/**
 * Reads merchants and profiles at their partners. The reads are activities on the partner task queues, so the server applies the
 * partner's rate limit to these reads and all other work.
 */
function partnerReads() {
  const polled = new Set<string>();
  /**
   * Returns what following the row would do.
   *
   * @throws {RefusedRow} if it cannot be followed
   * @throws {CommandFailed}, {@link NoWorker} if no other row can be read either
   */
  return async (client: Client, taskQueue: string, { merchant, business }: Followed): Promise<Preview> => {
    const read: Read = async (what, single) => {
      const queue = partnerTaskQueue(taskQueue, single.queue, single.account);
      if (!polled.has(queue)) await requireWorker(client, queue);
      polled.add(queue);
      const full = { ...single, summary: `Read ${what} to import`, options: ACTIVITY_OPTIONS };
      try {
        const { result } = await startSingle(client, taskQueue, `import-${randomUUID()}`, full);
        return await result();
      } catch (error) {
        throw explainRead(error, what, queue);
      }
    };
    const [boarding, banking] = await Promise.all([
      merchant && previewMerchant(read, merchant),
      business && previewProfile(read, business),
    ]);
    const parts = [boarding, banking].filter((part) => part !== undefined);
    const asks = parts.some(({ requirements }) => requirements.length > 0);
    const would = asks ? 'ask' : parts.every(({ outcome }) => outcome) ? 'end' : 'poll';
    const both = boarding && banking && `merchant ${lineOf(boarding)}; business ${lineOf(banking)}`;
    return {
      word: `would ${would}`,
      text: `would ${would}: ${both ?? parts.map(lineOf).join('; ')}`,
      json: { would, ...omitUndefined({ merchant: boarding, business: banking }) },
    };
  };
}

/** @param what the record, for people: `merchant 1001` */
type Read = <Result>(what: string, single: Omit<SingleActivity, 'summary' | 'options'>) => Promise<Result>;

async function previewMerchant(read: Read, input: FollowedMerchantInput): Promise<PartPreview> {
  const { merchantProfileId, account, externalId, merchant } = input;
  const id = workflowId('merchantBoarding', externalId, account);
  const what = `merchant ${merchantProfileId}`;
  const { now, owner } = await read<MerchantRead>(what, {
    activity: 'inspectMerchant',
    queue: 'boarding',
    account,
    args: [{ merchantProfileId, workflowId: id }],
  });
  if (owner?.isRunning) throw new RefusedRow(`${what}: ${owner.workflowId} has it`);
  const { status, phase, notes, unclearMid } = now;
  // No read of the partner shows a dba.
  if (owner?.dba !== undefined && !dbaForms(merchant.dba).includes(owner.dba)) {
    const unclear = [`it is “${redact(owner.dba)}” of ${owner.workflowId}`];
    return { status, unclear, requirements: ['rejected-input'] };
  }
  const outcome = merchantOutcome(now, merchantProfileId);
  const requirements: RequirementKind[] = [
    ...(isMerchantUnderReview(phase) ? notes.map(() => 'underwriting-note' as const) : []),
    ...(phase === 'changes-requested' ? ['changes-requested' as const] : []),
    ...(phase === 'not-submitted' ? ['not-submitted' as const] : []),
    ...(phase === 'approved' && unclearMid !== null ? ['unclear-mid' as const] : []),
  ];
  return { status, requirements, ...omitUndefined({ outcome, previous: owner?.workflowId }) };
}

async function previewProfile(read: Read, input: FollowedBusinessInput): Promise<PartPreview> {
  const { profileId, account, externalId, holder, merchantProfileId } = input;
  const id = workflowId('businessOnboarding', externalId, account);
  const what = `banking profile ${profileId}`;
  const result = await read<ProfileRead>(what, {
    activity: 'inspectProfile',
    queue: 'banking',
    account,
    args: [{ profileId, workflowId: id, holder, ...omitUndefined({ merchantProfileId }) }],
  });
  if (!result) throw new RefusedRow(`the bank shows no ${what}`);
  const { candidate, now } = result;
  const { against, unclear } = candidate;
  const dba = candidate.dba === null ? '' : ` of “${redact(candidate.dba)}”`;
  if (against.length > 0) throw new RefusedRow(`${what}${dba}: ${against.join(', ')}`);
  const { bankingStatus: status, phase, financialAccountId, isLocked, tickets } = now;
  if (unclear.length > 0) return { status, unclear, requirements: ['uncertain-write'] };
  const outcome = businessOutcome(now, profileId, financialAccountId);
  if (outcome) return { status, outcome, requirements: [] };
  const requirements: RequirementKind[] = [
    ...tickets.map(() => 'ticket' as const),
    ...(isLocked ? ['locked-profile' as const] : []),
    ...(phase === 'new' ? ['not-submitted' as const] : []),
  ];
  return { status, requirements };
}

/** Returns a {@link RefusedRow} for a failure that concerns one row. Any other failure would affect all rows. */
function explainRead(error: unknown, what: string, queue: string): unknown {
  const details = partnerErrorOfFailure(error);
  if (!details) {
    const isLate =
      error instanceof TimeoutFailure && !error.cause && error.timeoutType !== 'SCHEDULE_TO_START';
    const late = `${what}: the worker did not read it in time`;
    return isLate ? new RefusedRow(late) : explainActivity(error, queue, true);
  }
  const { system, kind, status = 403 } = details;
  if (kind === 'NotSent' || isUnauthenticated(details))
    return new CommandFailed(`${explainPartnerFailure(details)}\n${RERUN}`);
  if (status === 404) return new RefusedRow(`the ${system} partner has no ${what} (404)`);
  if (kind === 'Forbidden')
    return new RefusedRow(
      `the ${system} partner does not let us read ${what} (${status}): it belongs to another organization`,
    );
  return new RefusedRow(`${what}: ${explainPartnerFailure(details).replace(/\n\s*/g, '; ')}`);
}

/** Returns the preview on one line: `Pending, 2 underwriting-note`, `Approved, boarded: mid 518000001001`. */
function lineOf({ status, requirements, outcome, unclear, previous }: PartPreview): string {
  const kinds = [...Map.groupBy(requirements, (kind) => kind)];
  return [
    status,
    ...kinds.map(([kind, { length }]) => `${length} ${kind}`),
    ...(unclear ? [`whose it is: ${unclear.join(', ')}`] : []),
    ...(previous === undefined ? [] : [`taken over from ${previous}, which has ended`]),
    ...(outcome ? outcomeLines(outcome) : []),
  ].join(', ');
}
