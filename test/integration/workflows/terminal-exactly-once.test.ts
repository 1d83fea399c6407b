import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { customer, terminal } from '../../rigs/inputs.js';
import type { Onboarding } from '../../rigs/onboarding.js';
import { createRig, type Rig } from '../../rigs/rig.js';
import { eventually } from '../../rigs/waiting.js';
import { platformOf } from '../../rigs/workflows/platform.js';

let rig: Rig;
let platform: ReturnType<typeof platformOf>;
beforeAll(async () => {
  rig = await createRig();
  platform = platformOf(rig);
});
afterAll(() => rig.close());

const asking = () => rig.onboard(customer({}, { provisionTerminal: terminal() }));

/** Every write that was for a customer, once it has its terminal. */
async function writesFor(onboarding: Awaited<ReturnType<typeof asking>>) {
  const { terminal: end } = await onboarding.outcome();
  const { mid, paymentsAccountId: accountId, terminalId } = await onboarding.state();
  expect(end).toEqual({ outcome: 'provisioned', accountId, terminalId });
  const { writes } = await platform.of(mid);
  return writes.map((write) => write.replace(` ${accountId}`, '').replace(` ${terminalId}`, ''));
}

const ONCE_EACH = ['create-account', 'create-terminal'];

const WRITES = [
  ['create-account', 'create the payments account'],
  ['create-terminal', 'create the terminal'],
] as const;

/** The write took effect, and its answer was lost on the way. */
const LOST_ANSWERS = ['drop-after-commit', '500-after-commit'] as const;
/** The write did not take effect, but nobody can tell from outside. */
const LOST_CALLS = ['drop-before-commit', '500-before-commit'] as const;

const both = <Fault extends string>(faults: readonly Fault[]) =>
  WRITES.flatMap(([operation, title]) => faults.map((fault) => [operation, fault, title] as const));

describe('a write whose outcome is unknown', () => {
  it.each(both(LOST_ANSWERS))(
    '(%s, %s) is found there, and nobody is asked',
    async (operation, fault, title) => {
      await rig.sandbox.plan(fault, operation);
      const onboarding = await asking();
      expect(await writesFor(onboarding)).toEqual(ONCE_EACH);
      const { timeline } = await platform.partOf(onboarding).state();
      const details = timeline.filter(({ event }) => event === 'write-adopted').map(({ detail }) => detail);
      expect(details).toEqual([`${title}: found at the partner`]);
      expect(timeline.map(({ event }) => event)).not.toContain('requirement-raised');
    },
  );

  it.each(both(LOST_CALLS))('(%s, %s) is repeated when a person says so', async (operation, fault, title) => {
    await rig.sandbox.plan(fault, operation);
    const onboarding = await asking();
    const requirement = await onboarding.requirement('uncertain-write');
    expect(requirement).toMatchObject({
      id: 'terminal-uncertain-write-1',
      title: `Did it happen? ${title}`,
      answers: ['adopt', 'retry', 'abandon'],
      idFormat: 'text',
    });
    await onboarding.resolve(requirement.id, { kind: 'retry' });
    expect(await writesFor(onboarding)).toEqual(ONCE_EACH);
  });

  it.each(WRITES)('(%s) and that is lost twice is asked about twice', async (operation) => {
    await rig.sandbox.plan('drop-before-commit', operation, { times: 2 });
    const onboarding = await asking();
    for (const id of ['terminal-uncertain-write-1', 'terminal-uncertain-write-2']) {
      await onboarding.until(({ requirements }) => requirements[0]?.id === id, id);
      await onboarding.resolve(id, { kind: 'retry' });
    }
    expect(await writesFor(onboarding)).toEqual(ONCE_EACH);
  });

  it('is adopted by the id that a person gives', async () => {
    await rig.sandbox.plan('drop-before-commit', 'create-account');
    const onboarding = await asking();
    const { id, detail } = await onboarding.requirement('uncertain-write');
    const { mid } = await onboarding.state();
    expect(detail).toContain(
      `a payments account whose description ends in "mid ${mid}". If it is there, adopt`,
    );
    // One that is there from the start.
    await onboarding.resolve(id, { kind: 'adopt', id: 'account-1001' });
    const { terminal: end } = await onboarding.outcome();
    expect(end).toMatchObject({ outcome: 'provisioned', accountId: 'account-1001' });
    expect((await platform.of(mid)).accounts).toEqual([]);
  });

  it('can be given up', async () => {
    await rig.sandbox.plan('drop-before-commit', 'create-terminal');
    const onboarding = await asking();
    const { id } = await onboarding.requirement('uncertain-write');
    const { paymentsAccountId: accountId } = await onboarding.state();
    await onboarding.resolve(id, { kind: 'abandon' }, 'olga', 'done by hand');
    const { outcome, terminal: end } = await onboarding.outcome();
    expect(outcome).toBe('partly-onboarded');
    expect(end).toEqual({ outcome: 'abandoned', comment: 'done by hand', accountId });
  });
});

