import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startGangway } from '../../../rigs/command.js';
import { executions, merchantsFile } from '../../../rigs/commands/files.js';
import { newFolder } from '../../../rigs/folders.js';
import { jsonLines, launch } from '../../../rigs/processes.js';
import { createRig, type Rig } from '../../../rigs/rig.js';
import { startTemporal } from '../../../rigs/temporal-server.js';

/** Nothing changes at the partner, so that hundreds of status polls would only take time. */
const RARE_POLLS = { GANGWAY_POLL_MIN: '1m', GANGWAY_POLL_MAX: '1m' };

/** `BATCH_ROWS=300` starts more. */
const COUNT = Number(process.env['BATCH_ROWS'] ?? 60);

/** Each row of a finished command. */
const rowsOf = (finished: Parameters<typeof jsonLines>[0]) =>
  jsonLines(finished).map(({ line, workflowId, started }) => [line, workflowId, started]);

/** Every onboarding of the rig that was ever started. A workflow that ran twice is listed twice. */
async function onboardings({ client, taskQueue }: Rig): Promise<string[]> {
  const all = await executions(client, taskQueue, COUNT + 1);
  return all.map(({ workflowId }) => workflowId).filter((id) => id.startsWith('merchant-boarding-'));
}

it('worker and receiver stay alive while Temporal is killed, and are not ready; a batch goes on when it is back: each row is started once', async () => {
  const folder = await newFolder();
  const databaseFile = join(folder, 'temporal.db');
  let server = await startTemporal({ databaseFile });
  const { address } = server;
  const own = await createRig({ address, worker: false });
  onTestFinished(async () => {
    await own.close();
    await server.stop();
  });
  const { file, ids } = await merchantsFile(own, COUNT, 'waiting');
  const processes = await Promise.all([
    launch('worker', { ...own.env, ...RARE_POLLS }, 'worker is ready'),
    launch('receiver', { ...own.env, RECEIVER_ADDRESS: '127.0.0.1:0' }, 'receiver is ready'),
  ]);
  const both = (path: string) =>
    Promise.all(
      processes.map(async ({ addresses }) => {
        const { health, url } = addresses();
        const response = await fetch((health ?? url) + path);
        return [response.status, await response.json()];
      }),
    );
  const readiness = (status: number, temporal: string) =>
    expect
      .poll(() => both('/readyz'), { timeout: 120_000 })
      .toEqual([
        [status, { worker: 'RUNNING', temporal }],
        [status, { temporal }],
      ]);
  await readiness(200, 'ready');
  const running = startGangway(own.env, ['batch', file, '--rate', '30', '--yes', '--json']);
  await running.printsLines(COUNT / 2);
  process.kill(server.pid, 'SIGKILL');
  await server.stop();
  await readiness(503, 'unavailable');
  expect(await both('/healthz')).toEqual(Array(2).fill([200, { status: 'ok' }]));
  server = await startTemporal({ port: Number(address.split(':')[1]), databaseFile });
  await readiness(200, 'ready');
  const finished = await running.finished;
  expect(finished.stderr).toContain(`${COUNT} rows: ${COUNT} started\n`);
  expect(finished.code).toBe(0);
  expect(new Set(rowsOf(finished).map(([, id]) => id))).toEqual(new Set(ids));
  expect((await onboardings(own)).sort()).toEqual(ids.toSorted());
  for (const { stop } of processes) expect(await stop()).toBe(0);
}, 300_000);
