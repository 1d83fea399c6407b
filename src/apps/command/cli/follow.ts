import { PRIORITY_KEYS, type SingleActivity } from '../../../messages/activities.js';
import { isCustomer, isOnboarding, partnerTaskQueue, partsOfId, systemOf } from '../../../messages/ids.js';
import { GangwayClient } from '../../../services/client/client.js';
import { pause, type Reading, type Watching } from '../../../services/client/watching.js';
import { UpdateTimedOut } from '../../../services/inbox/send-answer.js';
import { INITIAL_WAITS, type OpenRequirement, type Waits } from '../../../services/inbox/waiting-state.js';
import { nameWithId, userName } from '../../../services/texts/display-names.js';
import { InvalidInput } from '../../../services/texts/invalid-input.js';
import { partIds } from '../../../temporal/find-onboarding.js';
import { startSingle } from '../../../temporal/single-activities.js';
import type { Started } from '../../../temporal/start.js';
import { NoWorker, whyOff } from '../../../temporal/workers.js';
import type { CommandContext, Terminal } from './command-line.js';
import { describeRequirement } from './descriptions.js';
import { EXIT, Interrupted, TimedOut } from './errors.js';
import { exitCodeOf, explainActivity } from './failures.js';
import { PROGRESS, Progress, withProgress } from './progress.js';
import { promptForCode } from './prompts.js';

interface Following extends Omit<How, 'onRead'> {
  /** Waits for the outcome. Otherwise only the outcome of a workflow that has already ended is printed. */
  readonly wait: boolean;
  readonly json?: true | undefined;
}

/** Prints what was started. Waits for its outcome, and prints that with `json`. @returns undefined if it does not wait */
export async function followStarted<Outcome>(
  context: CommandContext,
  started: Started,
  { wait, json, ...how }: Following,
): Promise<Outcome | undefined> {
  const { cli, client, link } = context;
  const { workflowId, runId, started: isNew } = started;
  const url = link(workflowId, runId);
  if (json) cli.json({ workflowId, runId, started: isNew, ...(url && { url }) });
  else cli.line(`${isNew ? 'started' : 'already started:'} ${workflowId}${url ? `\n${url}` : ''}`);
  const hasEnded = async () =>
    (await client.workflow.getHandle(workflowId).describe()).status.name !== 'RUNNING';
  if (!wait && isNew) await noteOff(context, workflowId);
  if (!wait && (isNew || !(await hasEnded()))) return undefined;
  const outcome = await follow<Outcome>(context, workflowId, how);
  if (json) cli.json({ workflowId, ...outcome });
  return outcome;
}

/** Nobody watches what was started, so say now that its partner is off. */
async function noteOff({ cli, client, config }: CommandContext, workflowId: string): Promise<void> {
  const account = partsOfId(workflowId)?.account;
  const ids = isCustomer(workflowId) ? Object.values(partIds(workflowId)) : [workflowId];
  for (const system of ids.map(systemOf)) {
    const off = system && (await whyOff(client, config.taskQueue, system, account).catch(() => ''));
    if (off) cli.note(`it waits: ${off}`);
  }
}

interface How {
  /** For people: how to start it again after it ended without an outcome. */
  readonly restart: string;
  /** The terminal at which to ask for one-time codes. */
  readonly terminal?: Terminal | undefined;
  /** Receives each reading: the first at once, and one after the end. */
  readonly onRead?: (reading: Reading) => void;
}

/**
 * Waits for the outcome of a workflow. Meanwhile shows its progress, requirements with the commands that answer them, and obstacles
 * on standard error. If the person or `--timeout` ends the wait, prints that the workflow continues.
 *
 * @throws {EndedWithoutOutcome} if the workflow has ended without an outcome
 */
export async function follow<Outcome>(context: CommandContext, workflowId: string, { restart, ...how }: How) {
  const { cli } = context;
  const last: { waits: Waits } = { waits: INITIAL_WAITS };
  const onRead = (reading: Reading) => {
    last.waits = reading;
    how.onRead?.(reading);
  };
  const isBrief = how.onRead === undefined;
  const watching = gangwayOf(context).watch<Outcome>(workflowId, { isBrief }, { restart, input: 'FILE' });
  try {
    await report(context, workflowId, watching, { ...how, onRead });
    return await watching.outcome;
  } catch (error) {
    const { aborted, reason } = cli.signal;
    const isInterrupted = aborted && reason instanceof Interrupted && reason.exitCode !== 0;
    if (!isInterrupted && exitCodeOf(error) !== EXIT.unavailable) throw error;
    const name = nameWithId({ workflowId, dba: last.waits.state?.dba });
    cli.note(`${name} continues; ${howToReturn(workflowId)}`);
    if (!isInterrupted) throw error;
    const { on } = last.waits;
    throw reason instanceof TimedOut ? new TimedOut(on === 'nobody' ? EXIT.failed : EXIT[on]) : reason;
  } finally {
    cli.status.end();
  }
}

