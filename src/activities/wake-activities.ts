import { getClient, sleep } from '@temporalio/activity';
import type { PartnerAccountActivities } from '../messages/partner-account.js';
import { type AccountAt, retryReads, waitsForReadable, wakeRefused } from '../temporal/partner-accounts.js';
import { withHeartbeat } from './failures.js';
import { pollAgain } from './poll.js';

/**
 * How long to wait before waking activities, in milliseconds. Failures from just before the credentials worked may not have reached
 * the server yet.
 */
const SETTLING_MS = 1_000;

/** How often to check whether responses can be read again, in milliseconds. The check does not call the partner. */
const READABLE_EVERY_MS = 5_000;

/** Activities of the account's workflow that find and retry other workflows' activities. They call only Temporal. */
export function accountActivities(account: AccountAt): PartnerAccountActivities {
  return {
    awaitReadable: ({ reads }) =>
      withHeartbeat(async () => {
        const readable: string[] = [];
        for (const read of reads)
          if (!(await waitsForReadable(getClient(), read))) readable.push(read.operation);
        if (readable.length > 0) return readable;
        throw pollAgain('StillUnreadable', 'responses still cannot be read', READABLE_EVERY_MS);
      }),
    retryReads: (read) => withHeartbeat(() => retryReads(getClient(), read)),
    wakeRefused: () =>
      withHeartbeat(async () => {
        await sleep(SETTLING_MS);
        return (await wakeRefused(getClient(), account)).steps;
      }),
  };
}
