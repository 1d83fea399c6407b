import {
  type Client,
  isGrpcServiceError,
  QueryNotRegisteredError,
  ServiceError,
  type WorkflowExecutionDescription,
} from '@temporalio/client';
import proto from '@temporalio/proto';
import { partnerTaskQueue, partsOfId } from '../messages/ids.js';
import { SYSTEM_NAMES } from '../partners/system-names.js';
import { pendingIn } from './history.js';
import { decodeFailure, ENCRYPTED, isUnreadablePayload, UnreadablePayload } from './payload-codec.js';
import { TemporalProblem } from './unavailable.js';
import { parseWorkerIdentity, pollersOf, versionName, versionOf, whyNoWorker, whyOff } from './workers.js';

/**
 * The reasons why nobody can read a workflow's state. Two are about its task queue: `no-worker` if no worker polls it, and
 * `no-response` if workers that polled in the last minute do not respond in time, because they are busy or gone.
 */
export const OBSTACLES = {
  'no-worker': 'no worker is running to respond',
  'no-response': 'no worker responds in time',
  'build-gone': 'no worker runs the build that it is pinned to',
  'task-fails': 'its workflow task fails',
  'no-key': 'the key that it is encrypted with is missing or wrong',
  'never-ran': 'it ended before a worker ran it',
} as const;

/** The reason why a workflow's state cannot be read. */
export type Obstacle = keyof typeof OBSTACLES;

/** No worker that starts later removes these. */
const LASTING: readonly Obstacle[] = ['task-fails', 'no-key', 'never-ran'];

export class UnreadableOnboarding extends TemporalProblem {
  override readonly name = 'UnreadableOnboarding';
  constructor(
    readonly workflowId: string,
    readonly obstacle: Obstacle,
    /** The details for operators, without the workflow ID. They may quote a failure of the workflow's code. */
    readonly detail: string,
    options?: ErrorOptions,
  ) {
    super(`${workflowId} cannot be read: ${detail}`, options);
  }

  override get isUnavailable(): boolean {
    return !LASTING.includes(this.obstacle);
  }
}

/** Explains why this process cannot decrypt a payload. It may lack the key, or have a different key with the same ID. */
function whyLocked(error: Error): string {
  return error instanceof UnreadablePayload && error.missingKey === undefined
    ? `${error.message}; "gangway doctor" names the process whose key differs`
    : 'its key is not in PAYLOAD_KEYS';
}

/**
 * Finds out why a query of a workflow failed.
 *
 * @returns undefined if the error is not about this workflow
 * @throws {ServiceError} if Temporal does not respond
 */
export async function whyUnreadable(client: Client, workflowId: string, error: unknown) {
  const because = (obstacle: Obstacle, detail: string) =>
    new UnreadableOnboarding(workflowId, obstacle, detail, { cause: error });
  if (isUnreadablePayload(error)) return because('no-key', whyLocked(error));
  const isFromWorker = error instanceof QueryNotRegisteredError;
  if (!isFromWorker && !(error instanceof ServiceError) && !isGrpcServiceError(error)) return undefined;
  const description = await client.workflow.getHandle(workflowId).describe();
  if (await hasNeverRun(client, description)) return because('never-ran', OBSTACLES['never-ran']);
  const failing = (await failingTask(client, description)) ?? (isFromWorker ? { failure: error } : undefined);
  if (failing === undefined) {
    const [obstacle, detail] = await whyNoResponse(client, description);
    return because(obstacle, detail);
  }
  const { worker = 'a worker', failure } = failing;
  const { message } = failure;
  if (isUnreadablePayload(failure)) return because('no-key', whyLocked(failure));
  return MISSING_KEY.test(message)
    ? because('no-key', `${worker} cannot decrypt it: ${brief(message)}`)
    : because('task-fails', `its workflow task fails: ${brief(message)}`);
}

/** Reports whether a workflow has ended before its first task: nothing that it decided is recorded, and it takes no queries. */
async function hasNeverRun(
  client: Client,
  { workflowId, runId, status }: WorkflowExecutionDescription,
): Promise<boolean> {
  if (status.name === 'RUNNING') return false;
  const { history, nextPageToken } = await client.workflowService.getWorkflowExecutionHistory({
    namespace: client.options.namespace,
    execution: { workflowId, runId },
    maximumPageSize: 20,
  });
  const isWhole = !nextPageToken || nextPageToken.length === 0;
  return isWhole && !history?.events?.some((event) => event.workflowTaskCompletedEventAttributes);
}

const MISSING_KEY = new RegExp(`an encrypted payload|Unknown encoding: ${ENCRYPTED}`);

const FAILURE_LENGTH = 300;

