import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { scratchCopy } from '../../scripts/scratch-copy.js';

it('a status that a partner renames is one edit, after which the project compiles and the pages follow', async () => {
  const { root: cwd, remove } = await scratchCopy();
  const run = (command: string, ...args: string[]) => promisify(execFile)(command, args, { cwd });
  try {
    await run('git', 'apply', 'test/corrections/renamed-status.patch');
    await run('git', 'add', '--all');
    // Only what depends on it: the copy has the record of what was compiled. CI runs all tests with each correction.
    await run(process.execPath, 'node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json');
    await run('node_modules/.bin/tsx', 'scripts/docs.ts');
    expect((await run('git', 'diff', '--name-only')).stdout).toBe('docs/onboardings.md\n');
  } finally {
    await remove();
  }
});
