import { describe, expect, it } from 'vitest';
import { sharedRig } from '../rigs/shared-rig.js';
import { eventually } from '../rigs/waiting.js';
import { ONCE_EACH, platformOf } from '../rigs/workflows/platform.js';

const platform = platformOf(await sharedRig());
/** Of a worker that waits less for an answer. */
const at = platformOf(await sharedRig({ limits: { headersTimeoutMs: 3_000 } }));

describe.concurrent('a write whose outcome is unknown', () => {
  it('is adopted by the id that a person gives, and only when given again if it is not the merchant’s', async () => {
    const onboarding = await platform.meeting('drop-before-commit', 'create-account');
    const { id, detail } = await onboarding.requirement('uncertain-write');
    const { mid } = await onboarding.state();
    expect(detail).toContain(
      `a payments account whose description ends in "mid ${mid}". If it is there, adopt`,
    );
    // One that is there from the start.
    await onboarding.resolve(id, { kind: 'adopt', id: 'account-1001' });
    const [again] = await onboarding.asksAgain(id);
    expect(again?.detail).toContain(
      `account-1001 cannot be adopted: the payments platform shows no payments account account-1001 whose description ends in "mid ${mid}". To adopt it anyway, adopt it again`,
    );
    await onboarding.resolve(again?.id ?? '', { kind: 'adopt', id: 'account-1001' });
    const { terminal: end } = await onboarding.outcome();
    expect(end).toMatchObject({ outcome: 'provisioned', accountId: 'account-1001' });
    expect((await platform.of(mid)).accounts).toEqual([]);
  });
});

describe.concurrent('a call that hangs', () => {
  it('and takes effect only after everyone has looked is found when it is to be repeated', async () => {
    const { onboarding, held } = await at.holding('create-account');
    const { id } = await onboarding.requirement('uncertain-write');
    const { mid } = await onboarding.state();
    await held.letGo();
    const accounts = async () => (await at.of(mid)).accounts;
    await eventually(accounts, ({ length }) => length === 1, 'the late account');
    await onboarding.resolve(id, { kind: 'retry' });
    expect(await at.writesFor(onboarding)).toEqual(ONCE_EACH);
    expect(await onboarding.parts.terminal.events()).toContain('payments-account-adopted');
  });
});
