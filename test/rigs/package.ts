import { existsSync, globSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { build } from 'esbuild';
import { expect } from 'vitest';
import { blocksOf } from './docs.js';
import { merchant } from './inputs.js';
import { launchNode, run } from './processes.js';
import { createRig, type Rig } from './rig.js';
import { shared } from './shared.js';

interface Lock {
  readonly packages: Readonly<Record<string, { readonly dev?: true }>>;
}

export interface Manifest {
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
  readonly files: readonly string[];
}

const json = async <T>(path: string): Promise<T> => JSON.parse(await readFile(path, 'utf8')) as T;

export const manifest = await json<Manifest>('package.json');

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

export const PROGRAMS = { 'worker.mts': WORKER, 'board.mts': ESM, 'board.cts': COMMON_JS };

/** As strict as the compiler can be, the declarations of this package included. */
const TSCONFIG = {
  compilerOptions: {
    module: 'nodenext',
    target: 'es2023',
    types: ['node'],
    noEmit: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
  },
  include: ['*.mts', '*.cts', 'caller/*.ts'],
};

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

/** The folder of an empty project that has installed the package. All tests of a file share it. */
export const project = shared(async (until) => {
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

/** The paths of the files in the package. */
export function installed(): string[] {
  const cwd = join(project(), 'node_modules', 'gangway');
  return globSync('**', { cwd, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(cwd, join(parentPath, name)));
}

/** What imports by these names give, each its exports or the code of its refusal. */
export async function imported(...names: readonly string[]): Promise<unknown[]> {
  const code = `
    const exported = (name) => import(name).then(Object.keys, ({ code }) => code);
    console.log(JSON.stringify(await Promise.all(${JSON.stringify(names)}.map(exported))));
  `;
  const args = ['--input-type=module', '-e', code];
  const { stdout } = await run(process.execPath, args, {}, '', project());
  return JSON.parse(stdout) as unknown[];
}

/** The packages that modules and declarations import, each with the files that do. */
export async function importedPackages(): Promise<ReadonlyMap<string, string[]>> {
  const paths = installed();
  const matches = new Map<string, string[]>();
  const add = (name: string, path: string) => {
    if (/^[./]|^node:/.test(name) || isBuiltin(name)) return;
    const packageName = name
      .split('/')
      .slice(0, name.startsWith('@') ? 2 : 1)
      .join('/');
    matches.set(packageName, [...(matches.get(packageName) ?? []), path]);
  };
  const { metafile } = await build({
    entryPoints: paths.filter((path) => /\.c?js$/.test(path) && !path.includes('workflow-bundle')),
    bundle: true,
    splitting: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    outdir: 'never-written',
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  for (const [path, { imports }] of Object.entries(metafile.inputs))
    for (const { path: name, external } of imports) if (external) add(name, path);
  for (const path of paths.filter((each) => /\.d\.c?ts$/.test(each))) {
    const declarations = await readFile(path, 'utf8');
    for (const [, name = ''] of declarations.matchAll(/\b(?:from|import\() ?['"]([^'"\s]+)['"]/g))
      add(name, path);
  }
  return matches;
}

/** A rig whose worker is a program that runs Gangway as a plugin, in that project. */
export const pluginRig = (): (() => Rig) =>
  shared(async (until) => {
    const opened = await createRig({ worker: false });
    until(() => opened.close());
    const worker = await launchNode(['worker.mts'], opened.env, 'the worker is ready', project());
    until(() => worker.stop());
    return opened;
  });

/** Runs a program of that project, which boards a merchant and prints the outcome. */
export async function expectBoarded({ env }: Rig, program: string): Promise<void> {
  const input = JSON.stringify(merchant());
  const { code, stdout, stderr } = await run(process.execPath, [program, input], env, '', project());
  expect({ code, outcome: JSON.parse(stdout || '{}'), stderr: code === 0 ? '' : stderr }).toEqual({
    code: 0,
    stderr: '',
    outcome: {
      outcome: 'boarded',
      merchantProfileId: expect.any(Number),
      mid: expect.stringMatching(/^\d{15}$/),
    },
  });
}