function brief(failure: string): string {
  const line = failure.replace(/\s+/g, ' ').trim();
  return line.length > FAILURE_LENGTH ? `${line.slice(0, FAILURE_LENGTH - 1)}…` : line;
}

const { TIMEOUT_TYPE_START_TO_CLOSE } = proto.temporal.api.enums.v1.TimeoutType;

/**
 * Returns why the last attempt of the pending workflow task failed, and on which worker, if known; undefined if none failed. This
 * process may be unable to decrypt the failure.
 */
async function failingTask(client: Client, { workflowId, runId, raw }: WorkflowExecutionDescription) {
  const { attempt = 0 } = raw.pendingWorkflowTask ?? {};
  if ((attempt ?? 0) <= 1) return undefined;
  // The history has only the first of consecutive failures.
  const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
    namespace: client.options.namespace,
    execution: { workflowId, runId },
    maximumPageSize: 20,
  });
  for (const event of history?.events ?? []) {
    const { workflowTaskFailedEventAttributes: failed, workflowTaskTimedOutEventAttributes: late } = event;
    if (event.workflowTaskCompletedEventAttributes) return undefined;
    if (failed?.failure) {
      const failure = await decodeFailure(client, failed.failure, workflowId).catch((error: unknown) => {
        if (isUnreadablePayload(error)) return error;
        throw error;
      });
      const { name } = parseWorkerIdentity(failed.identity ?? '');
      return { ...(name && { worker: `worker ${name}` }), failure: failure ?? new Error('no reason') };
    }
    if (late?.timeoutType === TIMEOUT_TYPE_START_TO_CLOSE)
      return { failure: new Error('its worker does not complete it in time') };
  }
  return undefined;
}

const { VERSIONING_BEHAVIOR_PINNED } = proto.temporal.api.enums.v1.VersioningBehavior;

async function whyNoResponse(
  client: Client,
  { taskQueue, raw }: WorkflowExecutionDescription,
): Promise<[Obstacle, string]> {
  const pollers = await pollersOf(client, taskQueue, 'workflow');
  const { behavior, deploymentVersion, versioningOverride } = raw.workflowExecutionInfo?.versioningInfo ?? {};
  const pinned =
    versionOf(versioningOverride?.pinned?.version) ??
    (behavior === VERSIONING_BEHAVIOR_PINNED ? versionOf(deploymentVersion) : undefined);
  if (pinned && !pollers.versions.some((version) => versionName(version) === versionName(pinned)))
    return ['build-gone', `its build is gone: no worker runs ${versionName(pinned)}`];
  if (!pinned && pollers.taking === 0) return ['no-worker', whyNoWorker(taskQueue, pollers)];
  return ['no-response', `no worker responds on task queue ${taskQueue}: is one running?`];
}

const { APPLICATION_ERROR_CATEGORY_BENIGN: BENIGN } = proto.temporal.api.enums.v1.ApplicationErrorCategory;
const { PENDING_ACTIVITY_STATE_SCHEDULED } = proto.temporal.api.enums.v1.PendingActivityState;

/**
 * Returns the last failures of activities that the server retries, and why no worker runs the activities of a partner that is off.
 * A status poll without a change did not fail.
 */
export async function failuresOf(client: Client, workflowIds: readonly string[]): Promise<string[]> {
  const described = workflowIds.map((id) => client.workflow.getHandle(id).describe());
  return (await Promise.all(described.map(async (each) => failuresIn(client, await each)))).flat();
}

export async function failuresIn(client: Client, description: WorkflowExecutionDescription) {
  const { workflowId } = description;
  const failures = pendingIn(description).flatMap(({ lastFailure }) => lastFailure ?? []);
  const real = failures.filter(({ applicationFailureInfo }) => applicationFailureInfo?.category !== BENIGN);
  const messages = real.map(
    async (failure) => (await decodeFailure(client, failure, workflowId))?.message ?? '',
  );
  return (await Promise.all([...messages, ...whyNotTaken(client, description)])).filter(
    (message) => message !== undefined,
  );
}

function whyNotTaken(client: Client, description: WorkflowExecutionDescription) {
  const { workflowId, taskQueue } = description;
  const account = partsOfId(workflowId)?.account;
  const idle = pendingIn(description).filter(({ state }) => state === PENDING_ACTIVITY_STATE_SCHEDULED);
  const queues = new Set(idle.map(({ activityOptions }) => activityOptions?.taskQueue?.name));
  return SYSTEM_NAMES.filter((system) => queues.has(partnerTaskQueue(taskQueue, system, account))).map(
    (system) => whyOff(client, taskQueue, system, account),
  );
}
