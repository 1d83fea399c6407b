import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { countingProxy } from '../../rigs/counting-proxy.js';
import { customer, terminal } from '../../rigs/inputs.js';
import { createRig, type Rig } from '../../rigs/rig.js';
import { eventually } from '../../rigs/waiting.js';
import { ONCE_EACH, platformOf, WRITES, type Write } from '../../rigs/workflows/platform.js';

let rig: Rig;
let platform: ReturnType<typeof platformOf>;
beforeAll(async () => {
  rig = await createRig();
  platform = platformOf(rig);
});
afterAll(() => rig.close());

const meeting = (...fault: Parameters<typeof platform.meeting>) => platform.meeting(...fault);

describe.concurrent('a write that certainly did not happen', () => {
  it.each(WRITES)('(%s) is repeated after Retry-After when there are too many calls', async (operation) => {
    const begun = Date.now();
    const onboarding = await meeting('429', operation, { milliseconds: 2_000 });
    expect(await platform.writesFor(onboarding)).toEqual(ONCE_EACH);
    expect(Date.now() - begun).toBeGreaterThanOrEqual(2_000);
    expect(await platform.partOf(onboarding).events()).not.toContain('requirement-raised');
  });
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
    const { partOf, writesFor } = platformOf(own);
    await onboarding.until(({ terminal: part }) => part !== undefined, 'the terminal');
    await partOf(onboarding).retrying('createAccount');
    await proxy.open();
    expect(await writesFor(onboarding)).toEqual(ONCE_EACH);
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
    expect(await at.writesFor(onboarding)).toEqual(ONCE_EACH);
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
    expect(await at.writesFor(onboarding)).toEqual(ONCE_EACH);
    expect(await at.partOf(onboarding).events()).toContain('payments-account-adopted');
  });
});
