import type { ActivityFunction, UntypedActivities } from '@temporalio/common';
import {
  ActivityCancellationType,
  type ActivityOptions,
  proxyActivities,
  workflowInfo,
} from '@temporalio/workflow';
import { type Once, PRIORITY_KEYS } from '../../messages/activities.js';
import {
  AWAIT_STATUS_ACTIVITY_ID,
  type PartnerTaskQueue,
  partnerTaskQueue,
  partsOfId,
} from '../../messages/ids.js';
import type { ActivitiesAt } from '../../messages/kind-types.js';

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
 * The options of an activity that sends a once-only operation. By the mark of the attempt before, the server retries what was not
 * sent. A heartbeat timeout could trip on a busy machine while the partner responds. A cancellation ends what was not sent; a
 * request that was sent runs to its end, so that its outcome is known.
 */
export interface OnceActivityOptions extends ActivityOptions {
  readonly cancellationType: typeof ActivityCancellationType.WAIT_CANCELLATION_COMPLETED;
  readonly heartbeatTimeout?: never;
}

/** The time limit of an attempt of a write, in milliseconds. */
export const WRITE_ATTEMPT_MS = 120_000;

/** Also for writes that may be repeated, and whose outcome a cancellation has to know. */
export const ONCE: OnceActivityOptions = {
  startToCloseTimeout: WRITE_ATTEMPT_MS,
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

export const ANSWER: OnceActivityOptions = { ...ONCE, priority: { priorityKey: PRIORITY_KEYS.answer } };

/** The account at the partners, from the workflow id; undefined for the one without a name. The search attribute is a filter. */
export function accountName(): string | undefined {
  return partsOfId(workflowInfo().workflowId)?.account;
}

declare const sentByStep: unique symbol;

/** The proxy of an activity that sends a once-only operation. It cannot be called: a step with `effect: 'once'` sends it. */
export interface OnceActivity<Request, Response> {
  readonly [sentByStep]: (request: Request) => Response;
}

export type SendOnce = <Request, Response>(
  activity: OnceActivity<Request, Response>,
  request: Request,
) => Promise<Response>;

type Proxy<Activity> = Activity extends (request: infer Request) => Once<infer Response>
  ? OnceActivity<Request, Response>
  : Activity;

type OptionsOf<Activity> = Activity extends (request: never) => Once<unknown>
  ? OnceActivityOptions
  : ActivityOptions;

/**
 * The activities at a partner that a workflow calls, with the options of each. Each call looks up the task queue of the partner
 * and the account, which are known only while a workflow runs.
 */
export function partnerActivities<System extends Exclude<PartnerTaskQueue, 'events'>>(system: System) {
  return <Name extends keyof ActivitiesAt<System> & string>(
    optionsOf: {
      readonly [Each in Name]: OptionsOf<ActivitiesAt<System>[Each]>;
    },
  ): { readonly [Each in Name]: Proxy<ActivitiesAt<System>[Each]> } => {
    const activities = Object.entries<ActivityOptions>(optionsOf);
    return Object.fromEntries(
      activities.map(([name, options]) => [name, onTaskQueueOf(system, name, options)]),
    ) as ReturnType<ReturnType<typeof partnerActivities<System>>>;
  };
}

function onTaskQueueOf(queue: PartnerTaskQueue, name: string, options: ActivityOptions): ActivityFunction {
  return async (...args) => {
    const activities = proxyActivities<UntypedActivities>({
      ...options,
      taskQueue: partnerTaskQueue(workflowInfo().taskQueue, queue, accountName()),
      // The rate limit of a task queue does not count activities that a worker dispatches to itself.
      allowEagerDispatch: false,
    });
    return activities[name]?.(...args);
  };
}
