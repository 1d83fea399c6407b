/**
 * Runs the demo and the end-to-end tests on each Node that Gangway supports, and prints how each did: `npm run nodes`, or
 * `npm run nodes -- --only 26 --files test/e2e/worker/health.test.ts` for a part. Exit code 1 when anything failed. Needs
 * `npm run build`. The binaries come from the npm package `node`, and stay in .cache/nodes/ beside the logs. What npm starts within
 * a test runs on the Node of the development dependencies.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, existsSync, readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { Printer } from '../src/commands/cli/output.js';
import { endWithUs } from '../src/process/lifecycle.js';
import { requireFreshBuild } from './build-stamp.js';

requireFreshBuild();

/** What package.json permits, by its first number. */
const VERSIONS: Readonly<Record<string, string>> = { 22: '^22.19.0', 24: '^24.0.0', 26: '^26.0.0' };

const ROOT = fileURLToPath(new URL('..', import.meta.url));

const { only, files } = new Command('nodes')
  .description('Run the demo and the end-to-end tests on each Node.')
  .option('--only <numbers...>', 'versions of Node', Object.keys(VERSIONS))
  .option('--files <paths...>', 'files of end-to-end tests; default: all', [])
  .parse()
  .opts<{ only: string[]; files: string[] }>();
const printer = new Printer(process);
const unknown = only.filter((number) => !(number in VERSIONS));
if (unknown.length > 0) {
  printer.note(`no such version: ${unknown.join(', ')}; there are ${Object.keys(VERSIONS).join(', ')}`);
  process.exit(2);
}

/** A run of a command. */
interface Ran {
  readonly isOk: boolean;
  readonly seconds: number;
}

/** Runs Node, or npm, to its end in the root of the project. Writes what it prints to a file. */
async function ran(command: string, args: readonly string[], log: string, first = ''): Promise<Ran> {
  const path = [first, process.env['PATH']].filter(Boolean).join(delimiter);
  const begun = performance.now();
  const child = spawn(command, args, {
    ...{ cwd: ROOT, env: { ...process.env, PATH: path }, detached: true },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  endWithUs(child, 'group');
  const file = createWriteStream(log);
  for (const output of [child.stdout, child.stderr]) output.pipe(file, { end: false });
  const [code] = await once(child, 'close');
  file.end();
  return { isOk: code === 0, seconds: Math.round((performance.now() - begun) / 1_000) };
}

/** Installs a version of Node. @returns its executable */
async function installed(folder: string, range: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const manifest = { private: true, dependencies: { node: range }, allowScripts: { node: true } };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  const node = join(folder, 'node_modules', 'node', 'bin', 'node');
  const log = join(folder, 'install.log');
  const { isOk } = await ran('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund'], log);
  if (!isOk || !existsSync(node)) throw new Error(`npm did not install Node ${range}: see ${log}`);
  return node;
}

/** The part of vitest's JSON report that is read. */
interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/** The failed tests, and the files that failed as a whole. */
function failuresIn({ testResults }: Report): string[] {
  return testResults.flatMap(({ name, status, assertionResults }) => {
    const failed = assertionResults.filter((test) => test.status === 'failed').map((test) => test.fullName);
    return status === 'failed' && failed.length === 0 ? [name] : failed;
  });
}

const rows: string[][] = [];
const failures: string[] = [];
for (const number of only) {
  const folder = join(ROOT, '.cache', 'nodes', number);
  const node = await installed(folder, VERSIONS[number] ?? '');
  const at = (name: string) => join(folder, name);
  printer.note(`Node ${number}: the demo, then the end-to-end tests; logs in ${folder}`);
  const demo = await ran(node, ['dist/demo.js'], at('demo.log'), dirname(node));
  if (!demo.isOk) failures.push(`Node ${number}: the demo, see ${at('demo.log')}`);
  await rm(at('e2e.json'), { force: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${at('e2e.json')}`];
  const vitest = [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--project',
    'e2e',
    '--project',
    'chaos',
    ...reporters,
    ...files,
  ];
  const tests = await ran(node, vitest, at('e2e.log'), dirname(node));
  if (!existsSync(at('e2e.json'))) throw new Error(`vitest wrote no report: see ${at('e2e.log')}`);
  const report = JSON.parse(readFileSync(at('e2e.json'), 'utf8')) as Report;
  const failed = failuresIn(report);
  if (!tests.isOk && failed.length === 0) failed.push('the run as a whole');
  failures.push(...failed.map((name) => `Node ${number}: ${name}, see ${at('e2e.log')}`));
  const { version } = JSON.parse(
    readFileSync(join(folder, 'node_modules', 'node', 'package.json'), 'utf8'),
  ) as { version: string };
  const counts = [report.numPassedTests, report.numFailedTests, report.numPendingTests];
  const times = [demo.seconds, tests.seconds].map((seconds) => `${seconds} s`);
  rows.push([version, demo.isOk ? 'ok' : 'failed', ...counts.map(String), ...times]);
}
printer.table(['node', 'demo', 'passed', 'failed', 'skipped', 'demo took', 'tests took'], rows);
for (const failure of failures) printer.line(failure);
process.exitCode = failures.length > 0 ? 1 : 0;
