import { existsSync } from 'node:fs';
import type { OnboardingState } from '../../messages/onboarding-state.js';
import type { AnswerKind, Requirement } from '../../messages/requirements.js';
import { answeredBefore, closedBefore, saidOf } from '../../operators/answers.js';
import { InvalidInput } from '../../operators/invalid-input.js';
import { partsOf, timelinesOf } from '../../operators/parts.js';
import { didYouMean } from '../../settings/nearest.js';
import { shellWord } from '../cli/arguments.js';
import type { CommandContext } from '../cli/command-line.js';
import { CommandFailed } from '../cli/errors.js';
import { describeRequirement, optionsOf, resolveCommands, takeBackCommand } from '../cli/requirements.js';

/** What a person means to answer, before it is looked up. */
export interface Meant {
  readonly workflowId: string;
  /** What the person types for the workflow. */
  readonly typed: string;
  /** The id of the requirement or its beginning; undefined for the only one that is open. */
  readonly given: string | undefined;
  /** undefined without an answer. */
  readonly kind: AnswerKind | undefined;
}

/** The requirement to answer. Of an answer to take back there is only the id. */
export interface Named {
  readonly id: string;
  readonly requirement?: Requirement;
}

/**
 * Finds the requirement that a person means, and checks that it takes such an answer.
 *
 * @throws {InvalidInput} when nobody asks this, when it takes other answers, or without an answer: with the commands to answer
 * @throws {CommandFailed} when it is answered or closed already
 */
export async function requirementIn(
  context: CommandContext,
  state: OnboardingState,
  meant: Meant,
): Promise<Named> {
  const { typed, given, kind } = meant;
  const { requirements, unsent = [] } = state;
  if (kind === 'take-back') {
    const id = only(unsent, given);
    if (id !== undefined) return { id };
    const name = given === undefined ? `${typed} has` : `${JSON.stringify(given)} has`;
    throw new InvalidInput(`${name} no unsent answer to take back; unsent: ${unsent.join(', ') || 'none'}`);
  }
  const ids = requirements.map(({ id }) => id);
  const id = only(ids, given);
  const requirement = requirements.find((each) => each.id === id);
  if (!requirement) throw await notOpen(context, state, meant, ids);
  if (kind === undefined)
    throw new InvalidInput(
      `nothing was sent; answer with one of these:\n${describeRequirement(context.cli, typed, requirement)}`,
    );
  if (requirement.answers.includes(kind)) return { id: requirement.id, requirement };
  const other = kind === 'abandon' ? `\n"gangway cancel ${typed}" ends an onboarding that waits for it` : '';
  throw new InvalidInput(
    `${id} does not take ${optionsOf([kind])}; it takes ${optionsOf(requirement.answers)}:\n` +
      resolveCommands(typed, requirement) +
      other,
  );
}

/**
 * A part of an id of 12 digits, or words without the number. A whole id is no beginning: of `note-149967d738cb-2`, which asks again
 * what `note-149967d738cb` has asked.
 */
const BEGINNING = /^(note-[0-9a-f]{3,11}|\D*)$/;

/** The id that is given, the only one that begins so, or the only one. */
function only(ids: readonly string[], given = ''): string | undefined {
  if (ids.includes(given) || !BEGINNING.test(given)) return ids.find((id) => id === given);
  const [id, ...more] = ids.filter((each) => each.startsWith(given));
  return more.length === 0 ? id : undefined;
}

async function notOpen(
  { cli, client }: CommandContext,
  state: OnboardingState,
  { workflowId, typed, given }: Meant,
  open: readonly string[],
): Promise<Error> {
  const still = `open: ${open.join(', ') || 'none'}`;
  if (given === undefined) {
    if (open.length === 0)
      return new InvalidInput(`nothing is open; "gangway status ${typed}" shows what it waits for`);
    const all = state.requirements.map((each) => describeRequirement(cli, typed, each)).join('\n');
    return new InvalidInput(`nothing was sent; ${open.length} requirements are open:\n${all}`);
  }
  const timeline = timelinesOf(state, await partsOf(client, workflowId, state));
  const ended = closedBefore(timeline, given) ?? answeredBefore(timeline, given);
  if (!ended) {
    const file = `${given}: a file needs its option; did you mean --document ${shellWord(given)}?`;
    const problem = `no requirement ${JSON.stringify(given)} is open; ${still}${didYouMean(given, open)}`;
    return new InvalidInput(existsSync(given) ? `${file}\n${still}` : problem);
  }
  const at = cli.times.atSecond(ended.at);
  const before = ended.actor === undefined ? `it was closed at ${at}` : `${ended.actor} answered it at ${at}`;
  const back = state.unsent?.includes(given) ? `\ntake it back: ${takeBackCommand(typed, given)}` : '';
  return new CommandFailed(`${before}: ${saidOf(ended)}\nNothing was sent; ${still}${back}`);
}
