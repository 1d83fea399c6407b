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

/** The server notices a worker that died during a read after this time. Activities send a heartbeat three times as often. */
const HEARTBEAT = '10s';

/** May run any number of times: reads, and writes whose repetition changes nothing. */
export const REPEATABLE: ActivityOptions = {
  startToCloseTimeout: '2m',
  heartbeatTimeout: HEARTBEAT,
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '5m' },
};

/** Finds activities that wait, in all workflows of an account, and retries them. */
export const RETRY_WAITING = {
  ...REPEATABLE,
  startToCloseTimeout: '10m',
  summary: 'Retry waiting activities',
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

export const ANSWER: WriteOptions = { ...AT_MOST_ONCE, priority: { priorityKey: PRIORITY_KEYS.answer } };

/** The account at the partners, from the workflow id; undefined for the unnamed account. The search attribute is a filter. */
export function currentAccount(): string | undefined {
  return partsOfId(workflowInfo().workflowId)?.account;
}

/**
 * The activities at a partner that a workflow calls, with the options of each. Each call looks up the task queue of the partner
 * and the account, which are known only while a workflow runs.
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
