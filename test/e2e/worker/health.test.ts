import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startDevServer } from '../../../src/temporal/dev-server.js';
import { launch } from '../../rigs/processes.js';
import { createRig } from '../../rigs/rig.js';
import { eventually } from '../../rigs/waiting.js';

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

async function ask(url: string): Promise<Answer> {
  const response = await fetch(url);
  return { status: response.status, body: await response.json() };
}

it('worker and receiver stay alive without Temporal, are not ready, and are ready when it is back', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gangway-test-'));
  const databaseFile = join(folder, 'temporal.db');
  let server = await startDevServer({ databaseFile });
  const port = Number(server.address.split(':')[1]);
  const rig = await createRig({ address: server.address, worker: false });
  onTestFinished(async () => {
    await rig.close();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const [worker, receiver] = await Promise.all([
    launch('worker', rig.env, 'worker is ready'),
    launch('receiver', { ...rig.env, RECEIVER_ADDRESS: '127.0.0.1:0' }, 'receiver is ready'),
  ]);
  const urls = [
    /"health":"([^"]+)"/.exec(worker.stderr())?.[1],
    /"url":"([^"]+)"/.exec(receiver.stderr())?.[1],
  ];
  const both = (path: string) => Promise.all(urls.map((url) => ask(url + path)));
  const until = (status: number) =>
    eventually(
      () => both('/readyz'),
      (answers) => answers.every((answer) => answer.status === status),
      `${status} of both`,
      120_000,
    );

  expect(await until(200)).toEqual([
    { status: 200, body: { worker: 'RUNNING', temporal: 'ready' } },
    { status: 200, body: { temporal: 'ready' } },
  ]);
  await server.stop();
  expect(await until(503)).toEqual([
    { status: 503, body: { worker: 'RUNNING', temporal: 'unavailable' } },
    { status: 503, body: { temporal: 'unavailable' } },
  ]);
  const alive = { status: 200, body: { status: 'ok' } };
  expect(await both('/healthz')).toEqual([alive, alive]);
  server = await startDevServer({ port, databaseFile });
  await until(200);
  for (const { child, exit } of [worker, receiver]) {
    child.kill('SIGTERM');
    expect(await exit).toBe(0);
  }
}, 480_000);
