import { existsSync, globSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { THEIR_WORKFLOWS } from '../../src/worker/bundles.js';
import { blocksOf } from '../rigs/docs.js';
import { merchant } from '../rigs/inputs.js';
import { startCaller } from '../rigs/nexus/caller.js';
import { launchNode, run } from '../rigs/processes.js';
import { createRig } from '../rigs/rig.js';
import { shared } from '../rigs/shared.js';

interface Lock {
  readonly packages: Readonly<Record<string, { readonly dev?: true }>>;
}

interface Manifest {
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
  readonly files: readonly string[];
}

const json = async <T>(path: string): Promise<T> => JSON.parse(await readFile(path, 'utf8')) as T;

const manifest = await json<Manifest>('package.json');

/** A worker that runs Gangway as a plugin. */
const WORKER = `
import { NativeConnection, Worker } from '@temporalio/worker';
import { gangwayPlugin } from 'gangway/plugin';

const { TEMPORAL_ADDRESS: address = '', GANGWAY_TASK_QUEUE: taskQueue = '' } = process.env;
const connection = await NativeConnection.connect({ address });
const worker = await Worker.create({ connection, taskQueue, plugins: [gangwayPlugin()] });
console.log('the worker is ready');
await worker.run();
await connection.close();
`;

/** Boards the merchant in its first argument, and prints the outcome. */
const BOARD = `
async function board(input: string): Promise<void> {
  const gangway = await gangwayClient();
  const checked = merchantBoardingInput().parse(JSON.parse(input));
  const { workflowId: id } = await gangway.boardMerchant(checked);
  if (id !== workflowId('merchantBoarding', checked.externalId)) throw new Error(id);
  console.log(JSON.stringify(await gangway.outcome(id)));
  await gangway.close();
}
`;

const ESM = `
import { gangwayClient } from 'gangway/client';
import { merchantBoardingInput, workflowId } from 'gangway/messages';
${BOARD}
await board(process.argv[2] ?? '');
`;

/** In CommonJS, with every module of the package. */
const COMMON_JS = `
const { gangwayClient }: typeof import('gangway/client') = require('gangway/client');
const { merchantBoardingInput, workflowId }: typeof import('gangway/messages') = require('gangway/messages');
const { gangwayPlugin }: typeof import('gangway/plugin') = require('gangway/plugin');
const { run }: typeof import('gangway/command') = require('gangway/command');
${BOARD}
if (gangwayPlugin().name !== 'gangway' || typeof run !== 'function') throw new Error('not loaded');
void board(process.argv[2] ?? '');
`;

const PROGRAMS = { 'worker.mts': WORKER, 'board.mts': ESM, 'board.cts': COMMON_JS };

/** As strict as the compiler can be, the declarations of this package included. */
const TSCONFIG = {
  compilerOptions: {
    ...{ module: 'nodenext', target: 'es2023', types: ['node'], noEmit: true },
    ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
  },
  include: ['*.mts', '*.cts', 'caller/*.ts'],
};

const COMPILER = ['node_modules/typescript/bin/tsc', '-p'];

/** What the compiler reports, but for the declarations of others: those of the Temporal SDK break the strictest options. */
function errorsIn(printed: string): string[] {
  const errors = printed.split('\n').filter((line) => line.includes(': error TS'));
  return errors.filter((line) => !/^[^(]*node_modules\/(?!gangway\/)/.test(line));
}

/** An empty project with what `npm pack` makes and with the packages of production, which are links, and no others. */
async function install(folder: string): Promise<void> {
  const { packages } = await json<Lock>('package-lock.json');
  const production = Object.keys(packages).filter((path) => path !== '' && !packages[path]?.dev);
  for (const path of production) {
    if (path.lastIndexOf('node_modules/') > 0 || !existsSync(path)) continue;
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await symlink(resolve(path), join(folder, path));
  }
  const packed = await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], {});
  const root = join(folder, 'node_modules', 'gangway');
  await mkdir(root);
  const args = ['-xzf', join(folder, packed.stdout.trim()), '-C', root, '--strip-components=1'];
  expect(await run('tar', args, {})).toMatchObject({ code: 0 });
}

