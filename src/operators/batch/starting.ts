import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, NamespaceNotFoundError } from '@temporalio/client';
import pThrottle from 'p-throttle';
import type { Started, StartOptions } from '../../temporal/start.js';
import { isUnavailable, rejectionOf } from '../../temporal/unavailable.js';
import { type Preview, type Ready, RefusedRow } from './ready.js';

/** The start of a row, or why it was not started. */
export type Result = Started | Preview | { readonly rejected: string };

export interface Starting {
  readonly options: StartOptions;
  /** Maximum starts per second; undefined: as many as Temporal accepts. */
  readonly rate: number | undefined;
  /** The number of rows that are started concurrently. */
  readonly concurrency: number;
  readonly persistently: Persistently;
  /** Stops after the starts in progress. Aborted here when every further row would fail in the same way. */
  readonly stop: AbortController;
  readonly onResult: (row: Ready, result: Result) => void;
}

/** Starts rows in their order. A row without a report may be started again, because the same row attaches. */
export async function startAll(
  client: Client,
  rows: AsyncGenerator<Ready>,
  { options, rate, concurrency, persistently, stop, onResult }: Starting,
): Promise<void> {
  const { signal } = stop;
  const now = (row: Ready) => row.start(client, options);
  const start = rate ? pThrottle({ limit: 1, interval: 1_000 / rate, signal })(now) : now;

  async function startOne(row: Ready): Promise<void> {
    try {
      onResult(row, await persistently(() => start(row)));
    } catch (error) {
      const rejected = error instanceof RefusedRow ? error.message : rejectionOf(error);
      if (rejected === undefined) throw error;
      onResult(row, { rejected });
    }
  }

  async function startNext(): Promise<void> {
    try {
      while (!signal.aborted) {
        const next = await rows.next();
        if (next.done) return;
        await startOne(next.value);
      }
    } catch (error) {
      // The first reason counts, because what is aborted fails as well.
      stop.abort(error);
    }
  }

  await Promise.all(Array.from({ length: concurrency }, startNext));
  await rows.return(undefined);
}

/** Between two attempts, in milliseconds. */
const PAUSE_MS = 1_000;

/** Repeats a call while Temporal is unavailable. */
export type Persistently = <Result>(call: () => Promise<Result>) => Promise<Result>;

interface Persistence {
  /** The time for which Temporal may be unavailable, in milliseconds. */
  readonly giveUpAfter: number;
  /** Ends all calls. Aborted here when Temporal was unavailable for too long. */
  readonly stop: AbortController;
  /** The reason of that end. */
  readonly gaveUp: () => Error;
  readonly note: (text: string) => void;
}

/** All calls share the time limit: it ends when none of them got a response for that long. */
export function persistent({ giveUpAfter, stop, gaveUp, note }: Persistence): Persistently {
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
        if (Date.now() - unavailableSince >= giveUpAfter) stop.abort(gaveUp());
        await sleep(PAUSE_MS, undefined, { signal: stop.signal });
      }
    }
  };
}
