import { existsSync } from 'node:fs';
import type { RequirementKind, TimelineEvent } from '../../../messages/codes.js';
import type { OnboardingState } from '../../../messages/onboarding-state.js';
import type { Answer, AnswerKind, Requirement, ResolutionReceipt } from '../../../messages/requirements.js';
import { Deadline } from '../../../platform/http/deadline.js';
import { didYouMean } from '../../../platform/settings/did-you-mean.js';
import {
  type PartState,
  readableParts,
  readParts,
  requirementsWithClaims,
  timelinesOf,
} from '../../../services/inbox/waiting-state.js';
import { InvalidInput } from '../../../services/texts/invalid-input.js';
import { answeredBefore, closedBefore, saidOf } from '../../../services/texts/timeline-entries.js';
import { UnreadableOnboarding } from '../../../temporal/unreadable.js';
import { findById, shellWord } from '../cli/arguments.js';
import type { CommandContext } from '../cli/command-line.js';
import {
  describeEnd,
  describeRequirement,
  optionsOf,
  resolveCommands,
  takeBackCommand,
} from '../cli/descriptions.js';
import { CommandFailed } from '../cli/errors.js';
import { gangwayOf } from '../cli/follow.js';
import { withProgress } from '../cli/progress.js';

/** Shared by the commands that answer: finds the requirement that a person means, and shows the result of the answer. */

type FoundOnboarding = Awaited<ReturnType<typeof findById>>;

export interface Read {
  readonly execution: FoundOnboarding;
  readonly state: OnboardingState;
  readonly parts: readonly PartState[];
}

/**
 * Reads the workflow that takes the answer to a requirement. For a customer, that is the part if the part was started separately.
 *
 * @param requirementId like that of {@link openRequirement}
 * @throws {UnreadableOnboarding}
 */
export async function readFor(
  context: CommandContext,
  execution: FoundOnboarding,
  requirementId?: string,
): Promise<Read> {
  const state = await gangwayOf(context)
    .status(execution.workflowId)
    .catch((error: unknown) => {
      const hasEnded = error instanceof UnreadableOnboarding && execution.status.name !== 'RUNNING';
      throw hasEnded ? new CommandFailed(describeEnd(execution)) : error;
    });
  const parts = await readParts(context.client, execution.workflowId, state);
  const has = ({ requirements, unsent = [] }: OnboardingState) =>
    only([...requirements.map(({ id }) => id), ...unsent], requirementId) !== undefined;
  const part = readableParts(parts).find((each) => each.isAttached && has(each.state));
  if (!part || has(state)) return { execution, state, parts };
  return readFor(context, await findById(context, part.workflowId, {}), requirementId);
}

/** Finds the open requirement with this ID, or the beginning of it. @throws {InvalidInput}, {@link CommandFailed} */
export function openRequirement(
  context: CommandContext,
  read: Read,
  requirementId: string | undefined,
): Requirement {
  const requirements = requirementsWithClaims(read.state, read.parts);
  const ids = requirements.map(({ id }) => id);
  const id = only(ids, requirementId);
  const requirement = requirements.find((each) => each.id === id);
  if (!requirement) throw notOpen(context, read, requirementId, ids);
  return requirement;
}

/** A requirement. Only its ID is known if its answer is to be taken back. */
export type Named = Pick<Requirement, 'id'> & { readonly requirement?: Requirement };

/** Finds the requirement to answer. @param kind undefined if there is no answer. @throws {InvalidInput} with commands to answer it */
export function requirementIn(
  context: CommandContext,
  read: Read,
  requirementId: string | undefined,
  kind: AnswerKind | undefined,
): Named {
  const { typed } = read.execution;
  if (kind === 'take-back') {
    const { unsent = [] } = read.state;
    const id = only(unsent, requirementId);
    if (id !== undefined) return { id };
    const name = requirementId === undefined ? `${typed} has` : `${JSON.stringify(requirementId)} has`;
    throw new InvalidInput(`${name} no unsent answer to take back; unsent: ${unsent.join(', ') || 'none'}`);
  }
  const requirement = openRequirement(context, read, requirementId);
  const { id } = requirement;
  if (kind === undefined)
    throw new InvalidInput(
      `nothing was sent; answer with one of these:\n${describeRequirement(context.cli, typed, requirement)}`,
    );
  if (requirement.answers.includes(kind)) return { id, requirement };
  const other = kind === 'abandon' ? `\n"gangway cancel ${typed}" ends an onboarding that waits for it` : '';
  throw new InvalidInput(
    `${id} does not take ${optionsOf([kind])}; it takes ${optionsOf(requirement.answers)}:\n` +
      resolveCommands(typed, requirement) +
      other,
  );
}

