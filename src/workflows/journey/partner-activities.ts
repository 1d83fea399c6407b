import type { ActivityFunction, UntypedActivities } from '@temporalio/common';
import {
  ActivityCancellationType,
  type ActivityOptions,
  proxyActivities,
  workflowInfo,
} from '@temporalio/workflow';
import { PRIORITY_KEYS } from '../../messages/activities.js';
import {
  AWAIT_STATUS_ACTIVITY_ID,
  type PartnerTaskQueue,
  partnerTaskQueue,
  partsOfId,
} from '../../messages/ids.js';

/** The server notices a worker that died during a read after this time. Activities send a heartbeat three times as often. */
const HEARTBEAT = '10s';

const RETRY = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '5m' } as const;

/** May run any number of times: reads, and writes whose repetition changes nothing. */
export const REPEATABLE: ActivityOptions = {
  startToCloseTimeout: '2m',
  heartbeatTimeout: HEARTBEAT,
  retry: RETRY,
};

/**
 * A write that its activity sends at most once (activities/write.ts). The server retries what was not sent, without an event.
 * There is no heartbeat time-out, because a busy machine or a network cut could trip it while the partner responds. A
 * cancellation ends what was not sent. A request that was sent runs to its end, so that its outcome is known.
 */
export const WRITE: ActivityOptions = {
  startToCloseTimeout: '2m',
  retry: RETRY,
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
};

/** A wait for a change. It waits between its attempts and not in the workflow, so the history does not grow with its reads. */
export const WAIT: ActivityOptions = {
  startToCloseTimeout: '1m',
  heartbeatTimeout: HEARTBEAT,
  retry: { initialInterval: '1s', backoffCoefficient: 1 },
  // The next wait can have the same id only after this one has ended.
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
};

/** The status poll. A nudge resets the activity by its fixed id. */
export const POLL: ActivityOptions = { ...WAIT, activityId: AWAIT_STATUS_ACTIVITY_ID };

/** A write that delivers what a person answered. */
export const ANSWER: ActivityOptions = { ...WRITE, priority: { priorityKey: PRIORITY_KEYS.answer } };

/**
 * The account at the partners that this workflow works with; undefined for the account without a name.
 *
 * It is part of the workflow id, so that the same key in two accounts is two workflows. The search attribute is only a filter.
 */
export function accountName(): string | undefined {
  return partsOfId(workflowInfo().workflowId)?.account;
}

/**
 * Activities that run on a partner task queue, with the options of each. The name of the queue begins with the workflow's own
 * task queue and ends with the account. Both are known only while a workflow runs, so each call looks them up.
 *
 * @param accountOf default: the account of the workflow
 */
export function partnerActivities<
  Activities extends { readonly [Name in keyof Activities]: ActivityFunction },
>(system: PartnerTaskQueue, accountOf: () => string | undefined = accountName) {
  const onPartnerTaskQueue =
    (name: string, options: ActivityOptions): ActivityFunction =>
    async (...args) => {
      const activities = proxyActivities<UntypedActivities>({
        ...options,
        taskQueue: partnerTaskQueue(workflowInfo().taskQueue, system, accountOf()),
        // The rate limit of a task queue does not count activities that a worker dispatches to itself.
        allowEagerDispatch: false,
      });
      return activities[name]?.(...args);
    };
  return <Name extends keyof Activities & string>(
    optionsOf: Readonly<Record<Name, ActivityOptions>>,
  ): Pick<Activities, Name> => {
    const activities = Object.entries<ActivityOptions>(optionsOf);
    return Object.fromEntries(
      activities.map(([name, options]) => [name, onPartnerTaskQueue(name, options)]),
    ) as Pick<Activities, Name>;
  };
}
