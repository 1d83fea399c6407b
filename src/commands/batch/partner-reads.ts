import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { ApplicationFailure, TimeoutFailure } from '@temporalio/common';
import { requireWorker } from '../../batches/batches.js';
import type { Ready } from '../../batches/ready.js';
import type { Outcome } from '../../client/outcome.js';
import { PARTNER_ERROR, type SingleActivity } from '../../messages/activities.js';
import type { BankingActivities } from '../../messages/banking-activities.js';
import type { BoardingActivities } from '../../messages/boarding-activities.js';
import type { FollowedBusinessInput, FollowedMerchantInput } from '../../messages/followed-inputs.js';
import { partnerTaskQueue, workflowId } from '../../messages/ids.js';
import { defined } from '../../messages/objects.js';
import { businessOutcome, merchantOutcome } from '../../messages/outcomes.js';
import type { RequirementKind } from '../../messages/requirements.js';
import { isUnderReview } from '../../partners/boarding/phases.js';
import { isRefusedAtTheDoor, type PartnerErrorDetails } from '../../partners/partner-error.js';
import { masked } from '../../privacy/masked.js';
import { startSingle } from '../../temporal/single-activities.js';
import { explainPartnerFailure } from '../../texts/partner-failures.js';
import { CommandFailed } from '../cli/errors.js';
import { explainActivity } from '../cli/failures.js';
import { outcomeLines } from '../cli/in-words.js';
import { RERUN } from './waiting.js';

type MerchantRead = Awaited<ReturnType<BoardingActivities['inspectMerchant']>>;
type ProfileRead = Awaited<ReturnType<BankingActivities['inspectProfile']>>;

export interface Followed {
  readonly merchant?: FollowedMerchantInput;
  readonly business?: FollowedBusinessInput;
}

/** What following would do. */
export interface Preview {
  /** The label under which rows are counted: `would poll`. */
  readonly word: string;
  /** Begins with the word. */
  readonly text: string;
  readonly json: object;
}

export interface Adoptable extends Ready {
  /** What following would do. @throws {RefusedRow} when it cannot be followed */
  readonly preview: (client: Client, taskQueue: string) => Promise<Preview>;
}

/** A row that cannot be followed, for a reason that other rows do not share. The message is for people. */
export class RefusedRow extends Error {
  override readonly name = 'RefusedRow';
}

interface PartPreview {
  readonly status: string;
  readonly requirements: readonly RequirementKind[];
  /** The outcome with which it would end at once. */
  readonly outcome?: Outcome;
  /** Why a person is asked whose profile it is. */
  readonly unclear?: readonly string[];
}

/** A row waits for a worker at most so long: a rate limit may hold it back. */
const ACTIVITY_OPTIONS = {
  scheduleToStartTimeout: '10m',
  startToCloseTimeout: '2m',
  heartbeatTimeout: '10s',
  retry: { initialInterval: '1s', maximumInterval: '30s', maximumAttempts: 5 },
} as const;

export type PartnerReads = ReturnType<typeof partnerReads>;

/**
 * Reads merchants and profiles at their partners. The reads are activities on the partner task queues, so that the server holds
 * the rate limit of the partner over these reads and all other work.
 */
export function partnerReads() {
  const polled = new Set<string>();
  /**
   * What following would do.
   *
   * @throws {RefusedRow} when it cannot be followed
   * @throws {CommandFailed}, {@link NoWorker} when no other row can be read either
   */
  return async (client: Client, taskQueue: string, { merchant, business }: Followed): Promise<Preview> => {
    const read: Read = async <Result>(what: string, single: Inspection): Promise<Result> => {
      const queue = partnerTaskQueue(taskQueue, single.queue, single.account);
      if (!polled.has(queue)) await requireWorker(client, queue);
      polled.add(queue);
      const full = { ...single, summary: `Read ${what} to adopt`, options: ACTIVITY_OPTIONS };
      try {
        const { result } = await startSingle(client, taskQueue, `adopt-${randomUUID()}`, full);
        return await result<Result>();
      } catch (error) {
        throw explainRead(error, what, queue);
      }
    };
    const [boarding, banking] = await Promise.all([
      merchant && previewMerchant(read, taskQueue, merchant),
      business && previewProfile(read, business),
    ]);
    const parts = [boarding, banking].filter((part) => part !== undefined);
    const asks = parts.some(({ requirements }) => requirements.length > 0);
    const would = asks ? 'ask' : parts.every(({ outcome }) => outcome) ? 'end' : 'poll';
    const named = boarding && banking;
    const texts = [
      boarding && (named ? `merchant ${lineOf(boarding)}` : lineOf(boarding)),
      banking && (named ? `business ${lineOf(banking)}` : lineOf(banking)),
    ];
    return {
      word: `would ${would}`,
      text: `would ${would}: ${texts.filter(Boolean).join('; ')}`,
      json: { would, ...defined({ merchant: boarding, business: banking }) },
    };
  };
}

