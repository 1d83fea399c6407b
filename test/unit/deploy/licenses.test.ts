import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

describe('licenses', () => {
  interface Locked {
    readonly version: string;
    readonly license?: string;
    readonly dev?: true;
  }
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    readonly packages: Readonly<Record<string, Locked>>;
  };
  const locked = Object.entries(packages)
    .filter(([path]) => path !== '')
    .map(([path, { version, license, dev }]) => ({
      name: path.replace(/^.*node_modules\//, ''),
      version,
      license: license ?? 'none',
      isShipped: !dev,
    }));
  const withLicense = (wanted: string) => locked.filter(({ license }) => license === wanted);
  const guide = readFileSync('CONTRIBUTING.md', 'utf8');

  it('that ask for more than a notice are not shipped, and CONTRIBUTING.md explains them', () => {
    const copyleft = locked.filter(({ license }) => /GPL|MPL|EPL|CDDL|SSPL|BUSL|SA-/.test(license));
    expect(copyleft).toHaveLength(13);
    expect(copyleft.filter(({ isShipped }) => isShipped)).toEqual([]);
    expect(new Set(copyleft.map(({ name }) => name.replace(/^(lightningcss)-.*$/, '$1')))).toEqual(
      new Set(['axe-core', 'lightningcss']),
    );
    expect(copyleft.filter(({ name }) => name.startsWith('lightningcss-'))).toHaveLength(11);
    expect(guide).toContain('| MPL-2.0 | `axe-core`, `lightningcss` and its eleven builds for platforms |');
  });

  it('that are missing or unusual are those that CONTRIBUTING.md explains', () => {
    expect(withLicense('none')).toEqual([
      { name: 'unionfs', version: '4.6.0', license: 'none', isShipped: true },
    ]);
    expect(readFileSync('node_modules/unionfs/LICENSE', 'utf8')).toMatch(
      /^This is free and unencumbered software released into the public domain\./,
    );
    expect(readFileSync('scripts/release-check.sh', 'utf8')).toContain('--excludePackages unionfs@4.6.0 ');
    expect(withLicense('CC-BY-4.0').map(({ name }) => name)).toEqual(['caniuse-lite']);
    for (const name of ['unionfs', 'caniuse-lite']) expect(guide).toContain(`\`${name}\``);
  });
});