describe('a write that certainly did not happen', () => {
  it.each(WRITES)(
    '(%s) is repeated after Retry-After when there are too many calls',
    async (operation, title) => {
      await rig.sandbox.plan('429', operation, { milliseconds: 2_000 });
      const onboarding = await asking();
      expect(await writesFor(onboarding)).toEqual(ONCE_EACH);
      const { timeline } = await platform.partOf(onboarding).state();
      const waits = timeline.filter(({ event }) => event === 'waiting-for-partner');
      expect(waits.map(({ detail }) => detail)).toEqual([`${title}: HTTP 429`]);
    },
  );

  it('is repeated by itself when the platform is down', async () => {
    const onboarding = await rig.onboard(
      customer({ business: 'waiting' }, { provisionTerminal: terminal() }),
    );
    const { profileId = 0 } = await onboarding.until(
      ({ boarding, business }) => boarding?.stage === 'boarded' && business?.partnerStatus === 'Submitted',
    );
    await rig.sandbox.plan('delay', 'list-accounts', { milliseconds: 3_000 });
    await rig.sandbox.transitionProfile(profileId, { bankingStatus: 'Approved' });
    await onboarding.until(({ terminal: part }) => part?.stage === 'provisioning', 'the terminal');
    // In the middle of the look before the write.
    await rig.sandbox.plan('refuse', undefined, { milliseconds: 5_000 });
    expect(await writesFor(onboarding)).toEqual(ONCE_EACH);
    const events = await platform.partOf(onboarding).events();
    expect(events).toContain('waiting-for-partner');
    expect(events).not.toContain('requirement-raised');
  });
});

/** Longer than the client waits for an answer. */
const HANGS = { milliseconds: 60_000 };
const PATIENCE_MS = 100_000;

describe('a call that hangs', () => {
  let account: Awaited<ReturnType<typeof asking>>;
  let counter: Awaited<ReturnType<typeof asking>>;
  let late: Awaited<ReturnType<typeof asking>>;

  const pending = async ({ workflowId }: Onboarding<unknown>, activity: string) => {
    const part = platform.partOf({ workflowId } as Onboarding);
    const { raw } = await part.handle.describe();
    return raw.pendingActivities?.some(({ activityType }) => activityType?.name === activity) ?? false;
  };
  const underWay = async (onboarding: Onboarding<unknown>, activity: string) => {
    await onboarding.until(({ terminal: part }) => part !== undefined, 'the terminal');
    await eventually(() => pending(onboarding, activity), Boolean, activity);
  };

  // All three wait for the client to lose its patience at the same time.
  beforeAll(async () => {
    await rig.sandbox.plan('delay-after-commit', 'create-account', HANGS);
    account = await asking();
    await underWay(account, 'createAccount');
    await rig.sandbox.plan('delay', 'create-account', { milliseconds: 33_000 });
    late = await asking();
    await underWay(late, 'createAccount');
    await rig.sandbox.plan('delay-after-commit', 'create-terminal', HANGS);
    counter = await asking();
    await underWay(counter, 'createTerminal');
  }, PATIENCE_MS);

  it(
    'is found to have made the account',
    async () => {
      expect(await writesFor(account)).toEqual(ONCE_EACH);
      expect(await platform.partOf(account).events()).toContain('write-uncertain');
    },
    PATIENCE_MS,
  );

  it(
    'is found to have made the terminal',
    async () => {
      expect(await writesFor(counter)).toEqual(ONCE_EACH);
      expect(await platform.partOf(counter).events()).toContain('write-uncertain');
    },
    PATIENCE_MS,
  );

  it(
    'and takes effect only after everyone has looked is found when it is to be repeated',
    async () => {
      const { id } = await eventually(
        async () => (await late.state()).requirements[0],
        (open) => open !== undefined,
        'the question',
        PATIENCE_MS,
      ).then((open) => open ?? expect.fail('none'));
      const { mid } = await late.state();
      await eventually(
        async () => (await platform.of(mid)).accounts,
        (accounts) => accounts.length > 0,
        'the late account',
        PATIENCE_MS,
      );
      await late.resolve(id, { kind: 'retry' });
      expect(await writesFor(late)).toEqual(ONCE_EACH);
      expect(await platform.partOf(late).events()).toContain('payments-account-adopted');
    },
    PATIENCE_MS,
  );
});
