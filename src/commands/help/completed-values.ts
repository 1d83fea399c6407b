import type { Argument, Command, Option } from 'commander';
import { STATUS_MEANINGS } from '../../partners/phases.js';
import type { Surroundings } from '../cli/command-line.js';
import { TOPICS } from './names.js';

/** A possible continuation, for people: a word and its meaning. */
export type Candidate = readonly [word: string, description?: string];

/** The values of an argument or option: known words, files of the shell, or words that are looked up. */
export type Values =
  | readonly Candidate[]
  | 'files'
  | ((
      surroundings: Surroundings,
      current: string,
      given: readonly string[],
    ) => Promise<readonly Candidate[]>);

/** Nothing to suggest: only the person knows the value. */
const FREE: Values = [];

const words = (...all: readonly string[]): Values => all.map((word) => [word]);

/** The values of an option, by the name in its flags: `file` of `--mapping <file>`. A test asks for new ones. */
export const OPTION_VALUES: Readonly<Record<string, Values>> = {
  file: 'files',
  folder: 'files',
  time: words('today', 'yesterday'),
  format: words('PDF', 'CSV', 'QBO', 'OFX'),
  character: words('tab', ';', '|'),
  duration: FREE,
  n: FREE,
  agentProfileId: FREE,
  query: FREE,
  text: FREE,
  json: FREE,
  id: FREE,
  code: FREE,
  meaning: words(...Object.keys(STATUS_MEANINGS)),
  why: FREE,
  digits: FREE,
  'field=value': FREE,
  field: FREE,
  key: FREE,
  month: FREE,
  address: FREE,
  day: FREE,
  hour: FREE,
  destination: FREE,
  /** `--partner-account`, `--provider`, `--actor`, `--dba`. */
  name: FREE,
};

export const ARGUMENT_VALUES: Readonly<Record<string, Values>> = {
  file: 'files',
  id: FREE,
  requirement: async (surroundings, _, [id = '']) =>
    (await import('./live-values.js')).requirementIds(surroundings, id),
  code: async () =>
    (await import('../../texts/codes.js')).CODES.map(({ code, kind }): Candidate => [code, kind]),
  topic: FREE,
  words: FREE,
  more: FREE,
  line: FREE,
  breaks: FREE,
  card: FREE,
  name: FREE,
  'sub-user': FREE,
  key: FREE,
  profile: FREE,
  call: FREE,
  request: FREE,
};

export function optionValues(option: Option, env: NodeJS.ProcessEnv): Values {
  if (option.long === '--partner-account') return words(...accountNames(env));
  return OPTION_VALUES[placeholderOf(option)] ?? FREE;
}

/** `file` of `--document <file...>`. */
export function placeholderOf({ flags }: Option): string {
  return /[<[]([^>\].]+)/.exec(flags)?.[1] ?? '';
}

function accountNames({ GANGWAY_ACCOUNTS = '' }: NodeJS.ProcessEnv): string[] {
  return GANGWAY_ACCOUNTS.split(',')
    .map((name) => name.trim())
    .filter(Boolean);
}

export function argumentValues(argument: Argument, command: Command): Values {
  const name = argument.name();
  if (name === 'id')
    return async (surroundings, current) =>
      (await import('./live-values.js')).onboardingIds(surroundings, command.name(), current);
  if (name === 'topic') return topicsIn(command);
  return ARGUMENT_VALUES[name] ?? FREE;
}

function topicsIn({ parent }: Command): Values {
  const commands = parent?.commands.map((each): Candidate => [each.name(), each.summary()]) ?? [];
  return [...Object.entries(TOPICS), ...commands];
}
