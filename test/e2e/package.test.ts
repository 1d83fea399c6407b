import { existsSync, globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename } from 'node:path';
import { build } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';
import { THEIR_WORKFLOWS } from '../../src/worker/bundles.js';
import { run } from '../rigs/processes.js';

const { bin, dependencies, exports, files } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly bin: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
  readonly files: readonly string[];
};

/** What an import by the package's own name gives, or the code of its refusal. */
async function imported(path: string): Promise<unknown> {
  const code = `import(${JSON.stringify(path)}).then(Object.keys, ({ code }) => code).then((all) => console.log(JSON.stringify(all)))`;
  const { stdout } = await run(process.execPath, ['-e', code], {});
  return JSON.parse(stdout);
}

/** The paths of the files in the package. */
async function packed(): Promise<string[]> {
  const { stdout } = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {});
  const [list] = JSON.parse(stdout) as [{ readonly files: readonly { readonly path: string }[] }];
  return list.files.map(({ path }) => path);
}

/** The packages that modules and declarations import, each with the files that do. */
async function importedPackages(paths: readonly string[]): Promise<ReadonlyMap<string, string[]>> {
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
  for (const path of paths.filter((each) => /\.d\.c?ts$/.test(each)))
    for (const [, name = ''] of readFileSync(path, 'utf8').matchAll(
      /\b(?:from|import\() ?['"]([^'"\s]+)['"]/g,
    ))
      add(name, path);
  return found;
}

describe('the package', () => {
  it('imports only what npm installs with it', async () => {
    const found = await importedPackages(await packed());
    expect([...found.keys()]).toEqual(expect.arrayContaining(['@temporalio/client', 'undici', 'zod']));
    const allowed = [...Object.keys(dependencies), THEIR_WORKFLOWS];
    expect([...found].filter(([name]) => !allowed.includes(name))).toEqual([]);
  });

  it('holds no tests, and neither the demo nor its Temporal server', async () => {
    const paths = await packed();
    expect(paths.filter((path) => /(^|[/.])tests?[/.]|\/demo|dev-server/.test(path))).toEqual([]);
    expect(paths.length).toBeGreaterThan(100);
  });

  it('holds each file that it offers, and of the project only what is built', async () => {
    const paths = await packed();
    const offered = Object.values(exports).flatMap((target) =>
      typeof target === 'string' ? [target] : [target.types, target.default],
    );
    for (const path of [...offered, ...Object.values(bin)])
      expect(paths).toContain(path.replace(/^\.\//, ''));
    const others = paths.filter((path) => !files.some((folder) => path.startsWith(`${folder}/`)));
    expect(others.sort()).toEqual(['LICENSE', 'README.md', 'package.json']);
  });

  it('can be imported by its name, and nothing else of it', async () => {
    expect(await imported('gangway/client')).toContain('gangwayClient');
    expect(await imported('gangway/plugin')).toEqual(['gangwayPlugin']);
    expect(await imported('gangway/messages')).toContain('workflowId');
    expect(await imported('gangway/command')).toContain('run');
    expect(await imported('gangway/encryption')).toContain('dataConverter');
    expect(await imported('gangway/nexus')).toContain('gangwayService');
    expect(await imported('gangway')).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED');
    expect(await imported('gangway/dist/config.js')).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED');
  });
});

describe('the API reference', () => {
  /** The program that `run` parses with is for this project's own tests. */
  const INTERNAL = ['gangway'];

  beforeAll(async () => {
    const { code, stderr, stdout } = await run(process.execPath, ['scripts/api-reference.mjs'], {});
    expect({ code, output: stdout + stderr }).toEqual({ code: 0, output: '' });
  });

  it.each([
    ['gangway/client', 'client'],
    ['gangway/plugin', 'worker_plugin'],
    ['gangway/messages', 'messages'],
    ['gangway/command', 'commands_program'],
    ['gangway/encryption', 'temporal_encryption'],
    ['gangway/nexus', 'messages_nexus'],
  ])('has a page for everything that %s exports', async (path, module) => {
    const pages = globSync(`docs/api/*/${module}.*.html`).map((page) =>
      basename(page, '.html').slice(module.length + 1),
    );
    const names = (await imported(path)) as string[];
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !pages.includes(name) && !INTERNAL.includes(name))).toEqual([]);
    expect(existsSync(`docs/api/modules/${module}.html`)).toBe(true);
  });
});
