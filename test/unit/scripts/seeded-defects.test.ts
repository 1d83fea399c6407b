import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const FOLDER = 'test/seeded-defects';

it.each(readdirSync(FOLDER))('%s applies, and names the test that catches it', (file) => {
  const path = join(FOLDER, file);
  const [words = ''] = readFileSync(path, 'utf8').split('\n\n');
  const [, test = ''] = /^Test: (test\/.+\.test\.ts)$/m.exec(words) ?? [];
  expect(existsSync(test), test).toBe(true);
  execFileSync('git', ['apply', '--check', path]);
});
