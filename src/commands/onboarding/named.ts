import { existsSync } from 'node:fs';
import { asPartsHaveThem, type PartState, partsOf, timelinesOf } from '../../inbox/waits.js';
import type { OnboardingState } from '../../messages/onboarding-state.js';
import type { AnswerKind, Requirement } from '../../messages/requirements.js';
import { didYouMean } from '../../settings/nearest.js';
import { UnreadableOnboarding } from '../../temporal/unreadable.js';
import { InvalidInput } from '../../texts/invalid-input.js';
import { answeredBefore, closedBefore, saidOf } from '../../texts/timeline-entries.js';
import { findById, shellWord } from '../cli/arguments.js';
import type { CommandContext } from '../cli/command-line.js';
import { CommandFailed } from '../cli/errors.js';
import { gangwayOf } from '../cli/follow.js';
import {
  describeRequirement,
  endedSentence,
  optionsOf,
  resolveCommands,
  takeBackCommand,
} from '../cli/in-words.js';

type Found = Awaited<ReturnType<typeof findById>>;

export interface Read {
  readonly found: Found;
  readonly state: OnboardingState;
  readonly parts: readonly PartState[];
}

/**
 * Reads the workflow that takes the answer to a requirement: of a customer, that is a part if it was started on its own before.
 *
 * @param given as for {@link openRequirement}
 * @throws {UnreadableOnboarding}
 */
export async function readFor(context: CommandContext, found: Found, given?: string): Promise<Read> {
  const state = await gangwayOf(context)
    .status(found.workflowId)
    .catch((error: unknown) => {
      const hasEnded = error instanceof UnreadableOnboarding && found.status.name !== 'RUNNING';
      throw hasEnded ? new CommandFailed(endedSentence(found)) : error;
    });
  const parts = await partsOf(context.client, found.workflowId, state);
  const has = ({ requirements, unsent = [] }: OnboardingState) =>
    only([...requirements.map(({ id }) => id), ...unsent], given) !== undefined;
  const isAsking = ({ state: own, wasThereBefore }: PartState) =>
    wasThereBefore && !(own instanceof UnreadableOnboarding) && has(own);
  const part = has(state) ? undefined : parts.find(isAsking);
  if (!part) return { found, state, parts };
  return readFor(context, await findById(context, part.workflowId, {}), given);
}

/** The open requirement that a person means, by its id or the beginning of it. @throws {InvalidInput}, {@link CommandFailed} */
export function openRequirement(context: CommandContext, read: Read, given: string | undefined): Requirement {
  const requirements = asPartsHaveThem(read.state, read.parts);
  const ids = requirements.map(({ id }) => id);
  const id = only(ids, given);
  const requirement = requirements.find((each) => each.id === id);
  if (!requirement) throw notOpen(context, read, given, ids);
  return requirement;
}

/** For an answer to take back, there is only the id. */
export type Named = Pick<Requirement, 'id'> & { readonly requirement?: Requirement };

/** The requirement to answer. @param kind undefined without an answer. @throws {InvalidInput} with the commands that answer it */
export function requirementIn(
  context: CommandContext,
  read: Read,
  given: string | undefined,
  kind: AnswerKind | undefined,
): Named {
  const { typed } = read.found;
  if (kind === 'take-back') {
    const { unsent = [] } = read.state;
    const id = only(unsent, given);
    if (id !== undefined) return { id };
    const name = given === undefined ? `${typed} has` : `${JSON.stringify(given)} has`;
    throw new InvalidInput(`${name} no unsent answer to take back; unsent: ${unsent.join(', ') || 'none'}`);
  }
  const requirement = openRequirement(context, read, given);
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

function notOpen(
  { cli }: CommandContext,
  { found, state, parts }: Read,
  given: string | undefined,
  open: readonly string[],
): Error {
  const { typed } = found;
  const hasEnded = found.status.name !== 'RUNNING';
  const still = `open: ${open.join(', ') || 'none'}`;
  if (given === undefined) {
    if (hasEnded) return new CommandFailed(`${endedSentence(found)}; it takes no answers`);
    if (open.length === 0)
      return new InvalidInput(`nothing is open; "gangway status ${typed}" shows what it waits for`);
    const all = state.requirements.map((each) => describeRequirement(cli, typed, each)).join('\n');
    return new InvalidInput(`nothing was sent; ${open.length} requirements are open:\n${all}`);
  }
  const timeline = timelinesOf(state, parts);
  const ended = closedBefore(timeline, given) ?? answeredBefore(timeline, given);
  if (!ended && hasEnded) return new CommandFailed(`${endedSentence(found)}; it takes no answers`);
  if (!ended) {
    const file = `${given}: a file needs its option; did you mean --document ${shellWord(given)}?`;
    const isBeginning = open.some((id) => id.startsWith(given));
    const problem = isBeginning
      ? `give more of the id than ${JSON.stringify(given)}; ${still}`
      : `no requirement ${JSON.stringify(given)} is open; ${still}${didYouMean(given, open)}`;
    return new InvalidInput(existsSync(given) ? `${file}\n${still}` : problem);
  }
  const at = cli.times.atSecond(ended.at);
  const before = ended.actor === undefined ? `it was closed at ${at}` : `${ended.actor} answered it at ${at}`;
  const back = state.unsent?.includes(given) ? `\ntake it back: ${takeBackCommand(typed, given)}` : '';
  const now = hasEnded ? endedSentence(found) : still;
  return new CommandFailed(`${before}: ${saidOf(ended)}\nNothing was sent; ${now}${back}`);
}
