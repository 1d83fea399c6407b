import { expect, it, onTestFinished } from 'vitest';
import { launch } from '../../rigs/processes.js';
import { createRig } from '../../rigs/rig.js';
import { resetWithIntent } from '../../rigs/workflows/cut-off-writes.js';

it('a worker killed between the partner’s commit and its own report leaves one merchant and an unknown outcome when the activity was reset together with its intent', async () => {
  const rig = await createRig({ worker: false });
  onTestFinished(() => rig.close());
  const { input, creating } = await resetWithIntent(rig);
  const next = await launch('worker', rig.env, 'worker is ready');
  const failure = await creating.outcome().catch(({ cause }) => cause.cause);
  expect(failure.details).toEqual([
    expect.objectContaining({ kind: 'Uncertain', reason: 'it was reset together with its intent' }),
  ]);
  expect(await rig.sandbox.writes(input.externalId)).toEqual(['create-merchant']);
  expect(await next.stop()).toBe(0);
}, 300_000);
