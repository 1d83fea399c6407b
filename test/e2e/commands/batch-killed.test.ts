import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { startDevServer } from '../../../src/temporal/dev-server.js';
import { registerSearchAttributes } from '../../../src/temporal/search-attributes.js';
import { startGangway } from '../../rigs/command.js';
import { executions, merchantsFile } from '../../rigs/commands/files.js';
import { jsonLines, launch } from '../../rigs/processes.js';
import { createRig, type Rig } from '../../rigs/rig.js';

let rig: Rig;
beforeEach(async () => {
  rig = await createRig({ worker: false });
});
afterEach(() => rig.close());

/** Nothing changes at the partner, so that hundreds of status polls would only take time. */
const RARE_POLLS = { GANGWAY_POLL_MIN: '1m', GANGWAY_POLL_MAX: '1m' };

const worker = () => launch('worker', { ...rig.env, ...RARE_POLLS }, 'worker is ready');

/** `BATCH_ROWS=300` starts more. */
const COUNT = Number(process.env['BATCH_ROWS'] ?? 60);

/** Each row of a finished command. */
const rowsOf = (finished: Parameters<typeof jsonLines>[0]) =>
  jsonLines(finished).map(({ line, workflowId, started }) => [line, workflowId, started]);

/** Every onboarding of the rig that was ever started. A workflow that ran twice is listed twice. */
async function onboardings({ client, taskQueue } = rig): Promise<string[]> {
  const all = await executions(client, taskQueue, COUNT + 1);
  return all.map(({ workflowId }) => workflowId).filter((id) => id.startsWith('merchant-boarding-'));
}

it('a batch waits for the document store, says so, and goes on after its worker was killed: each row is started once, and counts as started', async () => {
  const { file, ids } = await merchantsFile(rig, COUNT, 'waiting');
  const first = await worker();
  const running = startGangway(rig.env, ['batch', file, '--rate', '30', '--yes', '--json']);
  await running.printsLines(20);
  const aside = `${rig.documentDir}.aside`;
  await rename(rig.documentDir, aside);
  await writeFile(rig.documentDir, 'not a folder');
  await running.says('... the batch waits: ');
  await rm(rig.documentDir);
  await rename(aside, rig.documentDir);
  await running.printsLines(COUNT / 2);
  first.child.kill('SIGKILL');
  await first.exit;
  const second = await worker();
  const finished = await running.finished;
  expect(finished).toMatchObject({ code: 0, stderr: `${COUNT} rows: ${COUNT} started\n` });
  const expected = ids.map((id, index) => [index + 1, id, true]);
  expect(rowsOf(finished).sort(([one], [other]) => Number(one) - Number(other))).toEqual(expected);
  expect((await onboardings()).sort()).toEqual(ids.toSorted());
  second.child.kill('SIGTERM');
  await second.exit;
}, 300_000);

it('a batch goes on after Temporal was killed and restarted: each row is started once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gangway-test-'));
  const databaseFile = join(folder, 'temporal.db');
  let server = await startDevServer({ databaseFile });
  const { address } = server;
  const own = await createRig({ address, worker: false });
  onTestFinished(async () => {
    await own.close();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });
  await registerSearchAttributes(own.client);
  const { file, ids } = await merchantsFile(own, COUNT, 'waiting');
  const only = await launch('worker', own.env, 'worker is ready');
  const running = startGangway(own.env, ['batch', file, '--rate', '30', '--yes', '--json']);
  await running.printsLines(COUNT / 2);
  process.kill(server.pid, 'SIGKILL');
  await server.stop();
  server = await startDevServer({ port: Number(address.split(':')[1]), databaseFile });
  const finished = await running.finished;
  expect(finished.stderr).toContain(`${COUNT} rows: ${COUNT} started\n`);
  expect(finished.code).toBe(0);
  expect(new Set(rowsOf(finished).map(([, id]) => id))).toEqual(new Set(ids));
  expect((await onboardings(own)).sort()).toEqual(ids.toSorted());
  only.child.kill('SIGTERM');
  await only.exit;
}, 300_000);
