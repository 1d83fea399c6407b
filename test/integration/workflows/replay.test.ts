import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from '@temporalio/worker';
import { expect, it, onTestFinished } from 'vitest';
import { PATHS } from '../../../scripts/recorded-paths.js';
import { WORKFLOW_ID_PREFIXES } from '../../../src/messages/ids.js';
import { WORKFLOW_BUNDLES } from '../../../src/worker/create-worker.js';
import '../../rigs/rig.js';
import { buildWith } from '../../rigs/worker/changed-build.js';

const HISTORIES = fileURLToPath(new URL('../../histories/', import.meta.url));

const files = (await readdir(HISTORIES, { recursive: true })).filter((file) => file.endsWith('.json')).sort();

/** The release whose histories have each path that there is now; those before have what there was then. */
const LATEST = '0.1.0';

it('has a recorded history of each path', () => {
  const names = Object.entries(PATHS).flatMap(([name, { continues }]) =>
    continues ? [name, `${name}-next`] : [name],
  );
  expect(files).toEqual(expect.arrayContaining(names.map((name) => `${LATEST}/${name}.json`)));
});

it('has one of each workflow type', async () => {
  const histories = await Promise.all(files.map((file) => readFile(HISTORIES + file, 'utf8')));
  const types = histories.map((text) => {
    const [started] = JSON.parse(text).events;
    return started.workflowExecutionStartedEventAttributes.workflowType.name;
  });
  expect([...new Set(types)].sort()).toEqual([...Object.keys(WORKFLOW_ID_PREFIXES), 'singleActivity'].sort());
});

async function replay(file: string, codePath: string): Promise<void> {
  const history: unknown = JSON.parse(await readFile(HISTORIES + file, 'utf8'));
  await Worker.runReplayHistory({ workflowBundle: { codePath } }, history);
}

// A boarding lives for weeks: today's code must be able to go on with what an earlier release has begun.
it.each(files)('%s replays on the current workflow code', (file) => replay(file, WORKFLOW_BUNDLES.plain));

it.each([
  ['with the change behind patched()', "if (patched('one-more-step')) await setFees(application);", true],
  ['with the same change and no patched()', 'await setFees(application);', false],
])('of workflow code %s tells whether what waits can go on', { timeout: 60_000 }, async (_, step, fits) => {
  const build = await buildWith(step);
  onTestFinished(() => build.remove());
  const replayed = replay(`${LATEST}/notes.json`, build.codePath);
  if (fits) await replayed;
  else await expect(replayed).rejects.toThrow(/Nondeterminism/);
});
