import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const FOLDER = 'test/corrections';

it.each(readdirSync(FOLDER))('%s applies, as one edit at the partner, and in tests that quote it', (file) => {
  const path = join(FOLDER, file);
  execFileSync('git', ['apply', '--check', path]);
  const patch = readFileSync(path, 'utf8');
  const [own, ...tests] = [...patch.matchAll(/^\+\+\+ b\/(.+)$/gm)].map(([, changed]) => changed);
  expect(own).toMatch(/^src\/partners\//);
  expect(patch.split(/^diff /m)[1]?.match(/^@@/gm)).toHaveLength(1);
  expect(tests.filter((changed) => !/^test\/.+\.ts$/.test(changed ?? ''))).toEqual([]);
});
