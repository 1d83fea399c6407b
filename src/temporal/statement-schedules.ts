import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Client,
  ScheduleAlreadyRunning,
  type ScheduleDescription,
  type ScheduleHandle,
  ScheduleNotFoundError,
  type ScheduleSummary,
} from '@temporalio/client';
import type { GenerateStatementInput } from '../messages/banking-activities.js';
import { atAccount, splitAccount, type WorkflowType, workflowId } from '../messages/ids.js';
import { newcomer } from './onboardings.js';
import { isUnreadable } from './unreadable.js';

const PREFIX = 'statements-';
const WORKFLOW_TYPE: WorkflowType = 'generateStatement';

/** A statement that was missed for longer than this, while the server was away, is left to a person. */
const CATCHUP_WINDOW = '7 days';

/** How long to wait for a run that was asked for, in milliseconds. */
const PATIENCE_MS = 5_000;
const GLANCE_MS = 100;

/** Names a schedule that is not there, or that more than one is called. The message is for people. */
export class UnknownSchedule extends Error {
  override readonly name = 'UnknownSchedule';
}

/** Statements of the previous month, each month on this day and hour, in UTC. */
export interface MonthlyStatements {
  readonly key: string;
  /** The account at the partners; default: the one without a name. */
  readonly account: string | undefined;
  readonly day: number;
  readonly hour: number;
  readonly request: Omit<GenerateStatementInput, 'period'>;
}

/** A schedule as the server has it. */
export interface StatementSchedule {
  readonly key: string;
  /** The account at the partners; undefined for the one without a name. */
  readonly account: string | undefined;
  readonly scheduleId: string;
  /** Undefined when it is encrypted with a key that we do not have. */
  readonly request: GenerateStatementInput | undefined;
  readonly isPaused: boolean;
  readonly nextRunAt: Date | undefined;
  readonly lastWorkflowId: string | undefined;
}

/** Creates the schedule of this key and account, or replaces what it does and when. One that is paused stays so. */
export async function saveSchedule(
  client: Client,
  monthly: MonthlyStatements,
  taskQueue: string,
): Promise<{ created: boolean; schedule: StatementSchedule }> {
  const options = optionsOf(monthly, taskQueue);
  const handle = client.schedule.getHandle(PREFIX + atAccount(monthly.key, monthly.account));
  try {
    await client.schedule.create({ scheduleId: handle.scheduleId, ...options });
    return { created: true, schedule: asSchedule(await handle.describe()) };
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    await handle.update(({ state }) => ({ ...options, state }));
    return { created: false, schedule: asSchedule(await handle.describe()) };
  }
}

function optionsOf({ key, account, day, hour, request }: MonthlyStatements, taskQueue: string) {
  const input: GenerateStatementInput = { ...request, period: 'previous-month' };
  return {
    spec: { calendars: [{ dayOfMonth: day, hour }] },
    // Each month has its statement, also when the one before is still waiting for the partner.
    policies: { overlap: 'BUFFER_ALL', catchupWindow: CATCHUP_WINDOW } as const,
    action: {
      type: 'startWorkflow' as const,
      workflowType: WORKFLOW_TYPE,
      // The server appends the time of each run.
      workflowId: workflowId(WORKFLOW_TYPE, key, account),
      taskQueue,
      args: [input],
      ...newcomer(`statements ${key}`, account),
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

/**
 * Finds a schedule by its key, `key@account`, or its whole id.
 *
 * @param accounts names of the accounts at the partners in which a key is looked for, beside the one without a name
 * @throws {UnknownSchedule} when there is none, or when several accounts have one of the key
 */
export async function findSchedule(
  client: Client,
  given: string,
  accounts: readonly string[],
): Promise<ScheduleHandle> {
  const isWhole = given.startsWith(PREFIX);
  const isInOne = isWhole || splitAccount(given).account !== undefined;
  const keys = isInOne ? [given] : [given, ...accounts.map((account) => atAccount(given, account))];
  const handles = keys.map((key) => client.schedule.getHandle(isWhole ? key : PREFIX + key));
  const [first, ...more] = (await Promise.all(handles.map(ifThere))).filter((handle) => handle !== undefined);
  const name = JSON.stringify(given);
  if (!first) throw new UnknownSchedule(`there is no schedule of statements ${name}`);
  if (more.length === 0) return first;
  const ids = [first, ...more].map(({ scheduleId }) => scheduleId);
  throw new UnknownSchedule(`${name} may mean ${ids.join(', ')}: give --partner-account, or the whole id`);
}

async function ifThere(handle: ScheduleHandle): Promise<ScheduleHandle | undefined> {
  try {
    await handle.describe();
    return handle;
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return undefined;
    // It is there, and what it asks for need not be read.
    if (isUnreadable(error)) return handle;
    throw error;
  }
}

/**
 * Lets a schedule run now, beside its times.
 *
 * @returns id of the workflow; undefined when the server has not started it by now
 */
export async function runSchedule(handle: ScheduleHandle): Promise<string | undefined> {
  const before = await lastRun(handle);
  await handle.trigger();
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

function asSchedule({
  scheduleId,
  action,
  state,
  info,
}: ScheduleDescription | ScheduleSummary): StatementSchedule {
  const [request] = action && 'args' in action ? (action.args ?? []) : [];
  return {
    ...splitAccount(scheduleId.slice(PREFIX.length)),
    scheduleId,
    request: request as GenerateStatementInput | undefined,
    isPaused: state.paused,
    nextRunAt: state.paused ? undefined : info.nextActionTimes[0],
    lastWorkflowId: info.recentActions.at(-1)?.action.workflow.workflowId,
  };
}
