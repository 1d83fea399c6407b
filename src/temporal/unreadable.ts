import {
  type Client,
  defaultPayloadConverter,
  isGrpcServiceError,
  QueryNotRegisteredError,
  ServiceError,
  type WorkflowExecutionDescription,
} from '@temporalio/client';
import { ValueError } from '@temporalio/common';
import proto from '@temporalio/proto';
import { ENCRYPTED, UnreadablePayload } from './payload-codec.js';
import { nameOf, pollersOf, versionOf, whyNobodyTakes } from './workers.js';

/**
 * What keeps the state of a workflow from being read. `no-worker` and `no-answer` hold for its whole task queue: nobody polls it,
 * or those that were heard of in the last minute do not respond in time, being busy or gone.
 */
export type Obstacle = 'no-worker' | 'no-answer' | 'build-gone' | 'task-fails' | 'no-key';

/** The state of a workflow cannot be read now. The message is for people, on one line. */
export class UnreadableOnboarding extends Error {
  override readonly name = 'UnreadableOnboarding';
  constructor(
    readonly workflowId: string,
    readonly obstacle: Obstacle,
    /** The reason, without the workflow id. May quote a failure of our code: not for strangers. */
    readonly detail: string,
    options?: ErrorOptions,
  ) {
    super(`${workflowId} cannot be read: ${detail}`, options);
  }
}

/** Whether an error says that a payload is encrypted with a key that we do not have. */
export function isUnreadable(error: unknown): error is Error {
  if (error instanceof UnreadablePayload) return true;
  // Without any key nothing decrypts, and the converter does not know the encoding.
  return error instanceof ValueError && error.message === `Unknown encoding: ${ENCRYPTED}`;
}

const NO_KEY = 'its key is not in PAYLOAD_KEYS';

/**
 * Finds out why a query of a workflow failed.
 *
 * @returns undefined when the error is about something else than this workflow
 * @throws {ServiceError} when Temporal does not respond
 */
export async function whyUnreadable(
  client: Client,
  workflowId: string,
  error: unknown,
): Promise<UnreadableOnboarding | undefined> {
  const because = (obstacle: Obstacle, detail: string) =>
    new UnreadableOnboarding(workflowId, obstacle, detail, { cause: error });
  if (isUnreadable(error)) return because('no-key', NO_KEY);
  const isOfWorker = error instanceof QueryNotRegisteredError;
  if (!isOfWorker && !(error instanceof ServiceError) && !isGrpcServiceError(error)) return undefined;
  const description = await client.workflow.getHandle(workflowId).describe();
  const failure = (await failingTask(client, description)) ?? (isOfWorker ? error.message : undefined);
  if (failure === undefined) {
    const [obstacle, detail] = await whyUnanswered(client, description);
    return because(obstacle, detail);
  }
  if (failure === NO_KEY) return because('no-key', NO_KEY);
  return MISSING_KEY.test(failure)
    ? because('no-key', `a worker lacks its key: ${brief(failure)}`)
    : because('task-fails', `its workflow task fails: ${brief(failure)}`);
}

/** What a worker reports that lacks a key, or has none at all. */
const MISSING_KEY = new RegExp(`an encrypted payload|Unknown encoding: ${ENCRYPTED}`);

/** As much of a failure as fits on a line. */
const FAILURE_LENGTH = 300;

function brief(failure: string): string {
  const line = failure.replace(/\s+/g, ' ').trim();
  return line.length > FAILURE_LENGTH ? `${line.slice(0, FAILURE_LENGTH - 1)}…` : line;
}

const { TIMEOUT_TYPE_START_TO_CLOSE } = proto.temporal.api.enums.v1.TimeoutType;

/** Why the pending workflow task failed when it was tried last; undefined when none fails. */
async function failingTask(
  client: Client,
  { workflowId, runId, raw }: WorkflowExecutionDescription,
): Promise<string | undefined> {
  const { attempt = 0 } = raw.pendingWorkflowTask ?? {};
  if ((attempt ?? 0) <= 1) return undefined;
  // Only the first failure in a row is an event.
  const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
    namespace: client.options.namespace,
    execution: { workflowId, runId },
    maximumPageSize: LAST_EVENTS,
  });
  for (const event of history?.events ?? []) {
    const { workflowTaskFailedEventAttributes: failed, workflowTaskTimedOutEventAttributes: late } = event;
    if (event.workflowTaskCompletedEventAttributes) return undefined;
    if (failed?.failure) return messageOf(client, failed.failure).catch(orNoKey);
    if (late?.timeoutType === TIMEOUT_TYPE_START_TO_CLOSE) return 'its worker does not complete it in time';
  }
  return undefined;
}

/** How many events of a history are looked at, from its end. */
const LAST_EVENTS = 20;

function orNoKey(error: unknown): string {
  if (isUnreadable(error)) return NO_KEY;
  throw error;
}

const { VERSIONING_BEHAVIOR_PINNED } = proto.temporal.api.enums.v1.VersioningBehavior;

/** Nobody responded: there is no worker for it, or none in time. */
async function whyUnanswered(
  client: Client,
  { taskQueue, raw }: WorkflowExecutionDescription,
): Promise<[Obstacle, string]> {
  const pollers = await pollersOf(client, taskQueue, 'workflow');
  const { behavior, deploymentVersion, versioningOverride } = raw.workflowExecutionInfo?.versioningInfo ?? {};
  const pinned =
    versionOf(versioningOverride?.pinned?.version) ??
    (behavior === VERSIONING_BEHAVIOR_PINNED ? versionOf(deploymentVersion) : undefined);
  if (pinned && !pollers.versions.some((version) => nameOf(version) === nameOf(pinned)))
    return ['build-gone', `its build is gone: no worker runs ${nameOf(pinned)}`];
  if (!pinned && pollers.taking === 0) return ['no-worker', whyNobodyTakes(taskQueue, pollers)];
  return ['no-answer', `no worker answers on task queue ${taskQueue}: is one running?`];
}

const { APPLICATION_ERROR_CATEGORY_BENIGN: BENIGN } = proto.temporal.api.enums.v1.ApplicationErrorCategory;

/**
 * The messages of the last failures of those activities of a workflow that the server retries. A status poll that saw no
 * change has not failed.
 */
export async function failuresOf(client: Client, workflowId: string): Promise<string[]> {
  const { raw } = await client.workflow.getHandle(workflowId).describe();
  const failures = (raw.pendingActivities ?? []).flatMap(({ lastFailure }) => lastFailure ?? []);
  const real = failures.filter(({ applicationFailureInfo }) => applicationFailureInfo?.category !== BENIGN);
  return Promise.all(real.map((failure) => messageOf(client, failure)));
}

/** The message of a failure. That of an encrypted one is in its attributes. */
export async function messageOf(
  client: Client,
  { message, encodedAttributes }: proto.temporal.api.failure.v1.IFailure,
): Promise<string> {
  if (!encodedAttributes) return message ?? '';
  let payloads = [encodedAttributes];
  for (const codec of client.options.loadedDataConverter.payloadCodecs)
    payloads = await codec.decode(payloads);
  const [payload] = payloads;
  return payload ? defaultPayloadConverter.fromPayload<{ message: string }>(payload).message : '';
}
