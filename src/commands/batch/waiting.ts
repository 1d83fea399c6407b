import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import pThrottle from 'p-throttle';
import { awaitOutcome, EndedWithoutOutcome, type Outcome } from '../../client/outcome.js';
import { partsOfId } from '../../messages/ids.js';
import { SEARCH_ATTRIBUTES } from '../../messages/search-attributes.js';
import { BUSINESS, CUSTOMER, MERCHANT } from '../../temporal/start.js';
import { promptly } from '../../temporal/unavailable.js';
import type { Persistently } from './persistence.js';

/** The interval between checks of all, in milliseconds. */
const CHECK_EVERY_MS = 1_000;

/** Checks per second, for any number of onboardings, because some run for weeks. */
const CHECKS_PER_SECOND = 200;

const CONCURRENCY = 8;

/** A workflow to wait for. */
export interface Awaited {
  readonly workflowId: string;
}

/** The outcome of an onboarding, or the reason why it has none. */
export type End = Outcome | { readonly failed: string };

interface Waiting<Row> {
  readonly persistently: Persistently;
  readonly stop: AbortController;
  readonly onEnd: (row: Row, end: End) => void;
  /** It has not ended. */
  readonly onRunning: (row: Row, isAsked: boolean) => void;
}

/** Waits until all have ended, or `stop` is aborted. */
export async function awaitAll<Row extends Awaited>(
  client: Client,
  rows: readonly Row[],
  { persistently, stop, onEnd, onRunning }: Waiting<Row>,
): Promise<void> {
  const { signal } = stop;
  const check = pThrottle({ limit: 1, interval: 1_000 / CHECKS_PER_SECOND, signal })((row: Row) =>
    promptly(client, () => client.workflow.getHandle(row.workflowId).describe()),
  );

  /** @returns the rows that have not ended */
  async function checkAll(candidates: readonly Row[]): Promise<Row[]> {
    const queue = candidates[Symbol.iterator]();
    const running: Row[] = [];
    const checkNext = async () => {
      for (const row of queue) {
        const { status, typedSearchAttributes } = await persistently(() => check(row));
        if (status.name === 'RUNNING') {
          onRunning(row, typedSearchAttributes.get(SEARCH_ATTRIBUTES.actionRequired) === true);
          running.push(row);
        } else onEnd(row, await endOf(client, row, persistently));
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, checkNext));
    return running;
  }

  try {
    for (let running = await checkAll(rows); running.length > 0; running = await checkAll(running))
      await sleep(CHECK_EVERY_MS, undefined, { signal });
  } catch (error) {
    // The first reason counts, because aborted calls fail, too.
    stop.abort(error);
  }
}

async function endOf(client: Client, { workflowId }: Awaited, persistently: Persistently): Promise<End> {
  try {
    return await persistently(() =>
      promptly(client, () =>
        awaitOutcome<Outcome>(client, workflowId, { restart: restartOf(workflowId), input: 'FILE' }),
      ),
    );
  } catch (error) {
    if (error instanceof EndedWithoutOutcome) return { failed: error.reason };
    throw error;
  }
}

/** Returns how a person starts it again. */
function restartOf(workflowId: string): string {
  const kind = [MERCHANT, BUSINESS, CUSTOMER].find(({ type }) => type === partsOfId(workflowId)?.type);
  return `start it again with "gangway ${kind?.command} FILE --again"`;
}
