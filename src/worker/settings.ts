import type { WorkerDeploymentVersion } from '@temporalio/common';
import { z } from 'zod';
import type { PollBounds } from '../activities/poll.js';
import { accountNames, readAccounts } from '../partners/account-settings.js';
import { recordSettings } from '../partners/har-recording.js';
import { storeSettings, storesFrom } from '../platform/documents/open-store.js';
import { createEventSender, eventSettings } from '../platform/events/sender.js';
import { logSettings } from '../platform/process/logging.js';
import {
  BadSetting,
  duration,
  listenAddress,
  listSetting,
  metricsAddress,
  readSettings,
  unlessLoopback,
  withAdvice,
} from '../platform/settings/settings.js';
import { temporalClientSettings } from '../temporal/connection.js';
import { followFeePlans } from '../temporal/fee-plans.js';

const pollSettings = z.object({
  GANGWAY_POLL_MIN: duration.prefault('1m').describe('Shortest time between two reads of a status.'),
  GANGWAY_POLL_MAX: duration
    .prefault('1h')
    .describe('Longest time between two reads of an unchanged status.'),
});

/** The account's workflow asks a person if a partner's responses are unreadable for longer than this, in milliseconds. */
const UNREADABLE_MAX_MS = 10 * 60_000;

const stalledCallSettings = z.object({
  GANGWAY_STALLED_AFTER: duration
    .prefault('24h')
    .describe(
      'How long a step may wait for its partner, or a status be unreadable, before a person is asked.',
    ),
});

function pollFrom(set: z.output<typeof pollSettings>): PollBounds {
  const { GANGWAY_POLL_MIN: minMs, GANGWAY_POLL_MAX: maxMs } = set;
  if (minMs > maxMs) throw new BadSetting('GANGWAY_POLL_MIN', 'must not be longer than GANGWAY_POLL_MAX');
  return { minMs, maxMs };
}

/** Temporal joins deployment names and build IDs with a colon, and reserves leading underscores. */
const versionPart = z
  .string()
  .regex(
    /^(?!__)[\w./-]{1,100}$/,
    'must be 1 to 100 letters, digits or signs of "._/-", and not begin with __',
  )
  .meta({ format: '1 to 100 letters, digits or signs of `._/-`' });

export const workerSettings = z.object({
  ...accountNames.shape,
  ...recordSettings.shape,
  ...temporalClientSettings.shape,
  GANGWAY_BUILD_ID: versionPart.optional().meta({
    description: 'Build of the worker. Turns on worker versioning.',
    unset: 'no versioning',
  }),
  GANGWAY_ACTIVE_PATCHES: listSetting
    .refine(
      (names) => names.every((name) => /^[a-z\d]+(-[a-z\d]+)*$/.test(name)),
      'each must be the name of a patch: lower-case words with hyphens, such as fees-after-submission',
    )
    .default([])
    .describe('Active [patches](changing-workflows.md#add-a-patch) of workflows.'),
  ...pollSettings.shape,
  ...stalledCallSettings.shape,
  GANGWAY_HEALTH_ADDRESS: withAdvice(
    listenAddress.prefault('127.0.0.1:8081').describe('Where the worker serves `/healthz` and `/readyz`.'),
    unlessLoopback,
  ),
  GANGWAY_METRICS_ADDRESS: metricsAddress('worker'),
  ...logSettings.shape,
  ...eventSettings.shape,
  ...storeSettings.shape,
});

/** Without `version`, the workers are not versioned; without `payloadKeys`, payloads are not encrypted. */
export type WorkerSettings = ReturnType<typeof loadWorkerSettings>;

// Keeps R3.
/** @throws {BadSetting} that names the first invalid setting */
export function loadWorkerSettings(environment: NodeJS.ProcessEnv) {
  const set = readSettings(workerSettings, environment);
  return {
    ...readAccounts(environment),
    ...storesFrom(set),
    taskQueue: set.GANGWAY_TASK_QUEUE,
    dbaForm: set.GANGWAY_DBA,
    fourEyes: set.GANGWAY_FOUR_EYES,
    feePlans: followFeePlans(set.GANGWAY_FEE_PLANS),
    version: versionFrom(set),
    activePatches: set.GANGWAY_ACTIVE_PATCHES,
    poll: pollFrom(set),
    stalledCalls: {
      retryAfterMaxMs: 3_600_000,
      stepMs: set.GANGWAY_STALLED_AFTER,
      unreadableMs: UNREADABLE_MAX_MS,
    },
    payloadKeys: set.PAYLOAD_KEYS,
    healthAddress: set.GANGWAY_HEALTH_ADDRESS,
    metricsAddress: set.GANGWAY_METRICS_ADDRESS,
    logLevel: set.GANGWAY_LOG_LEVEL,
    events: createEventSender(set),
  };
}

/** All workers of a task queue are one deployment, with the name of the task queue. */
function versionFrom(set: z.output<typeof workerSettings>): WorkerDeploymentVersion | undefined {
  const { GANGWAY_BUILD_ID: buildId, GANGWAY_TASK_QUEUE: taskQueue } = set;
  if (buildId === undefined) return undefined;
  const named = versionPart.safeParse(taskQueue);
  if (!named.success)
    throw new BadSetting(
      'GANGWAY_TASK_QUEUE',
      `is the name of the deployment with GANGWAY_BUILD_ID, so it ${named.error.issues[0]?.message}`,
    );
  return { deploymentName: taskQueue, buildId };
}
