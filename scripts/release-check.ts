/**
 * Checks that the commit at hand can be tagged as a release: `npm run release-check`. It takes more than two hours, so after an
 * interruption it continues: a check that has passed for this commit is not repeated without --again. Exit code 1 when anything
 * fails. What a failed check printed is in .cache/release/, and so is the SBOM.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import satisfies from 'spdx-satisfies';
import { interrupted, ROOT, run } from './runs.js';

const FOLDER = join(ROOT, '.cache', 'release');

/** The checks that passed, by the commit. */
const PASSED = join(FOLDER, 'passed.json');

/** Installed for the moment: its tree is larger than all that the project needs for its tests. */
const CYCLONEDX = '@cyclonedx/cyclonedx-npm@6.0.1';

/** SPDX ids of licenses that permit use, change and sale, and demand no more than a notice. */
const PERMISSIVE = [
  ...['MIT', 'MIT-0', 'ISC', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', 'BlueOak-1.0.0'],
  ...['Unlicense', 'CC0-1.0', 'CC-BY-4.0', 'Python-2.0', 'Zlib'],
];

/** Packages whose manifest names no license: that of their LICENSE file, as somebody has read it. */
const READ: Readonly<Record<string, string>> = { 'unionfs@4.6.0': 'Unlicense' };

/** Sizes of tests that take minutes. The gate has small ones. */
const LONG = {
  ADOPTED_ROWS: '1000',
  SCHEMATHESIS_SECONDS: '25',
  FLOOD_EVENTS: '1500',
  NETWORK_CUT_SECONDS: '60',
};
const LONG_TESTS = [
  ...['commands/adopt-many', 'receiver/schemathesis', 'receiver/killed-temporal'],
  'workflows/interrupted-writes',
];

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
const SBOM = join(FOLDER, `gangway-${version}.cdx.json`);

/** The problem with the release; undefined when there is none. A second part is for the log. */
type Problem = readonly [inShort: string, printed?: string] | undefined;

/** What a check cannot do on this machine. */
interface Skipped {
  readonly skipped: string;
}

type Check = () => Promise<Problem | Skipped> | Problem;

/** By name, the quickest first. */
const CHECKS: Readonly<Record<string, Check>> = {
  version: versionProblem,
  contract: () => changing('record-contract', version),
  histories: () => changing('record-histories', version),
  docs: () => changing('docs'),
  sbom: sbomProblem,
  licenses: licensesProblem,
  signatures: signaturesProblem,
  gate: gateProblem,
  'long-sizes': longSizesProblem,
  'on-a-server': onServerProblem,
  mutants: () => failing('npm', 'run', 'mutants', '--', '--at-least', '75', '--concurrency', '2'),
  'seeded-defects': () => failing('npm', 'run', 'seeded-defects'),
  simulation: simulationProblem,
};

const { only, again } = new Command('release-check')
  .description('Check that the commit at hand can be tagged as a release.')
  .addOption(new Option('--only <checks...>', 'some checks').choices(Object.keys(CHECKS)))
  .option('--again', 'repeat checks that have passed for this commit')
  .parse()
  .opts<{ only?: string[]; again?: true }>();
await mkdir(FOLDER, { recursive: true });
process.exitCode = await checkAll().catch(endedByCtrlC);

function endedByCtrlC(error: unknown): number {
  if (interrupted.signal.aborted) return 130;
  throw error;
}

/** @returns the exit code */
async function checkAll(): Promise<number> {
  const changes = git('status', '--porcelain');
  if (changes !== '') {
    print('clean-tree', 'failed', 0, `there are changes that are not committed:\n${changes}`);
    return 1;
  }
  const commit = git('rev-parse', 'HEAD').trim();
  const passed = passedFor(commit);
  let failed = 0;
  for (const [name, check] of Object.entries(CHECKS)) {
    if (only && !only.includes(name)) continue;
    const before = passed[name];
    if (before !== undefined && !again) {
      print(name, 'ok', before, 'already passed');
      continue;
    }
    const begun = performance.now();
    const result = await check();
    const seconds = Math.round((performance.now() - begun) / 1_000);
    if (result === undefined) {
      passed[name] = seconds;
      await writeFile(PASSED, JSON.stringify({ [commit]: passed }));
      print(name, 'ok', seconds);
    } else if ('skipped' in result) {
      print(name, 'skipped', seconds, result.skipped);
    } else {
      failed++;
      const [inShort, printed = inShort] = result;
      await writeFile(join(FOLDER, `${name}.log`), printed);
      print(name, 'failed', seconds, `${inShort}; see .cache/release/${name}.log`);
    }
  }
  const total = Object.values(passed).reduce((sum, seconds) => sum + seconds, 0);
  if (failed > 0) print('', 'failed', total, `${failed} checks`);
  else if (!only) print('', 'ready', total, `git tag -s v${version} -m "Gangway ${version}"`);
  return failed > 0 ? 1 : 0;
}

function print(name: string, how: string, seconds: number, why = ''): void {
  const time = `${seconds} s`.padStart(7);
  process.stdout.write(`${`${name.padEnd(14)}  ${how.padEnd(7)}  ${time}  ${why}`.trimEnd()}\n`);
}

/** @returns the seconds that each check took */
function passedFor(commit: string): Record<string, number> {
  if (!existsSync(PASSED)) return {};
  const all = JSON.parse(readFileSync(PASSED, 'utf8')) as Record<string, Record<string, number>>;
  return all[commit] ?? {};
}

async function failing(program: string, ...args: string[]): Promise<Problem> {
  return failed([program, ...args].join(' '), await run(program, args));
}

function failed(what: string, { code, output }: Awaited<ReturnType<typeof run>>): Problem {
  return code === 0 ? undefined : [`${what} exits with ${code}`, output];
}

/** An hour of schedules that no release before it has run. */
async function simulationProblem(): Promise<Problem> {
  const seed = Number.parseInt(git('rev-parse', 'HEAD').slice(0, 8), 16);
  const simulate = ['run', '-s', 'simulate', '--', '--minutes', '60', '--seed', `${seed}`];
  const { output, ...ended } = await run('npm', simulate);
  const [count = ''] = /^\d+ runs, .*$/m.exec(output) ?? [];
  process.stdout.write(`${count}\n`);
  return failed('npm run simulate', { ...ended, output });
}

/** What a script of package.json writes has to be committed. */
async function changing(script: string, ...args: string[]): Promise<Problem> {
  const problem = await failing('npm', 'run', script, '--', ...args);
  if (problem) return problem;
  const changes = git('status', '--porcelain');
  return changes === '' ? undefined : [`npm run ${script} changes files`, `${changes}${git('diff')}`];
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' });
}

function versionProblem(): Problem {
  if (!/^\d+\.\d+\.\d+$/.test(version)) return [`package.json has ${version}, which is no release`];
  if (git('tag', '--list', `v${version}`) !== '') return [`there is a tag v${version} already`];
  const changes = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8');
  const headings = [...changes.matchAll(/^## .*$/gm)].map(([heading]) => heading);
  const dated = new RegExp(`^## \\[${version.replaceAll('.', '\\.')}\\] - \\d{4}-\\d{2}-\\d{2}$`);
  if (!dated.test(headings[1] ?? '')) return [`CHANGELOG.md begins with no dated section of ${version}`];
  const unreleased = changes.split(/^## .*$/m)[1]?.trim();
  return unreleased === '' ? undefined : ['CHANGELOG.md has unreleased changes'];
}

function sbomProblem(): Promise<Problem> {
  const what = ['--omit', 'dev', '--output-reproducible', '--output-format', 'JSON', '--output-file', SBOM];
  const install = ['exec', '--yes', '--ignore-scripts', '--package', CYCLONEDX, '--'];
  return failing('npm', ...install, 'cyclonedx-npm', ...what);
}

interface Component {
  readonly name: string;
  readonly version?: string;
  readonly licenses?: readonly { license?: { id?: string; name?: string }; expression?: string }[];
  readonly components?: readonly Component[];
}

/** Reads what {@link sbomProblem} wrote. */
function licensesProblem(): Problem {
  if (!existsSync(SBOM)) return ['there is no SBOM: run the check sbom first'];
  const { components = [] } = JSON.parse(readFileSync(SBOM, 'utf8')) as Component;
  const others = inAll(components).flatMap((component) => {
    const name = `${component.name}@${component.version}`;
    const named = (component.licenses ?? []).map(
      ({ license, expression }) => expression ?? license?.id ?? license?.name ?? '',
    );
    const given = named.length > 0 ? named : [READ[name] ?? ''];
    return given.every(isPermissive) ? [] : [`${name}: ${given.join(', ') || 'no license'}`];
  });
  return others.length === 0 ? undefined : [`not permissive, or unclear: ${others.join('; ')}`];
}

function inAll(components: readonly Component[]): Component[] {
  return components.flatMap((component) => [component, ...inAll(component.components ?? [])]);
}

function isPermissive(expression: string): boolean {
  try {
    return satisfies(expression, PERMISSIVE);
  } catch {
    // Not an SPDX expression.
    return false;
  }
}

/** Not every registry signs, and the keys are at a host that a machine may not reach. */
async function signaturesProblem(): Promise<Problem | Skipped> {
  const audit = ['audit', 'signatures', '--omit', 'dev', '--fetch-retries', '0'];
  const { code, output } = await run('npm', audit);
  if (code === 0) return undefined;
  const isWrong = /invalid|missing registry signature|tampered/i.test(output);
  if (isWrong) return ['npm audit signatures', output];
  return { skipped: 'the registry does not sign, or its keys are out of reach' };
}

/** In a fresh clone: the README's commands, and all tests. */
async function gateProblem(): Promise<Problem> {
  const clone = await mkdtemp(join(tmpdir(), 'gangway-release-'));
  try {
    const problem = await failing('git', 'clone', '--quiet', ROOT, clone);
    return problem ?? failed('.ci/run', await run(join(clone, '.ci', 'run'), [], { cwd: clone }));
  } finally {
    await rm(clone, { recursive: true, force: true });
  }
}

/** What the tests of workflows expect on the simulated service, they expect on a real server. */
async function onServerProblem(): Promise<Problem> {
  const env = { ...process.env, WORKFLOWS_ON: 'server' };
  return failed('vitest', await run('npx', ['vitest', 'run', '--project', 'workflows'], { env }));
}

async function longSizesProblem(): Promise<Problem> {
  const files = LONG_TESTS.map((name) => `test/e2e/${name}.test.ts`);
  const env = { ...process.env, ...LONG };
  return failed('vitest', await run('npx', ['vitest', 'run', ...files], { env }));
}
