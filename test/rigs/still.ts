import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { AWAIT_STATUS_ACTIVITY_ID, isCustomer } from '../../src/messages/ids.js';
import { stateQuery } from '../../src/messages/onboarding-state.js';
import { describe, partIds } from '../../src/temporal/find-onboarding.js';
import { TIMEOUT_MS } from './waiting.js';

/**
 * A workflow stands still when so many looks in a row find nothing that moves. On an idle machine that takes 20 s, and a
 * minute or two where status polls have become rare. A busy machine takes longer for as many looks and polls.
 */
const STILL = { looks: 40, polls: 10 };
const LOOK_MS = 500;

/**
 * Waits, and fails as soon as the workflow stands still.
 *
 * @param wait gets a signal that ends it
 * @throws {Error} with what it waits for, the pending work of the workflow and of those it waits for, and the end of their histories
 */
export async function unlessStill<Result>(
  client: Client,
  workflowId: string,
  what: string,
  wait: (options: { readonly signal: AbortSignal }) => Promise<Result>,
): Promise<Result> {
  const end = new AbortController();
  const waiting = wait(end);
  const still = untilStill(client, workflowId, end.signal).then(async () => {
    throw new Error(`waited in vain for ${what}; ${await pendingWork(client, workflowId)}`);
  });
  return Promise.race([waiting, still]).finally(() => end.abort());
}

/** Resolves when the workflow stands still, and never after `signal`. */
async function untilStill(client: Client, workflowId: string, signal: AbortSignal): Promise<void> {
  let since: Look | undefined;
  for (let looks = 0; ; looks++) {
    await sleep(LOOK_MS);
    if (signal.aborted) return new Promise(() => {});
    const now = await lookAt(client, workflowId);
    if (since === undefined || now.isMoving || now.written !== since.written) {
      looks = 0;
      since = now;
    } else if (looks >= STILL.looks && polled(since, now) >= STILL.polls) return;
  }
}

interface Look {
  /** The server or a worker has something to do for it, status polls apart. */
  readonly isMoving: boolean;
  /** Differs after each event. */
  readonly written: string;
  /** Attempts of the status polls that read soon again. */
  readonly polls: readonly number[];
}

/** How often each of the status polls that read soon again has done so at least. */
function polled(since: Look, now: Look): number {
  return Math.min(...now.polls.map((attempt, index) => attempt - (since.polls[index] ?? 0)));
}

/** A look at a workflow and those it waits for. A server that does not respond is a reason to wait. */
async function lookAt(client: Client, workflowId: string): Promise<Look> {
  try {
    const description = await describe(client, workflowId);
    return description ? await lookInto(client, description) : { isMoving: false, written: '', polls: [] };
  } catch {
    return { isMoving: true, written: '', polls: [] };
  }
}

async function lookInto(client: Client, description: WorkflowExecutionDescription): Promise<Look> {
  const { raw, runId, historyLength } = description;
  const others = await Promise.all(awaitedBy(description).map((id) => lookAt(client, id)));
  const soon = (raw.pendingActivities ?? []).filter(isDueSoon);
  const [polls, calls] = [true, false].map((isPoll) =>
    soon.filter((activity) => isStatusPoll(activity) === isPoll),
  );
  return {
    isMoving: Boolean(raw.pendingWorkflowTask || calls?.length || others.some((other) => other.isMoving)),
    written: [runId, historyLength, ...others.map(({ written }) => written)].join(),
    polls: [...(polls ?? []).map(({ attempt }) => attempt ?? 0), ...others.flatMap((other) => other.polls)],
  };
}

/** Its children, and a customer's parts, which are no children of it when somebody started them before. */
function awaitedBy({ workflowId, raw }: WorkflowExecutionDescription): readonly string[] {
  const children = (raw.pendingChildren ?? []).map((child) => child.workflowId ?? '');
  return [...new Set([...(isCustomer(workflowId) ? Object.values(partIds(workflowId)) : []), ...children])];
}

/** It reads the status at the partner, or that of a part which is no child of its customer. */
function isStatusPoll({ activityId, activityType }: temporal.api.workflow.v1.IPendingActivityInfo): boolean {
  return activityId === AWAIT_STATUS_ACTIVITY_ID || activityType?.name === 'awaitOnboarding';
}

/** It runs, or waits for a worker, or for a time that a test may wait for. */
function isDueSoon({ nextAttemptScheduleTime: due }: temporal.api.workflow.v1.IPendingActivityInfo): boolean {
  return Number(due?.seconds ?? 0) * 1_000 < Date.now() + TIMEOUT_MS;
}

/** What a workflow and those it waits for still have to do, their states, and the end of their histories. */
export async function pendingWork(client: Client, workflowId: string): Promise<string> {
  const description = await describe(client, workflowId);
  if (!description) return `there is no ${workflowId}`;
  const { raw } = description;
  const handle = client.workflow.getHandle(workflowId);
  const pending = raw.pendingActivities?.map(
    ({ activityType, state, attempt, lastStartedTime, lastFailure }) => ({
      type: activityType?.name,
      state,
      attempt,
      failure: lastFailure?.message,
      startedAt: new Date(Number(lastStartedTime?.seconds ?? 0) * 1_000),
    }),
  );
  const state = await handle.query(stateQuery).catch(() => undefined);
  const { events } = await handle.fetchHistory();
  const last = events?.slice(-8).map(({ eventId, eventType }) => `${eventId} ${eventType}`);
  const task = raw.pendingWorkflowTask && { attempt: raw.pendingWorkflowTask.attempt };
  const others = await Promise.all(awaitedBy(description).map((id) => pendingWork(client, id)));
  return [JSON.stringify({ workflowId, pending, task, last, state }), ...others].join('; ');
}
