import type { WorkerDeploymentVersion } from '@temporalio/common';
import { z } from 'zod';
import type { PatienceSettings } from '../activities/interceptors.js';
import type { PollBounds } from '../activities/poll.js';
import { type StorePlaces, storeSettings, storesFrom } from '../documents/open-store.js';
import { type EventSettings, eventSettings, eventsFrom } from '../events/sender.js';
import type { DbaForm } from '../messages/listed.js';
import { type Account, type Accounts, accountNames, readAccounts } from '../partners/account-settings.js';
import { recordSettings } from '../partners/recording.js';
import { eachSystem, SYSTEM_NAMES, type SystemName, settingsPrefix } from '../partners/systems.js';
import { logSettings } from '../process/logging.js';
import { BadSetting, duration, listenAddress, metricsAddress, readSettings } from '../settings/settings.js';
import { temporalClientSettings } from '../temporal/connection.js';
import type { PayloadKeys } from '../temporal/payload-codec.js';

/** How often a status is read where an account sets nothing else. */
const pollSettings = z.object({
  GANGWAY_POLL_MIN: duration
    .prefault('1m')
    .describe('Shortest wait between two reads of a status. Each partner account can set its own.'),
  GANGWAY_POLL_MAX: duration
    .prefault('1h')
    .describe(
      'Longest wait between two reads of a status that does not change. Each partner account can set its own.',
    ),
});

/** How long partners may keep activities waiting. */
const patienceSettings = z.object({
  GANGWAY_RETRY_AFTER_MAX: duration
    .prefault('1h')
    .describe("Longest wait that a partner's `Retry-After` can ask for."),
  GANGWAY_WAIT_MAX: duration
    .prefault('24h')
    .describe(
      'A person is asked about a step that has waited for its partner for longer than this, or a status that could not be read for longer.',
    ),
  GANGWAY_UNREADABLE_MAX: duration
    .prefault('10m')
    .describe('A person is asked when the responses of a partner are unreadable for longer than this.'),
});

/** How long partners may keep activities waiting, in milliseconds. */
export interface Patience extends PatienceSettings {
  /** The most that a `Retry-After` counts. */
  readonly retryAfterMaxMs: number;
}

/** @throws {BadSetting} */
function pollFrom(set: z.output<typeof pollSettings>): PollBounds {
  const { GANGWAY_POLL_MIN: minMs, GANGWAY_POLL_MAX: maxMs } = set;
  if (minMs > maxMs) throw new BadSetting('GANGWAY_POLL_MIN', 'must not be longer than GANGWAY_POLL_MAX');
  return { minMs, maxMs };
}

/** How often an account reads a status of each system. */
export function pollBoundsOf(account: Account, poll: PollBounds): Readonly<Record<SystemName, PollBounds>> {
  return eachSystem((system) => {
    const { minMs = poll.minMs, maxMs = poll.maxMs } = account.pollBounds[system] ?? {};
    return { minMs, maxMs };
  });
}

/** @throws {BadSetting} */
function checkPollBounds(account: Account, poll: PollBounds): void {
  const bounds = pollBoundsOf(account, poll);
  const crossed = SYSTEM_NAMES.find((system) => bounds[system].minMs > bounds[system].maxMs);
  if (crossed === undefined) return;
  const prefix = account.settingsPrefix + settingsPrefix(crossed);
  throw new BadSetting(`${prefix}POLL_MIN`, `must not be longer than ${prefix}POLL_MAX`);
}

function patienceFrom(set: z.output<typeof patienceSettings>): Patience {
  return {
    retryAfterMaxMs: set.GANGWAY_RETRY_AFTER_MAX,
    stepMs: set.GANGWAY_WAIT_MAX,
    unreadableMs: set.GANGWAY_UNREADABLE_MAX,
  };
}

