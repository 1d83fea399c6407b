import { getClient, sleep } from '@temporalio/activity';
import type { PartnerAccountActivities } from '../messages/partner-account.js';
import { type AccountAt, retryReads, waitsForReadable, wakeRefused } from '../temporal/partner-accounts.js';
import { withHeartbeat } from './failures.js';
import { pollAgain } from './poll.js';

/**
 * How long to wait before waking activities, in milliseconds: failures from just before the credentials worked may still be on their
 * way to the server.
 */
const SETTLING_MS = 1_000;

/** The interval at which to check whether responses can be read again, in milliseconds. The check calls no partner. */
const READABLE_EVERY_MS = 5_000;

/** Activities of the account's workflow that find and retry the activities of other workflows. They call Temporal, and no partner. */
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
