import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Client,
  ScheduleAlreadyRunning,
  type ScheduleDescription,
  type ScheduleHandle,
  ScheduleNotFoundError,
  type ScheduleSummary,
} from '@temporalio/client';
import { atAccount, splitAccount, workflowId } from '../messages/ids.js';
import {
  type OperationRequest,
  operationKey,
  type PartnerOperationInput,
  purposeOf,
} from '../messages/partner-operations.js';
import { initialVisibility } from '../messages/search-attributes.js';
import { isUnreadablePayload } from './payload-codec.js';
import { TemporalProblem } from './unavailable.js';

const PREFIX = 'statements-';
const WORKFLOW_TYPE = 'partnerOperation';

/** The server catches up on statements that it missed during an outage of at most this long. */
const CATCHUP_WINDOW = '7 days';

/** The time to wait for a triggered run, in milliseconds, and the interval between looks. */
const PATIENCE_MS = 5_000;
const INTERVAL_MS = 100;

export class UnknownSchedule extends TemporalProblem {
  override readonly name = 'UnknownSchedule';
}

/** Statements of the previous month, each month on this day and hour, in UTC. */
export interface MonthlyStatements {
  readonly key: string;
  /** The account at the partners; default: the one without a name. */
  readonly account: string | undefined;
  readonly day: number;
  readonly hour: number;
  readonly request: Omit<OperationRequest<'statement'>, 'period'>;
}

export type StatementSchedule = ReturnType<typeof asSchedule>;

/** Creates or replaces the schedule of this key and account. A paused one stays paused. */
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
  const input: PartnerOperationInput<'statement'> = {
    operation: 'statement',
    request: { ...request, period: 'previous-month' },
  };
  return {
    spec: { calendars: [{ dayOfMonth: day, hour }] },
    // Each month gets its statement, even while the previous one still waits for the partner.
    policies: { overlap: 'BUFFER_ALL', catchupWindow: CATCHUP_WINDOW } as const,
    action: {
      type: 'startWorkflow' as const,
      workflowType: WORKFLOW_TYPE,
      // The server appends the time of each run.
      workflowId: workflowId(WORKFLOW_TYPE, operationKey('statement', key), account),
      taskQueue,
      args: [input],
      ...initialVisibility(WORKFLOW_TYPE, { summary: purposeOf(input), account }),
    },
  };
}

export async function listSchedules(client: Client): Promise<StatementSchedule[]> {
  const found: ScheduleSummary[] = [];
  for await (const summary of client.schedule.list()) {
    const { scheduleId, action } = summary;
    if (scheduleId.startsWith(PREFIX) && action?.workflowType === WORKFLOW_TYPE) found.push(summary);
  }
  const schedules = await Promise.all(
    found.map((summary) => described(client.schedule.getHandle(summary.scheduleId), summary)),
  );
  return schedules.filter((schedule) => schedule !== undefined).map(asSchedule);
}

/**
 * @param locked takes the place of a description whose input is encrypted with a key that this process does not have
 * @returns undefined when there is no such schedule
 */
function described<Locked>(
  handle: ScheduleHandle,
  locked: Locked,
): Promise<ScheduleDescription | Locked | undefined> {
  return handle.describe().catch((error: unknown) => {
    if (error instanceof ScheduleNotFoundError) return undefined;
    if (isUnreadablePayload(error)) return locked;
    throw error;
  });
}

/**
 * Finds a schedule by its key, `key@account`, or its whole id.
 *
 * @param accounts names of the accounts at the partners in which to look for a key, besides the one without a name
 * @throws {UnknownSchedule} when there is none, or when several accounts have one of this key
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
  const found = await Promise.all(handles.map(async (handle) => (await described(handle, handle)) && handle));
  const [first, ...more] = found.filter((handle) => handle !== undefined);
  const name = JSON.stringify(given);
  if (!first) throw new UnknownSchedule(`there is no schedule of statements ${name}`);
  if (more.length === 0) return first;
  const ids = [first, ...more].map(({ scheduleId }) => scheduleId);
  throw new UnknownSchedule(`${name} may mean ${ids.join(', ')}: give --partner-account, or the whole id`);
}

/**
 * Runs a schedule now, in addition to its times.
 *
 * @returns id of the workflow; undefined when the server has not started it within some seconds
 */
export async function runSchedule(handle: ScheduleHandle): Promise<string | undefined> {
  const before = await lastRun(handle);
  await handle.trigger();
  for (const until = Date.now() + PATIENCE_MS; Date.now() < until; await sleep(INTERVAL_MS)) {
    const last = await lastRun(handle);
    if (last && last.firstExecutionRunId !== before?.firstExecutionRunId) return last.workflowId;
  }
  return undefined;
}

async function lastRun(handle: ScheduleHandle) {
  const { info } = await handle.describe();
  return info.recentActions.at(-1)?.action.workflow;
}

function asSchedule({ scheduleId, action, state, info }: ScheduleDescription | ScheduleSummary) {
  const [input] = action && 'args' in action ? (action.args ?? []) : [];
  return {
    ...splitAccount(scheduleId.slice(PREFIX.length)),
    scheduleId,
    // Undefined when it is encrypted with a key that this process does not have.
    request: (input as PartnerOperationInput<'statement'> | undefined)?.request,
    isPaused: state.paused,
    nextRunAt: state.paused ? undefined : info.nextActionTimes[0],
    lastWorkflowId: info.recentActions.at(-1)?.action.workflow.workflowId,
  };
}
