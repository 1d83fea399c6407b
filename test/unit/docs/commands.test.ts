import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command as Program } from 'commander';
import { parse } from 'unbash';
import { describe, expect, it } from 'vitest';
import { LIBRARY_SECTIONS, SECTIONS } from '../../../scripts/settings.js';
import { gangway } from '../../../src/apps/command/program.js';
import { io } from '../../rigs/command.js';
import { blocksOf, commandsOf, inlineCodeOf, PAGES } from '../../rigs/docs.js';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };

/** What npm does by itself. */
const NPM_COMMANDS = ['ci', 'install', 'test'];

/** Programs that are not the project's, so that a page can only be right or wrong about them outside of this test. */
const OTHER_PROGRAMS = [
  '.',
  'cat',
  'cd',
  'chmod',
  'cp',
  'date',
  'echo',
  'eval',
  'export',
  'kill',
  'mkdir',
  'printf',
  'rm',
  'sed',
  'set',
  'sleep',
  'tee',
  'curl',
  'docker',
  'git',
  'grep',
  'jq',
  'kubectl',
  'openapi-python-client',
  'openssl',
  'pip',
  'psql',
  'python3',
  'temporal',
];

const settings = new Set([
  ...SECTIONS.flatMap(({ schema, secrets }) => [
    ...Object.keys(schema.shape),
    ...secrets.map((name) => `${name}_FILE`),
  ]),
  ...LIBRARY_SECTIONS.flatMap((section) => section.settings.map(({ name }) => name)),
]);

/** Whether it is a setting: `BOARDING_URL`, or `ACME_BOARDING_URL` of an account. */
function isSetting(name: string): boolean {
  return settings.has(name) || [...settings].some((value) => name.endsWith(`_${value}`));
}

/** The scripts and services of deploy/ have variables of their own. */
const deployment = globSync('deploy/**/*.{sh,yaml}')
  .map((path) => readFileSync(path, 'utf8'))
  .join('\n');

class Parsed extends Error {}

