import { expect, it, onTestFinished } from 'vitest';
import { merchant } from '../../rigs/inputs.js';
import { manyAccounts, statusOf } from '../../rigs/process/many-accounts.js';
import { launch } from '../../rigs/processes.js';
import { createRig } from '../../rigs/rig.js';

it('the worker logs JSON lines, names the dba next to the workflow, and reports once that an operation is deprecated', async () => {
  const rig = await createRig({ worker: false });
  onTestFinished(() => rig.close());
  const worker = await launch('worker', { ...rig.env, GANGWAY_LOG_LEVEL: 'trace' }, 'worker is ready');
  const deprecated = () => ({ ...merchant(), createVersion: 'v1' as const });
  const waiting = await rig.board(merchant('notes'));
  for (const input of [deprecated(), deprecated()])
    expect(await (await rig.board(input)).outcome()).toMatchObject({ outcome: 'boarded' });
  const { id } = await waiting.requirement('underwriting-note');
  await waiting.resolve(id, { kind: 'abandon' });
  await waiting.outcome();
  expect(await worker.stop()).toBe(0);
  const texts = worker.stderr().split('\n').filter(Boolean);
  const lines = texts.map((line) => JSON.parse(line) as Record<string, unknown>);
  const messages = lines.map(({ msg }) => msg);
  expect(messages).toEqual(expect.arrayContaining(['worker is ready', 'worker has stopped']));
  const named = lines.filter(({ dba }) => dba === 'Corner Bakery [notes]');
  const types = new Set(named.map(({ activityType }) => activityType));
  expect([...types]).toEqual(expect.arrayContaining([undefined, 'createMerchant', 'awaitStatusChange']));
  expect(lines.filter(({ warning }) => warning)).toMatchObject([
    {
      level: 40,
      warning: 'DeprecationWarning',
      msg: 'boarding create-merchant-v1 is deprecated: use create-merchant (v2)',
    },
  ]);
});

it.runIf(process.platform === 'linux')('the worker has no thread for each partner account', async () => {
  const rig = await createRig({ worker: false });
  onTestFinished(() => rig.close());
  const accounts = 60;
  const env = { ...rig.env, ...manyAccounts(rig.sandbox.url, accounts, ['boarding']) };
  const worker = await launch('worker', env, 'worker is ready');
  const { threads } = await statusOf(worker.child.pid ?? 0);
  expect(threads).toBeLessThan(accounts);
  expect(await worker.stop()).toBe(0);
});
