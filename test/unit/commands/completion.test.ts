import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { wordsOf } from '../../../src/commands/help/complete.js';
import {
  ARGUMENT_VALUES,
  OPTION_VALUES,
  placeholderOf,
} from '../../../src/commands/help/completed-values.js';
import { fillCall } from '../../../src/commands/partner/commands.js';
import { gangway, run, type Surroundings } from '../../../src/commands/program.js';
import { REQUIREMENT_KINDS } from '../../../src/messages/requirement-kinds.js';
import { STAGES } from '../../../src/messages/stages.js';
import { SYSTEM_NAMES } from '../../../src/partners/names.js';

function surroundings(env: Readonly<Record<string, string>> = {}) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  return { env, stdin, stdout, stderr, signal: new AbortController().signal } satisfies Surroundings;
}

/** What `gangway complete` prints for a line, without descriptions. */
async function suggested(
  line: string,
  shell = 'zsh',
  env = {},
  breaks: readonly string[] = [],
): Promise<string[]> {
  const streams = surroundings(env);
  const code = await run(['complete', shell, '--', line, ...breaks], streams);
  expect(code).toBe(0);
  streams.stdout.end();
  const lines = (await text(streams.stdout)).split('\n').filter(Boolean);
  return lines.map((each) => each.split('\t')[0] ?? '');
}

describe('completion of', () => {
  it('a command: by its beginning', async () => {
    expect(await suggested('gangway st')).toEqual(['status', 'statement']);
    expect(await suggested('gangway statement ')).toEqual(expect.arrayContaining(['now', 'monthly', 'stop']));
    expect(await suggested('gangway statement m')).toEqual(['monthly']);
  });

  it('an option: of the command and of all, without those that are given', async () => {
    const options = ['--partner-account', '--yes', '--json', '--help', '--timeout', '--debug'];
    expect(await suggested('gangway cancel m-1001 --')).toEqual(options);
    expect(await suggested('gangway cancel m-1001 --json --')).not.toContain('--json');
    expect(await suggested('gangway resolve m-1001 note-1 --document a.pdf --doc')).toEqual(['--document']);
  });

  it('nothing that looks like an option, after --', async () => {
    expect(await suggested('gangway explain -- --')).toEqual([]);
  });

  it.each([
    ['gangway list --stage ', STAGES],
    ['gangway inbox --kind ', REQUIREMENT_KINDS],
    ['gangway nudge --system ', SYSTEM_NAMES],
    ['gangway batch rows.csv --format ', ['csv', 'ndjson']],
    ['gangway statement now --format ', ['PDF', 'CSV', 'QBO', 'OFX']],
    ['gangway completion ', ['bash', 'zsh', 'fish']],
    ['gangway --timeout 5s completion ', ['bash', 'zsh', 'fish']],
  ])('the fixed values of %s', async (line, values) => {
    expect(await suggested(line)).toEqual(values);
  });

  it('a value after an equals sign', async () => {
    expect(await suggested('gangway list --stage=under')).toEqual(['--stage=underwriting']);
  });

  it('partner accounts: from the setting', async () => {
    const env = { GANGWAY_ACCOUNTS: 'acme, north-iso' };
    expect(await suggested('gangway list --partner-account ', 'zsh', env)).toEqual(['acme', 'north-iso']);
  });

  it('operations of a system', async () => {
    expect(await suggested('gangway call ')).toEqual([...SYSTEM_NAMES, 'response']);
    expect(await suggested('gangway call banking close')).toEqual(['close-card']);
    expect(await suggested('gangway call banking close-card --y')).toEqual(['--yes']);
  });

  it('codes, topics and commands', async () => {
    const codes = ['write-uncertain', 'write-adopted', 'write-unfinished'];
    expect(await suggested('gangway explain write-')).toEqual(codes);
    expect(await suggested('gangway help res')).toEqual(['resolve', 'restore-sub-user', 'restore']);
    expect(await suggested('gangway help exit')).toEqual(['exit-codes']);
  });

  it.each([
    'gangway board ',
    'gangway batch rows.csv --mapping ',
    'gangway resolve m-1 n-1 --document a.pdf ',
  ])('files, by the shell: %s', async (line) => {
    expect(await suggested(line)).toEqual([':files']);
  });

  it('a word for bash: only what follows the last of its separators', async () => {
    const breaks = [' \t\n"\'><=;|&(:'];
    expect(await suggested('gangway list --stage=under', 'bash', {}, breaks)).toEqual(['underwriting']);
    expect(await suggested('gangway list --stage under', 'bash', {}, breaks)).toEqual(['underwriting']);
  });

  it('nothing, quietly, when Temporal does not respond', async () => {
    const env = { TEMPORAL_ADDRESS: '127.0.0.1:9' };
    const begun = performance.now();
    expect(await suggested('gangway status ', 'zsh', env)).toEqual([]);
    expect(performance.now() - begun).toBeLessThan(5_000);
  });

  it('nothing, quietly, when a setting is wrong', async () => {
    expect(await suggested('gangway status ', 'zsh', { PAYLOAD_KEYS: 'wrong' })).toEqual([]);
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

describe('what completes a value', () => {
  it('is decided for each option and argument', async () => {
    const program = gangway(surroundings());
    const call = program.commands.find((command) => command.name() === 'call') as Command;
    await fillCall(call, () => async () => undefined);
    const commands = commandsIn(program);
    const options = commands
      .flatMap((command) => command.options)
      .filter((option) => (option.required || option.optional) && !option.argChoices)
      .filter((option) => !Object.hasOwn(OPTION_VALUES, placeholderOf(option)));
    const args = commands
      .flatMap((command) => command.registeredArguments)
      .filter((argument) => !argument.argChoices && !Object.hasOwn(ARGUMENT_VALUES, argument.name()));
    expect([options.map(({ flags }) => flags), args.map((each) => each.name())]).toEqual([[], []]);
  });
});

function commandsIn(command: Command): Command[] {
  return [command, ...command.commands.flatMap(commandsIn)];
}
