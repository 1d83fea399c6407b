/**
 * Runs the demo and the end-to-end tests on each Node that Gangway supports, and prints how each did: `npm run nodes`, or
 * `npm run nodes -- --only 26 --files test/e2e/worker/health.test.ts` for a part. Exit code 1 when anything failed. The
 * binaries come from the npm package `node`, and stay in .cache/nodes/ beside the logs. What npm starts within a test runs on the
 * Node of the development dependencies.
 */
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { Command } from 'commander';
import { Printer } from '../src/commands/cli/output.js';
import { ensureFreshBuild } from './build-stamp.js';
import { ROOT, run, runTests } from './runs.js';

ensureFreshBuild();

/** What package.json permits, by its first number. */
const VERSIONS: Readonly<Record<string, string>> = { 22: '^22.19.0', 24: '^24.0.0', 26: '^26.0.0' };

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

/** The environment in which `node` is this executable. */
const envOf = (node: string) => ({
  ...process.env,
  PATH: [dirname(node), process.env['PATH']].join(delimiter),
});

/** Installs a version of Node. @returns its executable */
async function installed(folder: string, range: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const manifest = { private: true, dependencies: { node: range }, allowScripts: { node: true } };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  const node = join(folder, 'node_modules', 'node', 'bin', 'node');
  const { output } = await run('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund']);
  if (!existsSync(node)) throw new Error(`npm did not install Node ${range}: ${output}`);
  return node;
}

const rows: string[][] = [];
const failures: string[] = [];
for (const number of only) {
  const folder = join(ROOT, '.cache', 'nodes', number);
  const node = await installed(folder, VERSIONS[number] ?? '');
  const env = envOf(node);
  const logs = { demo: join(folder, 'demo.log'), tests: join(folder, 'e2e.log') };
  printer.note(`Node ${number}: the demo, then the end-to-end tests; logs in ${folder}`);
  const begun = performance.now();
  const demo = await run(node, ['dist/demo.js'], { env, log: logs.demo });
  if (demo.code !== 0) failures.push(`Node ${number}: the demo, see ${logs.demo}`);
  const between = performance.now();
  const tests = await runTests(['--project=e2e', ...files], { env, log: logs.tests });
  for (const { file, name } of tests.failures)
    failures.push(`Node ${number}: ${file} ${name}, see ${logs.tests}`);
  const seconds = [between - begun, performance.now() - between].map(
    (time) => `${Math.round(time / 1_000)} s`,
  );
  const { output: version } = await run(node, ['--version']);
  const counts = [tests.passed, tests.failed, tests.skipped].map(String);
  rows.push([version.trim(), demo.code === 0 ? 'ok' : 'failed', ...counts, ...seconds]);
}
printer.table(['node', 'demo', 'passed', 'failed', 'skipped', 'demo took', 'tests took'], rows);
for (const failure of failures) printer.line(failure);
process.exitCode = failures.length > 0 ? 1 : 0;
