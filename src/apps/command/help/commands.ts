import { Argument, type Command, type Option } from 'commander';
import { STATUS_MEANINGS } from '../../../partners/phases.js';
import { didYouMean } from '../../../platform/settings/did-you-mean.js';
import type { CommandIo } from '../cli/command-line.js';
import type { Action } from '../cli/options.js';
import { withoutMarkdown } from '../cli/output.js';
import { fillCall } from '../partner/commands.js';
import type { Topic } from './topics.js';

/** The commands that describe Gangway. None of them needs Temporal. */
export function addHelp(program: Command, action: Action, io: CommandIo): void {
  const described = Object.entries(TOPICS).map(([topic, about]) => `  ${topic.padEnd(14)}${about}`);
  const help = program
    .helpCommand(false)
    .command('help')
    .summary('show the help of a command or topic')
    .description('Show the help of a command or topic.')
    .argument('[topic]', 'a command, or one of the topics below')
    .argument('[more...]', 'a subcommand, or a part of the name of a setting')
    .addHelpText('after', `\nTopics:\n${described.join('\n')}`);
  help.action(async (topic: string | undefined, more: readonly string[]) => {
    if (topic === undefined) return program.help();
    if (topic !== 'answers' && Object.hasOwn(TOPICS, topic))
      return (await import('./topics.js')).printTopic(io, topic as Topic, more);
    const named = await commandOf([topic === 'answers' ? 'resolve' : topic, ...more], program, action);
    if (named) return named.help();
    const [topics, names] = [Object.keys(TOPICS), commandNames(program.commands)];
    const all = `; the topics are ${topics.join(', ')}; the commands are ${names.join(', ')}`;
    help.error(`error: no command or topic '${topic}'${didYouMean(topic, [...topics, ...names]) || all}`);
  });
  program
    .command('explain')
    .summary('describe a requirement, outcome, timeline entry or error')
    .description(
      'Describe a code: what it means, what happens next, and what a person does. Without a code, list all codes.',
    )
    .argument('[code]', 'for example uncertain-write, declined, answers-wait or NotSent')
    .option('--json', 'print JSON lines')
    .action(async (code: string | undefined, options: { readonly json?: true }) =>
      (await import('./topics.js')).explainTopic(io, code, options),
    );
}

async function commandOf(
  words: readonly string[],
  program: Command,
  action: Action,
): Promise<Command | undefined> {
  let command: Command | undefined = program;
  for (const word of words) {
    command = command?.commands.find((command) => command.name() === word);
    if (command?.name() === 'call' && command.parent === program) await fillCall(command, action);
  }
  return command;
}

export function addCompletion(program: Command, action: Action, io: CommandIo): void {
  program
    .command('completion')
    .summary('print a script that completes commands in your shell')
    .description(
      'Print a script that completes commands, options, files, and the IDs of onboardings and requirements. Load it when ' +
        'your shell starts.',
    )
    .addArgument(new Argument('<shell>', 'the shell that you use').choices(SHELLS))
    .addHelpText('after', LOADING)
    .action((shell: Shell) => printScript(io, shell));
  program
    .command(COMPLETE, { hidden: true })
    .description('Print what can follow. The scripts of "gangway completion" call it.')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .argument('<line>', 'the command line up to the cursor')
    .argument('[breaks]', 'bash: the characters that separate its words')
    .action((shell: Shell, line: string, breaks: string | undefined) =>
      complete(io, program, action, shell, line, breaks),
    );
}

const LOADING = `
Load it:
  bash   echo 'eval "$(gangway completion bash)"' >> ~/.bashrc
  zsh    echo 'eval "$(gangway completion zsh)"' >> ~/.zshrc   (after compinit)
  fish   gangway completion fish > ~/.config/fish/completions/gangway.fish`;

export const TOPICS: Readonly<Record<Topic | 'answers', string>> = {
  fields: 'the fields of an input: "help fields merchant", business or customer',
  columns: 'the first row of a CSV file: "help columns merchant > merchants.csv"',
  requirements: 'what a person can be asked',
  answers: 'how to answer a requirement',
  'exit-codes': 'what the exit codes mean, for scripts',
  settings: 'all settings; "help settings BOARDING" lists those with BOARDING in their name',
};

const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** The hidden command that the scripts of `gangway completion` call. */
export const COMPLETE = 'complete';

export function commandNames(commands: readonly Command[]): string[] {
  return commands.map((command) => command.name()).filter((name) => name !== COMPLETE);
}

/**
 * Prints what can follow a line.
 *
 * @param line the line up to the cursor
 * @param breaks the characters at which bash separates words
 */
export async function complete(
  io: CommandIo,
  program: Command,
  action: Action,
  shell: Shell,
  line: string,
  breaks = '',
): Promise<void> {
  const { stdout, env } = io;
  const [, ...words] = wordsOf(line);
  const current = words.at(-1) ?? '';
  const place = await placeOf(program, action, words.slice(0, -1));
  const values = valuesAt(place, current, env);
  if (values === 'files') return void stdout.write(`${FILES}\n`);
  const all = typeof values === 'function' ? await values(io, current, place.words) : values;
  const unneeded = shell === 'bash' ? heldByBash(current, breaks) : 0;
  const lines = all
    .filter(([word]) => word.startsWith(current))
    .map(([word, about = '']) => `${word.slice(unneeded)}\t${withoutMarkdown(about).replace(/\s+/g, ' ')}\n`);
  stdout.write(lines.join(''));
}

/** Splits a line into words like a shell. The last word is empty after a space. */
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

