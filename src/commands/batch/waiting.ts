import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import pThrottle from 'p-throttle';
import { EndedWithoutOutcome, endOf, hasEnded } from '../ended.js';
import type { Outcome } from '../outcome.js';
import { type Persistently, promptly } from './persistence.js';

/** How often to look, in milliseconds. */
const GLANCE_MS = 1_000;

/** Looks in a second, however many onboardings there are: some go on for weeks. */
const LOOKS_PER_SECOND = 200;

const CONCURRENCY = 8;

/** What is waited for. */
export interface Awaited {
  readonly workflowId: string;
  /** How to start it anew, for people. */
  readonly anew: string;
}

/** How an onboarding ended; or why it has no outcome. */
export type End = Outcome | { readonly failed: string };

export interface Waiting<Row> {
  readonly persistently: Persistently;
  readonly stop: AbortController;
  readonly tell: (row: Row, end: End) => void;
}

/** Waits until all have ended, or `stop` is aborted. */
export async function awaitAll<Row extends Awaited>(
  client: Client,
  rows: readonly Row[],
  { persistently, stop, tell }: Waiting<Row>,
): Promise<void> {
  const { signal } = stop;
  const look = pThrottle({ limit: 1, interval: 1_000 / LOOKS_PER_SECOND, signal })((row: Row) =>
    promptly(client, () => hasEnded(client, row.workflowId)),
  );

  /** Those of them that have not ended. */
  async function lookAt(those: readonly Row[]): Promise<Row[]> {
    const queue = those[Symbol.iterator]();
    const running: Row[] = [];
    const lookAtNext = async () => {
      for (const row of queue) {
        if (await persistently(() => look(row))) tell(row, await endNow(client, row, persistently));
        else running.push(row);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, lookAtNext));
    return running;
  }

  try {
    for (let running = await lookAt(rows); running.length > 0; running = await lookAt(running))
      await sleep(GLANCE_MS, undefined, { signal });
  } catch (error) {
    // The first reason counts: what is aborted fails as well.
    stop.abort(error);
  }
}

async function endNow(
  client: Client,
  { workflowId, anew }: Awaited,
  persistently: Persistently,
): Promise<End> {
  try {
    return await persistently(() => promptly(client, () => endOf<Outcome>(client, workflowId, anew)));
  } catch (error) {
    if (error instanceof EndedWithoutOutcome) return { failed: error.reason };
    throw error;
  }
}