/** Temporal joins and splits names of deployments and build ids at colons, and reserves leading underscores. */
const versionPart = z
  .string()
  .regex(
    /^(?!__)[\w./-]{1,100}$/,
    'must be 1 to 100 letters, digits or signs of "._/-", and not begin with __',
  )
  .meta({ format: '1 to 100 letters, digits or signs of `._/-`' });

/** The settings of the worker, beside those of each account (partners/account-settings.ts) and Temporal's own. */
export const workerSettings = z.object({
  ...accountNames.shape,
  ...recordSettings.shape,
  ...temporalClientSettings.shape,
  GANGWAY_BUILD_ID: versionPart.optional().meta({
    description: 'Build that a worker runs. With it, the worker takes part in worker versioning.',
    unset: 'workers are not versioned',
  }),
  GANGWAY_DEPLOYMENT_NAME: versionPart.optional().meta({
    description: 'Worker deployment that `GANGWAY_BUILD_ID` is a build of.',
    unset: '`GANGWAY_TASK_QUEUE`',
  }),
  ...pollSettings.shape,
  ...patienceSettings.shape,
  GANGWAY_HEALTH_ADDRESS: listenAddress
    .prefault('127.0.0.1:8081')
    .describe('Where the worker serves `/healthz` and `/readyz`.'),
  GANGWAY_METRICS_ADDRESS: metricsAddress('worker'),
  ...logSettings.shape,
  ...eventSettings.shape,
  ...storeSettings.shape,
});

export type WorkerSettings = Accounts &
  StorePlaces & {
    readonly taskQueue: string;
    readonly dbaForm: DbaForm;
    /** The build that this process runs; undefined when its workers are not versioned. */
    readonly version: WorkerDeploymentVersion | undefined;
    /** Where an account sets nothing else. */
    readonly poll: PollBounds;
    readonly patience: Patience;
    /** undefined when PAYLOAD_KEYS is not set: payloads are not encrypted. */
    readonly payloadKeys: PayloadKeys | undefined;
    readonly healthAddress: { readonly host: string; readonly port: number };
    /** undefined when no metrics are served. */
    readonly metricsAddress: { readonly host: string; readonly port: number } | undefined;
    readonly logLevel: string;
    readonly events: EventSettings;
  };

/** @throws {BadSetting} naming the first setting that cannot be used */
export function loadWorkerSettings(environment: NodeJS.ProcessEnv): WorkerSettings {
  const set = readSettings(workerSettings, environment);
  const accounts = readAccounts(environment);
  const poll = pollFrom(set);
  for (const account of [accounts, ...Object.values(accounts.accounts)]) checkPollBounds(account, poll);
  return {
    ...accounts,
    ...storesFrom(set),
    taskQueue: set.GANGWAY_TASK_QUEUE,
    dbaForm: set.GANGWAY_DBA,
    version: versionFrom(set),
    poll,
    patience: patienceFrom(set),
    payloadKeys: set.PAYLOAD_KEYS,
    healthAddress: set.GANGWAY_HEALTH_ADDRESS,
    metricsAddress: set.GANGWAY_METRICS_ADDRESS,
    logLevel: set.GANGWAY_LOG_LEVEL,
    events: eventsFrom(set),
  };
}

/** All that polls a task queue is one deployment, which by default has the name of the task queue. */
function versionFrom(set: z.output<typeof workerSettings>): WorkerSettings['version'] {
  const { GANGWAY_BUILD_ID: buildId, GANGWAY_TASK_QUEUE: taskQueue } = set;
  if (buildId === undefined) return undefined;
  const { GANGWAY_DEPLOYMENT_NAME: deploymentName = taskQueue } = set;
  if (!versionPart.safeParse(deploymentName).success) {
    throw new BadSetting(
      'GANGWAY_DEPLOYMENT_NAME',
      'is required, because GANGWAY_TASK_QUEUE cannot be the name of a deployment',
    );
  }
  return { deploymentName, buildId };
}
