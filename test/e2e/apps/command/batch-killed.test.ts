import { rename, rm, writeFile } from 'node:fs/promises';
import { expect, it, onTestFinished } from 'vitest';
import { startGangway } from '../../../rigs/command.js';
import { executions, merchantsFile } from '../../../rigs/commands/files.js';
import { jsonLines, launch } from '../../../rigs/processes.js';
import { createRig, type Rig } from '../../../rigs/rig.js';

/** Nothing changes at the partner, so that hundreds of status polls would only take time. */
const RARE_POLLS = { GANGWAY_POLL_MIN: '1m', GANGWAY_POLL_MAX: '1m' };

/** `BATCH_ROWS=300` starts more, as every night. */
const COUNT = Number(process.env['BATCH_ROWS'] ?? 24);

/** Each row of a finished command. */
const rowsOf = (finished: Parameters<typeof jsonLines>[0]) =>
  jsonLines(finished).map(({ line, workflowId, started }) => [line, workflowId, started]);

/** Every onboarding of the rig that was ever started. A workflow that ran twice is listed twice. */
async function onboardings({ client, taskQueue }: Rig): Promise<string[]> {
  const all = await executions(client, taskQueue, COUNT + 1);
  return all.map(({ workflowId }) => workflowId).filter((id) => id.startsWith('merchant-boarding-'));
}

it('a batch waits for the document store, says so, and goes on after its worker was killed: each row is started once, and counts as started', async () => {
  const rig = await createRig({ worker: false });
  onTestFinished(() => rig.close());
  const { file, ids } = await merchantsFile(rig, COUNT, 'waiting');
  const worker = () => launch('worker', { ...rig.env, ...RARE_POLLS }, 'worker is ready');
  const first = await worker();
  const running = startGangway(rig.env, ['batch', file, '--rate', `${COUNT / 2}`, '--yes', '--json']);
  await running.printsLines(COUNT / 3);
  const aside = `${rig.documentDir}.aside`;
  await rename(rig.documentDir, aside);
  await writeFile(rig.documentDir, 'not a folder');
  await running.says('... the batch waits: ');
  await rm(rig.documentDir);
  await rename(aside, rig.documentDir);
  await running.printsLines(COUNT / 2);
  await first.stop('SIGKILL');
  const second = await worker();
  const finished = await running.finished;
  expect(finished).toMatchObject({ code: 0, stderr: `${COUNT} rows: ${COUNT} started\n` });
  const expected = ids.map((id, index) => [index + 1, id, true]);
  expect(rowsOf(finished).sort(([one], [other]) => Number(one) - Number(other))).toEqual(expected);
  expect((await onboardings(rig)).sort()).toEqual(ids.toSorted());
  await second.stop();
}, 300_000);
