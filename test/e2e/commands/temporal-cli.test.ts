import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { merchant } from '../../rigs/inputs.js';
import { Onboarding } from '../../rigs/onboarding.js';
import { run } from '../../rigs/processes.js';
import { createRig, type Rig } from '../../rigs/rig.js';

let rig: Rig;
beforeAll(async () => {
  // The command has no keys. Tests of the codec server cover it with keys.
  rig = await createRig({ payloadKeys: '' });
});
afterAll(() => rig.close());

async function temporal(...args: string[]) {
  const address = rig.env['TEMPORAL_ADDRESS'] ?? '';
  const { code, stdout, stderr } = await run(
    inject('temporalCli'),
    [...args, '--address', address, '-o', 'json'],
    {},
  );
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

describe('the official temporal command, with plain JSON', () => {
  it('starts a boarding, queries it and answers its requirement', async () => {
    const { dueInHours: _, ...input } = merchant('uw-level-1');
    const id = `merchant-boarding-${input.externalId}`;
    const target = ['--workflow-id', id];
    const start = [
      '--type',
      'merchantBoarding',
      '--task-queue',
      rig.taskQueue,
      '--input',
      JSON.stringify(input),
    ];
    await temporal('workflow', 'start', ...target, ...start);
    const boarding = new Onboarding(rig.client, id);
    const requirement = await boarding.requirement('underwriting-note');

    const { queryResult } = await temporal('workflow', 'query', ...target, '--type', 'state');
    const [state] = Array.isArray(queryResult) ? queryResult : [queryResult];
    expect(state).toMatchObject({ stage: 'underwriting', requirements: [{ id: requirement.id }] });

    const answer = { kind: 'text', text: 'Sent by mail.' };
    const resolution = { requirementId: requirement.id, answer, actor: 'olga', reason: 'asked' };
    const update = ['--name', 'resolveRequirement', '--input', JSON.stringify(resolution)];
    await temporal('workflow', 'update', 'execute', ...target, ...update);
    expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });
  });

  it('with invalid input starts a workflow that fails with the reason', async () => {
    const target = ['--workflow-id', `merchant-boarding-${crypto.randomUUID()}`];
    const start = ['--type', 'merchantBoarding', '--task-queue', rig.taskQueue, '--input', '{"merchant": 1}'];
    await temporal('workflow', 'start', ...target, ...start);
    const boarding = new Onboarding(rig.client, target[1] ?? '');
    const error = await boarding.outcome().catch((failed) => failed);
    expect(error.cause.message).toBe('externalId: must be a string; merchant: must be an object');
  });
});
