import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const pathsIn = (folder: string) => readdirSync(folder).map((file) => `${folder}/${file}`);
const DEFECTS = pathsIn('test/seeded-defects');
const CORRECTIONS = pathsIn('test/corrections');

it('each patch applies', () => {
  // Git checks each by itself, and stops at the first that does not apply.
  const check = () =>
    execFileSync('git', ['apply', '--check', '--verbose', ...DEFECTS, ...CORRECTIONS], { stdio: 'pipe' });
  expect(check).not.toThrow();
});

it.each(DEFECTS)('%s names the test that catches it', (path) => {
  const [words = ''] = readFileSync(path, 'utf8').split('\n\n');
  const [, test = ''] = /^Test: (test\/.+\.test\.ts)$/m.exec(words) ?? [];
  expect(existsSync(test), test).toBe(true);
});

it.each(CORRECTIONS)('%s is one edit at the partner, and in tests that quote it', (path) => {
  const patch = readFileSync(path, 'utf8');
  const [own, ...tests] = [...patch.matchAll(/^\+\+\+ b\/(.+)$/gm)].map(([, changed]) => changed);
  expect(own).toMatch(/^src\/partners\//);
  expect(patch.split(/^diff /m)[1]?.match(/^@@/gm)).toHaveLength(1);
  expect(tests.filter((changed) => !/^test\/.+\.ts$/.test(changed ?? ''))).toEqual([]);
});
