import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowStartOptions,
} from '@temporalio/client';
import type { Priority } from '@temporalio/common';
import { PRIORITY_KEYS } from '../messages/activities.js';
import { BATCH_MEMO } from '../messages/batches.js';
import { workflowId } from '../messages/ids.js';
import type { MerchantBoardingInput } from '../messages/inputs.js';
import type { DbaForm } from '../messages/list-fields.js';
import { fieldOf, isContainer, isObject } from '../messages/objects.js';
import {
  type OperationName,
  type OperationOutcome,
  operationKey,
  type PartnerOperationInput,
  purposeOf,
} from '../messages/partner-operations.js';
import type { FourEyes, Resolved } from '../messages/requirements.js';
import { type FirstSight, initialVisibility } from '../messages/search-attributes.js';
import type { WorkflowType } from '../messages/workflow-types.js';
import { waitForResult } from './find-onboarding.js';
import { startOfRun } from './history.js';
import { decodePayloads, isUnreadablePayload } from './payload-codec.js';
import { describeWithMemo, inMemo } from './search.js';
import { isNotFound } from './unavailable.js';

export interface StartOptions {
  readonly taskQueue: string;
  /** Starts a new workflow if an earlier one with this ID has ended. */
  readonly again?: boolean;
  readonly urgency?: Urgency;
  readonly dbaForm?: DbaForm;
  readonly fourEyes: FourEyes;
  /** The workflow ID of the batch that starts it. A batch may repeat a start that an earlier attempt could not report. */
  readonly batch?: string;
  /** The person or program that starts it. */
  readonly actor?: string | undefined;
  readonly send?: SendStart;
}

/**
 * Sends a start with these options to the server, and returns the run ID.
 *
 * @throws {WorkflowExecutionAlreadyStartedError} if the ID is taken
 */
export type SendStart = (type: WorkflowType, options: WorkflowStartOptions) => Promise<string>;

/** The workflow that a start created or attached to. */
export interface Started {
  readonly workflowId: string;
  readonly runId: string;
  /** False if a workflow with this ID already existed, unless an earlier attempt of the same batch started it. */
  readonly started: boolean;
}

/** A workflow to start, under the ID that {@link workflowId} builds from type, key and account. */
export interface Start extends Omit<FirstSight, 'dbaForm' | 'batch' | 'actor'> {
  readonly type: WorkflowType;
  readonly key: string;
  readonly args: readonly unknown[];
  readonly agent?: Agent;
}

/** Returns an input with its resolved settings: see {@link Resolved}. */
export function resolved<Input extends object>(
  input: Input,
  { fourEyes }: Pick<StartOptions, 'fourEyes'>,
): Input & Resolved {
  return fourEyes.length === 0 ? input : { ...input, fourEyes };
}

// Keeps T2.
/**
 * Starts a workflow. The same key attaches to the first workflow, running or ended, so a caller may safely retry. (To distinguish
 * the two cases, the conflict policy is `FAIL`, and the error is caught here.)
 */
export async function startOnce(
  client: Client,
  { type, key, args, agent, account, ...sight }: Start,
  {
    taskQueue,
    again = false,
    urgency = 'interactive',
    dbaForm,
    batch,
    actor,
    send = sentBy(client),
  }: StartOptions,
): Promise<Started> {
  const id = workflowId(type, key, account);
  try {
    const runId = await send(type, {
      workflowId: id,
      taskQueue,
      args: [...args],
      workflowIdConflictPolicy: 'FAIL',
      workflowIdReusePolicy: again ? 'ALLOW_DUPLICATE' : 'REJECT_DUPLICATE',
      priority: priorityOf(urgency, agent, account),
      ...initialVisibility(type, { ...sight, account, dbaForm, batch, actor }),
    });
    return { workflowId: id, runId, started: true };
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    const { runId } = await client.workflow.getHandle(id).describe();
    // An earlier attempt of the batch may have started it without getting the response.
    const starter = batch && (await inMemo(client, await describeWithMemo(client, id), BATCH_MEMO));
    return { workflowId: id, runId, started: batch !== undefined && starter === batch };
  }
}

