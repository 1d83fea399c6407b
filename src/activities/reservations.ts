import { randomUUID } from 'node:crypto';
import { activityInfo } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { ApplicationFailure, defaultPayloadConverter, type Payload } from '@temporalio/common';
import { msToTs } from '@temporalio/common/lib/time.js';
import proto from '@temporalio/proto';
import type { ImportedRecord } from '../messages/activities.js';
import { reservationId, workflowTaskQueue } from '../messages/ids.js';
import { type FieldProblem, PartnerError } from '../partners/partner-error.js';
import { describe } from '../temporal/find-onboarding.js';
import { describeWithMemo } from '../temporal/search.js';
import { isAlreadyStarted, undefinedIfMissing } from '../temporal/unavailable.js';
import { callWithDeadline, ifNotRejected } from './failures.js';

export type Reservations = ReturnType<typeof reservationsAt>;

/** The maximum number of tries to take over a record that other onboardings also try to take over. */
const MAX_TRIES = 5;

// Keeps W4.
/** Reserves records of one account at a partner. A record is reserved for one onboarding before anything is written to it. */
export function reservationsAt(system: 'boarding' | 'banking', partnerAccount: string | undefined) {
  function reservationFor(record: number | string) {
    const { taskQueue: partnerQueue, workflowExecution } = activityInfo();
    const taskQueue = workflowTaskQueue(partnerQueue, system, partnerAccount);
    const id = reservationId(system, taskQueue, record, partnerAccount);
    return { id, taskQueue, owner: workflowExecution?.workflowId ?? '' };
  }

  const currentReservation = (id: string) => callWithDeadline((client) => reservationOf(client, id));

  const tryToReserve = (wanted: ReturnType<typeof reservationFor>, replaced?: Reservation) =>
    callWithDeadline((client) => reserve(client, wanted, replaced));

  /** Returns the onboarding that reserved a record; undefined if there is none, or if it is `except`. */
  async function ownerOf(record: number, except?: string): Promise<string | undefined> {
    const { owner } = (await currentReservation(reservationFor(record).id)) ?? {};
    return owner === except ? undefined : owner;
  }

  /**
   * Reserves a record for this onboarding, unless it already has. Takes the record over from an ended onboarding or a known owner.
   *
   * @throws {PartnerError} `Rejected` if another running onboarding has the record, so nothing may be written to it
   */
  async function ensureReserved(record: number, knownOwners: readonly string[] = []): Promise<void> {
    const wanted = reservationFor(record);
    const { id, owner } = wanted;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const reservation = await currentReservation(id);
      if (reservation?.owner === owner) return;
      if (reservation && !knownOwners.includes(reservation.owner) && (await isRunning(reservation)))
        throw notSent(
          `workflow ${reservation.owner} has ${record} as well; abandon one of the two, then retry the other`,
        );
      if (await tryToReserve(wanted, reservation)) return;
    }
    throw ApplicationFailure.retryable(`others take ${record} over at the same time`, 'Contended');
  }

  /**
   * Reserves the record in the response to a create. The partner may have had the record before, so it is ours only if no other
   * onboarding has ever reserved it, and `otherReasons` returns none.
   *
   * @param otherReasons returns further evidence that the record is not ours, for people
   * @returns the reasons why it may not be ours; empty if it is now reserved
   */
  async function reserveNew(
    record: number,
    otherReasons: () => Promise<readonly string[]>,
  ): Promise<readonly string[]> {
    const reasons = await reasonsAgainst(record, otherReasons);
    if (reasons.length > 0 || (await tryToReserve(reservationFor(record)))) return reasons;
    // An earlier attempt or run of this onboarding may have reserved it.
    return reasonsAgainst(record, async () => []);
  }

  /** Returns the other record that has this mid, if any. A mid belongs to the record for which it was first read. */
  async function otherWithMid(mid: string, record: number): Promise<string | undefined> {
    const wanted = { ...reservationFor(`mid-${mid}`), owner: `merchant ${record}` };
    if (await tryToReserve(wanted)) return undefined;
    const holder = (await currentReservation(wanted.id))?.owner;
    return holder === wanted.owner ? undefined : holder;
  }

  /** Returns the reasons why a record may not be ours. If another onboarding owns it, the other reasons need not be readable. */
  async function reasonsAgainst(record: number, otherReasons: () => Promise<readonly string[]>) {
    const other = await ownerOf(record, reservationFor(record).owner);
    if (other === undefined) return otherReasons();
    return [...new Set([`${other} has it`, ...(await ifNotRejected(otherReasons(), []))])];
  }

  return {
    ownerOf,
    otherWithMid,
    ensureReserved,
    reserveNew,
    reasonsAgainst,
    takeOver: ({ id, knownOwners }: ImportedRecord) => ensureReserved(id, knownOwners),
  };
}

