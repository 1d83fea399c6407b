import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from '@temporalio/worker';
import { expect, it } from 'vitest';
import { WORKFLOW_BUNDLES } from '../../src/worker/create-worker.js';
import '../rig.js';

const HISTORIES = fileURLToPath(new URL('../histories/', import.meta.url));

const files = (await readdir(HISTORIES, { recursive: true })).filter((file) => file.endsWith('.json')).sort();

it('has a recorded history of each path', () => {
  const paths = [
    ...['straight', 'notes', 'request-changes', 'declined', 'uncertain-create', 'cancelled'],
    ...['business-straight', 'business-tickets', 'business-correction', 'business-uncertain-found'],
    ...['customer-straight', 'customer-asked', 'customer-cancel-other', 'operation-close-card'],
    ...['customer-terminal', 'terminal-straight', 'terminal-uncertain-found', 'terminal-cancelled'],
  ];
  expect(files).toEqual(expect.arrayContaining(paths.map((path) => `0.1.0/${path}.json`)));
});

// A boarding lives for weeks: today's code must be able to go on with what an earlier release has begun.
it.each(files)('%s replays on the current workflow code', async (file) => {
  const history: unknown = JSON.parse(await readFile(HISTORIES + file, 'utf8'));
  await Worker.runReplayHistory({ workflowBundle: { codePath: WORKFLOW_BUNDLES.plain } }, history);
});
