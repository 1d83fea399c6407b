import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, NamespaceNotFoundError } from '@temporalio/client';
import pLimit from 'p-limit';
import pThrottle from 'p-throttle';
import type { RowResult } from '../../../messages/batches.js';
import { partsOfId } from '../../../messages/ids.js';
import { SEARCH_ATTRIBUTES } from '../../../messages/search-attributes.js';
import { EACH_ONBOARDING } from '../../../messages/workflow-types.js';
import { awaitOutcome, EndedWithoutOutcome, type Outcome } from '../../../services/client/watching.js';
import { callPromptly, isUnavailable } from '../../../temporal/unavailable.js';
import { CommandFailed, EXIT } from '../cli/errors.js';

/** Checks per second, for any number of onboardings, because some run for weeks. */
const CHECKS_PER_SECOND = 200;

export type End = Outcome | { readonly failed: string };

interface Waiting {
  readonly persistently: Persistently;
  readonly stop: AbortController;
  readonly onEnd: (row: RowResult, end: End) => void;
  readonly onRunning: (row: RowResult, isAsked: boolean) => void;
}

/** Waits until all have ended, or `stop` is aborted. */
export async function awaitAll(
  client: Client,
  rows: readonly RowResult[],
  { persistently, stop, onEnd, onRunning }: Waiting,
): Promise<void> {
  const { signal } = stop;
  const check = pThrottle({ limit: 1, interval: 1_000 / CHECKS_PER_SECOND, signal })((row: RowResult) =>
    callPromptly(client, () => client.workflow.getHandle(row.workflowId).describe()),
  );

  const limit = pLimit(8);
  /** @returns the row if it has not ended */
  const checkOne = async (row: RowResult) => {
    const { status, typedSearchAttributes } = await persistently(() => check(row));
    const isRunning = status.name === 'RUNNING';
    if (isRunning) onRunning(row, typedSearchAttributes.get(SEARCH_ATTRIBUTES.actionRequired) === true);
    else onEnd(row, await endOf(client, row, persistently));
    return isRunning ? [row] : [];
  };
  try {
    for (let running = rows; running.length > 0; ) {
      running = (await limit.map(running, checkOne)).flat();
      if (running.length > 0) await sleep(1_000, undefined, { signal });
    }
  } catch (error) {
    // The first reason counts, because aborted calls also fail.
    stop.abort(error);
  }
}

async function endOf(client: Client, { workflowId }: RowResult, persistently: Persistently): Promise<End> {
  const type = partsOfId(workflowId)?.type;
  const command = EACH_ONBOARDING.find(([each]) => each === type)?.[1].command;
  const restart = `start it again with "gangway ${command} FILE --again"`;
  const read = () => awaitOutcome<Outcome>(client, workflowId, { restart, input: 'FILE' });
  return persistently(() => callPromptly(client, read)).catch((error: unknown) => {
    if (error instanceof EndedWithoutOutcome) return { failed: error.reason };
    throw error;
  });
}

export const RERUN = 'run the same command again: it continues from here and starts nothing twice';

/** Repeats a call while Temporal is unavailable. */
export type Persistently = <Result>(call: () => Promise<Result>) => Promise<Result>;

interface Persistence {
  /** The time after which an unavailable Temporal ends the wait, in milliseconds. */
  readonly giveUpAfter: number;
  readonly stop: AbortController;
  readonly note: (text: string) => void;
}

/** Returns a function that retries calls. `stop` aborts if no call has got a response for `giveUpAfter`. */
export function retryCalls({ giveUpAfter, stop, note }: Persistence): Persistently {
  let unavailableSince: number | undefined;
  let hasResponded = false;
  // A frontend that starts while its database is down reports that a namespace does not exist.
  const isTransient = (error: unknown) =>
    isUnavailable(error) || (hasResponded && error instanceof NamespaceNotFoundError);
  return async (call) => {
    for (;;) {
      try {
        const result = await call();
        unavailableSince = undefined;
        hasResponded = true;
        return result;
      } catch (error) {
        if (!isTransient(error)) throw error;
        if (unavailableSince === undefined) note('Temporal does not respond; trying again');
        unavailableSince ??= Date.now();
        if (Date.now() - unavailableSince >= giveUpAfter)
          stop.abort(new CommandFailed(GAVE_UP, { exitCode: EXIT.unavailable }));
        await sleep(1_000, undefined, { signal: stop.signal });
      }
    }
  };
}

const GAVE_UP = `gave up, because Temporal does not respond (--give-up-after)\n${RERUN}`;
