/**
 * Prints the coverage of `src/` by folder, over the processes of all tests, the processes that they start, and the workflows in
 * their bundle: `npm run coverage`, or `npm run coverage -- --project unit` for one project. Writes all of it to
 * `.cache/coverage.json`, in the format of Istanbul's reporters.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mergeScriptCovs, type ScriptCov } from '@bcoe/v8-coverage';
import remapping, { type EncodedSourceMap } from '@jridgewell/remapping';
import { parse } from 'acorn';
import { convert } from 'ast-v8-to-istanbul';
import coverage, { type CoverageMapData, type CoverageSummary } from 'istanbul-lib-coverage';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SRC = join(ROOT, 'src') + sep;
const DIST = join(ROOT, 'dist') + sep;

function run(command: string, env: Record<string, string> = {}): void {
  const { status } = spawnSync(command, {
    cwd: ROOT,
    shell: true,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  if (status !== 0) process.stderr.write(`"${command}" ended with exit code ${status}\n`);
}

/** V8's counts of each built file, by its path. */
function countsIn(folder: string): Map<string, ScriptCov> {
  const byFile = new Map<string, ScriptCov>();
  for (const name of readdirSync(folder)) {
    const { result } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as { result: ScriptCov[] };
    for (const script of result.filter(({ url }) => url.startsWith(`file://${DIST}`))) {
      const file = fileURLToPath(script.url);
      const before = byFile.get(file);
      byFile.set(file, (before && mergeScriptCovs([before, script])) ?? script);
    }
  }
  return byFile;
}

/** Counts a file that no process loaded as not covered. */
function untouched(file: string): ScriptCov {
  const whole = { startOffset: 0, endOffset: readFileSync(file, 'utf8').length, count: 0 };
  return {
    scriptId: '0',
    url: `file://${file}`,
    functions: [{ functionName: '', isBlockCoverage: true, ranges: [whole] }],
  };
}

/** The source map that the compiler wrote beside a built file, with absolute paths. */
function compilerMap(file: string): EncodedSourceMap {
  const map = JSON.parse(readFileSync(`${file}.map`, 'utf8')) as EncodedSourceMap;
  return { ...map, sourceRoot: '', sources: map.sources.map((source) => resolve(file, '..', source ?? '')) };
}

/** Maps the bundle of the workflows to the sources, through the built files. */
function bundleMap(code: string): EncodedSourceMap {
  const base64 = /sourceMappingURL=data:application\/json[^,]*base64,([\w+/=]+)/.exec(code)?.[1] ?? '';
  const map = JSON.parse(Buffer.from(base64, 'base64').toString()) as EncodedSourceMap;
  const sources = map.sources.map((source) => source?.replace(/^.*?\/dist\//, DIST) ?? '');
  const composed = remapping({ ...map, sourceRoot: '', sources }, (source) =>
    source.startsWith(DIST) && existsSync(`${source}.map`) ? compilerMap(source) : null,
  );
  return JSON.parse(composed.toString()) as EncodedSourceMap;
}

async function coverageOf(file: string, counted: ScriptCov): Promise<CoverageMapData> {
  const code = readFileSync(file, 'utf8');
  const isBundle = file.includes('workflow-bundle');
  const map = isBundle ? bundleMap(code) : compilerMap(file);
  const sourcesContent = map.sources.map((source) =>
    source?.startsWith(SRC) ? readFileSync(source, 'utf8') : '',
  );
  const ast = parse(code, {
    ecmaVersion: 'latest',
    sourceType: isBundle ? 'script' : 'module',
    allowHashBang: true,
  });
  const data = await convert({
    ast,
    code,
    coverage: counted,
    sourceMap: { ...map, sourcesContent } as never,
  });
  return Object.fromEntries(Object.entries(data as CoverageMapData).filter(([path]) => path.startsWith(SRC)));
}

async function byFolder(folder: string): Promise<Map<string, CoverageSummary>> {
  const counts = countsIn(folder);
  for (const file of globSync(`${DIST}**/*.js`)) {
    if (existsSync(`${file}.map`) && !counts.has(file)) counts.set(file, untouched(file));
  }
  const whole = coverage.createCoverageMap({});
  for (const [file, counted] of counts) whole.merge(await coverageOf(file, counted));
  writeFileSync(join(ROOT, '.cache', 'coverage.json'), JSON.stringify(whole));
  const summaries = new Map<string, CoverageSummary>();
  const summaryOf = (name: string) => {
    const summary = summaries.get(name) ?? coverage.createCoverageSummary();
    summaries.set(name, summary);
    return summary;
  };
  for (const path of whole.files().sort()) {
    const [name = '', ...inside] = relative(SRC, path).split(sep);
    for (const row of [inside.length > 0 ? name : '(top level)', 'all']) {
      summaryOf(row).merge(whole.fileCoverageFor(path).toSummary());
    }
  }
  return summaries;
}

const percent = ({ pct, covered, total }: CoverageSummary['lines']) =>
  `${pct.toFixed(2)} % (${covered}/${total})`;

const raw = mkdtempSync(join(tmpdir(), 'gangway-coverage-'));
try {
  // The command is not bundled, because its bundle has no source map.
  run(
    'rm -rf dist && node node_modules/typescript/bin/tsc -p tsconfig.build.json && node scripts/bundle-workflows.mjs && tsx scripts/build-stamp.ts',
  );
  // Workflows run in the test's own thread, where V8 counts them.
  const tests = ['vitest run -c scripts/coverage.config.ts', ...process.argv.slice(2)].join(' ');
  run(tests, { NODE_V8_COVERAGE: raw, TEMPORAL_DEBUG: '1' });
  process.stdout.write('| folder | lines | branches |\n|---|---|---|\n');
  const rows = [...(await byFolder(raw))].sort(([a], [b]) => Number(a === 'all') - Number(b === 'all'));
  for (const [name, { lines, branches }] of rows)
    process.stdout.write(`| ${name} | ${percent(lines)} | ${percent(branches)} |\n`);
} finally {
  rmSync(raw, { recursive: true });
  run('npm run --silent build');
}
