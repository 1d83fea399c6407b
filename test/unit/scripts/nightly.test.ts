import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

// Alone catches that a file of large sizes moves, and no night runs it any more: vitest ignores a path without a file beside others.
it('each night, all files that have more variants or larger sizes run with them', () => {
  const [, body = ''] = readFileSync('scripts/nightly.sh', 'utf8').split('\nsizes() {\n');
  const [, paths = ''] = body.slice(0, body.indexOf('\n}\n')).split('--project e2e ');
  const listed = execFileSync('bash', ['-c', `echo ${paths}`], { encoding: 'utf8' })
    .trim()
    .split(/\s+/);
  const larger = globSync('test/e2e/**/*.test.ts').filter((path) =>
    /\bvariants\b|axeFindings|'BATCH_ROWS'/.test(readFileSync(path, 'utf8')),
  );
  expect(listed.sort()).toEqual(larger.sort());
});