const project = shared(async (until) => {
  const folder = await mkdtemp(join(tmpdir(), 'gangway-installed-'));
  until(() => rm(folder, { recursive: true, force: true }));
  await install(folder);
  const examples = ['docs/programs.md', 'docs/nexus.md']
    .flatMap(blocksOf)
    .filter(({ lang }) => lang === 'ts');
  const pages = examples.map(({ value }, index) => [`example-${index}.mts`, value] as const);
  for (const [name, source] of [...Object.entries(PROGRAMS), ...pages])
    await writeFile(join(folder, name), source);
  await cp('examples/nexus-caller', join(folder, 'caller'), { recursive: true });
  await writeFile(join(folder, 'caller', 'package.json'), JSON.stringify({ type: 'module' }));
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  return folder;
});

const rig = shared(async (until) => {
  const opened = await createRig({ worker: false });
  until(() => opened.close());
  const worker = await launchNode(['worker.mts'], opened.env, 'the worker is ready', project());
  until(() => worker.stop());
  return opened;
});

/** The paths of the files in the package. */
function installed(): string[] {
  const cwd = join(project(), 'node_modules', 'gangway');
  return globSync('**', { cwd, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(cwd, join(parentPath, name)));
}

/** What imports by these names give, each its exports or the code of its refusal. */
async function imported(...names: readonly string[]): Promise<unknown[]> {
  const code = `
    const exported = (name) => import(name).then(Object.keys, ({ code }) => code);
    console.log(JSON.stringify(await Promise.all(${JSON.stringify(names)}.map(exported))));
  `;
  const args = ['--input-type=module', '-e', code];
  const { stdout } = await run(process.execPath, args, {}, '', project());
  return JSON.parse(stdout) as unknown[];
}

/** The packages that modules and declarations import, each with the files that do. */
async function importedPackages(): Promise<ReadonlyMap<string, string[]>> {
  const paths = installed();
  const found = new Map<string, string[]>();
  const add = (name: string, path: string) => {
    if (/^[./]|^node:/.test(name) || isBuiltin(name)) return;
    const packageName = name
      .split('/')
      .slice(0, name.startsWith('@') ? 2 : 1)
      .join('/');
    found.set(packageName, [...(found.get(packageName) ?? []), path]);
  };
  const { metafile } = await build({
    entryPoints: paths.filter((path) => /\.c?js$/.test(path) && !path.includes('workflow-bundle')),
    ...{
      bundle: true,
      splitting: true,
      packages: 'external',
      platform: 'node',
      format: 'esm',
      outdir: 'never-written',
    },
    ...{ write: false, metafile: true, logLevel: 'silent' },
  });
  for (const [path, { imports }] of Object.entries(metafile.inputs))
    for (const { path: name, external } of imports) if (external) add(name, path);
  for (const path of paths.filter((each) => /\.d\.c?ts$/.test(each))) {
    const declarations = await readFile(path, 'utf8');
    for (const [, name = ''] of declarations.matchAll(/\b(?:from|import\() ?['"]([^'"\s]+)['"]/g))
      add(name, path);
  }
  return found;
}

describe('the package, in an empty project', () => {
  it('has types for strict programs in ESM and CommonJS, and for those of docs/programs.md and docs/nexus.md', async () => {
    // It would not compile with an option that there is not.
    const wrong = "import { gangwayClient } from 'gangway/client';\nawait gangwayClient({ keys: 1 });\n";
    await writeFile(join(project(), 'wrong.mts'), wrong);
    const { stdout } = await run(process.execPath, [...COMPILER, project(), '--listFiles'], {});
    expect(stdout.match(/example-\d+\.mts$/gm)?.length).toBeGreaterThan(6);
    for (const program of [...Object.keys(PROGRAMS), 'caller/main.ts'])
      expect(stdout).toContain(`/${program}\n`);
    expect(errorsIn(stdout)).toEqual([expect.stringMatching(/wrong\.mts\(2,\d+\): error TS2353/)]);
  });

  it.each(['board.mts', 'board.cts'])('boards a merchant through client and plugin: %s', async (program) => {
    const { env } = rig();
    const input = JSON.stringify(merchant());
    const { code, stdout, stderr } = await run(process.execPath, [program, input], env, '', project());
    expect({ code, outcome: JSON.parse(stdout || '{}'), stderr: code === 0 ? '' : stderr }).toEqual({
      ...{ code: 0, stderr: '' },
      outcome: {
        ...{ outcome: 'boarded', merchantProfileId: expect.any(Number) },
        mid: expect.stringMatching(/^\d{15}$/),
      },
    });
  });

  it('boards a merchant through Nexus and plugin, by the example of a caller', async () => {
    const { env, atClose } = rig();
    const { namespace: TEMPORAL_NAMESPACE, endpoint: NEXUS_ENDPOINT } = await startCaller({ env, atClose });
    const file = join(project(), 'merchant.json');
    const signUp = async (agentProfileId: number) => {
      await writeFile(file, JSON.stringify({ ...merchant(), agentProfileId }));
      const settings = { ...env, TEMPORAL_NAMESPACE, NEXUS_ENDPOINT };
      const args = ['caller/main.ts', file];
      const { code, stdout, stderr } = await run(process.execPath, args, settings, '', project());
      expect(code, stderr).toBe(0);
      return JSON.parse(stdout);
    };
    expect(await signUp(101)).toEqual({ mid: expect.stringMatching(/^\d{15}$/) });
    const wrongInput = expect.stringContaining('agentProfileId: must be an id at the partner, from 1 on');
    expect(await signUp(-7)).toEqual({ wrongInput });
  });

  it('brings the command', async () => {
    const { version, bin } = manifest;
    const command = join(project(), 'node_modules', 'gangway', bin['gangway'] ?? '');
    expect(await run(process.execPath, [command, '--version'], {})).toMatchObject({
      ...{ code: 0, stdout: `${version}\n` },
    });
  });

  it('imports only what it depends on', async () => {
    const found = await importedPackages();
    expect([...found.keys()]).toEqual(expect.arrayContaining(['@temporalio/client', 'undici', 'zod']));
    const allowed = [...Object.keys(manifest.dependencies), THEIR_WORKFLOWS];
    expect([...found].filter(([name]) => !allowed.includes(name))).toEqual([]);
  });

  it('holds what it offers, and of the project only what is built: no tests, no demo, no Temporal server', () => {
    const { bin, exports, files } = manifest;
    const paths = installed();
    expect(paths.length).toBeGreaterThan(100);
    expect(paths.filter((path) => /(^|[/.])tests?[/.]|\/demo|dev-server/.test(path))).toEqual([]);
    const offered = Object.values(exports).flatMap((target) =>
      typeof target === 'string' ? [target] : [target.types, target.default],
    );
    for (const path of [...offered, ...Object.values(bin)])
      expect(paths).toContain(path.replace(/^\.\//, ''));
    const others = paths.filter((path) => !files.some((folder) => path.startsWith(`${folder}/`)));
    const pages = ['docs/codes.md', 'docs/configuration.md', 'docs/operations.md'];
    expect(others.sort()).toEqual(['LICENSE', 'README.md', ...pages, 'package.json']);
  });

  it('can be imported by its names, and nothing else of it', async () => {
    const names = ['client', 'plugin', 'messages', 'command', 'encryption', 'nexus'];
    const others = ['gangway', 'gangway/dist/config.js'];
    const NOT_EXPORTED = 'ERR_PACKAGE_PATH_NOT_EXPORTED';
    expect(await imported(...names.map((name) => `gangway/${name}`), ...others)).toEqual([
      ...[expect.arrayContaining(['gangwayClient']), ['gangwayPlugin']],
      ...[expect.arrayContaining(['workflowId']), expect.arrayContaining(['run'])],
      ...[expect.arrayContaining(['dataConverter']), expect.arrayContaining(['gangwayService'])],
      ...[NOT_EXPORTED, NOT_EXPORTED],
    ]);
  });
});

it('the API reference has a page for everything that the package exports', async () => {
  const { code, stderr, stdout } = await run(process.execPath, ['scripts/api-reference.mjs'], {});
  expect({ code, output: stdout + stderr }).toEqual({ code: 0, output: '' });
  const modules = {
    'gangway/client': 'client',
    'gangway/plugin': 'worker_plugin',
    'gangway/messages': 'messages',
    'gangway/command': 'commands_program',
    'gangway/encryption': 'temporal_encryption',
    'gangway/nexus': 'messages_nexus',
  };
  const exported = (await imported(...Object.keys(modules))) as string[][];
  const missing = Object.values(modules).flatMap((module, index) => {
    expect(globSync(`docs/api/modules/${module}.html`)).toHaveLength(1);
    const pages = globSync(`docs/api/*/${module}.*.html`).map((page) =>
      basename(page, '.html').slice(module.length + 1),
    );
    return exported[index]?.filter((name) => !pages.includes(name)) ?? [module];
  });
  // The program that `run` parses with is for this project's own tests.
  expect(missing).toEqual(['gangway']);
});
