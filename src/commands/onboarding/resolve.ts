import { existsSync } from 'node:fs';
import type { WorkflowExecutionDescription } from '@temporalio/client';
import type { Command } from 'commander';
import { askingPart, askingWorkflow } from '../../inbox/waits.js';
import { currentClaim, isSamePerson } from '../../messages/claims.js';
import { isOnboarding } from '../../messages/ids.js';
import type { Part } from '../../messages/onboardings.js';
import type { Answer, AnswerKind, Requirement } from '../../messages/requirements.js';
import { SEARCH_ATTRIBUTES } from '../../messages/search-attributes.js';
import { masked } from '../../privacy/masked.js';
import { UnreadableOnboarding } from '../../temporal/unreadable.js';
import { InvalidInput } from '../../texts/invalid-input.js';
import { nameWithId, userName } from '../../texts/names.js';
import { findById, type IdOptions, shellWord } from '../cli/arguments.js';
import { type CommandContext, type CommandLine, withTemporal } from '../cli/command-line.js';
import { gangwayOf } from '../cli/follow.js';
import { questionOf, staysAtPartner } from '../cli/in-words.js';
import { type HowFar, sayingHowFar, whileShowing } from '../cli/progress.js';
import { confirm } from '../cli/prompts.js';
import { type AnswerOptions, type Asked, kindOf, readAnswer, reasonFrom } from './answers.js';
import { reportAccepted } from './effect.js';
import { type Named, type Read, readFor, requirementIn } from './named.js';

interface ResolveOptions extends IdOptions, AnswerOptions {
  readonly actor?: string;
}

export async function resolve(
  cli: CommandLine,
  id: string,
  given: string | undefined,
  options: ResolveOptions,
  { args }: Command,
): Promise<void> {
  rejectBareAnswer(args.slice(2));
  const kind = kindOf(options);
  const answered = async (isNow: HowFar) =>
    withTemporal(cli, async (context) => {
      const named = await findById(context, id, options);
      const read = await readable(context, named, given, kind, options);
      const { found, state } = read ?? { found: named, state: undefined };
      const { workflowId, typed } = found;
      const { id: requirementId, requirement }: Named = read
        ? requirementIn(context, read, given, kind)
        : { id: given ?? '' };
      if (kind === undefined) return;
      const answerFor = await readAnswer(cli, kind, options);
      const by = { actor: options.actor ?? userName(), reason: reasonFrom(options, kind) };
      const asked = { workflowId, requirementId, state };
      const answer = await answerFor(context, asked);
      if (requirement) noteHandling(cli, requirement, by.actor);
      if (options.dryRun) return reportDryRun(cli, asked, answer, options);
      const part = state && askingPart(state, requirementId);
      if (requirement && cli.terminal)
        await confirmAnswer(cli, answer, { found, requirement, part }, options);
      isNow(`the answer may or may not have been recorded; check with "gangway status ${typed}"`);
      const receipt = await whileShowing(cli, `${requirementId}: waiting for a worker`, () =>
        gangwayOf(context).answer(workflowId, { requirementId, answer, ...by }),
      );
      isNow(`the answer was recorded; "gangway watch ${typed}" follows it`);
      const asking = state ? askingWorkflow(workflowId, state, requirementId) : workflowId;
      const accepted = { workflowId, asking, typed, answer, requirement, state, receipt };
      await reportAccepted(context, accepted, options.json);
    });
  await sayingHowFar(cli, answered, 'nothing was sent').catch(inWordsOfOptions);
}

/** The options that give what the workflow checks. */
const NAMES: Readonly<Record<string, string>> = {
  'answer.text': '--text',
  'answer.id': '--adopt',
  'answer.code': '--code',
  'answer.choice': '--choice',
  actor: '--actor',
  reason: '--reason',
};

/** For `catch`: names the option where the workflow names a field of the answer. */
function inWordsOfOptions(error: unknown): never {
  if (!(error instanceof InvalidInput)) throw error;
  const [, field = '', rule = ''] = /^([\w.]+): (.*)$/s.exec(error.message) ?? [];
  const option = NAMES[field];
  throw option
    ? new InvalidInput(`${option}: ${rule.replace(', in quotes', '').replace(' and in quotes: ', ': ')}`)
    : error;
}

/** @throws {InvalidInput} for an answer without its option, such as a file after the requirement */
function rejectBareAnswer(words: readonly string[]): void {
  const [first] = words;
  if (first === undefined) return;
  const meant = existsSync(first) ? ['--document', ...words] : ['--text', words.join(' ')];
  const option = meant.map(shellWord).join(' ');
  throw new InvalidInput(`${first}: an answer needs its option; did you mean ${option}?`);
}

/** @returns undefined where no worker can read it, and the answer can be sent without it */
async function readable(
  context: CommandContext,
  found: Read['found'],
  given: string | undefined,
  kind: AnswerKind | undefined,
  { dryRun }: ResolveOptions,
): Promise<Read | undefined> {
  const { cli } = context;
  try {
    const step = `${found.workflowId}: waiting for a worker`;
    return await whileShowing(cli, step, () => readFor(context, found, given));
  } catch (error) {
    const isComplete = kind !== undefined && given !== undefined && !dryRun;
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
    cli.note(`${claim.actor} has claimed ${id} until ${until}. You can still answer it.`);
  }
  if (proposal) cli.note(`this answer drops the one that ${proposal.actor} proposed: ${proposal.answer}`);
}

interface Confirmed {
  readonly found: WorkflowExecutionDescription;
  readonly requirement: Requirement;
  readonly part: Part | undefined;
}

/** Asks the person at the terminal before an answer that cannot be taken back. A correction asks on its own. */
async function confirmAnswer(
  cli: CommandLine,
  answer: Answer,
  about: Confirmed,
  options: ResolveOptions,
): Promise<void> {
  const consequence = consequenceOf(answer, about);
  if (consequence === undefined) return;
  const { found, requirement } = about;
  const { workflowId, typedSearchAttributes } = found;
  const name = nameWithId({ workflowId, dba: typedSearchAttributes.get(SEARCH_ATTRIBUTES.dba) });
  const asked = questionOf(requirement).replace(/^/gm, '  ');
  await confirm(cli, `${requirement.id} of ${name}:\n${asked}\n${consequence}`, options);
}

function consequenceOf(
  answer: Answer,
  { found, requirement: { kind }, part }: Confirmed,
): string | undefined {
  switch (answer.kind) {
    case 'adopt':
      return kind === 'unclear-mid'
        ? `This ends the boarding with mid ${answer.id}. It cannot be corrected later.`
        : `This takes ${answer.id} as the result of the write, and does not send it again.`;
    case 'choice':
      return 'This applies to every onboarding of the account with this status, and cannot be changed.';
    case 'retry':
      if (kind !== 'uncertain-write') return undefined;
      return 'This sends the write again. If the first one took effect, the partner has it twice.';
    case 'abandon': {
      const isWhole = isOnboarding(found.workflowId) ? 'the whole onboarding' : 'the whole operation';
      const what = part ? `the ${part} of the customer` : isWhole;
      return `This gives up ${what} and cannot be undone; ${staysAtPartner(found.typedSearchAttributes)}.`;
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
  const what = answer.kind === 'text' ? `text: ${masked(answer.text, 'failure')}` : answer.kind;
  cli.line(`${requirementId} takes this answer (${what}); nothing was sent (--dry-run)`);
}
