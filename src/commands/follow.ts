import { userInfo } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { Deadline } from '../http/deadline.js';
import type { Requirement } from '../messages/requirements.js';
import { failuresOf } from '../temporal/failing-activities.js';
import { stateOf } from '../temporal/onboardings.js';
import { UnreadableOnboarding } from '../temporal/unreadable.js';
import { promptForCode } from './code-prompt.js';
import type { Terminal } from './command-line.js';
import type { CommandContext } from './context.js';
import { endOf } from './ended.js';
import { InvalidInput } from './errors.js';
import { describeRequirement, waysToAnswer } from './requirement.js';
import { NotYetApplied, sendResolution } from './resolve.js';

/** How often to look, in milliseconds. */
const GLANCE_MS = 1_000;

/** A worker that is busy may take this long to take up a workflow, in milliseconds. */
const PATIENCE_MS = 10_000;

/** Printed once where an operation takes longer than a glance. */
export const PROGRESS = 'still under way; Ctrl-C stops only the waiting';

export interface Following {
  /** How to start it anew when it has ended without an outcome, for people. */
  readonly anew: string;
  /** Where to ask for one-time codes. */
  readonly terminal?: Terminal | undefined;
  /** Does not say that all is well. */
  readonly quiet?: true | undefined;
}

/**
 * Waits for the outcome of an operation. Tells meanwhile, on standard error, what it waits for.
 *
 * @throws {CommandFailed} when it has ended without an outcome
 */
export async function follow<Outcome>(
  context: CommandContext,
  workflowId: string,
  { anew, ...how }: Following,
): Promise<Outcome> {
  const ended = new AbortController();
  const outcome = endOf<Outcome>(context.client, workflowId, anew).finally(() => ended.abort());
  const [end] = await Promise.all([outcome, tellMeanwhile(context, workflowId, how, ended.signal)]);
  return end;
}

async function tellMeanwhile(
  context: CommandContext,
  workflowId: string,
  { terminal, quiet }: Omit<Following, 'anew'>,
  ended: AbortSignal,
): Promise<void> {
  const { cli, client } = context;
  const told = new Set<string>();
  const isNew = (what: string) => !told.has(what) && told.add(what);
  const patientUntil = Date.now() + PATIENCE_MS;
  while (await passed(GLANCE_MS, ended)) {
    const seen = await untilEnded(client, ended, () => lookAt(client, workflowId, patientUntil));
    if (!seen) return;
    if (!quiet && isNew(PROGRESS)) cli.note(PROGRESS);
    for (const obstacle of seen.obstacles) if (isNew(obstacle)) cli.note(obstacle);
    for (const requirement of seen.requirements) {
      if (!isNew(requirement.id)) continue;
      cli.note(
        `${workflowId} asks:\n${describeRequirement(requirement)}\n${waysToAnswer(workflowId, requirement)}`,
      );
      if (terminal) await answerAtOnce(context, workflowId, requirement, terminal, ended);
    }
  }
}

interface Seen {
  readonly requirements: readonly Requirement[];
  /** What it waits for beside people. */
  readonly obstacles: readonly string[];
}

async function lookAt(client: Client, workflowId: string, patientUntil: number): Promise<Seen> {
  try {
    const failures = await failuresOf(client, workflowId);
    const { requirements } = await stateOf(client, workflowId);
    return { requirements, obstacles: failures.map((what) => `waiting for the partner: ${what}`) };
  } catch (error) {
    if (!(error instanceof UnreadableOnboarding)) throw error;
    // A worker that is busy is no obstacle. Of one that has stopped it is known in a minute.
    const isKnown = error.obstacle !== 'no-answer' && Date.now() >= patientUntil;
    return { requirements: [], obstacles: isKnown ? [error.message] : [] };
  }
}

/** False when it ended before. */
async function passed(milliseconds: number, ended: AbortSignal): Promise<boolean> {
  return sleep(milliseconds, true, { signal: ended }).catch(() => false);
}

/** Undefined when it ended before. */
async function untilEnded<T>(
  client: Client,
  ended: AbortSignal,
  ask: () => Promise<T>,
): Promise<T | undefined> {
  // A signal of its own: the connection never takes its listeners off again.
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

async function answerAtOnce(
  { cli, client }: CommandContext,
  workflowId: string,
  { id, answers }: Requirement,
  terminal: Terminal,
  ended: AbortSignal,
): Promise<void> {
  if (!answers.includes('code')) return;
  const code = await promptForCode(terminal, ended);
  if (code === undefined) return;
  const answer = { kind: 'code', code } as const;
  const reason = 'answered where it was asked';
  try {
    await sendResolution(client, workflowId, {
      requirementId: id,
      answer,
      actor: userInfo().username,
      reason,
    });
  } catch (error) {
    if (!(error instanceof InvalidInput) && !(error instanceof NotYetApplied)) throw error;
    cli.note(error.message);
  }
}
