import { createReadStream, existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { WorkflowExecutionDescription } from '@temporalio/client';
import type { Command } from 'commander';
import { z } from 'zod';
import { changeableInput } from '../../../activities/corrections.js';
import type { Correctable, Patch } from '../../../messages/activities.js';
import { asSubject, isSamePerson } from '../../../messages/actors.js';
import { currentClaim } from '../../../messages/claims.js';
import { isOnboarding } from '../../../messages/ids.js';
import type { KnownAccounts } from '../../../messages/inputs.js';
import type { OnboardingState } from '../../../messages/onboarding-state.js';
import type { Part } from '../../../messages/onboardings.js';
import {
  type Answer,
  type AnswerKind,
  type DocumentRef,
  needsConfirmation,
  type Requirement,
} from '../../../messages/requirements.js';
import { SEARCH_ATTRIBUTES } from '../../../messages/search-attributes.js';
import { oneTimeCode } from '../../../partners/banking/rules.js';
import { json } from '../../../partners/field-schemas.js';
import { redact } from '../../../platform/privacy/masked.js';
import { changeLines, changesOf, checkCorrection, inputFor } from '../../../services/forms/corrections.js';
import { patchFrom, settingsFrom } from '../../../services/forms/set-fields.js';
import { REASON_REQUIRED, sendProposal } from '../../../services/inbox/send-answer.js';
import { askingPart, askingWorkflow } from '../../../services/inbox/waiting-state.js';
import { nameWithId } from '../../../services/texts/display-names.js';
import { check, InvalidInput } from '../../../services/texts/invalid-input.js';
import { UnreadableOnboarding } from '../../../temporal/unreadable.js';
import { cannotRead, documentIn, findById, type IdOptions, readObject, shellWord } from '../cli/arguments.js';
import { type CommandContext, type CommandLine, withTemporal } from '../cli/command-line.js';
import { describeQuestion, describeRemains } from '../cli/descriptions.js';
import { CommandFailed } from '../cli/errors.js';
import { gangwayOf } from '../cli/follow.js';
import type { Flags, Texts } from '../cli/options.js';
import { type HowFar, reportProgress, withProgress } from '../cli/progress.js';
import { type Confirming, confirm } from '../cli/prompts.js';
import { type Named, type Read, readFor, reportAccepted, requirementIn } from './answering.js';
import { actorFrom } from './claim.js';

interface ResolveOptions
  extends IdOptions,
    Confirming,
    Flags<'retry' | 'takeBack' | 'abandon' | 'propose' | 'dryRun'>,
    Texts<'patch' | 'text' | 'confirm' | 'code' | 'choice' | 'reason' | 'actor'> {
  readonly set?: readonly string[];
  readonly document?: readonly string[];
}

export async function resolve(
  cli: CommandLine,
  id: string,
  value: string | undefined,
  options: ResolveOptions,
  { args }: Command,
): Promise<void> {
  rejectBareAnswer(args.slice(2));
  const kind = kindOf(options);
  const answered = async (isNow: HowFar) =>
    withTemporal(cli, async (context) => {
      const named = await findById(context, id, options);
      const read = await readable(context, named, value, kind, options);
      const { execution, state } = read ?? { execution: named, state: undefined };
      const { workflowId, typed } = execution;
      const { id: requirementId, requirement }: Named = read
        ? requirementIn(context, read, value, kind)
        : { id: value ?? '' };
      if (kind === undefined) return;
      // Checked here before a document is stored. The workflow checks it, too.
      if (requirement && !options.propose && needsConfirmation(requirement, kind))
        throw new InvalidInput(`${requirementId}: a second person must confirm this answer: add --propose`);
      const answerFor = await readAnswerArguments(cli, kind, options);
      const by = { actor: actorFrom(cli, options), reason: reasonFrom(options, kind) };
      const target = { workflowId, requirementId, state };
      const answer = await answerFor(context, target);
      if (requirement) noteHandling(cli, requirement, by.actor);
      if (options.dryRun) return reportDryRun(cli, target, answer, options);
      const part = state && askingPart(state, requirementId);
      const consequence = requirement && consequenceOf(answer, requirement, execution, part);
      if (consequence && cli.terminal) {
        const name = nameWithId({
          workflowId,
          dba: execution.typedSearchAttributes.get(SEARCH_ATTRIBUTES.dba),
        });
        const question = describeQuestion(requirement).replace(/^/gm, '  ');
        await confirm(cli, `${requirementId} of ${name}:\n${question}\n${consequence}`, options);
      }
      isNow(`the answer may or may not have been recorded; check with "gangway status ${typed}"`);
      const asking = state ? askingWorkflow(workflowId, state, requirementId) : workflowId;
      const resolution = { requirementId, answer, ...by };
      const waiting = `${requirementId}: waiting for a worker`;
      if (options.propose) {
        const send = () => sendProposal(context.client, asking, resolution);
        const proposed = await withProgress(cli, waiting, send);
        if (options.json) cli.json({ workflowId: asking, ...proposed });
        else
          cli.prose(`${requirementId} proposed. Another person: gangway confirm ${typed} ${requirementId}`);
        return;
      }
      const receipt = await withProgress(cli, waiting, () =>
        gangwayOf(context).answer(workflowId, resolution),
      );
      isNow(`the answer was recorded; "gangway watch ${typed}" follows it`);
      const accepted = { workflowId, asking, typed, answer, requirement, state, receipt };
      await reportAccepted(context, accepted, options.json);
    });
  await reportProgress(cli, answered, 'nothing was sent').catch(optionWording);
}

/** The options for the fields that the workflow checks. */
const NAMES: Readonly<Record<string, string>> = {
  'answer.text': '--text',
  'answer.id': '--confirm',
  'answer.code': '--code',
  'answer.choice': '--choice',
  actor: '--actor',
  reason: '--reason',
};

/** For `catch`: replaces the field of the answer in the workflow's message with the option. */
function optionWording(error: unknown): never {
  if (!(error instanceof InvalidInput)) throw error;
  const [, field = '', rule = ''] = /^([\w.]+): (.*)$/s.exec(error.message) ?? [];
  const option = NAMES[field];
  throw option
    ? new InvalidInput(`${option}: ${rule.replace(', in quotes', '').replace(' and in quotes: ', ': ')}`)
    : error;
}

/** @throws {InvalidInput} if an answer lacks its option, such as a file after the requirement */
function rejectBareAnswer(words: readonly string[]): void {
  const [first] = words;
  if (first === undefined) return;
  const meant = existsSync(first) ? ['--document', ...words] : ['--text', words.join(' ')];
  const option = meant.map(shellWord).join(' ');
  throw new InvalidInput(`${first}: an answer needs its option; did you mean ${option}?`);
}

/** @returns undefined if no worker responds, and the answer can be sent without the state */
async function readable(
  context: CommandContext,
  execution: Read['execution'],
  requirementId: string | undefined,
  kind: AnswerKind | undefined,
  { dryRun }: ResolveOptions,
): Promise<Read | undefined> {
  const { cli } = context;
  try {
    const step = `${execution.workflowId}: waiting for a worker`;
    return await withProgress(cli, step, () => readFor(context, execution, requirementId));
  } catch (error) {
    const isComplete = kind !== undefined && requirementId !== undefined && !dryRun;
    if (!(error instanceof UnreadableOnboarding) || !isComplete) throw error;
    if (kind === 'correction') cli.note(`the correction is sent unchecked: ${error.message}`);
    return undefined;
  }
}

/** A claim or a proposal by someone else does not prevent an answer. */
function noteHandling(cli: CommandLine, requirement: Requirement, actor: string): void {
  const { id, proposal } = requirement;
  const claim = currentClaim(requirement);
  if (claim && !isSamePerson(claim.actor, actor)) {
    const until = cli.times.at(claim.until);
    cli.note(`${asSubject(claim.actor)} has claimed ${id} until ${until}. You can still answer it.`);
  }
  if (proposal)
    cli.note(`this answer drops the one that ${asSubject(proposal.actor)} proposed: ${proposal.answer}`);
}

/** Returns the irreversible effect of an answer. Corrections have a separate confirmation. */
function consequenceOf(
  answer: Answer,
  { kind }: Requirement,
  execution: WorkflowExecutionDescription,
  part: Part | undefined,
): string | undefined {
  switch (answer.kind) {
    case 'confirm':
      return kind === 'unclear-mid'
        ? `This ends the boarding with mid ${answer.id}. It cannot be corrected later.`
        : `This takes ${answer.id} as the result of the write, and does not send it again.`;
    case 'choice':
      return 'This applies to every onboarding of the account with this status, and cannot be changed.';
    case 'retry':
      if (kind !== 'uncertain-write') return undefined;
      return 'This sends the write again. If the first one took effect, the partner has it twice.';
    case 'abandon': {
      const isWhole = isOnboarding(execution.workflowId) ? 'the whole onboarding' : 'the whole operation';
      const what = part ? `the ${part} of the customer` : isWhole;
      return `This gives up ${what} and cannot be undone; ${describeRemains(execution.typedSearchAttributes)}.`;
    }
    default:
      return undefined;
  }
}

function reportDryRun(
  cli: CommandLine,
  { workflowId, requirementId }: Asked,
  answer: Answer,
  { json }: ResolveOptions,
): void {
  // With --json, the preview of a correction is the output.
  if (json && answer.kind !== 'correction') cli.json({ workflowId, requirementId, answer: answer.kind });
  if (json) return;
  const what = answer.kind === 'text' ? `text: ${redact(answer.text, 'failure')}` : answer.kind;
  cli.line(`${requirementId} takes this answer (${what}); nothing was sent (--dry-run)`);
}

const KINDS = {
  text: 'text',
  document: 'documents',
  set: 'correction',
  patch: 'correction',
  confirm: 'confirm',
  retry: 'retry',
  code: 'code',
  choice: 'choice',
  takeBack: 'take-back',
  abandon: 'abandon',
} as const satisfies Partial<Record<keyof ResolveOptions, AnswerKind>>;

/** @returns undefined if there is no answer @throws {InvalidInput} if there are several */
function kindOf(options: ResolveOptions): AnswerKind | undefined {
  const [kind, ...more] = (Object.keys(KINDS) as (keyof typeof KINDS)[]).filter(
    (name) => options[name] !== undefined,
  );
  if (more.length === 0) return kind && KINDS[kind];
  throw new InvalidInput(
    'give exactly one of --text, --document, --set, --patch, --confirm, --retry, --code, --choice, --take-back, --abandon',
  );
}

/** The timeline's text if there is no reason. */
export const NO_REASON = 'answered with gangway resolve';

/** Examples of reasons, for answers that need one. */
const REASONS = {
  confirm: 'the portal shows it',
  retry: 'the partner corrected it',
  choice: 'the partner explained it by email',
  'take-back': 'it was the wrong file',
  abandon: 'the merchant has withdrawn',
} as const satisfies Partial<Record<AnswerKind, string>>;

/** @throws {InvalidInput} with an example, if the answer lacks a required reason */
function reasonFrom({ reason }: ResolveOptions, kind: AnswerKind): string {
  if (reason !== undefined) return reason;
  if (!REASON_REQUIRED.includes(kind)) return NO_REASON;
  const example = REASONS[kind as keyof typeof REASONS];
  throw new InvalidInput(`--${kind} needs --reason, which the timeline keeps: --reason '${example}'`);
}

/** Makes the answer to a requirement, after all checks that need no connection. */
type AnswerTo = (context: CommandContext, target: Asked) => Promise<Answer>;

/** Checks everything before anything is stored or sent. @throws {InvalidInput} */
export async function readAnswerArguments(
  cli: CommandLine,
  kind: AnswerKind,
  options: ResolveOptions,
): Promise<AnswerTo> {
  const { text = '', document = [], confirm: confirmId = '', code = '', choice = '', dryRun } = options;
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
      return async (context, target) => ({ kind, patch: await correct(context, target, patchOf, options) });
    }
    case 'confirm':
      return async () => ({ kind, id: confirmId });
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
  // The file is read again when it is sent.
  if (!(await stat(file).catch(cannotRead(file))).isFile()) throw new InvalidInput(`${file}: is not a file`);
  for await (const _ of documentIn(file));
}

interface Asked {
  readonly workflowId: string;
  readonly requirementId: string;
  /** Undefined if it cannot be read now. */
  readonly state: OnboardingState | undefined;
}

/** Makes the merge patch for an input, which may be unreadable now. @throws {CommandFailed} if it needs the input */
type PatchOf = (correctable: Correctable | undefined, accounts: KnownAccounts) => Patch;

/** Reads the part of a correction that needs no input. @throws {InvalidInput} */
async function readCorrection(cli: CommandLine, { patch, set = [] }: ResolveOptions): Promise<PatchOf> {
  if (patch !== undefined) {
    const value = await readObject(cli, patch, '--patch');
    const checked = check(z.record(z.string(), json), value, '--patch', 'nothing was sent');
    return () => checked;
  }
  const settings = settingsFrom(set);
  return (correctable, accounts) => {
    if (!correctable)
      throw new CommandFailed('--set needs the current input, which cannot be read now; use --patch');
    return patchFrom(settings, correctable.input, changeableInput(correctable, accounts).schema);
  };
}

/** Checks a correction, and shows what it changes to the person at the terminal. */
async function correct(
  context: CommandContext,
  { workflowId, requirementId, state }: Asked,
  patchOf: PatchOf,
  options: ResolveOptions,
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
