/**
 * Checks that the commit at hand can be tagged as a release: `npm run release-check`, or `npm run release-check -- --only version docs`
 * for a part. The whole check takes more than an hour, most of it for the seeded defects. Exit code 1 when anything fails. What a
 * failed check printed is in .cache/release/, and so is the SBOM.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import satisfies from 'spdx-satisfies';
import { Printer } from '../src/commands/cli/output.js';
import { contractLines } from './contract.js';
import { interrupted, run } from './first-failure.js';
import { PATHS } from './recorded-paths.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FOLDER = join(ROOT, '.cache', 'release');

/** Installed for the moment: its tree is larger than all that the project needs for its tests. */
const CYCLONEDX = '@cyclonedx/cyclonedx-npm@6.0.1';

/** SPDX ids of licences that permit use, change and sale, and demand no more than a notice. */
const PERMISSIVE = [
  ...['MIT', 'MIT-0', 'ISC', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', 'BlueOak-1.0.0'],
  ...['Unlicense', 'CC0-1.0', 'CC-BY-4.0', 'Python-2.0', 'Zlib'],
];

/** Packages whose manifest names no licence: that of their LICENSE file, as somebody has read it. */
const READ: Readonly<Record<string, string>> = { 'unionfs@4.6.0': 'Unlicense' };

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
const SBOM = join(FOLDER, `gangway-${version}.cdx.json`);

/** The problem with the release; undefined when there is none. A second part is for the log. */
type Problem = readonly [inShort: string, printed?: string] | undefined;

/** What a check cannot do on this machine. */
interface Skipped {
  readonly skipped: string;
}

type Result = Problem | Skipped;

type Check = () => Promise<Result> | Result;

/** By name, the quickest first. */
const CHECKS: Readonly<Record<string, Check>> = {
  'clean-tree': uncommitted,
  version: versionProblem,
  histories: historiesProblem,
  docs: docsProblem,
  sbom: sbomProblem,
  licences: licencesProblem,
  signatures: signaturesProblem,
  gate: gateProblem,
  'seeded-defects': () => failing('npm', ['run', 'seeded-defects']),
};

const { only } = new Command('release-check')
  .description('Check that the commit at hand can be tagged as a release.')
  .option('--only <checks...>', 'some checks', Object.keys(CHECKS))
  .parse()
  .opts<{ only: string[] }>();
const printer = new Printer(process);
const unknown = only.filter((name) => !(name in CHECKS));
if (unknown.length > 0) {
  printer.note(`no such check: ${unknown.join(', ')}; there are ${Object.keys(CHECKS).join(', ')}`);
  process.exit(2);
}
await mkdir(FOLDER, { recursive: true });
let failed = 0;
for (const [name, check] of Object.entries(CHECKS)) {
  if (!only.includes(name)) continue;
  const begun = performance.now();
  const result = await resultOf(check);
  const seconds = Math.round((performance.now() - begun) / 1_000);
  const log = join(FOLDER, `${name}.log`);
  const line = (how: string, why = '') =>
    printer.line(`${name.padEnd(14)}  ${how.padEnd(7)}  ${`${seconds} s`.padStart(7)}  ${why}`.trimEnd());
  if (result === undefined) line('ok');
  else if ('skipped' in result) line('skipped', result.skipped);
  else {
    const [inShort, printed] = result;
    failed++;
    if (printed !== undefined) await writeFile(log, printed);
    const where = printed === undefined ? '' : `; see ${relative(process.cwd(), log)}`;
    line('failed', `${inShort}${where}`);
  }
}
const all = only.length === Object.keys(CHECKS).length;
if (failed === 0 && all) printer.line(`ready: git tag -s v${version} -m "Gangway ${version}"`);
else if (failed > 0) printer.line(`${failed} of ${only.length} checks failed`);
// What the paths import would keep the process alive.
process.exit(failed > 0 ? 1 : 0);

async function resultOf(check: Check): Promise<Result> {
  try {
    return await check();
  } catch (error) {
    if (interrupted.signal.aborted) process.exit(130);
    throw error;
  }
}

async function failing(program: string, args: readonly string[], cwd = ROOT): Promise<Problem> {
  const { code, output } = await run(cwd, program, args);
  return code === 0 ? undefined : [`${[program, ...args].join(' ')} exits with ${code}`, output];
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' });
}

function uncommitted(): Problem {
  const files = git('status', '--porcelain');
  return files === '' ? undefined : ['there are changes that are not committed', files];
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

/** The contract and each path are recorded at this version, and all recorded histories replay. */
async function historiesProblem(): Promise<Problem> {
  const missing = Object.entries(PATHS)
    .flatMap(([name, { continues }]) => (continues ? [name, `${name}-next`] : [name]))
    .filter((name) => !existsSync(join(ROOT, 'test', 'histories', version, `${name}.json`)));
  const contract = join(ROOT, 'test', 'contract', `${version}.txt`);
  const isRecorded =
    existsSync(contract) && readFileSync(contract, 'utf8') === `${contractLines().join('\n')}\n`;
  if (!isRecorded) missing.push('the contract');
  if (missing.length > 0) return [`not recorded at ${version}: ${missing.join(', ')}`];
  return await failing('npx', ['vitest', 'run', 'test/integration/workflows/replay.test.ts']);
}

async function docsProblem(): Promise<Problem> {
  const before = git('status', '--porcelain');
  const problem = await failing('npm', ['run', 'docs']);
  if (problem) return problem;
  return git('status', '--porcelain') === before ? undefined : ['npm run docs changes pages', git('diff')];
}

function sbomProblem(): Promise<Problem> {
  const what = ['--omit', 'dev', '--output-reproducible', '--output-format', 'JSON', '--output-file', SBOM];
  const install = ['exec', '--yes', '--ignore-scripts', '--package', CYCLONEDX, '--'];
  return failing('npm', [...install, 'cyclonedx-npm', ...what]);
}

interface Component {
  readonly name: string;
  readonly version?: string;
  readonly licenses?: readonly { license?: { id?: string; name?: string }; expression?: string }[];
  readonly components?: readonly Component[];
}

/** Reads what {@link sbomProblem} wrote. */
function licencesProblem(): Problem {
  if (!existsSync(SBOM)) return ['there is no SBOM: run the check sbom first'];
  const { components = [] } = JSON.parse(readFileSync(SBOM, 'utf8')) as Component;
  const others = inAll(components).flatMap((component) => {
    const name = `${component.name}@${component.version}`;
    const named = (component.licenses ?? []).map(
      ({ license, expression }) => expression ?? license?.id ?? license?.name ?? '',
    );
    const given = named.length > 0 ? named : [READ[name] ?? ''];
    return given.every(isPermissive) ? [] : [`${name}: ${given.join(', ') || 'no licence'}`];
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
async function signaturesProblem(): Promise<Result> {
  const { code, output } = await run(ROOT, 'npm', [
    'audit',
    'signatures',
    '--omit',
    'dev',
    '--fetch-retries',
    '0',
  ]);
  if (code === 0) return undefined;
  const isWrong = /invalid|missing registry signature|tampered/i.test(output);
  if (isWrong) return ['npm audit signatures', output];
  return { skipped: 'the registry does not sign, or its keys are out of reach' };
}

/** In a fresh clone: the README's commands, and all tests. */
async function gateProblem(): Promise<Problem> {
  const clone = await mkdtemp(join(tmpdir(), 'gangway-release-'));
  try {
    return (await failing('git', ['clone', '--quiet', ROOT, clone])) ?? (await failing('.ci/run', [], clone));
  } finally {
    await rm(clone, { recursive: true, force: true });
  }
}
