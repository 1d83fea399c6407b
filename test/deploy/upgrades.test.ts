import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startDevServer } from '../../src/temporal/dev-server.js';
import { registerSearchAttributes } from '../../src/temporal/search-attributes.js';
import { newFolder } from '../rigs/folders.js';
import { merchant } from '../rigs/inputs.js';
import { launch, spawnGangway } from '../rigs/processes.js';
import { pythonPackages } from '../rigs/python-packages.js';
import { createRig } from '../rigs/rig.js';

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
    ...{ code: 0, stdout: expect.stringMatching(/^ok +temporal +server 1\.31\./) },
  });

  await server.stop();
  server = await startDevServer({ port: Number(server.address.split(':')[1]), databaseFile });
  expect(await spawnGangway(rig.env, ['setup'])).toMatchObject({ code: 0 });
  expect(await doctor()).toMatchObject({
    ...{ code: 0, stdout: expect.stringMatching(/^ok +temporal +server 1\.32\./) },
  });
  expect(await spawnGangway(rig.env, ['replay'])).toMatchObject({
    ...{ code: 0, stdout: 'all 3 replay on this build\n' },
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
