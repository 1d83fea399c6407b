import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { imported, installed, manifest, project } from '../rigs/package.js';
import { run } from '../rigs/processes.js';

describe('the package, in an empty project', () => {
  it('brings the command', async () => {
    const { version, bin } = manifest;
    const command = join(project(), 'node_modules', 'gangway', bin['gangway'] ?? '');
    expect(await run(process.execPath, [command, '--version'], {})).toMatchObject({
      code: 0,
      stdout: `${version}\n`,
    });
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
      expect.arrayContaining(['gangwayClient']),
      ['gangwayPlugin'],
      expect.arrayContaining(['workflowId']),
      expect.arrayContaining(['run']),
      expect.arrayContaining(['dataConverter']),
      expect.arrayContaining(['gangwayService']),
      NOT_EXPORTED,
      NOT_EXPORTED,
    ]);
  });
});
