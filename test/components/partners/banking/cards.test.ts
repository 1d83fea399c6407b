import { describe, expect, it } from 'vitest';
import { eachPaymentCard } from '../../../../src/partners/banking/client.js';
import { bankingPartner } from '../../../rigs/partners/banking/partner.js';
import { type Respond, responding } from '../../../rigs/partners/servers.js';

async function cardsOf(respond: Respond) {
  const { client, requests } = await bankingPartner(respond);
  const cards: string[] = [];
  for await (const { paymentCardId } of eachPaymentCard(client)) cards.push(paymentCardId);
  return { cards, lines: requests().map(({ line }) => line) };
}

const records = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({ paymentCardId: `card-${from + index}` }));

describe('all cards', () => {
  it('are read page by page, however small the pages are', async () => {
    const { cards, lines } = await cardsOf((response, request) => {
      const skip = Number(new URL(`http://partner${request.url}`).searchParams.get('skip'));
      const page = { totalCount: 50, records: records(skip, Math.min(20, 50 - skip)) };
      responding(200, JSON.stringify(page))(response, request);
    });
    expect(cards).toEqual(records(0, 50).map(({ paymentCardId }) => paymentCardId));
    expect(lines).toEqual([0, 20, 40, 50].map((skip) => `GET /svc/paymentCard/list?skip=${skip}&count=100`));
  });

  it('are listed once each if the partner does not support pages', async () => {
    const { cards, lines } = await cardsOf(responding(200, JSON.stringify(records(0, 3))));
    expect(cards).toHaveLength(3);
    expect(lines).toHaveLength(2);
  });

  it('may be an empty list', async () => {
    expect((await cardsOf(responding(200, ''))).cards).toEqual([]);
  });
});