/** Has the real command line parse arguments, and stops before it does what they say. @returns what is wrong */
async function parseGangway(args: readonly string[]): Promise<string | undefined> {
  const program = gangway(io()).hook('preAction', () => {
    throw new Parsed();
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return 'runs nothing';
  } catch (error) {
    const isHelp = (error as { code?: string }).code === 'commander.helpDisplayed';
    return error instanceof Parsed || isHelp ? undefined : String(error);
  }
}

/** @returns what is wrong with a command of a page */
async function problemOf(name: string, args: readonly string[]): Promise<string | undefined> {
  if (name === 'gangway') return parseGangway(args);
  if (name === 'npx') {
    const [program = '', ...rest] = args;
    if (program === 'gangway') return parseGangway(rest);
    if (!existsSync(`node_modules/.bin/${program}`)) return `there is no program ${program}`;
    const tests = rest.filter((arg) => arg.startsWith('test/'));
    const missing = tests.find((test) => !existsSync(test));
    if (missing !== undefined) return `there is no ${missing}`;
    const title = rest.includes('-t') ? (rest[rest.indexOf('-t') + 1] ?? '') : '';
    return tests.every((test) => readFileSync(test, 'utf8').includes(title))
      ? undefined
      : `no test is called ${title}`;
  }
  if (name === 'npm') {
    const [command = '', ...rest] = args.filter((arg) => arg !== '--silent' && arg !== '-s');
    if (command !== 'run') return NPM_COMMANDS.includes(command) ? undefined : `npm has no ${command} here`;
    const [script = '', dashes, ...own] = rest;
    if (!Object.hasOwn(scripts, script)) return `package.json has no script ${script}`;
    if (dashes !== undefined && dashes !== '--') return `"${dashes}" is for npm: arguments come after --`;
    return script === 'starter' ? parseGangway(own) : undefined;
  }
  if (name === 'node') {
    const [file = ''] = args;
    const source = file.replace(/^dist\/(.*)\.js$/, 'src/$1.ts');
    return file.startsWith('-') || existsSync(source) ? undefined : `there is no ${source}`;
  }
  if (name.includes('/')) return existsSync(name) ? undefined : 'there is no such script';
  return OTHER_PROGRAMS.includes(name)
    ? undefined
    : 'is neither a command of the project nor a known program';
}

/** A code block for a shell. Output and files have other languages. */
const shellOf = (page: string) => blocksOf(page).filter(({ lang }) => lang === 'sh');

describe('the commands in a block of a page', () => {
  const blocks = PAGES.flatMap((page) =>
    shellOf(page).map(({ value, line }) => [`${page}:${line}`, value] as const),
  );

  it('are marked as sh, the only language of this test', () => {
    const others = PAGES.flatMap(blocksOf)
      .map(({ lang }) => lang)
      .filter(
        (lang) => !['sh', 'text', 'json', 'ts', 'yaml', 'ini', 'mermaid', 'toml', 'diff'].includes(lang),
      );
    expect(others).toEqual([]);
    expect(blocks.length).toBeGreaterThan(20);
  });

  it.each(blocks)('%s: parse, with commands and settings that exist', async (_, script) => {
    const tree = parse(script);
    expect(tree.errors ?? []).toEqual([]);
    const problems: string[] = [];
    let folder = '.';
    for (const { name, prefix, args } of commandsOf(tree)) {
      const set = [...prefix, ...(name?.value === 'export' ? args : [])].filter(
        (part) => part.type === 'Assignment',
      );
      for (const { name: variable } of set) {
        const isUsed = [script, deployment].some((text) => new RegExp(`\\$\\{?${variable}\\b`).test(text));
        if (/^[A-Z]/.test(variable) && !isUsed && !isSetting(variable))
          problems.push(`${variable} is no setting`);
      }
      if (!name) continue;
      const values = args.map(({ text, value }) => (typeof value === 'string' ? value : text));
      if (name.value === 'cd') folder = join(folder, values[0] ?? '');
      const problem = await problemOf(
        name.value.includes('/') ? join(folder, name.value) : name.value,
        values,
      );
      if (problem !== undefined) problems.push(`${[name.text, ...values].join(' ')}: ${problem}`);
    }
    expect(problems).toEqual([]);
  });
});

describe('a block of settings on a page', () => {
  it.each(PAGES)('%s: names settings that exist', (page) => {
    const names = blocksOf(page)
      .filter(({ lang }) => lang === 'ini')
      .flatMap(({ value }) => [...value.matchAll(/^(\w+)=/gm)].map(([, name = '']) => name));
    expect(names.filter((name) => !isSetting(name))).toEqual([]);
  });
});

/** The command that words like `gangway statement run ID` name, and the options of it that they use. */
function named(words: readonly string[]): { readonly result: Program; readonly options: readonly string[] } {
  let result: Program = gangway(io());
  for (const word of words) {
    const next = result.commands.find((command) => command.name() === word);
    if (!next) break;
    result = next;
  }
  return {
    result,
    options: words.filter((word) => /^--[a-z]/.test(word)).map((word) => word.split('=')[0] ?? ''),
  };
}

describe('a command in the text of a page', () => {
  it.each(PAGES)('%s: exists, with its options', (page) => {
    const problems = inlineCodeOf(page).flatMap(({ value, line }) => {
      const words = value.split(/\s+/);
      const [first, second, third = ''] = words;
      if (first === 'npm' && second === 'run') {
        const script = words.slice(2).find((word) => !word.startsWith('-')) ?? '';
        return Object.hasOwn(scripts, script) ? [] : [`${page}:${line} ${value}: no such script`];
      }
      const own = first === 'npx' && second === 'gangway' ? words.slice(2) : words.slice(1);
      if ((first !== 'gangway' && second !== 'gangway') || own.length === 0 || third === '...') return [];
      const { result, options } = named(own);
      const isCommand = result.parent !== null || /^(-|\.\.\.|[A-Z])/.test(own[0] ?? '');
      const entries = [...result.options, ...(result.parent?.options ?? [])].map(({ long }) => long);
      const wrong = options.filter((option) => ![...entries, '--help', '--version'].includes(option));
      return isCommand && wrong.length === 0
        ? []
        : [`${page}:${line} ${value}: ${wrong.join(' ') || 'no such command'}`];
    });
    expect(problems).toEqual([]);
  });
});
