import { createReadStream } from 'node:fs';
import { access, constants, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { z } from 'zod';
import { changeable } from '../../activities/corrections.js';
import { changeLines, changesOf, checkCorrection, inputFor } from '../../forms/corrections.js';
import { patchFrom, settingsFrom } from '../../forms/set-fields.js';
import { NEED_REASON } from '../../inbox/answering.js';
import type { Correctable, Patch } from '../../messages/activities.js';
import type { KnownAccounts } from '../../messages/inputs.js';
import type { OnboardingState } from '../../messages/onboarding-state.js';
import type { Answer, AnswerKind, DocumentRef } from '../../messages/requirements.js';
import { oneTimeCode } from '../../partners/banking/rules.js';
import { MAX_ATTACHMENT_BYTES } from '../../partners/boarding/schemas.js';
import { json } from '../../partners/fields.js';
import { check, InvalidInput } from '../../texts/invalid-input.js';
import { cannotRead, readObject } from '../cli/arguments.js';
import type { CommandContext, CommandLine } from '../cli/command-line.js';
import { CommandFailed } from '../cli/errors.js';
import { gangwayOf } from '../cli/follow.js';
import { type Confirming, confirm } from '../cli/prompts.js';

export interface AnswerOptions extends Confirming {
  readonly patch?: string;
  readonly set?: readonly string[];
  readonly text?: string;
  readonly document?: readonly string[];
  readonly adopt?: string;
  readonly retry?: true;
  readonly code?: string;
  readonly choice?: string;
  readonly takeBack?: true;
  readonly abandon?: true;
  readonly reason?: string;
  readonly dryRun?: true;
  readonly json?: true;
}

const KINDS = {
  text: 'text',
  document: 'documents',
  set: 'correction',
  patch: 'correction',
  adopt: 'adopt',
  retry: 'retry',
  code: 'code',
  choice: 'choice',
  takeBack: 'take-back',
  abandon: 'abandon',
} as const satisfies Partial<Record<keyof AnswerOptions, AnswerKind>>;

/** @returns undefined without an answer @throws {InvalidInput} for more than one */
export function kindOf(options: AnswerOptions): AnswerKind | undefined {
  const [given, ...more] = (Object.keys(KINDS) as (keyof typeof KINDS)[]).filter(
    (name) => options[name] !== undefined,
  );
  if (more.length === 0) return given && KINDS[given];
  throw new InvalidInput(
    'give exactly one of --text, --document, --set, --patch, --adopt, --retry, --code, --choice, --take-back, --abandon',
  );
}

/** The timeline's text when no reason was given. */
export const NO_REASON = 'answered with gangway resolve';

/** A reason as people write it, for the decisions that need one. */
const REASONS = {
  adopt: 'the portal shows it',
  retry: 'the partner corrected it',
  choice: 'the partner explained it by email',
  'take-back': 'it was the wrong file',
  abandon: 'the merchant has withdrawn',
} as const satisfies Partial<Record<AnswerKind, string>>;

/** @throws {InvalidInput} with an example, when the answer needs a reason and has none */
export function reasonFrom({ reason }: AnswerOptions, kind: AnswerKind): string {
  if (reason !== undefined) return reason;
  if (!NEED_REASON.includes(kind)) return NO_REASON;
  const example = REASONS[kind as keyof typeof REASONS];
  throw new InvalidInput(`--${kind} needs --reason, which the timeline keeps: --reason '${example}'`);
}

/** Makes the answer to a requirement, after all checks that need no connection. */
type AnswerTo = (context: CommandContext, asked: Asked) => Promise<Answer>;

/** Checks everything before anything is stored or sent. @throws {InvalidInput} */
export async function readAnswer(
  cli: CommandLine,
  kind: AnswerKind,
  options: AnswerOptions,
): Promise<AnswerTo> {
  const { text = '', document = [], adopt = '', code = '', choice = '', dryRun } = options;
  switch (kind) {
    case 'text':
      return async () => ({ kind, text });
    case 'documents':
      await Promise.all(document.map(checkDocument));
      return async (context) => ({
        kind,
        documents: dryRun ? [] : await Promise.all(document.map((file) => stored(context, file))),
      });
    case 'correction': {
      const patchOf = await readCorrection(cli, options);
      return async (context, asked) => ({ kind, patch: await correct(context, asked, patchOf, options) });
    }
    case 'adopt':
      return async () => ({ kind, id: adopt });
    case 'choice':
      return async () => ({ kind, choice });
    case 'code':
      check(oneTimeCode, code, '--code', 'nothing was sent');
      return async () => ({ kind, code });
    case 'retry':
    case 'take-back':
    case 'abandon':
      return async () => ({ kind });
  }
}

function stored(context: CommandContext, file: string): Promise<DocumentRef> {
  const content = createReadStream(file, { signal: context.cli.signal });
  return gangwayOf(context).storeDocument(basename(file), content);
}

async function checkDocument(file: string): Promise<void> {
  const found = await access(file, constants.R_OK)
    .then(() => stat(file))
    .catch(cannotRead(file));
  if (!found.isFile()) throw new InvalidInput(`${file}: is not a file`);
  if (found.size === 0) throw new InvalidInput(`${file}: is empty`);
  if (found.size > MAX_ATTACHMENT_BYTES) throw new InvalidInput(`${file}: is larger than 25 MiB`);
}

export interface Asked {
  readonly workflowId: string;
  readonly requirementId: string;
  /** Undefined when it cannot be read now. */
  readonly state: OnboardingState | undefined;
}

/** Makes the merge patch for an input; undefined when that cannot be read now. @throws {CommandFailed} when it must be read */
type PatchOf = (correctable: Correctable | undefined, known: KnownAccounts) => Patch;

/** Reads the part of a correction that needs no input. @throws {InvalidInput} */
async function readCorrection(cli: CommandLine, { patch, set = [] }: AnswerOptions): Promise<PatchOf> {
  if (patch !== undefined) {
    const given = await readObject(cli, patch, '--patch');
    const checked = check(z.record(z.string(), json), given, '--patch', 'nothing was sent');
    return () => checked;
  }
  const settings = settingsFrom(set);
  return (correctable, known) => {
    if (!correctable)
      throw new CommandFailed('--set needs the current input, which cannot be read now; use --patch');
    return patchFrom(settings, correctable.input, changeable(correctable, known).schema);
  };
}

/** Checks a correction, and shows what it changes to the person at the terminal. */
async function correct(
  context: CommandContext,
  { workflowId, requirementId, state }: Asked,
  patchOf: PatchOf,
  options: AnswerOptions,
): Promise<Patch> {
  const { cli, client, config } = context;
  if (!state) return patchOf(undefined, config);
  const correctable = await inputFor(client, workflowId, state, requirementId);
  const patch = patchOf(correctable, config);
  checkCorrection(correctable, patch, config);
  const changes = changesOf(correctable, patch);
  const preview = [`${requirementId} of ${workflowId}:`, ...changeLines(changes)].join('\n');
  if (!options.dryRun) {
    if (cli.terminal) await confirm(cli, `${preview}\nThis correction will be sent.`, options);
  } else if (options.json) cli.json({ workflowId, requirementId, changes });
  else cli.line(preview);
  return patch;
}
