import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { buildWith, type Change, documentedChange, withoutPatch } from '../../rigs/worker/changed-build.js';

/** A build, and a run of the replay tests in it. */
const TIMEOUT_MS = 600_000;

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly title: string;
      readonly status: string;
    }[];
  }[];
}

/**
 * Follows docs/changing-workflows.md: changes the code, builds it, and replays the recorded histories.
 *
 * @returns the tests that fail, by their titles, and what is printed
 */
async function replayWith(change: Change): Promise<{ failed: readonly string[]; stderr: string }> {
  const build = await buildWith(change);
  onTestFinished(() => build.remove());
  const tests = ['--project', 'integration', 'test/integration/workflows/replay.test.ts'];
  const reporters = ['--reporter=default', '--reporter=json', '--outputFile.json=report.json'];
  const { stderr } = await build.run('npx', 'vitest', 'run', ...tests, ...reporters);
  const { testResults } = JSON.parse(await readFile(join(build.root, 'report.json'), 'utf8')) as Report;
  const results = testResults.flatMap(({ assertionResults }) => assertionResults);
  expect(results.length).toBeGreaterThan(50);
  const failed = results.filter(({ status }) => status !== 'passed').map(({ title }) => title);
  return { failed, stderr };
}

describe('the guide to changing workflows', () => {
  it(
    'shows a change that all recorded histories replay',
    async () => {
      expect((await replayWith(documentedChange())).failed).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    'quotes the error of the same change without patched()',
    async () => {
      const { failed, stderr } = await replayWith(withoutPatch(documentedChange()));
      expect(failed).toEqual(
        expect.arrayContaining(['0.1.0/straight.json replays', '0.1.0/notes.json replays']),
      );
      expect(stderr).toContain('Nondeterminism error');
    },
    TIMEOUT_MS,
  );
});
