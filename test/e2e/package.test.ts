import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { run } from '../rigs/processes.js';

const { bin, exports, files } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
  readonly files: readonly string[];
};

/** What an import by the package's own name gives, or the code of its refusal. */
async function imported(path: string): Promise<unknown> {
  const code = `import(${JSON.stringify(path)}).then(Object.keys, ({ code }) => code).then((all) => console.log(JSON.stringify(all)))`;
  const { stdout } = await run(process.execPath, ['-e', code], {});
  return JSON.parse(stdout);
}

describe('the package', () => {
  it('holds each file that it offers, and of the project only what is built', async () => {
    const { stdout } = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {});
    const [packed] = JSON.parse(stdout) as [{ readonly files: readonly { readonly path: string }[] }];
    const paths = packed.files.map(({ path }) => path);
    const offered = Object.values(exports).flatMap((target) =>
      typeof target === 'string' ? [target] : [target.types, target.default],
    );
    for (const path of [...offered, ...Object.values(bin)])
      expect(paths).toContain(path.replace(/^\.\//, ''));
    const others = paths.filter((path) => !files.some((folder) => path.startsWith(`${folder}/`)));
    expect(others.sort()).toEqual(['LICENSE', 'README.md', 'package.json']);
  });

  it('can be imported by its name, and nothing else of it', async () => {
    expect(await imported('gangway')).toContain('workflowId');
    expect(await imported('gangway/command')).toContain('run');
    expect(await imported('gangway/encryption')).toContain('dataConverter');
    expect(await imported('gangway/nexus')).toContain('gangwayService');
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
    ['gangway', 'index'],
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
