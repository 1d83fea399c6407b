import { setTimeout as sleep } from 'node:timers/promises';
import { decodeOptionalFailureToOptionalError } from '@temporalio/common/lib/internal-non-workflow/index.js';
import proto from '@temporalio/proto';
import type { Party } from '../../../simulation/cast.js';
import { workersOf } from '../../../simulation/cast.js';
import { ACCOUNTS, BATCHES } from '../../../src/messages/workflow-types.js';
import { listDeliveries } from '../../../src/temporal/deliveries.js';
import { found, type Markers } from '../privacy/markers.js';
import { type Kept, kept } from '../privacy/places.js';
import { taskFailure } from '../workflows/workflow-tasks.js';
import type { Stage } from './stage.js';

/** How long an end may be neither received nor on its way. */
const EVENTS_TIMEOUT_MS = 90_000;

/** Deliveries are tried again at growing intervals. */
const DELIVERY_TIMEOUT_MS = 900_000;

/** Problems: the onboardings whose end was not published. */
export async function unreported({ crm, rig }: Stage, cast: readonly Party[]): Promise<string[]> {
  const missing = () => {
    const ends = [...crm.received.values()].filter(({ type }) => type === 'onboarding.completed.v1');
    const published = new Set(ends.map(({ subject }) => subject));
    return cast.map(({ workflowId }) => workflowId).filter((workflowId) => !published.has(workflowId));
  };
  const underWay = async (workflowId: string) => {
    for await (const { event, attempts } of listDeliveries(rig.client, { workflowId, statuses: ['RUNNING'] }))
      if (event.type === 'onboarding.completed.v1') return attempts;
    return undefined;
  };
  const beganAt = Date.now();
  for (let lastAt = beganAt; missing().length > 0; await sleep(1_000)) {
    const left = missing();
    const late = await Promise.all(left.map(underWay));
    if (late.some((attempts) => attempts !== undefined)) lastAt = Date.now();
    if (Date.now() - lastAt < EVENTS_TIMEOUT_MS && Date.now() - beganAt < DELIVERY_TIMEOUT_MS) continue;
    return left.map((workflowId, index) => {
      const how = late[index] === undefined ? 'no delivery is under way' : `after ${late[index]} attempts`;
      return `the end of ${workflowId} was not published: ${how}`;
    });
  }
  return [];
}

/**
 * Searches everything that is left, and ends the stage. Finds workflows that nobody requested or that ran twice, failed workflow
 * tasks, and markers in any place where an operator of servers could read them.
 *
 * @param printed the output of the commands
 * @param secrets the tokens of links
 */
export async function aftermath(
  stage: Stage,
  cast: readonly Party[],
  {
    marked,
    printed,
    secrets,
  }: { readonly marked: Markers; readonly printed: string; readonly secrets: readonly string[] },
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
    logs,
    events,
    webhooks,
  };
  // One webhook alone has about 200 bytes, and a small run may have no more than a few.
  const empty = Object.entries(places).filter(([, bytes]) => bytes.length < 100);
  return [
    ...unexpected(executions, cast),
    ...(await Promise.all(executions.map((execution) => failedTasks(stage, execution)))).flat(),
    ...Object.entries(places).flatMap(([place, bytes]) =>
      found(bytes, marked).map((name) => `the marker ${name} is in ${place}`),
    ),
    ...Object.entries(places).flatMap(([place, bytes]) =>
      secrets.some((token) => bytes.includes(token)) ? [`the token of a link is in ${place}`] : [],
    ),
    ...empty.map(([place]) => `${place} holds less than 100 bytes to search`),
  ];
}

function unexpected(executions: readonly Kept[], cast: readonly Party[]): string[] {
  const expected = new Set(cast.flatMap((party) => [party.workflowId, ...workersOf(party)]));
  const seen = new Set<string>();
  // A reservation of a record outlives its onboarding, unless another one takes it over. So does the record of a link.
  const others = executions.filter(
    ({ workflowId, status }) =>
      !/^(?:reservation|merchant-link)-/.test(workflowId) || !['RUNNING', 'TERMINATED'].includes(status),
  );
  return others.flatMap(({ workflowId, status }) => {
    // Refusals of credentials, and status names that no document has, start them.
    const isAccount = Object.values(ACCOUNTS).some(({ idPrefix }) => workflowId.startsWith(`${idPrefix}-`));
    // One for each run of `gangway batch`, under an id that the command makes.
    const isBatch = workflowId.startsWith(`${BATCHES.onboardingBatch.idPrefix}-`);
    const expectedStatus = workflowId.startsWith(`${ACCOUNTS.partnerRecord.idPrefix}-`)
      ? 'RUNNING'
      : 'COMPLETED';
    const problems = [
      !expected.has(workflowId) && !isAccount && !isBatch && `${workflowId} runs, and nobody requested it`,
      seen.has(workflowId) && !isAccount && `${workflowId} ran twice`,
      status !== expectedStatus && `${workflowId} is ${status.toLowerCase()}`,
    ];
    seen.add(workflowId);
    return problems.filter((problem) => problem !== false);
  });
}

const { WorkflowTaskFailedCause: CAUSES } = proto.temporal.api.enums.v1;

/** The SDK's message for a task whose worker was stopped in the middle of it. The task is done again. */
const STOPPED = 'Script execution timed out';

async function failedTasks({ rig }: Stage, { workflowId, history }: Kept): Promise<string[]> {
  const problems: string[] = [];
  for (const event of history.events ?? []) {
    const failed = taskFailure(event);
    if (!failed) continue;
    const { failure } = failed;
    const error = await decodeOptionalFailureToOptionalError(rig.client.options.loadedDataConverter, failure);
    const message = error?.message ?? '';
    if (message.includes(STOPPED)) continue;
    problems.push(`a workflow task of ${workflowId} failed: ${CAUSES[failed.cause ?? 0]} ${message}`);
  }
  return problems;
}
