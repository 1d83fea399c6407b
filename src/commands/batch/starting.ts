import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import pThrottle from 'p-throttle';
import type { Started, StartOptions } from '../../temporal/start.js';
import { isUnavailable, rejectionOf } from '../../temporal/unavailable.js';
import { CommandFailed } from '../cli/errors.js';
import { EndedWithoutOutcome, endOf, hasEnded } from '../cli/follow.js';
import type { Outcome } from '../onboarding/start.js';
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
      const refused = rejectionOf(error);
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

export const HOW_TO_GO_ON = 'run the same command again: it goes on from here, and starts nothing twice';

/** How long Temporal may take over one question, in milliseconds. */
const DEADLINE_MS = 10_000;

/** Between two tries, in milliseconds. */
const PAUSE_MS = 1_000;

/** Asks something of Temporal that it should answer at once. */
export function promptly<Answer>(client: Client, ask: () => Promise<Answer>): Promise<Answer> {
  return client.connection.withDeadline(Date.now() + DEADLINE_MS, ask);
}

/** Asks again while Temporal does not answer. */
export type Persistently = <Answer>(ask: () => Promise<Answer>) => Promise<Answer>;

export interface Patience {
  /** How long Temporal may be away, in milliseconds. */
  readonly giveUpAfter: number;
  /** Ends all asking. Aborted here when Temporal has been away for too long. */
  readonly stop: AbortController;
  readonly note: (text: string) => void;
}

/** One patience for all who ask: it runs out when none of them got an answer for that long. */
export function persistent({ giveUpAfter, stop, note }: Patience): Persistently {
  let awaySince: number | undefined;
  return async (ask) => {
    for (;;) {
      try {
        const answer = await ask();
        awaySince = undefined;
        return answer;
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        if (awaySince === undefined) note('Temporal does not answer; trying on');
        awaySince ??= Date.now();
        if (Date.now() - awaySince >= giveUpAfter)
          stop.abort(
            new CommandFailed(`gave up: Temporal does not answer (--give-up-after)\n${HOW_TO_GO_ON}`),
          );
        await sleep(PAUSE_MS, undefined, { signal: stop.signal });
      }
    }
  };
}
