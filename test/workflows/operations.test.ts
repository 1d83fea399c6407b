import { describe, expect, it } from 'vitest';
import { sharedRig } from '../rigs/shared-rig.js';
import { bankOf } from '../rigs/workflows/bank.js';

const rig = await sharedRig();

let number = 0;
/** Of an operation that is like no other. */
const key = () => {
  number += 1;
  return `${rig.taskQueue}-${number}`;
};

describe('changing an address', () => {
  const OWN_PROFILE = 501;
  const address = (streetAddress: string) => ({
    streetAddress,
    postalCode: '12207',
    city: 'Albany',
    state: 33,
  });
  const changes = async (bank: ReturnType<typeof bankOf>) =>
    (await bank.writesTo(OWN_PROFILE)).filter((write) => write === 'change-address').length;
  const confirmed = { secureOperationType: 'ShortMessageCode' } as const;
  const ownStreet = async () => {
    const { accountHolderInformation } = await rig.sandbox.profile(OWN_PROFILE);
    return (accountHolderInformation as { streetAddress: string }).streetAddress;
  };

  it('that is to be confirmed asks for the code, and for another one while it is wrong', async () => {
    const bank = bankOf(rig);
    const before = await changes(bank);
    const change = await bank.operate('change-address', key(), {
      ...address('3 Third Street'),
      ...confirmed,
    });
    const first = await change.requirement('one-time-code');
    expect(first).toMatchObject({
      title: 'One-time code needed: change the address',
      detail: 'The partner confirms the change by a ShortMessageCode. Answer with a code of 6 digits.',
      answers: ['code', 'abandon'],
    });
    await change.resolve(first.id, { kind: 'code', code: '123456' });
    const requirements = await change.asksAgain(first.id);
    expect(requirements.map(({ detail }) => detail)).toEqual([
      'The partner rejected the change (403): the code was wrong, or the change is not permitted. Answer with a code of 6 digits.',
    ]);
    expect((await changes(bank)) - before).toBe(0);
    await change.resolve(requirements[0]?.id ?? '', { kind: 'code', code: '000000' });
    expect(await change.outcome()).toEqual({ outcome: 'done' });
    expect(await ownStreet()).toBe('3 Third Street');
    expect((await changes(bank)) - before).toBe(1);
    expect(JSON.stringify(await change.state())).not.toMatch(/000000|123456/);
  });

  it.each(['drop-after-commit', '500-before-commit'])(
    '(%s) asks for another code, because a code is good for one call',
    async (fault) => {
      const bank = bankOf(rig);
      await rig.sandbox.plan(fault, 'change-address');
      const input = { ...address('5 Fifth Street'), ...confirmed, oneTimeCode: '000000' };
      const change = await bank.operate('change-address', key(), input);
      const { id, detail } = await change.requirement('one-time-code');
      expect(detail).toContain('got no response');
      await change.resolve(id, { kind: 'code', code: '000000' });
      expect(await change.outcome()).toEqual({ outcome: 'done' });
      expect(await ownStreet()).toBe('5 Fifth Street');
    },
  );
});

describe('restoring a sub-user', () => {
  const restore = (bank: ReturnType<typeof bankOf>, subUserId: number) =>
    bank.operate('restore-sub-user', key(), { subUserId });

  it('whose response was lost is done, and the outcome notes it', async () => {
    const bank = bankOf(rig);
    await rig.sandbox.plan('drop-after-commit', 'restore-sub-user');
    const restoring = await restore(bank, 72);
    expect(await restoring.outcome()).toEqual({
      outcome: 'done',
      subUserId: 72,
      note: 'probably restored by a call whose response was lost',
    });
    expect(await bank.writesTo(72)).toEqual(['restore-sub-user']);
  });
});

describe('ensuring webhooks', () => {
  const webhook = (notificationType: string, name = 'gangway') => ({
    name,
    url: 'https://hooks.example/bank',
    notificationType,
  });

  it.each(['drop-after-commit', '500-before-commit'])('(%s) is repeated by itself', async (fault) => {
    const bank = bankOf(rig);
    await rig.sandbox.plan(fault, 'create-webhook');
    const wanted = { ...webhook('PaymentCardStatus'), url: `https://hooks.example/${fault}` };
    const ensuring = await bank.operate('ensure-webhooks', key(), { webhooks: [wanted] });
    expect(await ensuring.outcome()).toMatchObject({ outcome: 'done' });
    const registered = await bank.client.listWebhooks({});
    expect(registered.filter(({ url }) => url === wanted.url)).toHaveLength(1);
  });
});
