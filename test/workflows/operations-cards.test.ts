import { describe, expect, it } from 'vitest';
import { sharedRig } from '../rigs/shared-rig.js';
import { eventually } from '../rigs/waiting.js';
import { bankOf } from '../rigs/workflows/bank.js';

const rig = await sharedRig();

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
      ...['started', 'write-uncertain', 'write-adopted'],
      ...['card-closed', 'ended'],
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
  /** Each nickname is an operation of its own. */
  let number = 0;
  const name = async (bank: ReturnType<typeof bankOf>, paymentCardId: string, nickName: string | null) => {
    number += 1;
    return bank.operate('card-nickname', `${paymentCardId}-${number}`, { paymentCardId, nickName });
  };
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
      const naming = await name(bank, paymentCardId, 'Fuel');
      expect(await naming.outcome()).toMatchObject({ outcome: 'done' });
      await eventually(
        () => nameOf(bank, paymentCardId),
        (found) => found === 'Fuel',
        'the name',
      );
    },
  );
});