const howToReturn = (workflowId: string) => `"gangway watch ${workflowId}" follows it again`;

async function report(
  context: CommandContext,
  workflowId: string,
  watching: Watching<unknown>,
  { terminal, onRead }: Pick<How, 'terminal'> & Required<Pick<How, 'onRead'>>,
): Promise<void> {
  const { cli } = context;
  const progress = new Progress(cli);
  const what = isOnboarding(workflowId) ? 'onboarding' : 'operation';
  let printedIds = new Set<string>();
  let isFirst = true;
  if (cli.status.isThere) progress.at(`${workflowId}: ${INITIAL_WAITS.step}`);
  for await (const now of watching) {
    onRead(now);
    if (now.hasEnded) return;
    if (isFirst) cli.note(`${PROGRESS}Ctrl-C ends the wait, not the ${what}; ${howToReturn(workflowId)}`);
    isFirst = false;
    progress.at(`${now.state?.dba ?? workflowId}: ${now.step}`);
    const isNew = (text: string) => !printedIds.has(text);
    for (const obstacle of now.obstacles.filter(isNew)) cli.note(obstacle);
    for (const requirement of now.requirements.filter((each) => isNew(keyOf(each)))) {
      const question = describeRequirement(cli, requirement.workflowId, requirement.requirement);
      cli.note(`${requirement.name} has an open requirement:\n${question}`);
      if (terminal)
        await cli.status.hiddenWhile(() => askForCode(context, requirement, terminal, watching.ended));
    }
    // Show a requirement again if it is raised again. An unreadable one may still be open.
    if (now.state) printedIds = new Set([...now.requirements.map(keyOf), ...now.obstacles]);
    else for (const obstacle of now.obstacles) printedIds.add(obstacle);
  }
}

const keyOf = ({ workflowId, requirement }: OpenRequirement) => `${workflowId} ${requirement.id}`;

async function askForCode(
  context: CommandContext,
  { workflowId, requirement: { id: requirementId, answers } }: OpenRequirement,
  terminal: Terminal,
  ended: AbortSignal,
): Promise<void> {
  if (!answers.includes('code')) return;
  const code = await promptForCode(terminal, ended);
  if (code === undefined) return;
  const resolution = {
    answer: { kind: 'code', code },
    actor: userName(),
    reason: 'answered at the prompt',
  } as const;
  try {
    await gangwayOf(context).answer(workflowId, { requirementId, ...resolution });
  } catch (error) {
    if (!(error instanceof InvalidInput) && !(error instanceof UpdateTimedOut)) throw error;
    context.cli.note(error.message);
  }
}

/**
 * Runs a standalone activity on a worker, ahead of onboardings, and waits for its result.
 *
 * @throws {CommandFailed}, or {@link NoWorker} at once if the partner is off
 */
export async function runSingle<Result>(
  { cli, client, config }: CommandContext,
  id: string,
  single: SingleActivity,
): Promise<Result> {
  const { queue, account, options, summary } = single;
  return withProgress(cli, `${summary}: starts`, async (progress) => {
    const off = queue && queue !== 'events' && (await whyOff(client, config.taskQueue, queue, account));
    if (off) throw new NoWorker(`${off}; nothing was sent`);
    const { step, result } = await startSingle(client, config.taskQueue, id, {
      ...single,
      options: { ...options, priority: { priorityKey: PRIORITY_KEYS.call } },
    });
    const ended = new AbortController();
    const response = result<Result>().finally(() => ended.abort());
    response.catch(() => undefined);
    while (await pause(ended.signal)) {
      // The result arrives even if its progress is unreadable.
      const now = await step().catch(() => undefined);
      if (now !== undefined && !ended.signal.aborted) progress.at(`${summary}: ${now}`);
    }
    const isRepeatable = options.retry?.maximumAttempts !== 1;
    return response.catch((error: unknown) => {
      throw explainActivity(error, partnerTaskQueue(config.taskQueue, queue, account), isRepeatable);
    });
  });
}

/** Returns the public client on a command's connection. Commands that only list do not load it. */
export function gangwayOf({ cli, client, config }: CommandContext): GangwayClient {
  return new GangwayClient({ temporal: client, settings: config, env: cli.env });
}
