import { describe, expect, it } from 'vitest';
import type { OperationRequest } from '../../src/messages/partner-operations.js';
import { countingProxy } from '../rigs/counting-proxy.js';
import { createRig } from '../rigs/rig.js';
import { sharedRig } from '../rigs/shared-rig.js';
import { eventually } from '../rigs/waiting.js';
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

const LOST_RESPONSES = ['drop-after-commit', '500-after-commit'];
const LOST_CALLS = ['drop-before-commit', '500-before-commit'];

/** Of a type that cannot be closed. */
const OTHER = 4;

describe.concurrent('closing a card', () => {
  it.each([
    ['the last four digits of another one', 2, { last4: '0000' }, 'last4', 'is not that of the card'],
    ['a type that cannot be closed', OTHER, {}, 'paymentCardId', 'is a card of a type that cannot be closed'],
    ['notes that are too long', 2, { notes: 'x'.repeat(601) }, 'notes', 'must be at most 600 characters'],
  ])('(%s) is rejected with the field, and nothing is done', async (_, type, wrong, field, message) => {
    const bank = bankOf(rig);
    const card = await bank.card(type);
    const closing = await bank.operate('close-card', card.paymentCardId, { ...card, ...wrong });
    expect(await closing.outcome()).toEqual({ outcome: 'rejected', problems: [{ field, message }] });
    expect(await closing.state()).toMatchObject({ stage: 'rejected', outcome: 'rejected', requirements: [] });
    expect(await bank.writesTo(card.paymentCardId)).toEqual(['create-card']);
  });

  it.each(LOST_RESPONSES)('(%s) is found done, and nobody is asked', async (fault) => {
    const bank = bankOf(rig);
    const card = await bank.card();
    await rig.sandbox.plan(fault, 'close-card', { about: card.paymentCardId });
    const closing = await bank.operate('close-card', card.paymentCardId, card);
    expect(await closing.outcome()).toEqual({ outcome: 'done', paymentCardId: card.paymentCardId });
    expect(await closing.events()).toEqual([
      'started',
      'write-uncertain',
      'write-confirmed',
      'card-closed',
      'ended',
    ]);
    expect(await bank.writesTo(card.paymentCardId)).toEqual(['create-card', 'close-card']);
  });

  it.each(LOST_CALLS)('(%s) is done when a person has looked and says so', async (fault) => {
    const bank = bankOf(rig);
    const card = await bank.card();
    await rig.sandbox.plan(fault, 'close-card', { about: card.paymentCardId });
    const closing = await bank.operate('close-card', card.paymentCardId, card);
    const { id, detail } = await closing.requirement('uncertain-write');
    expect(detail).toContain(`whether card ${card.paymentCardId} is closed`);
    expect(await bank.writesTo(card.paymentCardId)).toEqual(['create-card']);
    await closing.resolve(id, { kind: 'retry' });
    expect(await closing.outcome()).toMatchObject({ outcome: 'done' });
    expect(await bank.writesTo(card.paymentCardId)).toEqual(['create-card', 'close-card']);
  });
});

describe.concurrent('the nickname of a card', () => {
  const nameOf = async ({ client }: ReturnType<typeof bankOf>, id: string) => {
    const { records } = await client.listCards({ count: 1_000 });
    return records.find(({ paymentCardId }) => paymentCardId === id)?.paymentCardName;
  };

  it.each([...LOST_RESPONSES, ...LOST_CALLS])(
    '(%s) is set again by itself, because a repetition changes nothing',
    async (fault) => {
      const bank = bankOf(rig);
      const { paymentCardId } = await bank.card();
      await rig.sandbox.plan(fault, 'set-card-nickname', { about: paymentCardId });
      const naming = await bank.operate('card-nickname', paymentCardId, { paymentCardId, nickName: 'Fuel' });
      expect(await naming.outcome()).toMatchObject({ outcome: 'done' });
      await eventually(
        () => nameOf(bank, paymentCardId),
        (result) => result === 'Fuel',
        'the name',
      );
    },
  );
});

const STATEMENT = 'generate-full-statement';

const JANUARY = { period: '2026-01', financialAccountIds: ['fa-501-1'], fileFormat: 'CSV' } as const;

const generate = (more: Partial<OperationRequest<'statement'>> = {}) =>
  bankOf(rig).operate('statement', key(), { ...JANUARY, ...more });

describe('a statement by e-mail', () => {
  const email = 'ada@example.com';

  it('is asked for twice: once for the file, once for the e-mail', async () => {
    const counted = await createRig({ worker: false });
    try {
      const proxy = await countingProxy(counted.sandbox.url, counted.atClose);
      await counted.startWorker({ bankingUrl: proxy.url });
      const input = { ...JANUARY, email };
      const statement = await bankOf(counted).operate('statement', counted.taskQueue, input);
      expect(await statement.outcome()).toMatchObject({ outcome: 'done', emailed: true });
      expect(await statement.events()).toEqual(['started', 'statement-saved', 'statement-sent', 'ended']);
      const calls = proxy.seen().filter(({ line }) => !line.includes('/api/auth'));
      expect(calls.map(({ status }) => status)).toEqual([200, 200]);
    } finally {
      await counted.close();
    }
  });

  it.each(['drop-after-commit', '500-before-commit'])(
    '(%s of the one that sends it) is never sent again by itself',
    async (fault) => {
      // The first call is that for the file.
      await rig.sandbox.plan('delay', STATEMENT, { milliseconds: 0 });
      await rig.sandbox.plan(fault, STATEMENT);
      const statement = await generate({ email });
      const { id, title, detail } = await statement.requirement('uncertain-write');
      expect(title).toBe('Outcome unknown: send the statement by e-mail');
      expect(detail).toContain(
        'If it has, confirm 2026-01. If not, look again a few minutes later, and retry only',
      );
      expect(JSON.stringify(await statement.state())).not.toContain(email);
      await statement.resolve(id, { kind: 'confirm', id: '2026-01' });
      expect(await statement.outcome()).toMatchObject({ outcome: 'done', emailed: true });
    },
  );
});
