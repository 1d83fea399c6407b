import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from '@temporalio/worker';
import { beforeAll, describe, expect, it } from 'vitest';
import { PATHS } from '../../../scripts/recorded-paths.js';
import { WORKFLOW_ID_PREFIXES } from '../../../src/messages/ids.js';
import { WORKFLOW_BUNDLES } from '../../../src/worker/bundles.js';
import '../../rigs/rig.js';

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

/** What keeps recorded histories from being replayed, by their files; undefined where nothing does. */
async function replay(): Promise<Map<string, unknown>> {
  async function* histories() {
    for (const file of files) {
      yield { workflowId: file, history: JSON.parse(await readFile(HISTORIES + file, 'utf8')) };
    }
  }
  const problems = new Map<string, unknown>();
  const workflowBundle = { codePath: WORKFLOW_BUNDLES.plain };
  const replayed = Worker.runReplayHistories({ workflowBundle }, histories());
  for await (const { workflowId, error } of replayed) problems.set(workflowId, error);
  return problems;
}

// A boarding lives for weeks: today's code must be able to go on with what an earlier release has begun.
describe('on the current workflow code', () => {
  let problems: Map<string, unknown>;
  beforeAll(async () => {
    problems = await replay();
  });

  it('every recorded history was tried', () => {
    expect([...problems.keys()].sort()).toEqual(files);
  });

  it.each(files)('%s replays', (file) => {
    expect(problems.get(file)).toBeUndefined();
  });
});
