import {
  type Client,
  type WorkflowExecutionDescription,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { type Resolution, resolveRequirement } from '../messages/requirements.js';
import { findOnboarding, UnknownOnboarding } from '../temporal/onboardings.js';
import type { Desk } from './event-types.js';
import { invalid, Problem } from './problems.js';

/** How many runs of one workflow are looked through for an earlier delivery. */
const MAX_RUNS = 20;

interface Delivered {
  /** The same for each delivery of one event. */
  readonly updateId: string;
  /** The member of the event's data that holds the answer. */
  readonly answerField: 'answer' | 'documents';
}

/**
 * Answers a requirement. The same `updateId` again is the same answer: it changes nothing and fails no more than it
 * did the first time.
 *
 * @param id workflow id, `externalId` or `externalId@account`
 * @returns the workflow id
 * @throws {Problem} when there is no such workflow, or when it does not take this answer
 */
export async function resolveOnce(
  desk: Desk,
  id: string,
  resolution: Resolution,
  { updateId, answerField }: Delivered,
): Promise<string> {
  const { client } = desk;
  const { workflowId, runId } = await find(desk, id);
  try {
    const handle = client.workflow.getHandle(workflowId);
    await handle.executeUpdate(resolveRequirement, { args: [resolution], updateId });
  } catch (error) {
    const refused = refusal(error, answerField);
    if (!refused) throw error;
    if (!(await wasTaken(client, { workflowId, runId }, updateId))) throw refused;
  }
  return workflowId;
}

/** @throws {Problem} when there is none, or when the `externalId` fits several */
export async function find({ client, accounts }: Desk, id: string): Promise<WorkflowExecutionDescription> {
  try {
    return await findOnboarding(client, id, accounts);
  } catch (error) {
    if (!(error instanceof UnknownOnboarding)) throw error;
    if (error.mayMean.length === 0) {
      throw new Problem('unknown-onboarding', 'check the id: none was ever started under it');
    }
    const detail =
      'give the whole workflow id, such as merchant-boarding-<externalId> or ...-<externalId>@<account>';
    throw new Problem('ambiguous-id', detail);
  }
}

/** Why an answer was not taken, undefined when that is not what happened. */
function refusal(error: unknown, answerField: string): Problem | undefined {
  if (error instanceof WorkflowNotFoundError) return new Problem('not-open', 'the onboarding has ended');
  if (!(error instanceof WorkflowUpdateFailedError)) return undefined;
  const { cause } = error;
  const [, field, rule] =
    /^([\w.]+): (.+)$/s.exec(cause instanceof ApplicationFailure ? cause.message : '') ?? [];
  if (field === undefined || rule === undefined) return undefined;
  if (field === 'requirementId') return new Problem('not-open', 'no requirement of this id is open');
  const given = answerField === 'answer' ? field : field.replace(/^answer\b.*/, answerField);
  return invalid([{ field: `data.${given}`, message: rule }], 'the requirement does not take this answer');
}

/**
 * Whether an update of this id has been taken before. Temporal itself looks only in the run that goes on now, and a
 * long onboarding has several.
 */
async function wasTaken(
  client: Client,
  { workflowId, runId }: { readonly workflowId: string; readonly runId: string },
  updateId: string,
): Promise<boolean> {
  let run: string | undefined = runId;
  for (let count = 0; run && count < MAX_RUNS; count++) {
    if (await isUpdateOf(client, workflowId, run, updateId)) return true;
    run = await runBefore(client, workflowId, run);
  }
  return false;
}

async function isUpdateOf(
  client: Client,
  workflowId: string,
  runId: string,
  updateId: string,
): Promise<boolean> {
  try {
    await client.workflow.getHandle(workflowId, runId).getUpdateHandle(updateId).result();
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError || error instanceof WorkflowUpdateFailedError) return false;
    throw error;
  }
}

async function runBefore(client: Client, workflowId: string, runId: string): Promise<string | undefined> {
  const { history } = await client.workflowService.getWorkflowExecutionHistory({
    namespace: client.options.namespace,
    execution: { workflowId, runId },
    maximumPageSize: 1,
  });
  const started = history?.events?.[0]?.workflowExecutionStartedEventAttributes;
  return started?.continuedExecutionRunId || undefined;
}