export async function isRunning({ owner }: Pick<Reservation, 'owner'>): Promise<boolean> {
  const { status } = (await callWithDeadline((client) => describe(client, owner))) ?? {};
  // An operator may have paused the workflow.
  return status?.name === 'RUNNING' || status?.name === 'PAUSED';
}

function notSent(message: string): PartnerError {
  const fields: FieldProblem[] = [{ field: '', message }];
  const operation = activityInfo().activityType;
  return new PartnerError({ system: 'gangway', operation, kind: 'Rejected', fields, reason: 'not sent' });
}

/**
 * Reserves a record at a partner, such as a merchant or a banking profile, for one onboarding. A reservation is a workflow that
 * never runs, because its start delay exceeds its timeout. Its workflow ID contains the record's ID, so Temporal accepts only one
 * of several concurrent reservations, without the lag of a visibility query. Its memo names the onboarding in plain text, so a
 * worker can read it after a key rotation. A reservation outlives its onboarding, because the record stays at the partner, and a
 * later create may return it. It lasts {@link RESERVED_FOR} plus the namespace's retention period.
 */
export interface Reservation {
  /** Workflow ID of the onboarding. */
  readonly owner: string;
  readonly runId: string;
}

const RESERVED_FOR = '3650 days';
const NEVER = '7300 days';

const {
  WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE: REJECT_DUPLICATE,
  WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE: ALLOW_DUPLICATE,
} = proto.temporal.api.enums.v1.WorkflowIdReusePolicy;

/** Returns the latest reservation of a record, even an ended one; undefined if there is none. */
export async function reservationOf(client: Client, id: string): Promise<Reservation | undefined> {
  const execution = await undefinedIfMissing(describeWithMemo(client, id));
  if (!execution) return undefined;
  const { owner } = execution.memo?.fields ?? {};
  return {
    owner: owner ? String(defaultPayloadConverter.fromPayload(owner)) : 'another onboarding',
    runId: execution.execution?.runId ?? '',
  };
}

/**
 * Reserves a record for an onboarding.
 *
 * @param replaced the reservation to take over
 * @returns false if another onboarding has reserved it first
 */
export async function reserve(
  client: Client,
  { id, owner, taskQueue }: { readonly id: string; readonly owner: string; readonly taskQueue: string },
  replaced?: Reservation,
): Promise<boolean> {
  const { namespace, identity } = client.options;
  if (replaced) {
    // If several onboardings take the record over, only one can terminate this run.
    const workflowExecution = { workflowId: id, runId: replaced.runId };
    const reason = `taken over by ${owner}`;
    await undefinedIfMissing(
      client.workflowService.terminateWorkflowExecution({ namespace, identity, workflowExecution, reason }),
    );
  }
  try {
    await client.workflowService.startWorkflowExecution({
      namespace,
      identity,
      requestId: randomUUID(),
      workflowId: id,
      workflowType: { name: 'reservation' },
      taskQueue: { name: `${taskQueue}-reservations` },
      memo: { fields: { owner: defaultPayloadConverter.toPayload(owner) as Payload } },
      workflowExecutionTimeout: msToTs(RESERVED_FOR),
      workflowStartDelay: msToTs(NEVER),
      workflowIdReusePolicy: replaced ? ALLOW_DUPLICATE : REJECT_DUPLICATE,
    });
    return true;
  } catch (error) {
    if (isAlreadyStarted(error)) return false;
    throw error;
  }
}
