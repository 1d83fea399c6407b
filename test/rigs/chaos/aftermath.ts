import { setTimeout as sleep } from 'node:timers/promises';
import { decodeOptionalFailureToOptionalError } from '@temporalio/common/lib/internal-non-workflow/index.js';
import proto from '@temporalio/proto';
import { ACCOUNTS } from '../../../src/messages/ids.js';
import { found, type Markers } from '../privacy/markers.js';
import { type Kept, kept } from '../privacy/places.js';
import type { Party } from './cast.js';
import { workersOf } from './operator.js';
import type { Stage } from './stage.js';

/** Deliveries are tried again at growing intervals. */
const NEWS_PATIENCE_MS = 90_000;

/** Those of whose end nobody was told. */
export async function untold({ crm }: Stage, cast: readonly Party[]): Promise<string[]> {
  const missing = () => {
    const ends = [...crm.received.values()].filter(({ type }) => type === 'onboarding.completed.v1');
    const told = new Set(ends.map(({ subject }) => subject));
    return cast.filter(({ workflowId }) => !told.has(workflowId));
  };
  for (const until = Date.now() + NEWS_PATIENCE_MS; missing().length > 0 && Date.now() < until; )
    await sleep(200);
  return missing().map(({ workflowId }) => `nobody was told of the end of ${workflowId}`);
}

/**
 * Looks through everything that is left, and ends the stage: what ran that nobody asked for, or twice; failed workflow tasks;
 * markers in any place where an operator of servers could read them.
 *
 * @param printed what commands have printed
 */
export async function aftermath(
  stage: Stage,
  cast: readonly Party[],
  { marked, printed }: { readonly marked: Markers; readonly printed: string },
): Promise<string[]> {
  const executions: Kept[] = [];
  for await (const execution of kept(stage.rig.client)) executions.push(execution);
  const events = Buffer.from(JSON.stringify([...stage.crm.received.values()]));
  const webhooks = Buffer.from(JSON.stringify(await stage.control('GET', '/sandbox/webhooks')));
  const logs = Buffer.concat([await stage.quiet(), Buffer.from(printed)]);
  const places = {
    histories: Buffer.concat(executions.map(({ bytes }) => bytes)),
    visibility: Buffer.concat(executions.map(({ visibility }) => visibility)),
    database: await stage.strike(),
    ...{ logs, events, webhooks },
  };
  const empty = Object.entries(places).filter(([, bytes]) => bytes.length < 1_000);
  return [
    ...unexpected(executions, cast),
    ...(await Promise.all(executions.map((execution) => failedTasks(stage, execution)))).flat(),
    ...Object.entries(places).flatMap(([place, bytes]) =>
      found(bytes, marked).map((name) => `the marker ${name} is in ${place}`),
    ),
    ...empty.map(([place]) => `there is next to nothing in ${place} to be searched`),
  ];
}

function unexpected(executions: readonly Kept[], cast: readonly Party[]): string[] {
  const expected = new Set(cast.flatMap((party) => [party.workflowId, ...workersOf(party)]));
  const seen = new Set<string>();
  return executions.flatMap(({ workflowId, status }) => {
    // Refused credentials start it, as often as that happens.
    const isAccount = workflowId.startsWith(`${ACCOUNTS.partnerAccount}-`);
    const problems = [
      !expected.has(workflowId) && !isAccount && `${workflowId} was asked for by nobody`,
      seen.has(workflowId) && !isAccount && `${workflowId} ran twice`,
      status !== 'COMPLETED' && `${workflowId} is ${status.toLowerCase()}`,
    ];
    seen.add(workflowId);
    return problems.filter((problem) => problem !== false);
  });
}

const { WorkflowTaskFailedCause: CAUSES } = proto.temporal.api.enums.v1;

/** That something came in while a worker was about to end the workflow is no failure: the task is done again. */
const HARMLESS: readonly unknown[] = [CAUSES.WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND];

/** What the SDK says of a task whose worker was stopped in the middle of it: the task is done again. */
const STOPPED = 'Script execution timed out';

async function failedTasks({ rig }: Stage, { workflowId, history }: Kept): Promise<string[]> {
  const problems: string[] = [];
  for (const { workflowTaskFailedEventAttributes: failed } of history.events ?? []) {
    if (!failed || HARMLESS.includes(failed.cause)) continue;
    const { failure } = failed;
    const error = await decodeOptionalFailureToOptionalError(rig.client.options.loadedDataConverter, failure);
    const message = error?.message ?? '';
    if (message.includes(STOPPED)) continue;
    problems.push(`a workflow task of ${workflowId} failed: ${CAUSES[failed.cause ?? 0]} ${message}`);
  }
  return problems;
}
