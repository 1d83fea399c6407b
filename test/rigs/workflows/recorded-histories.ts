import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from '@temporalio/worker';
import '../runtime.js';

const FOLDER = fileURLToPath(new URL('../../histories/', import.meta.url));

/** Without these sinks, the SDK logs an error for each event that a replay would publish again. */
const SILENT = { outbound: { publish: { fn: () => undefined } } };

/** The recorded histories: `0.1.0/straight.json`. */
export const HISTORIES = (await readdir(FOLDER, { recursive: true }))
  .filter((file) => file.endsWith('.json'))
  .sort();

export async function recorded(file: string) {
  return JSON.parse(await readFile(FOLDER + file, 'utf8'));
}

/**
 * Replays all recorded histories.
 *
 * @param codePath a bundle of workflows
 * @returns what keeps each from being replayed, by its file; undefined where nothing does
 */
export async function replayAll(codePath: string): Promise<Map<string, Error | undefined>> {
  async function* histories() {
    for (const file of HISTORIES) yield { workflowId: file, history: await recorded(file) };
  }
  const problems = new Map<string, Error | undefined>();
  const replayed = Worker.runReplayHistories({ workflowBundle: { codePath }, sinks: SILENT }, histories());
  for await (const { workflowId, error } of replayed) problems.set(workflowId, error);
  return problems;
}
