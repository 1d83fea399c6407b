import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, inject, it, onTestFinished, vi } from 'vitest';
import { startDevServer } from '../../src/apps/demo/dev-server.js';
import { partIds } from '../../src/temporal/find-onboarding.js';
import { registerSearchAttributes } from '../../src/temporal/search-attributes.js';
import { gangway as runGangway } from '../rigs/command.js';
import { wasStarted } from '../rigs/commands/files.js';
import { newFolder } from '../rigs/folders.js';
import { customer, merchant } from '../rigs/inputs.js';
import { launch, run, spawnGangway } from '../rigs/processes.js';
import { pythonPackages } from '../rigs/python-packages.js';
import { createRig } from '../rigs/rig.js';
import { eventually } from '../rigs/waiting.js';

/** The earlier minor version of the server: 1.31. */
const EARLIER = 'test/rigs/temporal/earlier-server-requirements.txt';

it('a newer server takes over from an earlier one while onboardings wait and a worker runs', async () => {
  const folder = await newFolder();
  const databaseFile = join(folder, 'temporal.db');
  const earlier = join(await pythonPackages('earlier-server', EARLIER), 'bin', 'temporal');
  vi.stubEnv('TEMPORAL_CLI_PATH', earlier);
  onTestFinished(() => void vi.unstubAllEnvs());
  let server = await startDevServer({ databaseFile });
  vi.unstubAllEnvs();
  const rig = await createRig({ address: server.address, worker: false });
  onTestFinished(async () => {
    await rig.close();
    await server.stop();
  });
  await registerSearchAttributes(rig.client);
  const worker = await launch('worker', rig.env, 'worker is ready');
  const boardings = await Promise.all([1, 2, 3].map(() => rig.board(merchant('uw-level-1'))));
  for (const boarding of boardings) await boarding.requirement('underwriting-note');
  const doctor = () => spawnGangway(rig.env, ['doctor']);
  expect(await doctor()).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^ok +temporal +server 1\.31\./),
  });

  await server.stop();
  server = await startDevServer({ port: Number(server.address.split(':')[1]), databaseFile });
  expect(await spawnGangway(rig.env, ['setup'])).toMatchObject({ code: 0 });
  expect(await doctor()).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^ok +temporal +server 1\.32\./),
  });
  expect(await spawnGangway(rig.env, ['replay'])).toMatchObject({
    code: 0,
    stdout: 'all 3 replay on this build\n',
  });
  for (const boarding of boardings) {
    const { id } = await boarding.requirement('underwriting-note');
    await boarding.resolve(id, { kind: 'text', text: 'Answered.' });
    expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });
  }
  for (const operation of ['create-merchant', 'submit-merchant'])
    expect(await rig.sandbox.ledger({ operation })).toHaveLength(3);
  expect(await worker.stop()).toBe(0);
}, 900_000);

/** A server may keep what has ended for seconds. Otherwise, the shortest period is a day, and half an hour is added at random. */
const BRIEF = {
  'system.namespaceMinRetentionLocal': '1s',
  'history.retentionTimerJitterDuration': '1s',
  // How soon the server itself sees the new period.
  'system.namespaceCacheRefreshInterval': '100ms',
};

it('a customer goes on when a shorter retention has removed its business, and what ended before is kept', async () => {
  const rig = await createRig({ server: { dynamicConfig: BRIEF } });
  onTestFinished(() => rig.close());
  const gangway = (...args: string[]) => runGangway(rig.env, args);
  const before = await rig.board(merchant('declined'));
  await before.outcome();
  const period = ['operator', 'namespace', 'update', '--namespace', 'default', '--retention', '5s'];
  expect(await run(inject('temporalCli'), period, rig.env)).toMatchObject({ code: 0 });
  await sleep(2_000);

  const input = customer({ boarding: 'notes' });
  const both = await rig.onboard(input);
  const isForgotten = async () => !(await wasStarted(rig.client, partIds(both.workflowId).business));
  const { requirements } = await both.until(
    ({ requirements: notes, business }) => notes.length === 2 && business?.outcome === 'onboarded',
  );
  await eventually(isForgotten, Boolean, 'that its business is forgotten');
  const { code, stdout } = await gangway('status', input.externalId);
  expect({ code, stdout }).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^boarding +underwriting/m),
  });
  expect(await gangway('report')).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('Temporal keeps ended onboardings for 5 s'),
  });
  expect(await gangway('replay')).toMatchObject({ code: 0 });
  for (const { id } of requirements)
    expect(await gangway('resolve', input.externalId, id, '--text', 'Here.')).toMatchObject({ code: 0 });
  expect(await both.outcome()).toMatchObject({ outcome: 'onboarded' });
  expect(await rig.sandbox.ledger({ operation: 'create-merchant' })).toHaveLength(2);
  expect(await wasStarted(rig.client, before.workflowId)).toBe(true);
}, 300_000);