function sentBy(client: Client): SendStart {
  return async (type, options) => (await client.workflow.start(type, options)).firstExecutionRunId;
}

export interface OperationStart<Name extends OperationName = OperationName>
  extends PartnerOperationInput<Name>,
    Pick<Start, 'key' | 'account'> {}

/**
 * Starts a single operation, or attaches to a running or completed one with the same key. A rejected operation had no effect, so
 * the same key starts it again. An abandoned or stopped one may have had an effect, so starting it again requires `again`.
 */
export async function startOperation<Name extends OperationName>(
  client: Client,
  { operation, request, key, account }: OperationStart<Name>,
  options: StartOptions,
): Promise<Started> {
  const input = { operation, request };
  const start: Start = {
    type: 'partnerOperation',
    key: operationKey(operation, key),
    account,
    args: [resolved(input, options)],
    summary: purposeOf(input),
  };
  const first = await startOnce(client, start, options);
  if (first.started || !(await wasRejected(client, first.workflowId))) return first;
  return startOnce(client, start, { ...options, again: true });
}

async function wasRejected(client: Client, workflowId: string): Promise<boolean> {
  const { status } = await client.workflow.getHandle(workflowId).describe();
  if (status.name !== 'COMPLETED') return false;
  const { outcome } = await waitForResult<OperationOutcome>(client, workflowId);
  return outcome === 'rejected';
}

/** `interactive`: a person or program waits for the onboarding. `batch`: it is one row of many. */
export type Urgency = 'interactive' | 'batch';

export type Agent = Pick<MerchantBoardingInput, 'agentProfileId' | 'agent'>;

/**
 * Returns a priority, by which interactive onboardings come first. Activities and child workflows inherit it. Within a priority,
 * Temporal alternates between agents, so ten thousand rows of one agent do not delay the others.
 *
 * @param agent Temporal stores the fairness key in plain text, so the key contains a hash of an agent's name
 */
export function priorityOf(urgency: Urgency, agent: Agent = {}, account?: string): Priority {
  // Agents of two accounts may have the same ID.
  const fairnessKey = [account, fairnessKeyOf(agent)].filter((key) => key !== undefined).join('-');
  return { priorityKey: PRIORITY_KEYS[urgency], ...(fairnessKey !== '' && { fairnessKey }) };
}

function fairnessKeyOf({ agentProfileId, agent }: Agent): string | undefined {
  if (agentProfileId !== undefined) return `agent-${agentProfileId}`;
  if (agent === undefined) return undefined;
  return `agent-${hash('sha256', agent).slice(0, 16)}`;
}

/**
 * Compares an input with the first input of a workflow, before any correction.
 *
 * @returns the dotted names of fields that differ; undefined if the first input is unreadable, because its history or key is gone
 */
export async function differenceFromStart(client: Client, workflowId: string, input: unknown) {
  try {
    const { raw, runId } = await client.workflow.getHandle(workflowId).describe();
    const started = await startOfRun(client, workflowId, raw.workflowExecutionInfo?.firstRunId || runId);
    const [first] = await decodePayloads(client, started?.input?.payloads, workflowId);
    // Ignore the setting, which may have changed since and is not part of the caller's input.
    const { fourEyes: _, ...options } = isObject(first) ? first : {};
    return differingFields(options, JSON.parse(JSON.stringify(input)));
  } catch (error) {
    // The server deletes a history after the namespace's retention period.
    if (isUnreadablePayload(error) || isNotFound(error)) return undefined;
    throw error;
  }
}

/** Returns the dotted names of fields in which two JSON values differ. */
export function differingFields(one: unknown, other: unknown, path = ''): string[] {
  if (isDeepStrictEqual(one, other)) return [];
  if (!isContainer(one) || !isContainer(other) || Array.isArray(one) !== Array.isArray(other)) return [path];
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].flatMap((name) =>
    differingFields(fieldOf(one, name), fieldOf(other, name), path === '' ? name : `${path}.${name}`),
  );
}
