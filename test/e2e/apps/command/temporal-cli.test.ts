import { expect, inject, it } from 'vitest';
import { parsePayloadKeys } from '../../../../src/temporal/payload-codec.js';
import { runCodecServer, TOKEN } from '../../../rigs/codec-server/running-codec-server.js';
import { merchant } from '../../../rigs/inputs.js';
import { Onboarding } from '../../../rigs/onboarding.js';
import { run } from '../../../rigs/processes.js';
import { sharedRig } from '../../../rigs/shared-rig.js';

const rig = await sharedRig();

it('the official temporal command, with JSON and a codec server, starts a boarding, queries it and answers it: what it sends is encrypted, and what was encrypted is shown', async () => {
  const { TEMPORAL_ADDRESS: address = '', PAYLOAD_KEYS: keys = '' } = rig.env;
  const { url, log } = await runCodecServer({ keys: parsePayloadKeys(keys) });
  const codec = ['--codec-endpoint', `${url}/{namespace}`, '--codec-auth', `Bearer ${TOKEN}`];
  const temporal = async (args: readonly string[], through = codec) => {
    const all = [...args, '--address', address, '-o', 'json', ...through];
    const { code, stdout, stderr } = await run(inject('temporalCli'), all, {});
    expect(code, stderr).toBe(0);
    return JSON.parse(stdout);
  };

  const { dueInHours: _, ...input } = merchant('uw-level-1');
  const id = `merchant-boarding-${input.externalId}`;
  const target = ['--workflow-id', id];
  const type = ['--type', 'merchantBoarding', '--task-queue', rig.taskQueue];
  await temporal(['workflow', 'start', ...target, ...type, '--input', JSON.stringify(input)]);
  const boarding = new Onboarding(rig.client, id);
  const requirement = await boarding.requirement('underwriting-note');
  const { events } = await boarding.handle.fetchHistory();
  const stored = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0];
  expect(Buffer.from(stored?.metadata?.['encoding'] ?? []).toString()).toBe('binary/encrypted');

  /** The data of the first input, as the command prints it. */
  const inputIn = async (through?: string[]) => {
    const [started] = (await temporal(['workflow', 'show', ...target], through)).events;
    const [payload] = started.workflowExecutionStartedEventAttributes.input.payloads;
    return Buffer.from(payload.data, 'base64').toString();
  };
  expect(await inputIn()).toBe(JSON.stringify(input));
  expect(await inputIn([])).not.toContain('Ada');
  expect(log()).toContain('"path":"/decode","status":200');

  const { queryResult } = await temporal(['workflow', 'query', ...target, '--type', 'state']);
  const [state] = Array.isArray(queryResult) ? queryResult : [queryResult];
  expect(state).toMatchObject({ stage: 'underwriting', requirements: [{ id: requirement.id }] });

  const answer = { kind: 'text', text: 'Sent by mail.' };
  const resolution = { requirementId: requirement.id, answer, actor: 'olga', reason: 'asked' };
  const update = ['--name', 'resolveRequirement', '--input', JSON.stringify(resolution)];
  await temporal(['workflow', 'update', 'execute', ...target, ...update]);
  expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });
});
