import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { AWAIT_STATUS_ACTIVITY_ID } from '../../src/messages/ids.js';
import { stateQuery } from '../../src/messages/onboarding-state.js';
import { PATIENCE_MS } from './waiting.js';

/**
 * A workflow stands still when so many looks in a row find nothing that moves. On an idle machine that takes less than 20 s. A busy
 * machine takes longer for as many looks, and for as many status polls.
 */
const STILL = { looks: 70, polls: 10 };
const LOOK_MS = 250;

/**
 * Waits, and fails as soon as the workflow stands still.
 *
 * @param wait gets a signal that ends it
 * @throws {Error} with what it waits for, the pending work of the workflow and its children, and the end of their histories
 */
export async function unlessStill<Result>(
  client: Client,
  workflowId: string,
  what: string,
  wait: (options: { readonly signal: AbortSignal }) => Promise<Result>,
  limit = STILL,
): Promise<Result> {
  const end = new AbortController();
  const waiting = wait(end);
  const still = untilStill(client, workflowId, limit, end.signal).then(async () => {
    throw new Error(`waited in vain for ${what}; ${await pendingWork(client, workflowId)}`);
  });
  return Promise.race([waiting, still]).finally(() => end.abort());
}

/** Resolves when the workflow stands still, and never after `signal`. */
async function untilStill(
  client: Client,
  workflowId: string,
  limit: typeof STILL,
  signal: AbortSignal,
): Promise<void> {
  let since: Look | undefined;
  for (let looks = 0; ; looks++) {
    await sleep(LOOK_MS);
    if (signal.aborted) return new Promise(() => {});
    const now = await lookAt(client, workflowId);
    if (since === undefined || now.isMoving || now.written !== since.written) {
      looks = 0;
      since = now;
    } else if (looks >= limit.looks && polled(since, now) >= limit.polls) return;
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

/** A look at a workflow and its children. A server that does not respond is a reason to wait. */
async function lookAt(client: Client, workflowId: string): Promise<Look> {
  const description = await client.workflow
    .getHandle(workflowId)
    .describe()
    .catch(() => undefined);
  if (!description) return { isMoving: true, written: '', polls: [] };
  const { raw, runId, historyLength } = description;
  const children = await Promise.all(
    (raw.pendingChildren ?? []).map((child) => lookAt(client, child.workflowId ?? '')),
  );
  const soon = (raw.pendingActivities ?? []).filter(isDueSoon);
  const [polls, others] = [true, false].map((isPoll) =>
    soon.filter(({ activityId }) => (activityId === AWAIT_STATUS_ACTIVITY_ID) === isPoll),
  );
  return {
    isMoving: Boolean(raw.pendingWorkflowTask || others?.length || children.some((child) => child.isMoving)),
    written: [runId, historyLength, ...children.map(({ written }) => written)].join(),
    polls: [...(polls ?? []).map(({ attempt }) => attempt ?? 0), ...children.flatMap((child) => child.polls)],
  };
}

/** It runs, or waits for a worker, or for a time that a test may wait for. */
function isDueSoon({ nextAttemptScheduleTime: due }: temporal.api.workflow.v1.IPendingActivityInfo): boolean {
  return Number(due?.seconds ?? 0) * 1_000 < Date.now() + PATIENCE_MS;
}

async function pendingWork(client: Client, workflowId: string): Promise<string> {
  const handle = client.workflow.getHandle(workflowId);
  const { raw } = await handle.describe();
  const pending = raw.pendingActivities?.map(({ activityType, state, attempt, lastStartedTime }) => ({
    ...{ type: activityType?.name, state, attempt },
    startedAt: new Date(Number(lastStartedTime?.seconds ?? 0) * 1_000),
  }));
  const state = await handle.query(stateQuery).catch(() => undefined);
  const { events } = await handle.fetchHistory();
  const last = events?.slice(-8).map(({ eventId, eventType }) => `${eventId} ${eventType}`);
  const task = raw.pendingWorkflowTask && { attempt: raw.pendingWorkflowTask.attempt };
  const children = (raw.pendingChildren ?? []).map((child) => pendingWork(client, child.workflowId ?? ''));
  return [JSON.stringify({ workflowId, pending, task, last, state }), ...(await Promise.all(children))].join(
    '; ',
  );
}
