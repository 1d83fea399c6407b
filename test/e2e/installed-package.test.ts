import { createHash } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nodesOf } from '../rigs/docs.js';
import { merchant } from '../rigs/inputs.js';
import { startCaller } from '../rigs/nexus/caller.js';
import { launchNode, run } from '../rigs/processes.js';
import { createRig } from '../rigs/rig.js';
import { shared } from '../rigs/shared.js';

interface Lock {
  readonly packages: Readonly<Record<string, { readonly dev?: true }>>;
}

const json = async <T>(path: string): Promise<T> => JSON.parse(await readFile(path, 'utf8')) as T;

/** Where npm has its registry and its cache, if the environment of this process defines them. */
const NPM = Object.fromEntries(
  ['registry', 'cache', 'userconfig', 'globalconfig'].flatMap((name) => {
    const value = process.env[`npm_config_${name}`];
    return value === undefined ? [] : [[`npm_config_${name}`, value]];
  }),
);

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
async function errorsIn(folder: string): Promise<string[]> {
  const { stdout } = await run(process.execPath, [...COMPILER, folder], {});
  const errors = stdout.split('\n').filter((line) => line.includes(': error TS'));
  return errors.filter((line) => !/^[^(]*node_modules\/(?!gangway\/)/.test(line));
}

/**
 * An empty project that installs the packed package. The versions of what the package depends on are those of this project, so
 * that npm has them in its cache.
 */
async function install(folder: string): Promise<void> {
  const { version, dependencies, bin, overrides } = await json<Record<string, object>>('package.json');
  const { packages } = await json<Lock>('package-lock.json');
  const packed = await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], NPM);
  const file = packed.stdout.trim();
  const digest = createHash('sha512').update(await readFile(join(folder, file)));
  const root = { name: 'empty', version: '1.0.0', private: true, dependencies: { gangway: `file:${file}` } };
  const gangway = {
    ...{ version, dependencies, bin, resolved: `file:${file}` },
    integrity: `sha512-${digest.digest('base64')}`,
  };
  const production = Object.entries(packages).filter(([path, { dev }]) => path !== '' && !dev);
  const lock = {
    ...{ name: 'empty', version: '1.0.0', lockfileVersion: 3, requires: true },
    packages: { '': root, 'node_modules/gangway': gangway, ...Object.fromEntries(production) },
  };
  await writeFile(join(folder, 'package.json'), JSON.stringify({ ...root, overrides }));
  await writeFile(join(folder, 'package-lock.json'), JSON.stringify(lock));
  const quiet = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];
  const { code, stderr } = await run('npm', ['ci', ...quiet], NPM, '', folder);
  if (code !== 0) throw new Error(stderr);
}

const project = shared(async (until) => {
  const folder = await mkdtemp(join(tmpdir(), 'gangway-installed-'));
  until(() => rm(folder, { recursive: true, force: true }));
  await install(folder);
  const examples = ['docs/programs.md', 'docs/nexus.md']
    .flatMap((page) => nodesOf(page, 'code'))
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
  until(async () => {
    worker.child.kill('SIGTERM');
    await worker.exit;
  });
  return opened;
});

describe('the package, installed in an empty project', () => {
  it('has types for strict programs in ESM and CommonJS, and for those of docs/programs.md and docs/nexus.md', async () => {
    const { stdout: files } = await run(process.execPath, [...COMPILER, project(), '--listFilesOnly'], {});
    expect(files.match(/example-\d+\.mts/g)?.length).toBeGreaterThan(6);
    expect(files).toContain('caller/main.ts');
    expect(await errorsIn(project())).toEqual([]);
  });

  it('would not compile with an option that there is not', async () => {
    const wrong = "import { gangwayClient } from 'gangway/client';\nawait gangwayClient({ keys: 1 });\n";
    const file = join(project(), 'wrong.mts');
    await writeFile(file, wrong);
    const errors = await errorsIn(project()).finally(() => rm(file));
    expect(errors).toEqual([expect.stringMatching(/wrong\.mts\(2,\d+\): error TS2353/)]);
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
    await writeFile(file, JSON.stringify(merchant()));
    const settings = { ...env, TEMPORAL_NAMESPACE, NEXUS_ENDPOINT };
    const { code, stdout, stderr } = await run(
      process.execPath,
      ['caller/main.ts', file],
      settings,
      '',
      project(),
    );
    expect([code, JSON.parse(stdout || '{}')], stderr).toEqual([
      0,
      { mid: expect.stringMatching(/^\d{15}$/) },
    ]);
  });

  it('brings the command', async () => {
    const { version } = await json<{ version: string }>('package.json');
    const command = join(project(), 'node_modules', '.bin', 'gangway');
    expect(await run(command, ['--version'], {})).toMatchObject({ code: 0, stdout: `${version}\n` });
  });
});
