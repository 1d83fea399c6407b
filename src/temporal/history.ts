import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { optionalTsToDate } from '@temporalio/common/lib/time.js';
import proto, { type temporal } from '@temporalio/proto';
import { type ConfirmationReceipt, confirmAnswer } from '../messages/claims.js';
import { partnerTaskQueue, partsOfId } from '../messages/ids.js';
import { type Resolution, resolveRequirement } from '../messages/requirements.js';
import { SYSTEM_NAMES } from '../partners/system-names.js';
import { decodeFailure, decodePayloads } from './payload-codec.js';
import { undefinedIfMissing } from './unavailable.js';

/** Reads people's answers and partner calls from a workflow's history. Needs no worker. */

export type Event = temporal.api.history.v1.IHistoryEvent;

export interface Run {
  readonly workflowId: string;
  readonly runId: string;
  readonly events: readonly Event[];
}

type History = Pick<Run, 'workflowId' | 'events'>;

/** Returns a time in a history as ISO 8601; undefined if the server left it out. */
export function isoOf(time: Event['eventTime']): string | undefined {
  return optionalTsToDate(time)?.toISOString();
}

/**
 * Reads a run and the runs before it, oldest first, as far as Temporal still has them.
 *
 * @returns `missing` is the ID of the latest run that Temporal no longer has
 */
