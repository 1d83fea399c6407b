import type { BankingLists, Listed } from '../../messages/banking-operations.js';
import type { BankingClient } from '../../partners/banking/client.js';
import { eachNotification } from '../../partners/banking/notifications.js';
import { repeatable, untilCancelled } from '../failures.js';

const LARGEST_INT32 = 2 ** 31 - 1;

/** What is listed at the banking partner. These run without a workflow. */
export function bankingLists(client: BankingClient): BankingLists {
  return {
    listTickets: ({ limit }) =>
      repeatable(async () => upTo(limit, await client.listNewTickets({}, untilCancelled()))),

    listDepartments: ({ limit }) =>
      repeatable(async () => upTo(limit, await client.listDepartments({}, untilCancelled()))),

    listNotifications: ({ limit, ...query }) =>
      repeatable(async () => {
        const records: Listed['records'][number][] = [];
        for await (const notification of eachNotification(client, query, untilCancelled())) {
          if (records.push(notification) > limit) break;
        }
        return upTo(limit, records);
      }),

    listExternalActivity: ({ limit, ...query }) =>
      repeatable(async () => {
        const { activity, transferPageInfo, transactionPageInfo } = await client.getExternalAccountActivity(
          query,
          untilCancelled(),
        );
        const isCutShort = [...transferPageInfo, transactionPageInfo].some((page) => page?.hasNextPage);
        return { ...upTo(limit, activity), ...(isCutShort && { isCutShort }) };
      }),

    searchAccounts: ({ limit, ...query }) =>
      repeatable(async () => {
        const count = Math.min(limit + 1, LARGEST_INT32);
        return upTo(limit, await client.searchBusinessAccountHolders({ ...query, count }, untilCancelled()));
      }),
  };
}

function upTo(limit: number, found: Listed['records']): Listed {
  return { records: found.slice(0, limit), more: found.length > limit };
}