/** Finds the command for the next word, and the option whose value that word is or may be. */
async function placeOf(program: Command, action: Action, words: readonly string[]) {
  let [command, value, onlyArguments]: [Command, string[], boolean] = [program, [], false];
  let option: Option | undefined;
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
      const takesValue = named && (named.required || named.optional) && !word.includes('=');
      option = takesValue ? named : undefined;
    } else {
      const next: Command | undefined = command.commands.find((each) => each.name() === word);
      if (next?.name() === 'call' && next.parent === program) await fillCall(next, action);
      [command, value] = next ? [next, []] : [command, [...value, word]];
    }
  }
  return { command, words: value, option, used, onlyArguments };
}

function valuesAt(
  { command, words: value, option, used, onlyArguments }: Awaited<ReturnType<typeof placeOf>>,
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
  if (subcommands.length > 0 && value.length === 0)
    return subcommands.map((each) => [each.name(), each.summary() || each.description()]);
  const last = command.registeredArguments.at(-1);
  const argument = command.registeredArguments[value.length] ?? (last?.variadic ? last : undefined);
  return argument ? (choicesOf(argument) ?? argumentValues(argument, command)) : [];
}

function optionsOf(command: Command): readonly Option[] {
  const own = command.createHelp().visibleOptions(command);
  return [...own, ...(command.parent?.options.filter(({ long }) => long !== '--version') ?? [])];
}

function choicesOf({ argChoices }: Pick<Argument | Option, 'argChoices'>): readonly Candidate[] | undefined {
  return argChoices?.map((choice) => [choice]);
}

type Candidate = readonly [word: string, description?: string];
type LookUp = (around: CommandIo, current: string, value: readonly string[]) => Promise<readonly Candidate[]>;

/** The values of an argument or option: fixed words, files, or a lookup. */
type Values = readonly Candidate[] | 'files' | LookUp;

const words = (...all: readonly string[]): Values => all.map((word) => [word]);

/** The values of an option, by the name in its flags, such as `file` for `--mapping <file>`. Other options have no completion. */
export const OPTION_VALUES: Readonly<Record<string, Values>> = {
  file: 'files',
  folder: 'files',
  time: words('today', 'yesterday'),
  format: words('PDF', 'CSV', 'QBO', 'OFX'),
  character: words('tab', ';', '|'),
  meaning: words(...Object.keys(STATUS_MEANINGS)),
};

export const ARGUMENT_VALUES: Readonly<Record<string, Values>> = {
  file: 'files',
  requirement: async (io, _, [id = '']) => (await import('./live-values.js')).requirementIds(io, id),
  code: async () =>
    (await import('../../../services/texts/codes.js')).CODES.map(({ code, kind }): Candidate => [code, kind]),
};

function optionValues(option: Option, env: NodeJS.ProcessEnv): Values {
  if (option.long === '--partner-account') {
    const names = env['GANGWAY_ACCOUNTS']?.split(',').map((name) => name.trim()) ?? [];
    return words(...names.filter(Boolean));
  }
  return OPTION_VALUES[placeholderOf(option)] ?? [];
}

/** Returns the name in an option's flags: `file` for `--document <file...>`. */
export function placeholderOf({ flags }: Option): string {
  return /[<[]([^>\].]+)/.exec(flags)?.[1] ?? '';
}

function argumentValues(argument: Argument, command: Command): Values {
  const name = argument.name();
  if (name === 'id')
    return async (io, current) =>
      (await import('./live-values.js')).onboardingIds(io, command.name(), current);
  if (name === 'topic') {
    const commands = command.parent?.commands ?? [];
    return [...Object.entries(TOPICS), ...commands.map((each): Candidate => [each.name(), each.summary()])];
  }
  return ARGUMENT_VALUES[name] ?? [];
}

/**
 * The completion script for each shell. It passes the line up to the cursor to `gangway complete`, which prints each candidate on a
 * line, with a tab and a description. The line {@link FILES} means that files can follow.
 */
const SCRIPTS: Readonly<Record<Shell, readonly string[]>> = {
  bash: [
    '__gangway_words() {',
    '  local line',
    '  COMPREPLY=()',
    '  while IFS= read -r line; do',
    '    if [[ $line == :files ]]; then compopt -o default',
    `    else COMPREPLY+=("\${line%%$'\\t'*}")`,
    '    fi',
    `  done < <(gangway complete bash -- "\${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null)`,
    '}',
    'complete -F __gangway_words gangway',
  ],
  zsh: [
    '__gangway_words() {',
    '  local line',
    '  local -a candidates',
    `  for line in "\${(@f)$(gangway complete zsh -- "\${(j: :)words[1,CURRENT-1]} $PREFIX" 2>/dev/null)}"; do`,
    '    if [[ $line == :files ]]; then _files',
    // A colon separates a candidate from its description.
    `    elif [[ -n $line ]]; then candidates+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")`,
    '    fi',
    '  done',
    `  if (( \${#candidates} )); then _describe -V gangway candidates; fi`,
    '}',
    'compdef __gangway_words gangway',
  ],
  fish: [
    'function __gangway_words',
    '    for line in (gangway complete fish -- (commandline -cp) 2>/dev/null)',
    '        if test "$line" = :files; __fish_complete_path (commandline -ct)',
    '        else; echo $line',
    '        end',
    '    end',
    'end',
    "complete -c gangway -f -a '(__gangway_words)'",
  ],
};

/** Makes the shell complete files. No candidate begins with a colon. */
const FILES = ':files';

function printScript({ stdout }: CommandIo, shell: Shell): void {
  stdout.write(`${SCRIPTS[shell].join('\n')}\n`);
}
