import { userInfo } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { Deadline } from '../../http/deadline.js';
import type { SingleActivity } from '../../messages/activities.js';
import { partnerTaskQueue } from '../../messages/ids.js';
import type { Requirement } from '../../messages/requirements.js';
import { stateOf } from '../../temporal/onboardings.js';
import { resultOfSingle, startSingle } from '../../temporal/single-activities.js';
import type { Started } from '../../temporal/start.js';
import { failuresOf, UnreadableOnboarding } from '../../temporal/unreadable.js';
import type { CommandContext, Terminal } from './command-line.js';
import { InvalidInput } from './errors.js';
import { explainActivity } from './failures.js';
import { awaitOutcome, hasEnded } from './outcomes.js';
import {
  describeRequirement,
  NotYetApplied,
  promptForCode,
  resolveCommands,
  sendResolution,
} from './requirements.js';

/** How often to check, in milliseconds. */
const CHECK_EVERY_MS = 1_000;

/** A busy worker may take this long to start a workflow, in milliseconds. */
const BUSY_WORKER_MS = 10_000;

/** Printed once where an operation takes longer than {@link CHECK_EVERY_MS}. */
export const PROGRESS = 'still running; Ctrl-C ends the wait, not the operation';

export interface Following {
  /** Waits for the outcome. Otherwise only an earlier workflow that has ended has its outcome printed. */
  readonly wait: boolean;
  /** How to start it again when it has ended without an outcome, for people. */
  readonly restart: string;
  readonly json?: true | undefined;
  /** Where to ask for one-time codes. */
  readonly terminal?: Terminal | undefined;
  /** Leaves {@link PROGRESS} out. */
  readonly quiet?: true | undefined;
}

/**
 * Prints what was started. Waits for its outcome, and prints that with `json`.
 *
 * @returns undefined when it does not wait
 * @throws {CommandFailed} when the workflow has ended without an outcome
 */
export async function followStarted<Outcome>(
  context: CommandContext,
  started: Started,
  { wait, json, restart, ...how }: Following,
): Promise<Outcome | undefined> {
  const { cli, client } = context;
  const { workflowId } = started;
  printStarted(context, started, json);
  if (!wait && (started.started || !(await hasEnded(client, workflowId)))) return undefined;
  const ended = new AbortController();
  const [outcome] = await Promise.all([
    awaitOutcome<Outcome>(client, workflowId, restart).finally(() => ended.abort()),
    reportProgress(context, workflowId, how, ended.signal),
  ]);
  if (json) cli.json({ workflowId, ...outcome });
  return outcome;
}

function printStarted({ cli, link }: CommandContext, started: Started, json?: true): void {
  const { workflowId, runId } = started;
  const url = link(workflowId, runId);
  if (json) {
    cli.json({ workflowId, runId, started: started.started, ...(url && { url }) });
    return;
  }
  cli.line(`${started.started ? 'started' : 'already started:'} ${workflowId}`);
  if (url) cli.line(url);
}

/** Prints, on standard error, what the workflow waits for. */
async function reportProgress(
  context: CommandContext,
  workflowId: string,
  { terminal, quiet }: Pick<Following, 'terminal' | 'quiet'>,
  ended: AbortSignal,
): Promise<void> {
  const { cli, client } = context;
  const reported = new Set<string>();
  const isNew = (what: string) => !reported.has(what) && reported.add(what);
  const busyUntil = Date.now() + BUSY_WORKER_MS;
  while (await sleep(CHECK_EVERY_MS, true, { signal: ended }).catch(() => false)) {
    const now = await untilEnded(client, ended, () => waitsOf(client, workflowId, busyUntil));
    if (!now) return;
    if (!quiet && isNew(PROGRESS)) cli.note(PROGRESS);
    for (const obstacle of now.obstacles) if (isNew(obstacle)) cli.note(obstacle);
    for (const requirement of now.requirements) {
      if (!isNew(requirement.id)) continue;
      const description = `${describeRequirement(cli, requirement)}\n${resolveCommands(workflowId, requirement)}`;
      cli.note(`${workflowId} has an open requirement:\n${description}`);
      if (terminal) await askForCode(context, workflowId, requirement, terminal, ended);
    }
  }
}

interface Waits {
  readonly requirements: readonly Requirement[];
  /** What it waits for besides people. */
  readonly obstacles: readonly string[];
}

async function waitsOf(client: Client, workflowId: string, busyUntil: number): Promise<Waits> {
  try {
    const failures = await failuresOf(client, workflowId);
    const { requirements } = await stateOf(client, workflowId);
    return { requirements, obstacles: failures.map((failure) => `waiting for the partner: ${failure}`) };
  } catch (error) {
    if (!(error instanceof UnreadableOnboarding)) throw error;
    // A busy worker is no obstacle. Whether one has stopped is known a minute later.
    const isObstacle = error.obstacle !== 'no-response' && Date.now() >= busyUntil;
    return { requirements: [], obstacles: isObstacle ? [error.message] : [] };
  }
}

/** Undefined when the workflow ends first. */
async function untilEnded<T>(
  client: Client,
  ended: AbortSignal,
  ask: () => Promise<T>,
): Promise<T | undefined> {
  // A signal of its own, because the connection never removes its listeners.
  const asking = new Deadline({ until: ended });
  try {
    return await client.connection.withAbortSignal(asking.signal, ask);
  } catch (error) {
    if (ended.aborted) return undefined;
    throw error;
  } finally {
    asking.release();
  }
}

async function askForCode(
  { cli, client }: CommandContext,
  workflowId: string,
  { id: requirementId, answers }: Requirement,
  terminal: Terminal,
  ended: AbortSignal,
): Promise<void> {
  if (!answers.includes('code')) return;
  const code = await promptForCode(terminal, ended);
  if (code === undefined) return;
  const answer = { kind: 'code', code } as const;
  const actor = userInfo().username;
  try {
    await sendResolution(client, workflowId, {
      ...{ requirementId, answer, actor },
      reason: 'answered at the prompt',
    });
  } catch (error) {
    if (!(error instanceof InvalidInput) && !(error instanceof NotYetApplied)) throw error;
    cli.note(error.message);
  }
}

/** Runs an activity on a worker, without a workflow, and waits for its result. @throws {CommandFailed} */
export async function runSingle<Result>(
  { cli, client, config }: CommandContext,
  id: string,
  single: SingleActivity,
): Promise<Result> {
  const { inWorkflow, result } = await startSingle(client, config.taskQueue, id, single);
  if (inWorkflow)
    cli.note(`this Temporal server has no standalone activities: workflow ${id} runs it instead`);
  return result<Result>().catch((error: unknown) => {
    throw explainActivity(error, partnerTaskQueue(config.taskQueue, single.queue, single.account));
  });
}

/** Waits for the result of an activity that was started before. @throws {CommandFailed} */
export async function awaitSingle<Result>({ client }: CommandContext, id: string): Promise<Result> {
  return resultOfSingle<Result>(client, id).catch((error: unknown) => {
    throw explainActivity(error, 'of its partner');
  });
}
