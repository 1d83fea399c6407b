import { createInterface } from 'node:readline';
import {
  type Client,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import {
  type AnswerKind,
  type Requirement,
  type Resolution,
  type ResolutionReceipt,
  resolveRequirement,
} from '../../messages/requirements.js';
import { oneTimeCode } from '../../partners/banking/rules.js';
import { fieldProblems } from '../../partners/client.js';
import { stateOf } from '../../temporal/onboardings.js';
import { UnreadableOnboarding } from '../../temporal/unreadable.js';
import type { Terminal } from './command-line.js';
import { CommandFailed, InvalidInput } from './errors.js';
import { EXIT } from './exit-codes.js';
import type { Times } from './time.js';

/** The options of `gangway resolve` for each kind of answer. */
const OPTIONS: Readonly<Record<AnswerKind, string>> = {
  text: '--text TEXT',
  documents: '--document FILE',
  correction: '--set FIELD=VALUE',
  adopt: '--adopt ID --reason WHY',
  retry: '--retry --reason WHY',
  code: '--code CODE',
  'take-back': '--take-back --reason WHY',
  abandon: '--abandon --reason WHY',
};

export function describeRequirement(
  { times }: { readonly times: Times },
  { id, kind, title, detail, raisedAt, dueAt, answers }: Requirement,
): string {
  const time = `waiting ${times.since(raisedAt)}, ${times.dueAt(dueAt)}`;
  const indented = detail.replace(/^/gm, '    ');
  return `  ${id} (${kind}, ${time})\n    ${title}\n${indented}\n    allowed answers: ${optionsOf(answers)}`;
}

/** `--set or --patch, --retry, --abandon` */
export function optionsOf(answers: readonly AnswerKind[]): string {
  const names = answers.map((kind) => OPTIONS[kind].split(' ')[0]);
  return names.map((name) => (name === '--set' ? '--set or --patch' : name)).join(', ');
}

/** The commands that answer a requirement, a line each. */
export function resolveCommands(workflowId: string, { id, answers }: Requirement): string {
  return answers.map((kind) => `    gangway resolve ${workflowId} ${id} ${OPTIONS[kind]}`).join('\n');
}

export function isOverdue(dueAt: string): boolean {
  return Date.parse(dueAt) < Date.now();
}

/** How long a worker may take to apply an answer, in milliseconds. */
const APPLY_TIMEOUT_MS = 10_000;

/** Temporal has an answer, and no worker has applied it yet. */
export class NotYetApplied extends CommandFailed {
  constructor(message: string) {
    super(message, { exitCode: EXIT.unavailable });
  }
}

/**
 * Answers a requirement of a workflow.
 *
 * @throws {InvalidInput} when the workflow rejects the answer
 * @throws {NotYetApplied} when no worker applies it in time
 * @throws {CommandFailed} when the workflow has ended
 */
export async function sendResolution(
  client: Client,
  workflowId: string,
  resolution: Resolution,
): Promise<ResolutionReceipt> {
  const handle = client.workflow.getHandle(workflowId);
  const update = () => handle.executeUpdate(resolveRequirement, { args: [resolution] });
  try {
    return await client.connection.withDeadline(Date.now() + APPLY_TIMEOUT_MS, update);
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) throw new CommandFailed(`${workflowId} has ended`);
    // The message of the workflow's validator, without the layers around it.
    if (error instanceof WorkflowUpdateFailedError && error.cause instanceof ApplicationFailure)
      throw new InvalidInput(error.cause.message);
    if (!(error instanceof WorkflowUpdateRPCTimeoutOrCancelledError)) throw error;
    const obstacle = (await obstacleOf(client, workflowId))?.detail ?? 'its worker is busy';
    throw new NotYetApplied(
      `${resolution.requirementId} accepted, not yet applied (${obstacle}). A worker applies it later: check with ` +
        `"gangway status ${workflowId}", and answer again if the requirement is still open then.`,
    );
  }
}

/** Why the state of a workflow cannot be read; undefined when it can be. */
export async function obstacleOf(
  client: Client,
  workflowId: string,
): Promise<UnreadableOnboarding | undefined> {
  return stateOf(client, workflowId).then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof UnreadableOnboarding) return error;
      throw error;
    },
  );
}

const CODE_PROMPT = 'code (empty to answer later): ';

/**
 * Asks at the terminal for a one-time code, until the input has the form of one.
 *
 * @param signal ends the prompt without an answer
 * @returns undefined when the person entered none
 */
export async function promptForCode(
  { input, output }: Terminal,
  signal: AbortSignal,
): Promise<string | undefined> {
  const lines = createInterface({ input, signal, terminal: false });
  try {
    output.write(CODE_PROMPT);
    for await (const line of lines) {
      const code = line.replaceAll(' ', '');
      if (code === '') return undefined;
      const checked = oneTimeCode.safeParse(code);
      if (checked.success) return code;
      const rules = fieldProblems(checked.error).map(({ message }) => message);
      output.write(`${rules.join(', ')}\n${CODE_PROMPT}`);
    }
    output.write('\n');
    return undefined;
  } finally {
    lines.close();
  }
}
