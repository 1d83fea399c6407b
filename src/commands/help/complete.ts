import type { Argument, Command, Option } from 'commander';
import type { Surroundings } from '../cli/command-line.js';
import type { Act } from '../cli/definition.js';
import { withoutMarkdown } from '../cli/prose.js';
import { fillCall } from '../partner/commands.js';
import { argumentValues, type Candidate, optionValues, type Values } from './completed-values.js';
import { FILES } from './completion-scripts.js';
import type { Shell } from './names.js';

/** The whole command line, whose definitions are completed. */
interface Definitions {
  readonly program: Command;
  readonly act: Act;
}

interface Typed {
  readonly shell: Shell;
  /** Up to the cursor. */
  readonly line: string;
  /** The characters at which bash separates words. */
  readonly breaks: string | undefined;
}

/** Prints what can follow a line. */
export async function complete(
  surroundings: Surroundings,
  definitions: Definitions,
  { shell, line, breaks = '' }: Typed,
): Promise<void> {
  const { stdout, env } = surroundings;
  const [, ...words] = wordsOf(line);
  const current = words.at(-1) ?? '';
  const place = await placeOf(definitions, words.slice(0, -1));
  const values = valuesAt(place, current, env);
  if (values === 'files') return void stdout.write(`${FILES}\n`);
  const all = typeof values === 'function' ? await values(surroundings, current, place.given) : values;
  const unneeded = shell === 'bash' ? heldByBash(current, breaks) : 0;
  const lines = all
    .filter(([word]) => word.startsWith(current))
    .map(([word, about = '']) => `${word.slice(unneeded)}\t${withoutMarkdown(about).replace(/\s+/g, ' ')}\n`);
  stdout.write(lines.join(''));
}

/** The words of a line, as a shell splits them. The last one is empty after a space. */
export function wordsOf(line: string): string[] {
  const words: string[] = [];
  let word = '';
  let quote = '';
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at] ?? '';
    if (quote === '' && /\s/.test(character)) {
      if (at > 0 && !/\s/.test(line[at - 1] ?? '')) words.push(word);
      word = '';
    } else if (character === quote) quote = '';
    else if (quote === '' && (character === '"' || character === "'")) quote = character;
    else if (character === '\\' && quote !== "'") word += line[++at] ?? '';
    else word += character;
  }
  return [...words, word];
}

/**
 * Returns the number of leading characters of the current word that bash keeps: it completes only the part after the last of its
 * separators, and keeps an @ with what follows.
 */
function heldByBash(current: string, breaks: string): number {
  const last = Math.max(...[...breaks].map((separator) => current.lastIndexOf(separator)));
  return current[last] === '@' ? last : last + 1;
}

/** The place of the current word. */
interface Place {
  readonly command: Command;
  /** The arguments before it. */
  readonly given: readonly string[];
  /** The option whose value it is, or may be. */
  readonly option: Option | undefined;
  /** The options before it. */
  readonly used: ReadonlySet<Option>;
  /** After `--`, no word is an option. */
  readonly onlyArguments: boolean;
}

async function placeOf({ program, act }: Definitions, words: readonly string[]): Promise<Place> {
  let command = program;
  let given: string[] = [];
  let option: Option | undefined;
  let onlyArguments = false;
  const used = new Set<Option>();
  for (const word of words) {
    const isOption = !onlyArguments && word.startsWith('-') && word !== '-';
    if (option && !isOption) {
      if (!option.variadic) option = undefined;
    } else if (!onlyArguments && word === '--') onlyArguments = true;
    else if (isOption) {
      const [name] = word.split('=');
      const named = optionsOf(command).find(({ long, short }) => long === name || short === name);
      if (named) used.add(named);
      option = named && takesValue(named) && !word.includes('=') ? named : undefined;
    } else {
      const next: Command | undefined = command.commands.find((each) => each.name() === word);
      if (!next) given.push(word);
      else {
        command = next;
        given = [];
        if (next.name() === 'call' && next.parent === program) await fillCall(next, act);
      }
    }
  }
  return { command, given, option, used, onlyArguments };
}

function valuesAt(
  { command, given, option, used, onlyArguments }: Place,
  current: string,
  env: NodeJS.ProcessEnv,
): Values {
  if (option && !(option.variadic && current.startsWith('-')))
    return choicesOf(option) ?? optionValues(option, env);
  const [, name, typed] = /^(--[^=]+)=(.*)$/.exec(current) ?? [];
  if (name !== undefined && typed !== undefined && !onlyArguments) {
    const named = optionsOf(command).find(({ long }) => long === name);
    const values = named ? (choicesOf(named) ?? optionValues(named, env)) : [];
    // Files are not completed here, because not every shell completes them after "=".
    return Array.isArray(values) ? values.map(([word, about]) => [`${name}=${word}`, about]) : [];
  }
  if (current.startsWith('-') && !onlyArguments) {
    const free = optionsOf(command).filter((each) => each.variadic || !used.has(each));
    return free.map(({ long, short, description }) => [long ?? short ?? '', description]);
  }
  const subcommands = command.createHelp().visibleCommands(command);
  if (subcommands.length > 0 && given.length === 0)
    return subcommands.map((each) => [each.name(), each.summary() || each.description()]);
  const last = command.registeredArguments.at(-1);
  const argument = command.registeredArguments[given.length] ?? (last?.variadic ? last : undefined);
  return argument ? (choicesOf(argument) ?? argumentValues(argument, command)) : [];
}

/** The options of a command and of the commands above it. */
function optionsOf(command: Command): readonly Option[] {
  const own = command.createHelp().visibleOptions(command);
  return command.parent
    ? [...own, ...command.parent.options.filter(({ long }) => long !== '--version')]
    : own;
}

function takesValue({ required, optional }: Option): boolean {
  return required || optional;
}

function choicesOf({ argChoices }: Pick<Argument | Option, 'argChoices'>): readonly Candidate[] | undefined {
  return argChoices?.map((choice) => [choice]);
}