export async function runsOf(client: Client, workflowId: string, lastRunId: string) {
  const runs: Run[] = [];
  for (let runId: string | undefined = lastRunId; runId; ) {
    const fetched: Promise<Pick<temporal.api.history.v1.IHistory, 'events'>> = client.workflow
      .getHandle(workflowId, runId)
      .fetchHistory();
    const history = await (runs.length > 0 ? undefinedIfMissing(fetched) : fetched);
    if (!history) return { runs, missing: runId };
    const events = history.events ?? [];
    runs.unshift({ workflowId, runId, events });
    runId = events[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId || undefined;
  }
  return { runs, missing: undefined };
}

/** Reads only the first event of a run, because a handle would fetch the complete history. */
export async function startOfRun(client: Client, workflowId: string, runId: string) {
  const { history } = await client.workflowService.getWorkflowExecutionHistory({
    namespace: client.options.namespace,
    execution: { workflowId, runId },
    maximumPageSize: 1,
  });
  return history?.events?.[0]?.workflowExecutionStartedEventAttributes;
}

export function argumentsOf(client: Client, run: History | undefined): Promise<unknown[]> {
  const started = run?.events[0]?.workflowExecutionStartedEventAttributes;
  return decodePayloads(client, started?.input?.payloads, run?.workflowId);
}

export interface AcceptedAnswer extends Resolution {
  /** ISO 8601. */
  readonly at: string;
}

/** Returns accepted answers, in order, including those that a second person confirmed. */
export async function answersIn(client: Client, { workflowId, events }: History): Promise<AcceptedAnswer[]> {
  const results = new Map(
    events.flatMap(({ workflowExecutionUpdateCompletedEventAttributes: completed }) => {
      const { success } = completed?.outcome ?? {};
      return success ? [[completed?.meta?.updateId, success.payloads] as const] : [];
    }),
  );
  const accepted = events.flatMap(({ eventTime, workflowExecutionUpdateAcceptedEventAttributes: update }) => {
    const { input, meta } = update?.acceptedRequest ?? {};
    if (!results.has(meta?.updateId)) return [];
    const at = isoOf(eventTime) ?? '';
    const decoded = async (payloads: Parameters<typeof decodePayloads>[1]) =>
      (await decodePayloads(client, payloads, workflowId))[0];
    if (input?.name === resolveRequirement.name)
      return [decoded(input.args?.payloads).then((value) => ({ at, ...(value as Resolution) }))];
    if (input?.name === confirmAnswer.name)
      return [
        decoded(results.get(meta?.updateId)).then((receipt) => ({
          at,
          ...(receipt as ConfirmationReceipt).resolution,
        })),
      ];
    return [];
  });
  return Promise.all(accepted);
}

/** Returns the search attributes with which a run began, and their changes. */
export function indexedChangesIn(events: readonly Event[]) {
  return events.flatMap((event) => {
    const { searchAttributes } =
      event.workflowExecutionStartedEventAttributes ??
      event.upsertWorkflowSearchAttributesEventAttributes ??
      {};
    const values = Object.entries(searchAttributes?.indexedFields ?? {}).map(([name, { data }]) => [
      name,
      data?.length ? JSON.parse(Buffer.from(data).toString()) : null,
    ]);
    return values.length > 0
      ? [{ at: isoOf(event.eventTime) ?? '', values: Object.fromEntries(values) as Record<string, unknown> }]
      : [];
  });
}

/**
 * The end of an activity. `unfinished`: its run ended first, so the history has no result. `pending`: it runs, or the server will
 * retry it.
 */
export type ActivityEnd = 'completed' | 'failed' | 'timed-out' | 'cancelled' | 'unfinished' | 'pending';

/** An activity of a partner task queue: one or more calls to a partner. Its times are in ISO 8601. */
export type PartnerActivity = Awaited<ReturnType<typeof partnerActivitiesIn>>[number];

type Pending = temporal.api.workflow.v1.IPendingActivityInfo;

/** Returns a workflow's pending activities; none if it has ended, although the server still lists some. */
export function pendingIn({
  status,
  raw,
}: Pick<WorkflowExecutionDescription, 'status' | 'raw'>): readonly Pending[] {
  return status.name === 'RUNNING' ? (raw.pendingActivities ?? []) : [];
}

/** Returns a workflow's activities at partners, in order. */
export async function partnerActivitiesIn(
  client: Client,
  workflowId: string,
  taskQueue: string,
  events: readonly Event[],
  pending: readonly Pending[] = [],
) {
  const account = partsOfId(workflowId)?.account;
  const systems = new Map(SYSTEM_NAMES.map((name) => [partnerTaskQueue(taskQueue, name, account), name]));
  const ends = endsIn(events);
  const activities = events.map(async (event) => {
    const scheduled = event.activityTaskScheduledEventAttributes;
    const system = systems.get(scheduled?.taskQueue?.name ?? '');
    if (!scheduled || !system) return undefined;
    const end = ends.get(String(event.eventId)) ?? openEnd(pending, scheduled.activityId);
    const { how, started, startedAt, closedAt, result, failure } = end;
    const [request] = await decodePayloads(client, scheduled.input?.payloads, workflowId);
    const [response] = await decodePayloads(client, result, workflowId);
    const summary = event.userMetadata?.summary;
    const [line] = await decodePayloads(client, summary ? [summary] : [], workflowId);
    return {
      activity: scheduled.activityType?.name ?? '',
      system,
      summary: line === undefined ? undefined : String(line),
      scheduledAt: isoOf(event.eventTime) ?? '',
      // The start of the last attempt.
      startedAt,
      closedAt,
      attempts: started,
      end: how,
      request,
      response,
      // The failure of the last attempt or, for a pending activity, the previous one.
      failure: await decodeFailure(client, failure, workflowId),
    };
  });
  return (await Promise.all(activities)).filter((activity) => activity !== undefined);
}

interface End {
  readonly how: ActivityEnd;
  readonly started: number;
  readonly startedAt?: string | undefined;
  readonly closedAt?: string | undefined;
  readonly result?: readonly temporal.api.common.v1.IPayload[] | null | undefined;
  readonly failure?: temporal.api.failure.v1.IFailure | null | undefined;
}

/** Returns the ends of activities, by the event that scheduled each. The server writes the last attempt's start with the end. */
function endsIn(events: readonly Event[]): Map<string, End> {
  const starts = new Map<string, Event>();
  const ends = new Map<string, End>();
  for (const event of events) {
    const started = event.activityTaskStartedEventAttributes;
    if (started) starts.set(String(started.scheduledEventId), event);
    const closed = closeOf(event);
    if (!closed) continue;
    const start = starts.get(closed.scheduled);
    ends.set(closed.scheduled, {
      ...closed,
      started: start?.activityTaskStartedEventAttributes?.attempt ?? 0,
      startedAt: isoOf(start?.eventTime),
      closedAt: isoOf(event.eventTime),
    });
  }
  return ends;
}

function closeOf(
  event: Event,
): (Pick<End, 'how' | 'result' | 'failure'> & { readonly scheduled: string }) | undefined {
  const { activityTaskCompletedEventAttributes: completed, activityTaskFailedEventAttributes: failed } =
    event;
  const { activityTaskTimedOutEventAttributes: late, activityTaskCanceledEventAttributes: cancelled } = event;
  const of = (attributes: { scheduledEventId?: unknown }) => String(attributes.scheduledEventId);
  if (completed) return { how: 'completed', scheduled: of(completed), result: completed.result?.payloads };
  if (failed) return { how: 'failed', scheduled: of(failed), failure: failed.failure };
  if (late) return { how: 'timed-out', scheduled: of(late), failure: late.failure };
  return cancelled ? { how: 'cancelled', scheduled: of(cancelled) } : undefined;
}

const { PENDING_ACTIVITY_STATE_STARTED } = proto.temporal.api.enums.v1.PendingActivityState;
const { APPLICATION_ERROR_CATEGORY_BENIGN: BENIGN } = proto.temporal.api.enums.v1.ApplicationErrorCategory;

/** Describes an activity without an end in its history. A status poll without a change did not fail. */
function openEnd(pending: readonly Pending[], activityId: string | null | undefined): End {
  const open = pending.find((each) => each.activityId === activityId);
  if (!open) return { how: 'unfinished', started: 0 };
  const { attempt, state, lastFailure, lastStartedTime } = open;
  const isRunning = state === PENDING_ACTIVITY_STATE_STARTED;
  const isBenign = lastFailure?.applicationFailureInfo?.category === BENIGN;
  return {
    how: 'pending',
    started: Math.max(0, (attempt ?? 1) - (isRunning ? 0 : 1)),
    startedAt: isoOf(lastStartedTime),
    failure: isBenign ? undefined : lastFailure,
  };
}
