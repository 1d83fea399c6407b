import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import { describe, expect, inject, it } from 'vitest';
import { type GangwayClient, gangwayClient } from '../../../src/services/client/index.js';
import { gangwayPlugin } from '../../../src/worker/plugin.js';
import { business, merchant } from '../../rigs/inputs.js';
import { createRig, type Rig } from '../../rigs/rig.js';
import { shared, type Until } from '../../rigs/shared.js';

const OWN = {
  workflowsPath: fileURLToPath(new URL('../../rigs/worker/own-workflows.ts', import.meta.url)),
  activities: { greeting: async (name: string) => `Hello ${name}` },
} satisfies Partial<WorkerOptions>;

/** A program with a worker of its own, which runs Gangway as a plugin. */
interface Program {
  readonly rig: Rig;
  readonly gangway: GangwayClient;
}

async function running(until: Until, own: Partial<WorkerOptions>, settings = {}): Promise<Program> {
  const rig = await createRig({ worker: false });
  until(() => rig.close());
  const env = { ...rig.env, ...settings };
  const connection = await NativeConnection.connect({ address: inject('temporalAddress') });
  until(() => connection.close());
  const plugins = [gangwayPlugin({ settings: env })];
  const worker = await Worker.create({ connection, taskQueue: rig.taskQueue, ...own, plugins });
  const run = worker.run();
  until(async () => {
    worker.shutdown();
    await run;
  });
  const gangway = await gangwayClient({ settings: env });
  until(() => gangway.close());
  return { rig, gangway };
}

/** Starts the program's own workflow, with the encryption that all of its worker has. */
async function greeted({ rig: { client, taskQueue } }: Program): Promise<unknown> {
  const workflowId = `greet-${randomUUID()}`;
  return client.workflow.execute('greet', { workflowId, taskQueue, args: ['Ada'] });
}

describe('a worker with workflows of its own', () => {
  const program = shared((until) => running(until, OWN));

  it('boards a merchant and onboards a business, each partner by its own task queue', async () => {
    const { gangway, rig } = program();
    const [input, company] = [merchant(), business()];
    const boarding = await gangway.boardMerchant(input);
    const onboarding = await gangway.onboardBusiness(company);
    expect(await gangway.outcome(boarding.workflowId)).toMatchObject({ outcome: 'boarded' });
    expect(await gangway.outcome(onboarding.workflowId)).toMatchObject({ outcome: 'onboarded' });
    expect(await rig.sandbox.writes(input.externalId)).toEqual(['create-merchant', 'submit-merchant']);
  });

  it('still runs its own', async () => {
    expect(await greeted(program())).toBe('Hello Ada');
  });
});

describe('a worker without workflows of its own', () => {
  const program = shared((until) => running(until, {}));

  it('boards a merchant', async () => {
    const { gangway } = program();
    const { workflowId } = await gangway.boardMerchant(merchant());
    expect(await gangway.outcome(workflowId)).toMatchObject({ outcome: 'boarded' });
  });
});

/** The settings of a plugin that runs nothing. The key is an example. */
const SETTINGS = { PAYLOAD_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}` };

describe('a worker that cannot run Gangway', () => {
  const connection = shared(async (until) => {
    const opened = await NativeConnection.connect({ address: inject('temporalAddress') });
    until(() => opened.close());
    return opened;
  });
  const SAME = { ours: async () => undefined, awaitOnboarding: async () => undefined };

  it.each<[string, Partial<WorkerOptions>, RegExp]>([
    [
      'has another task queue than the clients',
      { taskQueue: 'orders' },
      /GANGWAY_TASK_QUEUE: must be orders, the worker’s task queue/,
    ],
    ['has a data converter of its own', { dataConverter: { payloadCodecs: [] } }, /takes no data converter/],
    ['has an activity of the same name', { activities: SAME }, /activity awaitOnboarding has the name of/],
  ])('%s', async (_, options, message) => {
    const plugins = [gangwayPlugin({ settings: SETTINGS })];
    const usual = { connection: connection(), taskQueue: 'gangway', plugins };
    await expect(Worker.create({ ...usual, ...options })).rejects.toThrow(message);
  });

  it('has no connection', async () => {
    const options = { taskQueue: 'gangway', plugins: [gangwayPlugin({ settings: SETTINGS })] };
    const needs = /^a worker with the Gangway plugin needs "connection"/;
    await expect(Worker.create(options)).rejects.toThrow(needs);
  });

  it('has no keys', () => {
    expect(() => gangwayPlugin({ settings: {} })).toThrow(/^PAYLOAD_KEYS: is not set/);
  });
});
