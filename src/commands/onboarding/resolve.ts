import { createReadStream } from 'node:fs';
import { access, constants, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { basename } from 'node:path';
import {
  type Client,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { Command } from 'commander';
import { z } from 'zod';
import { documentStore } from '../../documents/document-store.js';
import { openStore } from '../../documents/file-store.js';
import {
  type Answer,
  type Resolution,
  type ResolutionReceipt,
  resolveRequirement,
} from '../../messages/requirements.js';
import { MAX_ATTACHMENT_BYTES } from '../../partners/boarding/schemas.js';
import { json } from '../../partners/fields.js';
import { parseExactly } from '../../partners/json.js';
import { stateOf } from '../../temporal/onboardings.js';
import { UnreadableOnboarding } from '../../temporal/unreadable.js';
import { check, readJson } from '../cli/arguments.js';
import { type CommandLine, withTemporal } from '../cli/command-line.js';
import { CommandFailed, InvalidInput } from '../cli/errors.js';
import { findById, type IdOptions, withId } from '../cli/partner-account.js';

interface ResolveOptions extends IdOptions {
  readonly text?: string;
  readonly document?: readonly string[];
  readonly patch?: string;
  readonly adopt?: string;
  readonly retry?: true;
  readonly code?: string;
  readonly takeBack?: true;
  readonly abandon?: true;
  readonly actor?: string;
  readonly reason?: string;
}

export function resolveCommand(program: Command, cli: CommandLine): void {
  const command = program
    .command('resolve')
    .summary('answer a requirement')
    .description('Answer one requirement of "gangway inbox" or "gangway status". Give exactly one answer.');
  withId(command)
    .argument('<requirement>', 'id of the requirement')
    .option('--text <text>', 'answer: this text')
    .option('--document <file...>', 'answer: these files')
    .option(
      '--patch <json>',
      'answer: a correction, as JSON merge patch; @file reads a file, - standard input',
    )
    .option('--adopt <id>', 'answer: the write took effect and made this; or this is the mid')
    .option('--retry', 'answer: it did not take effect, or the obstacle is gone: do it')
    .option('--code <code>', 'answer: this one-time code')
    .option('--take-back', 'take back an answer that has not been sent; the requirement is open again')
    .option('--abandon', 'answer: give it up')
    .option('--actor <name>', 'who answers; the user of this machine unless given')
    .option('--reason <why>', 'why; needed for --adopt, --retry, --take-back and --abandon')
    .option('--json', 'print JSON')
    .action((id: string, requirement: string, options: ResolveOptions) =>
      resolve(cli, id, requirement, options),
    );
}

async function resolve(
  cli: CommandLine,
  id: string,
  requirementId: string,
  options: ResolveOptions,
): Promise<void> {
  const answer = await answerFrom(cli, options);
  const actor = options.actor ?? userInfo().username;
  const reason = reasonFrom(options, answer);
  await withTemporal(cli, async (context) => {
    const { workflowId } = await findById(context, id, options);
    const receipt = await sendResolution(context.client, workflowId, {
      requirementId,
      answer,
      actor,
      reason,
    });
    if (options.json) return cli.json({ workflowId, ...receipt });
    const done = answer.kind === 'take-back' ? 'open again' : 'resolved';
    cli.line(`${requirementId} ${done}; ${receipt.open} still open`);
  });
}

/** How long a worker may take to apply an answer, in milliseconds. */
const APPLY_TIMEOUT_MS = 10_000;

/** Temporal has an answer, and no worker has applied it yet. */
export class NotYetApplied extends CommandFailed {}

/**
 * Answers a requirement of a workflow.
 *
 * @throws {InvalidInput} when the answer does not fit
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
    if (!(error instanceof WorkflowUpdateRPCTimeoutOrCancelledError)) throw explained(error, workflowId);
    const obstacle = await obstacleOf(client, workflowId);
    throw new NotYetApplied(
      `${resolution.requirementId} accepted, not yet applied (${obstacle}). It is applied when a worker takes it: look with ` +
        `"gangway status ${workflowId}"; if the requirement is still open then, answer it again.`,
    );
  }
}

async function obstacleOf(client: Client, workflowId: string): Promise<string> {
  return stateOf(client, workflowId).then(
    () => 'its worker is busy',
    (error: unknown) => {
      if (error instanceof UnreadableOnboarding) return error.detail;
      throw error;
    },
  );
}

/** Checks all there is to check before anything is stored or sent. */
async function answerFrom(cli: CommandLine, options: ResolveOptions): Promise<Answer> {
  const given = (
    ['text', 'document', 'patch', 'adopt', 'retry', 'code', 'takeBack', 'abandon'] as const
  ).filter((name) => options[name] !== undefined);
  if (given.length !== 1) {
    throw new InvalidInput(
      'give exactly one of --text, --document, --patch, --adopt, --retry, --code, --take-back, --abandon',
    );
  }
  const { text, document, patch, adopt, code } = options;
  if (text !== undefined) return { kind: 'text', text };
  if (document !== undefined) return { kind: 'documents', documents: await store(cli, document) };
  if (patch !== undefined) return { kind: 'correction', patch: await patchFrom(cli, patch) };
  if (adopt !== undefined) return { kind: 'adopt', id: adopt };
  if (code !== undefined) return { kind: 'code', code };
  if (options.takeBack) return { kind: 'take-back' };
  return { kind: options.retry ? 'retry' : 'abandon' };
}

function reasonFrom({ reason }: ResolveOptions, { kind }: Answer): string {
  if (reason !== undefined) return reason;
  if (kind === 'adopt' || kind === 'retry' || kind === 'take-back' || kind === 'abandon') {
    throw new InvalidInput(`--${kind} needs --reason: it is kept in the timeline`);
  }
  return 'answered with gangway resolve';
}

async function store(cli: CommandLine, files: readonly string[]) {
  await Promise.all(files.map(checkDocument));
  const { documentDir, s3Endpoint } = cli.config();
  const documents = documentStore(await openStore(documentDir, s3Endpoint, cli.env));
  return Promise.all(
    files.map((file) => documents.put(basename(file), createReadStream(file, { signal: cli.signal }))),
  );
}

async function checkDocument(file: string): Promise<void> {
  const found = await access(file, constants.R_OK)
    .then(() => stat(file))
    .catch((error: NodeJS.ErrnoException) => {
      throw new InvalidInput(`${file}: cannot be read (${error.code})`);
    });
  if (!found.isFile()) throw new InvalidInput(`${file}: is not a file`);
  if (found.size === 0) throw new InvalidInput(`${file}: is empty`);
  if (found.size > MAX_ATTACHMENT_BYTES) throw new InvalidInput(`${file}: is larger than 25 MiB`);
}

async function patchFrom(cli: CommandLine, given: string): Promise<Record<string, unknown>> {
  const fromFile = given === '-' || given.startsWith('@');
  const patch = fromFile ? await readJson(cli, given.replace(/^@/, '')) : parse(given);
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) {
    throw new InvalidInput('--patch: must be a JSON object');
  }
  return check(z.record(z.string(), json), patch, '--patch', 'nothing was sent');
}

function parse(text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    throw new InvalidInput('--patch: is not JSON');
  }
}

/** What the workflow's validator said, without the layers around it. */
function explained(error: unknown, workflowId: string): unknown {
  if (error instanceof WorkflowNotFoundError) return new CommandFailed(`${workflowId} has ended`);
  if (!(error instanceof WorkflowUpdateFailedError)) return error;
  const { cause } = error;
  return cause instanceof ApplicationFailure ? new InvalidInput(cause.message) : error;
}
