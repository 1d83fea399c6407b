import { randomUUID } from 'node:crypto';
import { expect, inject, it, onTestFinished } from 'vitest';
import { launch, run } from '../../rigs/processes.js';
import { createRig } from '../../rigs/rig.js';

it('the worker says that the setup is missing, in a namespace without the search attributes', async () => {
  const rig = await createRig({ worker: false });
  onTestFinished(() => rig.close());
  const namespace = `bare-${randomUUID()}`;
  const create = ['operator', 'namespace', 'create', '--namespace', namespace];
  await run(inject('temporalCli'), [...create, '--address', rig.env['TEMPORAL_ADDRESS'] ?? ''], {});
  const { stop, stderr } = await launch(
    'worker',
    { ...rig.env, TEMPORAL_NAMESPACE: namespace },
    'worker is ready, but no onboarding can start, because search attributes are missing: run',
  );
  expect(await stop()).toBe(0);
  expect(stderr()).toContain('"missing":["Dba",');
});
