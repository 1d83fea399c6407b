import type { z } from 'zod';
import type { CallOptions } from '../client.js';
import type { Notification } from './answers.js';
import type { BankingClient } from './client.js';
import type { notificationQuery } from './requests.js';

/** The partner's own page size (apis/1, Limits). */
const PAGE = 100;

/**
 * Every notification that fits, in the partner's order, read page by page as they are asked for; each once, though
 * the pages shift when a new one arrives. Ends with the first page that has nothing new.
 */
export async function* eachNotification(
  client: Pick<BankingClient, 'listNotifications'>,
  query: Omit<z.input<typeof notificationQuery>, 'skip'> = {},
  options?: CallOptions,
): AsyncGenerator<Notification> {
  const seen = new Set<number>();
  for (let skip = 0; ; ) {
    const page = await client.listNotifications({ ...query, skip, take: query.take ?? PAGE }, options);
    const fresh = page.filter(({ id }) => !seen.has(id));
    if (fresh.length === 0) return;
    for (const notification of fresh) seen.add(notification.id);
    yield* fresh;
    skip += page.length;
  }
}
