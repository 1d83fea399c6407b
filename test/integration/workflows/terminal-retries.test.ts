import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { countingProxy } from '../../rigs/counting-proxy.js';
import { customer, terminal } from '../../rigs/inputs.js';
import { createRig, type Rig } from '../../rigs/rig.js';
import { eventually } from '../../rigs/waiting.js';
import { platformOf, type Write } from '../../rigs/workflows/platform.js';

let rig: Rig;
let platform: ReturnType<typeof platformOf>;
beforeAll(async () => {
  rig = await createRig();
  platform = platformOf(rig);
});
afterAll(() => rig.close());

const meeting = (...fault: Parameters<typeof platform.meeting>) => platform.meeting(...fault);

/** Every write that was for a customer, once it has its terminal. */
async function writesFor(
  onboarding: Awaited<ReturnType<typeof meeting>>,
  { of }: Pick<typeof platform, 'of'> = platform,
) {
  const { terminal: end } = await onboarding.outcome();
  const { mid, paymentsAccountId: accountId, terminalId } = await onboarding.state();
  expect(end).toEqual({ outcome: 'provisioned', accountId, terminalId });
  const { writes } = await of(mid);
  return writes.map((write) => write.replace(` ${accountId}`, '').replace(` ${terminalId}`, ''));
}

const ONCE_EACH = ['create-account', 'create-terminal'];

const WRITES = [
  ['create-account', 'create the payments account'],
  ['create-terminal', 'create the terminal'],
] as const;

/** The write took effect, and its answer was lost on the way. */
const _LOST_ANSWERS = ['drop-after-commit', '500-after-commit'] as const;
/** The write did not take effect, but nobody can tell from outside. */
const _LOST_CALLS = ['drop-before-commit', '500-before-commit'] as const;

const _both = <Fault extends string>(faults: readonly Fault[]) =>
  WRITES.flatMap(([operation, title]) => faults.map((fault) => [operation, fault, title] as const));

describe.concurrent('a write that certainly did not happen', () => {
  it.each(WRITES)(
    '(%s) is repeated after Retry-After when there are too many calls',
    async (operation, title) => {
      const onboarding = await meeting('429', operation, { milliseconds: 2_000 });
      expect(await writesFor(onboarding)).toEqual(ONCE_EACH);
      const { timeline } = await platform.partOf(onboarding).state();
      const waits = timeline.filter(({ event }) => event === 'waiting-for-partner');
      expect(waits.map(({ detail }) => detail)).toEqual([`${title}: HTTP 429`]);
    },
  );
});

describe('a write at a platform that is down', () => {
  it('is repeated by itself when it is back', async () => {
    const own = await createRig({ worker: false });
    onTestFinished(() => own.close());
    const proxy = await countingProxy(own.sandbox.url);
    await own.startWorker({ paymentsUrl: proxy.url });
    // Down from the look before the write on.
    await proxy.shut('GET /v1/accounts');
    const onboarding = await own.onboard(customer({}, { provisionTerminal: terminal() }));
    const { partOf, of } = platformOf(own);
    await onboarding.until(({ terminal: part }) => part !== undefined, 'the terminal');
    await partOf(onboarding).until(
      ({ timeline }) => timeline.some(({ event }) => event === 'waiting-for-partner'),
      'the wait',
    );
    await proxy.open();
    expect(await writesFor(onboarding, { of })).toEqual(ONCE_EACH);
    expect(await partOf(onboarding).events()).not.toContain('requirement-raised');
  });
});

describe.concurrent('a call that hangs', () => {
  let hasty: Rig;
  let at: ReturnType<typeof platformOf>;
  beforeAll(async () => {
    hasty = await createRig({ limits: { headersTimeoutMs: 3_000 } });
    at = platformOf(hasty);
  });
  afterAll(() => hasty.close());

  /** Held for longer than the client waits for an answer. */
  const hanging = async (fault: 'delay' | 'delay-after-commit', operation: Write) =>
    (await at.holding(operation, fault)).onboarding;

  it.each([
    ['the account', 'create-account'],
    ['the terminal', 'create-terminal'],
  ] as const)('is found to have made %s', async (_, operation) => {
    const onboarding = await hanging('delay-after-commit', operation);
    expect(await writesFor(onboarding, at)).toEqual(ONCE_EACH);
    expect(await at.partOf(onboarding).events()).toContain('write-uncertain');
  });

  it('and takes effect only after everyone has looked is found when it is to be repeated', async () => {
    const { onboarding, held } = await at.holding('create-account');
    const { id } = await onboarding.requirement('uncertain-write');
    const { mid } = await onboarding.state();
    await held.letGo();
    const accounts = async () => (await at.of(mid)).accounts;
    await eventually(accounts, ({ length }) => length === 1, 'the late account');
    await onboarding.resolve(id, { kind: 'retry' });
    expect(await writesFor(onboarding, at)).toEqual(ONCE_EACH);
    expect(await at.partOf(onboarding).events()).toContain('payments-account-adopted');
  });
});
