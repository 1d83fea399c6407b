import { createReadStream } from 'node:fs';
import { access, constants, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { basename } from 'node:path';
import { documentStore } from '../../documents/document-store.js';
import { openStore } from '../../documents/open-store.js';
import type { OnboardingState } from '../../messages/onboarding-state.js';
import type { Answer, AnswerKind } from '../../messages/requirements.js';
import { oneTimeCode } from '../../partners/banking/rules.js';
import { MAX_ATTACHMENT_BYTES } from '../../partners/boarding/schemas.js';
import { masked } from '../../privacy/masked.js';
import { didYouMean } from '../../settings/nearest.js';
import { stateOf } from '../../temporal/onboardings.js';
import { UnreadableOnboarding } from '../../temporal/unreadable.js';
import { cannotRead, check } from '../cli/arguments.js';
import { type CommandContext, type CommandLine, withTemporal } from '../cli/command-line.js';
import { type Confirming, confirm } from '../cli/confirm.js';
import { InvalidInput } from '../cli/errors.js';
import { findById, type IdOptions } from '../cli/partner-account.js';
import { optionsOf, resolveCommands, sendResolution } from '../cli/requirements.js';
import {
  type CorrectionOptions,
  changeLines,
  changesOf,
  checkCorrection,
  inputFor,
  readCorrection,
} from './correction.js';

interface ResolveOptions extends IdOptions, CorrectionOptions, Confirming {
  readonly text?: string;
  readonly document?: readonly string[];
  readonly adopt?: string;
  readonly retry?: true;
  readonly code?: string;
  readonly takeBack?: true;
  readonly abandon?: true;
  readonly actor?: string;
  readonly reason?: string;
  readonly dryRun?: true;
}

/** The requirement to answer. */
interface Asked {
  readonly workflowId: string;
  readonly requirementId: string;
  /** Undefined when it cannot be read now. */
  readonly state: OnboardingState | undefined;
}

export async function resolve(
  cli: CommandLine,
  id: string,
  requirementId: string,
  options: ResolveOptions,
): Promise<void> {
  const kind = kindOf(options);
  const answerTo = await readAnswer(cli, kind, options);
  const by = { actor: options.actor ?? userInfo().username, reason: reasonFrom(options, kind) };
  await withTemporal(cli, async (context) => {
    const { workflowId } = await findById(context, id, options);
    const state = await readableState(context, workflowId, kind, options);
    const asked = { workflowId, requirementId, state };
    if (state) checkAsked(asked, state, kind);
    const answer = await answerTo(context, asked);
    if (options.dryRun) return reportDryRun(cli, asked, answer, options);
    const receipt = await sendResolution(context.client, workflowId, { requirementId, answer, ...by });
    if (options.json) return cli.json({ workflowId, ...receipt });
    const done = kind === 'take-back' ? 'open again' : 'resolved';
    cli.line(`${requirementId} ${done}; ${receipt.open} still open`);
  });
}

/** The kind of answer that each option gives. */
const KINDS = {
  text: 'text',
  document: 'documents',
  set: 'correction',
  patch: 'correction',
  adopt: 'adopt',
  retry: 'retry',
  code: 'code',
  takeBack: 'take-back',
  abandon: 'abandon',
} as const satisfies Partial<Record<keyof ResolveOptions, AnswerKind>>;

function kindOf(options: ResolveOptions): AnswerKind {
  const [given, ...more] = (Object.keys(KINDS) as (keyof typeof KINDS)[]).filter(
    (name) => options[name] !== undefined,
  );
  if (given !== undefined && more.length === 0) return KINDS[given];
  throw new InvalidInput(
    'give exactly one of --text, --document, --set, --patch, --adopt, --retry, --code, --take-back, --abandon',
  );
}

/** The decisions that a person must give a reason for. */
const NEED_REASON: readonly AnswerKind[] = ['adopt', 'retry', 'take-back', 'abandon'];

function reasonFrom({ reason }: ResolveOptions, kind: AnswerKind): string {
  if (reason !== undefined) return reason;
  if (NEED_REASON.includes(kind))
    throw new InvalidInput(
      `--${kind} needs --reason, which the timeline keeps: --reason 'asked the merchant'`,
    );
  return 'answered with gangway resolve';
}

async function readableState(
  { cli, client }: CommandContext,
  workflowId: string,
  kind: AnswerKind,
  { dryRun }: ResolveOptions,
): Promise<OnboardingState | undefined> {
  return stateOf(client, workflowId).catch((error: unknown) => {
    if (!(error instanceof UnreadableOnboarding) || dryRun) throw error;
    if (kind === 'correction') cli.note(`the correction is sent unchecked: ${error.message}`);
    return undefined;
  });
}

/** @throws {InvalidInput} when nobody asks this, or when it takes other answers */
function checkAsked(
  { workflowId, requirementId }: Asked,
  { requirements, unsent = [], timeline }: OnboardingState,
  kind: AnswerKind,
): void {
  const name = JSON.stringify(requirementId);
  if (kind === 'take-back') {
    if (unsent.includes(requirementId)) return;
    throw new InvalidInput(`${name} has no unsent answer; unsent: ${unsent.join(', ') || 'none'}`);
  }
  const requirement = requirements.find((each) => each.id === requirementId);
  if (!requirement) {
    const ids = requirements.map((each) => each.id);
    const answered = timeline.findLast(
      ({ event, detail = '' }) => event === 'requirement-resolved' && detail.startsWith(`${requirementId}: `),
    );
    const before = answered ? `; ${answered.actor} answered it at ${answered.at}` : '';
    throw new InvalidInput(
      `no requirement ${name} is open; open: ${ids.join(', ') || 'none'}${before || didYouMean(requirementId, ids)}`,
    );
  }
  if (requirement.answers.includes(kind)) return;
  const other = kind === 'abandon' ? `\n"gangway cancel ID" ends an onboarding that waits for it` : '';
  throw new InvalidInput(
    `${requirementId} does not take ${optionsOf([kind])}; it takes ${optionsOf(requirement.answers)}:\n` +
      resolveCommands(workflowId, requirement) +
      other,
  );
}

/** Makes the answer to a requirement, once all that needs no connection is checked. */
type AnswerTo = (context: CommandContext, asked: Asked) => Promise<Answer>;

/** Checks everything before anything is stored or sent. @throws {InvalidInput} */
async function readAnswer(cli: CommandLine, kind: AnswerKind, options: ResolveOptions): Promise<AnswerTo> {
  const { text = '', document = [], adopt = '', code = '', dryRun } = options;
  switch (kind) {
    case 'text':
      return async () => ({ kind, text });
    case 'documents':
      await Promise.all(document.map(checkDocument));
      return async () => ({ kind, documents: dryRun ? document.map(unstored) : await store(cli, document) });
    case 'correction': {
      const patchOf = await readCorrection(cli, options);
      return async (context, asked) => ({ kind, patch: await correct(context, asked, patchOf, options) });
    }
    case 'adopt':
      return async () => ({ kind, id: adopt });
    case 'code':
      check(oneTimeCode, code, '--code', 'nothing was sent');
      return async () => ({ kind, code });
    case 'retry':
    case 'take-back':
    case 'abandon':
      return async () => ({ kind });
  }
}

/** Checks a correction, and shows what it changes to the person at the terminal. */
async function correct(
  context: CommandContext,
  { workflowId, requirementId, state }: Asked,
  patchOf: Awaited<ReturnType<typeof readCorrection>>,
  options: ResolveOptions,
): Promise<Extract<Answer, { kind: 'correction' }>['patch']> {
  const { cli, config } = context;
  if (!state) return patchOf(undefined, config);
  const correctable = await inputFor(context, workflowId, state, requirementId);
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

function reportDryRun(
  cli: CommandLine,
  { workflowId, requirementId }: Asked,
  answer: Answer,
  { json }: ResolveOptions,
): void {
  if (json) {
    // The preview of a correction is the output.
    if (answer.kind !== 'correction') cli.json({ workflowId, requirementId, answer: answer.kind });
    return;
  }
  const what = answer.kind === 'text' ? `text: ${masked(answer.text, 'failure')}` : answer.kind;
  cli.line(`${requirementId} takes this answer (${what}); nothing was sent (--dry-run)`);
}

function unstored(file: string) {
  return { key: '', fileName: basename(file), contentType: '' };
}

async function store(cli: CommandLine, files: readonly string[]) {
  const { documentDir, s3Endpoint } = cli.config();
  const documents = documentStore(await openStore(documentDir, s3Endpoint, cli.env));
  return Promise.all(
    files.map((file) => documents.put(basename(file), createReadStream(file, { signal: cli.signal }))),
  );
}

async function checkDocument(file: string): Promise<void> {
  const found = await access(file, constants.R_OK)
    .then(() => stat(file))
    .catch(cannotRead(file));
  if (!found.isFile()) throw new InvalidInput(`${file}: is not a file`);
  if (found.size === 0) throw new InvalidInput(`${file}: is empty`);
  if (found.size > MAX_ATTACHMENT_BYTES) throw new InvalidInput(`${file}: is larger than 25 MiB`);
}