/**
 * Matches the beginning of an ID: some of its 12 digits, or its words without a number. A complete ID is not a beginning:
 * `note-0e5ac65b83c0` must not match `note-0e5ac65b83c0-2`, which repeats its question.
 */
const BEGINNING = /^(note-[0-9a-f]{3,11}|\D*)$/;

/** Returns the ID equal to this value, the only ID that begins with it, or the only ID. */
function only(ids: readonly string[], value = ''): string | undefined {
  if (ids.includes(value) || !BEGINNING.test(value)) return ids.find((id) => id === value);
  const [id, ...more] = ids.filter((each) => each.startsWith(value));
  return more.length === 0 ? id : undefined;
}

/** Returns the number of leading characters that distinguish the wanted IDs from all others. */
function lengthNeeded(ids: readonly string[], wanted: readonly string[]): number {
  let length = 1;
  while (!wanted.every((id) => only(ids, id.slice(0, length)) === id)) length += 1;
  return length;
}

function notOpen(
  { cli }: CommandContext,
  { execution, state, parts }: Read,
  requirementId: string | undefined,
  open: readonly string[],
): Error {
  const { typed } = execution;
  const hasEnded = execution.status.name !== 'RUNNING';
  const still = `open: ${open.join(', ') || 'none'}`;
  if (requirementId === undefined) {
    if (hasEnded) return new CommandFailed(`${describeEnd(execution)}; it takes no answers`);
    if (open.length === 0)
      return new InvalidInput(`nothing is open; "gangway status ${typed}" shows what it waits for`);
    const all = state.requirements.map((each) => describeRequirement(cli, typed, each)).join('\n');
    return new InvalidInput(`nothing was sent; ${open.length} requirements are open:\n${all}`);
  }
  const timeline = timelinesOf(state, parts);
  const matches = open.filter((each) => each.startsWith(requirementId));
  const ids = new Set(timeline.map(({ detail = '' }) => detail.split(': ', 1)[0] ?? ''));
  const id = (matches.length === 0 && only([...ids], requirementId)) || requirementId;
  const ended = closedBefore(timeline, id) ?? answeredBefore(timeline, id);
  if (!ended && hasEnded) return new CommandFailed(`${describeEnd(execution)}; it takes no answers`);
  if (!ended) {
    const file = `${requirementId}: a file needs its option; did you mean --document ${shellWord(requirementId)}?`;
    const quoted = JSON.stringify(requirementId);
    const [first] = matches;
    const suggestion = first === undefined ? didYouMean(requirementId, open) : `; did you mean ${first}?`;
    const problem =
      matches.length > 0 && open.length > 1
        ? `give at least ${lengthNeeded(open, matches)} characters of the id, not ${quoted}; ${still}`
        : `no requirement ${quoted} is open; ${still}${suggestion}`;
    return new InvalidInput(existsSync(requirementId) ? `${file}\n${still}` : problem);
  }
  const at = cli.times.atSecond(ended.at);
  const before = ended.actor === undefined ? `it was closed at ${at}` : `${ended.actor} answered it at ${at}`;
  const back = state.unsent?.includes(id) ? `\ntake it back: ${takeBackCommand(typed, id)}` : '';
  const now = hasEnded ? describeEnd(execution) : still;
  return new CommandFailed(`${before}: ${saidOf(ended)}\nNothing was sent; ${now}${back}`);
}

interface Accepted {
  readonly workflowId: string;
  /** The workflow that raised the requirement. For a customer, the part. */
  readonly asking: string;
  readonly typed: string;
  readonly answer: Answer;
  /** Undefined, like the state before the answer, if the workflow could not be read. */
  readonly requirement: Requirement | undefined;
  readonly state: OnboardingState | undefined;
  readonly receipt: ResolutionReceipt;
}

/** Reports an answer, with the outcome if it is known within a few seconds. @throws {CommandFailed} if the same is asked again */
export async function reportAccepted(context: CommandContext, accepted: Accepted, json: true | undefined) {
  const { cli } = context;
  const { workflowId, asking, typed, answer, requirement, receipt } = accepted;
  const hasEffect = answer.kind in NOT_DONE && requirement?.kind !== 'waiting';
  const waiting = `${requirement?.id}: waiting for the result`;
  const effect =
    requirement && hasEffect
      ? await withProgress(cli, waiting, () => effectOf(context, asking, requirement))
      : undefined;
  if (json) cli.json({ workflowId, ...receipt, ...effect });
  if (effect?.askedAgain) throw failed(answer, typed, effect.askedAgain);
  if (!json) cli.prose(doneText(accepted, effect));
}

