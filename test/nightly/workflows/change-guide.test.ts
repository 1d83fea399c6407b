import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { changedBuild } from '../../rigs/worker/changed-build.js';
import { HISTORIES, replayAll } from '../../rigs/workflows/recorded-histories.js';

/** What keeps the recorded histories from being replayed by a changed build, by their files. */
async function problemsOf(name: Parameters<typeof changedBuild>[0]): Promise<Record<string, Error>> {
  const replayed = await replayAll(join(await changedBuild(name), 'dist/workflow-bundle.js'));
  expect([...replayed.keys()].sort()).toEqual(HISTORIES);
  return Object.fromEntries([...replayed].filter((one): one is [string, Error] => one[1] !== undefined));
}

// Follows docs/changing-workflows.md: changes the code, compiles and bundles it, and replays the recorded histories.
describe('the guide to changing workflows', () => {
  it('shows a change that all recorded histories replay', async () => {
    expect(await problemsOf('documented')).toEqual({});
  });

  it('quotes the error of the same change without patched()', async () => {
    const problems = await problemsOf('without-patch');
    expect(Object.keys(problems)).toEqual(
      expect.arrayContaining(['0.1.0/straight.json', '0.1.0/notes.json']),
    );
    for (const { message } of Object.values(problems)) expect(message).toContain('Nondeterminism error');
  });
});
