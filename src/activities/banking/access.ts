import { activityInfo, cancellationSignal } from '@temporalio/activity';
import type { Access, BankingActivities } from '../../messages/banking-activities.js';
import type { BankingClient } from '../../partners/banking/client.js';
import type { CallOptions } from '../../partners/client.js';
import { pollsBefore } from '../poll.js';

/** An activity behind the partner's door: how one gets past that is none of its business. */
type Behind<Activity> = Activity extends (request: infer Request) => infer Result
  ? (request: Omit<Request, keyof Access>) => Result
  : never;

export type BankingCalls = { readonly [Name in keyof BankingActivities]: Behind<BankingActivities[Name]> };

/** Lets every request carry an {@link Access}, which is used before the call and is no part of it. */
export function admitted(
  client: Pick<BankingClient, 'forget' | 'useCode'>,
  calls: BankingCalls,
): BankingActivities {
  const unspecific = calls as unknown as Readonly<Record<string, (request: object) => Promise<unknown>>>;
  const activities = Object.entries(unspecific).map(([name, call]) => [
    name,
    async ({ oneTimeCode, afresh, ...request }: Access) => {
      if (isFirstAttempt()) {
        // In this order: what is forgotten includes a code that was not used.
        if (afresh) client.forget();
        if (oneTimeCode !== undefined) client.useCode(oneTimeCode);
      }
      return call(request);
    },
  ]);
  return Object.fromEntries(activities) as BankingActivities;
}

/** A retry must not drop a good token or use a spent code again; a nudged poll counts its attempts anew. */
function isFirstAttempt(): boolean {
  return activityInfo().attempt === 1 && pollsBefore() === 0;
}

/** For reads, which end when the activity is cancelled. */
export function untilCancelled(): CallOptions {
  return { signal: cancellationSignal() };
}
