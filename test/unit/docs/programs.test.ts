import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const { exports, dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly exports: Readonly<Record<string, unknown>>;
  readonly dependencies: Readonly<Record<string, string>>;
};

/** test/nightly/package/package.test.ts compiles the programs on it. */
describe('the page for other programs', () => {
  const page = readFileSync('docs/programs.md', 'utf8');

  it('names each import of the package', () => {
    const imports = Object.keys(exports).filter((name) => name !== './package.json');
    for (const name of imports) expect(page).toContain(`\`${name.replace('.', 'gangway')}\``);
    expect(imports.length).toBeGreaterThan(3);
  });

  it('names the version of the Temporal SDK', () => {
    for (const name of ['client', 'common', 'worker', 'workflow'])
      expect(page).toContain(dependencies[`@temporalio/${name}`]);
  });
});