function doneText({ answer, typed, state, receipt }: Accepted, effect: Effect | undefined): string {
  const { requirementId: id, open } = receipt;
  if (answer.kind === 'take-back') return `${id} is open again: gangway resolve ${typed} ${id}`;
  const { event, detail } = effect?.done ?? {};
  const done = event ? ` (${[event, detail].filter(Boolean).join(': ')})` : '';
  const unknown = effect?.unknown ? ', but its result is not known yet' : '';
  const answered = `${id} answered${done}${unknown}.`;
  if (open === 0) return `${answered} Nothing is left to answer; "gangway watch ${typed}" follows it.`;
  const others = state?.requirements.filter((each) => each.id !== id) ?? [];
  const notes = others.filter((each) => each.kind === 'underwriting-note');
  const isNote = state?.requirements.some((each) => each.id === id && each.kind === 'underwriting-note');
  if (isNote && notes.length > 0)
    return `${answered} It is sent together with the other notes, which are still open:\n${linesOf(notes)}`;
  return `${answered} Still open:${others.length === open ? `\n${linesOf(others)}` : ` ${open}`}`;
}

function linesOf(requirements: readonly Requirement[]): string {
  return requirements.map(({ id, title, detail }) => `  ${id}: ${detail.split('\n')[0] || title}`).join('\n');
}

const NOT_DONE = {
  confirm: 'not confirmed',
  retry: 'tried again, without success',
  correction: 'not accepted',
};

function failed({ kind }: Answer, typed: string, { id, kind: request, detail }: Requirement): CommandFailed {
  const why = request === 'uncertain-write' ? /^.* cannot be confirmed: (.*)$/m.exec(detail)?.[1] : detail;
  const what = NOT_DONE[kind as keyof typeof NOT_DONE];
  return new CommandFailed(
    `${what}${why === undefined ? '' : `: ${why}`}\nIt is asked again as ${id}: gangway resolve ${typed} ${id}`,
  );
}

interface Effect {
  /** The new requirement if the answer failed. */
  readonly askedAgain?: Requirement;
  /** The next step of the workflow. */
  readonly done?: { readonly event: TimelineEvent; readonly detail: string };
  readonly unknown?: true;
}

/** The time to wait for the partner's response to an answer, in milliseconds. */
const EFFECT_TIMEOUT_MS = 8_000;

/** Waits for the outcome of an answer. @param workflowId the workflow that raised the requirement; for a customer, the part */
async function effectOf(context: CommandContext, workflowId: string, answered: Requirement): Promise<Effect> {
  const deadline = new Deadline({ ms: EFFECT_TIMEOUT_MS, until: context.cli.signal });
  try {
    for await (const { state } of gangwayOf(context).watch(workflowId, { signal: deadline.signal })) {
      const effect = state ? effectIn(state, answered) : UNKNOWN;
      if (effect) return effect;
    }
  } catch (error) {
    if (!deadline.signal.aborted) throw error;
  } finally {
    deadline.release();
  }
  return UNKNOWN;
}

const UNKNOWN: Effect = { unknown: true };

/** The kinds of requirements that a failed step raises. */
const FAILURES: readonly RequirementKind[] = ['rejected-input', 'uncertain-write', 'credentials'];

/** Events that are not the effect of an answer: a change by the partner, and those before the next question. */
const NEITHER: readonly TimelineEvent[] = ['status-changed', 'write-uncertain', 'answer-rejected'];

/** Returns an answer's effect, from the first timeline entry after it. A later question is a different one. */
function effectIn({ timeline, requirements }: OnboardingState, { id, kind }: Requirement) {
  const answer = answeredBefore(timeline, id);
  for (const entry of answer ? timeline.slice(timeline.indexOf(answer) + 1) : []) {
    const { event, detail = '' } = entry;
    const askedAgain = requirements.find((each) => detail.startsWith(`${each.id}: `));
    const isFailure = askedAgain && [kind, ...FAILURES].includes(askedAgain.kind);
    if (event === 'requirement-raised' && isFailure) return { askedAgain };
    if (!event.startsWith('requirement-') && !NEITHER.includes(event)) return { done: { event, detail } };
  }
  return undefined;
}
