import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { customer, terminal } from '../../rigs/inputs.js';
import { launch, type RunningProcess } from '../../rigs/processes.js';
import { createRig, type Rig } from '../../rigs/rig.js';
import { eventually } from '../../rigs/waiting.js';
import { platformOf } from '../../rigs/workflows/platform.js';

const PATIENCE_MS = 90_000;

/** What a killed worker was reading is lost for a minute, so reads are few. */
const SELDOM = { GANGWAY_POLL_MIN: '2s', GANGWAY_POLL_MAX: '2s' };

const startWorker = () => launch('worker', { ...rig.env, ...SELDOM }, 'worker is ready');
const asking = () => rig.onboard(customer({}, { provisionTerminal: terminal() }));

let rig: Rig;
let next: RunningProcess;
let platform: ReturnType<typeof platformOf>;
let creatingAccount: Awaited<ReturnType<typeof asking>>;
let creatingTerminal: Awaited<ReturnType<typeof asking>>;

// Both are in the middle of a write when the one worker there is gets killed.
beforeAll(async () => {
  rig = await createRig({ worker: false });
  platform = platformOf(rig);
  const doomed = await startWorker();
  const effects = (count: number, what: string) =>
    eventually(
      async () => (await platform.writes()).filter((operation) => operation === what),
      (writes) => writes.length === count,
      `${count} ${what}`,
    );
  // The effects are there at once, the answers take longer than the worker lives.
  const slowly = (operation: string) =>
    rig.sandbox.plan('delay-after-commit', operation, { milliseconds: 60_000 });
  await slowly('create-terminal');
  creatingTerminal = await asking();
  await effects(1, 'create-terminal');
  await slowly('create-account');
  creatingAccount = await asking();
  await effects(2, 'create-account');
  doomed.child.kill('SIGKILL');
  await doomed.exit;
  next = await startWorker();
}, PATIENCE_MS);

afterAll(async () => {
  next.child.kill('SIGTERM');
  expect(await next.exit).toBe(0);
  await rig.close();
});

describe('a worker killed between the platform’s commit and its own report', () => {
  it.each([
    ['an account', () => creatingAccount, 'payments-account-adopted'],
    ['a terminal', () => creatingTerminal, 'terminal-adopted'],
  ])(
    'of %s leaves one of each, which is found there',
    async (_, onboarding, event) => {
      const { outcome } = await onboarding().outcome();
      expect(outcome).toBe('onboarded');
      const { mid, paymentsAccountId, terminalId } = await onboarding().state();
      expect((await platform.of(mid)).writes).toEqual([
        `create-account ${paymentsAccountId}`,
        `create-terminal ${terminalId}`,
      ]);
      const events = await platform.partOf(onboarding()).events();
      expect(events).toEqual(expect.arrayContaining(['write-uncertain', 'write-adopted', event]));
      expect(events).not.toContain('requirement-raised');
    },
    PATIENCE_MS,
  );
});
