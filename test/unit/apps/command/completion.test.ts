import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import {
  ARGUMENT_VALUES,
  OPTION_VALUES,
  placeholderOf,
  wordsOf,
} from '../../../../src/apps/command/help/commands.js';
import { fillCall } from '../../../../src/apps/command/partner/commands.js';
import { gangway as commandLine } from '../../../../src/apps/command/program.js';
import { REQUIREMENT_KINDS, STAGES } from '../../../../src/messages/codes.js';
import { SYSTEM_NAMES } from '../../../../src/partners/system-names.js';
import { gangway, io } from '../../../rigs/command.js';

/** What `gangway complete` prints for a line, without descriptions. */
async function suggested(line: string, shell = 'zsh', env = {}, breaks: readonly string[] = []) {
  const { code, stdout } = await gangway(env, ['complete', shell, '--', line, ...breaks]);
  expect(code).toBe(0);
  const lines = stdout.split('\n').filter(Boolean);
  return lines.map((each) => each.split('\t')[0] ?? '');
}

describe('completion of', () => {
  const OPTIONS = ['--partner-account', '--yes', '--reason', '--help', '--timeout', '--debug'];
  const MORE = ['--partner-account', '--yes', '--reason', '--json', '--help', '--timeout', '--debug'];

  it.each<[what: string, line: string, suggestions: readonly string[]]>([
    ['a command, by its beginning', 'gangway st', ['status', 'statement']],
    ['a command of commands', 'gangway statement n', ['now']],
    ['all of them', 'gangway statement ', ['now', 'help']],
    ['an option of the command or of all', 'gangway cancel m-1001 --', MORE],
    ['an option that is not yet given', 'gangway cancel m-1001 --json --', OPTIONS],
    ['an option that may be repeated', 'gangway resolve m-1 n-1 --document a.pdf --doc', ['--document']],
    ['nothing that looks like an option, after --', 'gangway explain -- --', []],
    ['fixed values', 'gangway list --stage ', STAGES],
    ['fixed values', 'gangway inbox --kind ', REQUIREMENT_KINDS],
    ['fixed values', 'gangway nudge --system ', SYSTEM_NAMES],
    ['fixed values', 'gangway batch rows.csv --format ', ['csv', 'ndjson']],
    ['fixed values', 'gangway statement now --format ', ['PDF', 'CSV', 'QBO', 'OFX']],
    ['fixed values', 'gangway --timeout 5s completion ', ['bash', 'zsh', 'fish']],
    ['a value after an equals sign', 'gangway list --stage=under', ['--stage=underwriting']],
    ['systems', 'gangway call ', [...SYSTEM_NAMES, 'response']],
    ['operations of a system', 'gangway call banking close', ['close-card']],
    ['options of an operation', 'gangway call banking close-card --y', ['--yes']],
    ['codes', 'gangway explain write-', ['write-uncertain', 'write-confirmed', 'write-unfinished']],
    ['commands', 'gangway help res', ['resolve', 'restore-sub-user', 'restore']],
    ['topics', 'gangway help exit', ['exit-codes']],
    ['files, by the shell', 'gangway board ', [':files']],
    ['files, by the shell', 'gangway batch rows.csv --mapping ', [':files']],
    ['files, by the shell', 'gangway resolve m-1 n-1 --document a.pdf ', [':files']],
  ])('%s: %s', async (_, line, suggestions) => {
    expect(await suggested(line)).toEqual(suggestions);
  });

  it('partner accounts: from the setting', async () => {
    const env = { GANGWAY_ACCOUNTS: 'acme, north-iso' };
    expect(await suggested('gangway list --partner-account ', 'zsh', env)).toEqual(['acme', 'north-iso']);
  });

  it.each(['=', ' '])(
    'a word for bash: only what follows the last of its separators, as %j',
    async (sign) => {
      const breaks = [' \t\n"\'><=;|&(:'];
      expect(await suggested(`gangway list --stage${sign}under`, 'bash', {}, breaks)).toEqual([
        'underwriting',
      ]);
    },
  );

  it.each([
    ['Temporal does not respond', { TEMPORAL_ADDRESS: '127.0.0.1:9' }],
    ['a setting is wrong', { PAYLOAD_KEYS: 'wrong' }],
  ])('nothing, quietly, when %s', async (_, env) => {
    const start = performance.now();
    expect(await suggested('gangway status ', 'zsh', env)).toEqual([]);
    expect(performance.now() - start).toBeLessThan(5_000);
  });
});

it.each([
  ['gangway st', ['gangway', 'st']],
  ['gangway  status ', ['gangway', 'status', '']],
  ['gangway status "Corner Bak', ['gangway', 'status', 'Corner Bak']],
  ["gangway status 'Corner Bakery' ", ['gangway', 'status', 'Corner Bakery', '']],
  ['gangway status Corner\\ Bak', ['gangway', 'status', 'Corner Bak']],
])('%s: has the words that a shell gives to a command', (line, words) => {
  expect(wordsOf(line)).toEqual(words);
});

/** Their values are looked up, or listed. */
const KNOWN_ARGUMENTS = [...Object.keys(ARGUMENT_VALUES), 'id', 'topic'];

/** Only the person knows these values. */
const FREE = {
  options: [
    'duration',
    'n',
    'agentProfileId',
    'query',
    'text',
    'json',
    'id',
    'code',
    'why',
    'digits',
    'name',
    'field=value',
    'field=label',
    'field',
    'key',
    'month',
    'address',
    'day',
    'hour',
    'destination',
  ],
  arguments: [
    'words',
    'more',
    'line',
    'breaks',
    'card',
    'name',
    'sub-user',
    'key',
    'call',
    'request',
    'person',
  ],
};

describe('what completes a value', () => {
  it('is decided for each option and argument', async () => {
    const program = commandLine(io());
    const call = program.commands.find((command) => command.name() === 'call') as Command;
    await fillCall(call, () => async () => undefined);
    const commands = commandsIn(program);
    const options = commands
      .flatMap((command) => command.options)
      .filter((option) => (option.required || option.optional) && !option.argChoices)
      .filter((option) => ![...Object.keys(OPTION_VALUES), ...FREE.options].includes(placeholderOf(option)));
    const args = commands
      .flatMap((command) => command.registeredArguments)
      .filter((argument) => !argument.argChoices)
      .filter((argument) => ![...KNOWN_ARGUMENTS, ...FREE.arguments].includes(argument.name()));
    expect([options.map(({ flags }) => flags), args.map((each) => each.name())]).toEqual([[], []]);
  });
});

function commandsIn(command: Command): Command[] {
  return [command, ...command.commands.flatMap(commandsIn)];
}
