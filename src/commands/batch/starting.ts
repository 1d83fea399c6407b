import type { Client } from '@temporalio/client';
import pThrottle from 'p-throttle';
import { refusalOf } from '../../temporal/away.js';
import type { Started, StartOptions } from '../../temporal/onboardings.js';
import { type Persistently, promptly } from './persistence.js';
import type { Ready } from './ready.js';

/** What became of a row: started, or there before; or why Temporal did not take it. */
export type Result = Started | { readonly refused: string };

export interface Starting {
  readonly options: StartOptions;
  /** Starts in a second at most; undefined for as many as Temporal takes. */
  readonly rate: number | undefined;
  /** How many are under way at once. */
  readonly concurrency: number;
  readonly persistently: Persistently;
  /** Ends it, after those under way. Aborted here when the same would become of every row. */
  readonly stop: AbortController;
  readonly tell: (row: Ready, result: Result) => void;
}

/** Starts rows in their order. Whoever was told nothing of may be started again: the same row attaches. */
export async function startAll(
  client: Client,
  rows: AsyncGenerator<Ready>,
  { options, rate, concurrency, persistently, stop, tell }: Starting,
): Promise<void> {
  const { signal } = stop;
  const now = (row: Ready) => promptly(client, () => row.start(client, options));
  const start = rate ? pThrottle({ limit: 1, interval: 1_000 / rate, signal })(now) : now;

  async function startOne(row: Ready): Promise<void> {
    try {
      tell(row, await persistently(() => start(row)));
    } catch (error) {
      const refused = refusalOf(error);
      if (refused === undefined) throw error;
      tell(row, { refused });
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
      // The first reason counts: what is aborted fails as well.
      stop.abort(error);
    }
  }

  await Promise.all(Array.from({ length: concurrency }, startNext));
  await rows.return(undefined);
}
