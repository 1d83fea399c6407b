import type { ActivityFunction } from '@temporalio/common';
import {
  ActivityCancellationType,
  type ActivityOptions,
  proxyActivities,
  workflowInfo,
} from '@temporalio/workflow';
import {
  AT_MOST_ONCE,
  type OptionsOf,
  type ProxiesOf,
  type WriteOptions,
} from '../../at-most-once/workflow.js';
import { PRIORITY_KEYS } from '../../messages/activities.js';
import {
  AWAIT_STATUS_ACTIVITY_ID,
  type PartnerTaskQueue,
  partnerTaskQueue,
  partsOfId,
} from '../../messages/ids.js';
import type { ActivitiesAt } from '../../messages/onboarding-outcomes.js';

/** How soon the server notices that a worker died during a read. Activities send heartbeats three times as often. */
const HEARTBEAT = '10s';

/** For reads and idempotent writes, which may run any number of times. */
export const REPEATABLE: ActivityOptions = {
  startToCloseTimeout: '2m',
  heartbeatTimeout: HEARTBEAT,
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '5m' },
};

/** For the activity that finds waiting activities in all workflows of an account, and retries them. */
export const RETRY_WAITING = {
  ...REPEATABLE,
  startToCloseTimeout: '10m',
  summary: 'Retry waiting activities',
};

/**
 * For an activity that waits for a change. The wait is between attempts, so reads add nothing to the history. An attempt makes several
 * reads, each of which a slow partner may take half a minute for.
 */
export const WAIT: ActivityOptions = {
  startToCloseTimeout: '5m',
  heartbeatTimeout: HEARTBEAT,
  retry: { initialInterval: '1s', backoffCoefficient: 1 },
  // A later wait can reuse the activity ID only after this one has ended.
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
};

/** For the status poll. A nudge finds the activity by its fixed ID, and resets it. */
export const POLL: ActivityOptions = { ...WAIT, activityId: AWAIT_STATUS_ACTIVITY_ID };

export const ANSWER: WriteOptions = { ...AT_MOST_ONCE, priority: { priorityKey: PRIORITY_KEYS.answer } };

/** Returns the partner account in the workflow ID; undefined for the unnamed account. The search attribute is only for filters. */
export function currentAccount(): string | undefined {
  return partsOfId(workflowInfo().workflowId)?.account;
}

/**
 * Returns proxies of a partner's activities, with the options of each. Each call looks up the task queue, because partner and
 * account are known only while a workflow runs.
 */
export function partnerActivities<System extends Exclude<PartnerTaskQueue, 'events'>>(system: System) {
  return <Name extends keyof ActivitiesAt<System> & string>(
    optionsOf: {
      readonly [Each in Name]: OptionsOf<ActivitiesAt<System>[Each]>;
    },
  ): ProxiesOf<Pick<ActivitiesAt<System>, Name>> => {
    const activities = Object.entries<ActivityOptions>(optionsOf);
    return Object.fromEntries(
      activities.map(([name, options]) => [name, onTaskQueueOf(system, name, options)]),
    ) as ReturnType<ReturnType<typeof partnerActivities<System>>>;
  };
}

function onTaskQueueOf(queue: PartnerTaskQueue, name: string, options: ActivityOptions): ActivityFunction {
  return (...args) => {
    const activities = proxyActivities<Record<typeof name, ActivityFunction>>({
      ...options,
      taskQueue: partnerTaskQueue(workflowInfo().taskQueue, queue, currentAccount()),
      // The rate limit of a task queue does not count activities that a worker dispatches to itself.
      allowEagerDispatch: false,
    });
    return (activities[name] as ActivityFunction)(...args);
  };
}
