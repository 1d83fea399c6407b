import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRig, type Rig } from '../../rigs/rig.js';
import { ONCE_EACH, platformOf, WRITES } from '../../rigs/workflows/platform.js';

let rig: Rig;
let platform: ReturnType<typeof platformOf>;
beforeAll(async () => {
  rig = await createRig();
  platform = platformOf(rig);
});
afterAll(() => rig.close());

const meeting = (...fault: Parameters<typeof platform.meeting>) => platform.meeting(...fault);

/** The write took effect, and its response was lost on the way. */
const LOST_RESPONSES = ['drop-after-commit', '500-after-commit'] as const;
/** The write did not take effect, which nobody can see from outside. */
const LOST_CALLS = ['drop-before-commit', '500-before-commit'] as const;

const both = <Fault extends string>(faults: readonly Fault[]) =>
  WRITES.flatMap(([operation, title]) => faults.map((fault) => [operation, fault, title] as const));

describe.concurrent('a write whose outcome is unknown', () => {
  it.each(both(LOST_RESPONSES))(
    '(%s, %s) is found there, and nobody is asked',
    async (operation, fault, title) => {
      const onboarding = await meeting(fault, operation);
      expect(await platform.writesFor(onboarding)).toEqual(ONCE_EACH);
      const { timeline } = await platform.partOf(onboarding).state();
      const details = timeline.filter(({ event }) => event === 'write-adopted').map(({ detail }) => detail);
      expect(details).toEqual([`${title}: found at the partner`]);
      expect(timeline.map(({ event }) => event)).not.toContain('requirement-raised');
    },
  );

  it.each(both(LOST_CALLS))('(%s, %s) is repeated when a person says so', async (operation, fault, title) => {
    const onboarding = await meeting(fault, operation);
    const requirement = await onboarding.requirement('uncertain-write');
    expect(requirement).toMatchObject({
      id: 'terminal-uncertain-write-1',
      title: `Outcome unknown: ${title}`,
      answers: ['adopt', 'retry', 'abandon'],
      idFormat: 'text',
    });
    await onboarding.resolve(requirement.id, { kind: 'retry' });
    expect(await platform.writesFor(onboarding)).toEqual(ONCE_EACH);
  });

  it.each(WRITES)('(%s) and that is lost twice is asked about twice', async (operation) => {
    const onboarding = await meeting('drop-before-commit', operation, { times: 2 });
    for (const id of ['terminal-uncertain-write-1', 'terminal-uncertain-write-2']) {
      await onboarding.until(({ requirements }) => requirements[0]?.id === id, id);
      await onboarding.resolve(id, { kind: 'retry' });
    }
    expect(await platform.writesFor(onboarding)).toEqual(ONCE_EACH);
  });

  it('is adopted by the id that a person gives, and only when given again if it is not the merchant’s', async () => {
    const onboarding = await meeting('drop-before-commit', 'create-account');
    const { id, detail } = await onboarding.requirement('uncertain-write');
    const { mid } = await onboarding.state();
    expect(detail).toContain(
      `a payments account whose description ends in "mid ${mid}". If it is there, adopt`,
    );
    // One that is there from the start.
    await onboarding.resolve(id, { kind: 'adopt', id: 'account-1001' });
    const again = 'terminal-uncertain-write-2';
    const { requirements } = await onboarding.until((state) => state.requirements[0]?.id === again, again);
    expect(requirements[0]?.detail).toContain(
      `account-1001 cannot be adopted: the payments platform shows no payments account account-1001 whose description ends in "mid ${mid}". To adopt it anyway, adopt it again`,
    );
    await onboarding.resolve(again, { kind: 'adopt', id: 'account-1001' });
    const { terminal: end } = await onboarding.outcome();
    expect(end).toMatchObject({ outcome: 'provisioned', accountId: 'account-1001' });
    expect((await platform.of(mid)).accounts).toEqual([]);
  });

  it('can be given up', async () => {
    const onboarding = await meeting('drop-before-commit', 'create-terminal');
    const { id } = await onboarding.requirement('uncertain-write');
    const { paymentsAccountId: accountId } = await onboarding.state();
    await onboarding.resolve(id, { kind: 'abandon' }, 'olga', 'done by hand');
    const { outcome, terminal: end } = await onboarding.outcome();
    expect(outcome).toBe('partly-onboarded');
    const unfinished = [{ write: 'create the terminal', became: 'unknown' }];
    expect(end).toEqual({ outcome: 'abandoned', comment: 'done by hand', accountId, unfinished });
  });
});
