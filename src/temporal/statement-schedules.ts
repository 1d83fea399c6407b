import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Client,
  ScheduleAlreadyRunning,
  type ScheduleDescription,
  type ScheduleHandle,
  ScheduleNotFoundError,
  type ScheduleSummary,
} from '@temporalio/client';
import type { GenerateStatementInput } from '../messages/banking-operations.js';
import { type WorkflowType, workflowId } from '../messages/ids.js';
import { newcomer } from './onboardings.js';
import { isUnreadable } from './unreadable.js';

const PREFIX = 'statements-';
const WORKFLOW_TYPE: WorkflowType = 'generateStatement';

/** A statement that was missed for longer than this, while the server was away, is left to a person. */
const CATCHUP_WINDOW = '7 days';

/** How long to wait for a run that was asked for, in milliseconds. */
const PATIENCE_MS = 5_000;
const GLANCE_MS = 100;

/** Names a schedule that is not there. The message is for people. */
export class UnknownSchedule extends Error {
  override readonly name = 'UnknownSchedule';
}

/** Statements of the previous month, each month on this day and hour, in UTC. */
export interface MonthlyStatements {
  readonly key: string;
  readonly day: number;
  readonly hour: number;
  readonly request: Omit<GenerateStatementInput, 'period'>;
}

/** A schedule as the server has it. */
export interface StatementSchedule {
  readonly key: string;
  readonly scheduleId: string;
  /** Undefined when it is encrypted with a key that we do not have. */
  readonly request: GenerateStatementInput | undefined;
  readonly isPaused: boolean;
  readonly nextRunAt: Date | undefined;
  readonly lastWorkflowId: string | undefined;
}

/** Creates the schedule of this key, or replaces what it does and when. One that is paused stays so. */
export async function saveSchedule(
  client: Client,
  monthly: MonthlyStatements,
  taskQueue: string,
): Promise<{ created: boolean; schedule: StatementSchedule }> {
  const options = optionsOf(monthly, taskQueue);
  const handle = client.schedule.getHandle(PREFIX + monthly.key);
  try {
    await client.schedule.create({ scheduleId: handle.scheduleId, ...options });
    return { created: true, schedule: asSchedule(await handle.describe()) };
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    await handle.update(({ state }) => ({ ...options, state }));
    return { created: false, schedule: asSchedule(await handle.describe()) };
  }
}

function optionsOf({ key, day, hour, request }: MonthlyStatements, taskQueue: string) {
  const input: GenerateStatementInput = { ...request, period: 'previous-month' };
  return {
    spec: { calendars: [{ dayOfMonth: day, hour }] },
    // Each month has its statement, also when the one before is still waiting for the partner.
    policies: { overlap: 'BUFFER_ALL', catchupWindow: CATCHUP_WINDOW } as const,
    action: {
      type: 'startWorkflow' as const,
      workflowType: WORKFLOW_TYPE,
      // The server appends the time of each run.
      workflowId: workflowId(WORKFLOW_TYPE, key),
      taskQueue,
      args: [input],
      ...newcomer(`statements ${key}`, request.account),
    },
  };
}

export async function listSchedules(client: Client): Promise<StatementSchedule[]> {
  const found: ScheduleSummary[] = [];
  for await (const summary of client.schedule.list()) {
    const { scheduleId, action } = summary;
    if (scheduleId.startsWith(PREFIX) && action?.workflowType === WORKFLOW_TYPE) found.push(summary);
  }
  const schedules = await Promise.all(found.map((summary) => describe(client, summary)));
  return schedules.filter((schedule) => schedule !== undefined);
}

/** Undefined when it was deleted since it was listed. */
async function describe(client: Client, summary: ScheduleSummary): Promise<StatementSchedule | undefined> {
  try {
    return asSchedule(await client.schedule.getHandle(summary.scheduleId).describe());
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return undefined;
    if (isUnreadable(error)) return asSchedule(summary);
    throw error;
  }
}

/** Runs that have begun go on. @throws {UnknownSchedule} */
export async function deleteSchedule(client: Client, key: string): Promise<string> {
  const handle = client.schedule.getHandle(PREFIX + key);
  await known(key, handle.delete());
  return handle.scheduleId;
}

/**
 * Lets a schedule run now, beside its times.
 *
 * @returns id of the workflow; undefined when the server has not started it by now
 * @throws {UnknownSchedule}
 */
export async function runSchedule(client: Client, key: string): Promise<string | undefined> {
  const handle = client.schedule.getHandle(PREFIX + key);
  const before = await known(key, lastRun(handle));
  await known(key, handle.trigger());
  for (const until = Date.now() + PATIENCE_MS; Date.now() < until; await sleep(GLANCE_MS)) {
    const last = await lastRun(handle);
    if (last && last.firstExecutionRunId !== before?.firstExecutionRunId) return last.workflowId;
  }
  return undefined;
}

async function lastRun(handle: ScheduleHandle) {
  const { info } = await handle.describe();
  return info.recentActions.at(-1)?.action.workflow;
}

async function known<T>(key: string, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error;
    throw new UnknownSchedule(`there is no schedule of statements ${JSON.stringify(key)}`);
  }
}

function asSchedule({
  scheduleId,
  action,
  state,
  info,
}: ScheduleDescription | ScheduleSummary): StatementSchedule {
  const [request] = action && 'args' in action ? (action.args ?? []) : [];
  return {
    key: scheduleId.slice(PREFIX.length),
    scheduleId,
    request: request as GenerateStatementInput | undefined,
    isPaused: state.paused,
    nextRunAt: state.paused ? undefined : info.nextActionTimes[0],
    lastWorkflowId: info.recentActions.at(-1)?.action.workflow.workflowId,
  };
}
