import type { z } from 'zod';
import type { CallOptions } from '../client.js';
import type { paymentCard } from './answers.js';
import type { BankingClient } from './client.js';

export type PaymentCard = z.output<typeof paymentCard>;

const PAGE = 100;
const CLOSED = 3;

/**
 * Every card that the caller may see, read page by page as they are asked for; each once. Ends with the first page
 * that has nothing new, for a partner that answers a bare list may not know of pages.
 */
export async function* eachPaymentCard(
  client: Pick<BankingClient, 'listPaymentCards'>,
  options?: CallOptions,
): AsyncGenerator<PaymentCard> {
  const seen = new Set<string>();
  for (let skip = 0; ; ) {
    const { records } = await client.listPaymentCards({ skip, count: PAGE }, options);
    const fresh = records.filter(({ paymentCardId }) => !seen.has(paymentCardId));
    if (fresh.length === 0) return;
    for (const { paymentCardId } of fresh) seen.add(paymentCardId);
    yield* fresh;
    skip += records.length;
  }
}

/** A number on a card's own record (apis/1), a word in lists (apis/4). */
export function isClosed({ status }: Pick<PaymentCard, 'status'>): boolean {
  return status === CLOSED || String(status).toUpperCase() === 'CLOSED';
}