type Inspection = Omit<SingleActivity, 'summary' | 'options'>;

/** @param what it reads, for people: `merchant 1001` */
type Read = <Result>(what: string, single: Inspection) => Promise<Result>;

async function previewMerchant(
  read: Read,
  taskQueue: string,
  input: FollowedMerchantInput,
): Promise<PartPreview> {
  const { merchantProfileId, account, externalId } = input;
  const id = workflowId('merchantBoarding', externalId, account);
  const what = `merchant ${merchantProfileId}`;
  const { now, owner } = await read<MerchantRead>(what, {
    ...{ activity: 'inspectMerchant', queue: 'boarding', account },
    args: [{ merchantProfileId, taskQueue, workflowId: id }],
  });
  if (owner?.isRunning) throw new RefusedRow(`${what}: ${owner.workflowId} has it`);
  const { status, phase, notes, unclearMid } = now;
  const outcome = merchantOutcome(now, merchantProfileId);
  const requirements: RequirementKind[] = [
    ...(isUnderReview(phase) ? notes.map(() => 'underwriting-note' as const) : []),
    ...(phase === 'changes-requested' ? ['request-changes' as const] : []),
    ...(phase === 'not-submitted' ? ['not-submitted' as const] : []),
    ...(phase === 'approved' && unclearMid !== null ? ['unclear-mid' as const] : []),
  ];
  return { status, requirements, ...defined({ outcome }) };
}

async function previewProfile(read: Read, input: FollowedBusinessInput): Promise<PartPreview> {
  const { profileId, account, externalId, holder, merchantProfileId } = input;
  const id = workflowId('businessOnboarding', externalId, account);
  const what = `banking profile ${profileId}`;
  const found = await read<ProfileRead>(what, {
    ...{ activity: 'inspectProfile', queue: 'banking', account },
    args: [{ profileId, workflowId: id, holder, ...defined({ merchantProfileId }) }],
  });
  if (!found) throw new RefusedRow(`the bank shows no ${what}`);
  const { candidate, now } = found;
  const { against, unclear } = candidate;
  const dba = candidate.dba === null ? '' : ` of “${masked(candidate.dba)}”`;
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

/** A failure that concerns one row is a {@link RefusedRow}. Any other one would meet all rows. */
function explainRead(error: unknown, what: string, queue: string): unknown {
  const failure = error instanceof TimeoutFailure && error.cause ? error.cause : error;
  if (failure instanceof TimeoutFailure && failure.timeoutType !== 'SCHEDULE_TO_START')
    return new RefusedRow(`${what}: the worker did not read it in time`);
  if (!(failure instanceof ApplicationFailure) || failure.type !== PARTNER_ERROR)
    return explainActivity(failure, queue, true);
  const details = failure.details?.[0] as PartnerErrorDetails;
  const { system, kind, status } = details;
  if (kind === 'NotSent' || isRefusedAtTheDoor(details))
    return new CommandFailed(`${explainPartnerFailure(details)}\n${RERUN}`);
  if (status === 404) return new RefusedRow(`the ${system} partner has no ${what} (404)`);
  if (kind === 'Forbidden')
    return new RefusedRow(
      `the ${system} partner does not let us read ${what} (${status ?? 403}): it belongs to another organization`,
    );
  return new RefusedRow(`${what}: ${explainPartnerFailure(details).replace(/\n\s*/g, '; ')}`);
}

/** `Pending, 2 underwriting-note`; `Approved, boarded: mid 518000001001` */
function lineOf({ status, requirements, outcome, unclear }: PartPreview): string {
  const kinds = [...Map.groupBy(requirements, (kind) => kind)];
  return [
    status,
    ...kinds.map(([kind, { length }]) => `${length} ${kind}`),
    ...(unclear ? [`whose profile it is: ${unclear.join(', ')}`] : []),
    ...(outcome ? outcomeLines(outcome) : []),
  ].join(', ');
}
