import { userInfo } from 'node:os';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, WorkflowFailedError, WorkflowNotFoundError } from '@temporalio/client';
import { CancelledFailure, TerminatedFailure } from '@temporalio/common';
import { Deadline } from '../../http/deadline.js';
import { partsOfId, type WorkflowType } from '../../messages/ids.js';
import type { Requirement } from '../../messages/requirements.js';
import { SEARCH_ATTRIBUTES } from '../../messages/search-attributes.js';
import { oneTimeCode } from '../../partners/banking/rules.js';
import { fieldProblems } from '../../partners/client.js';
import { outcomeOf, partIds, stateOf } from '../../temporal/onboardings.js';
import type { Started } from '../../temporal/start.js';
import { failuresOf, UnreadableOnboarding } from '../../temporal/unreadable.js';
import { NotYetApplied, sendResolution } from '../onboarding/resolve.js';
import type { CommandContext, Terminal } from './command-line.js';
import { CommandFailed, InvalidInput } from './errors.js';
import { describeRequirement, waysToAnswer } from './output.js';

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
    const isKnown = error.obstacle !== 'no-response' && Date.now() >= patientUntil;
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

/** A workflow ended without an outcome: it was stopped, or failed. */
export class EndedWithoutOutcome extends CommandFailed {
  constructor(
    workflowId: string,
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(`${workflowId}: ${reason}`, options);
  }
}

/**
 * Waits until a workflow has ended, and answers its outcome.
 *
 * @param anew how to start it anew, for people: `--again starts it anew`
 * @throws {EndedWithoutOutcome}
 */
export async function endOf<Outcome>(client: Client, workflowId: string, anew: string): Promise<Outcome> {
  try {
    return await outcomeOf<Outcome>(client, workflowId);
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    const first = await beforeAnew(client, workflowId);
    const next = first === undefined ? anew : `${first}; then ${anew}`;
    throw new EndedWithoutOutcome(workflowId, `${reasonOf(error)}; ${next}`, { cause: error });
  }
}

function reasonOf({ cause }: WorkflowFailedError): string {
  if (cause instanceof CancelledFailure) return 'it was cancelled';
  if (cause instanceof TerminatedFailure) return 'it was terminated';
  return `it failed: ${cause?.message}`;
}

/**
 * What to do before an onboarding is started anew, which would create a second merchant or profile at the partner; undefined
 * for other workflows. The ids are read from search attributes, for which no worker is needed.
 */
async function beforeAnew(client: Client, workflowId: string): Promise<string | undefined> {
  const { type } = await client.workflow.getHandle(workflowId).describe();
  const { key = '' } = partsOfId(workflowId) ?? {};
  const idOf = (name: 'merchantProfileId' | 'bankingProfileId') => knownId(client, type, workflowId, name);
  switch (type) {
    case 'merchantBoarding' satisfies WorkflowType:
      return toAdopt(await idOf('merchantProfileId'), key, 'in FILE');
    case 'customerOnboarding' satisfies WorkflowType:
      return toAdopt(await idOf('merchantProfileId'), key, 'in "boarding" of FILE');
    case 'businessOnboarding' satisfies WorkflowType: {
      const profile = await idOf('bankingProfileId');
      const where =
        profile === null
          ? 'look for the business at the bank'
          : `banking profile ${profile} exists at the bank`;
      return `${where}: adopt it by its merchant, "merchantProfileId" in FILE`;
    }
    default:
      return undefined;
  }
}

function toAdopt(merchant: string | null, guid: string, where: string): string {
  return merchant === null
    ? `look for a merchant with guid ${guid} in the partner’s portal: if it is there, adopt it by "merchantProfileId" ${where}`
    : `merchant ${merchant} exists at the partner: adopt it by "merchantProfileId": ${merchant} ${where}`;
}

async function knownId(
  client: Client,
  type: string,
  workflowId: string,
  name: 'merchantProfileId' | 'bankingProfileId',
): Promise<string | null> {
  const isCustomer = type === ('customerOnboarding' satisfies WorkflowType);
  const ids = [workflowId, ...(isCustomer ? Object.values(partIds(workflowId)) : [])];
  for (const id of ids) {
    const known = await client.workflow
      .getHandle(id)
      .describe()
      .then(({ typedSearchAttributes }) => typedSearchAttributes.get(SEARCH_ATTRIBUTES[name]))
      .catch((error: unknown) => {
        if (error instanceof WorkflowNotFoundError) return undefined;
        throw error;
      });
    if (known !== undefined) return known;
  }
  return null;
}

/** Whether it has ended, in whichever way. */
export async function hasEnded(client: Client, workflowId: string): Promise<boolean> {
  const { status } = await client.workflow.getHandle(workflowId).describe();
  return status.name !== 'RUNNING';
}

const QUESTION = 'code (empty to answer later): ';

/**
 * Asks at the terminal for a one-time code, until it looks like one.
 *
 * @param signal ends the question without an answer
 * @returns undefined when the person gave none
 */
export async function promptForCode(
  { input, output }: Terminal,
  signal: AbortSignal,
): Promise<string | undefined> {
  const lines = createInterface({ input, signal, terminal: false });
  try {
    output.write(QUESTION);
    for await (const line of lines) {
      const code = line.replaceAll(' ', '');
      if (code === '') return undefined;
      const checked = oneTimeCode.safeParse(code);
      if (checked.success) return code;
      const rules = fieldProblems(checked.error).map(({ message }) => message);
      output.write(`${rules.join(', ')}\n${QUESTION}`);
    }
    output.write('\n');
    return undefined;
  } finally {
    lines.close();
  }
}

/** Tells what was started, or that it was there before, and where to look at it. */
export function reportStarted({ cli, link }: CommandContext, started: Started, json?: true): void {
  const { workflowId, runId } = started;
  const url = link(workflowId, runId);
  if (json) {
    cli.json({ workflowId, runId, started: started.started, ...(url && { url }) });
    return;
  }
  cli.line(`${started.started ? 'started' : 'already there, nothing new was started:'} ${workflowId}`);
  if (url) cli.line(url);
}
