import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import pLimit from 'p-limit';
import type { Logger } from 'pino';
import type { Counter } from 'prom-client';
import { kindOf } from '../http/refused.js';
import { nudge } from '../temporal/nudge.js';
import { isNotFound } from '../temporal/unavailable.js';
import type { Desk } from './event-types.js';
import { ask } from './problems.js';
import { addIds, MAX_IDS, type NamedIds, runningWith } from './webhook-ids.js';

/** Workflows that one look may find. */
const MAX_WORKFLOWS = 100;

/** How long search attributes may take, in milliseconds, until workflows are found by them. */
const VISIBLE_AFTER_MS = 2_000;

/** How long ids are gathered, in milliseconds, that are then looked up together: Temporal bounds searches a second. */
const GATHERING_MS = 1_000;

/** Waits for some milliseconds; rejects when the receiver closes. */
export type Pause = (milliseconds: number, signal: AbortSignal) => Promise<unknown>;

const realTime: Pause = (milliseconds, signal) => sleep(milliseconds, undefined, { signal });

/** What is to be looked up once more, and whom the first looks have found. */
interface SecondLook {
  readonly ids: Map<string, Set<string>>;
  readonly found: Set<string>;
}

/** What partners say has changed. It is never believed: the workflow that it may be about reads at the partner. */
export class Hints {
  readonly #nudges: Nudges;
  readonly #closing = new AbortController();
  #gathering: SecondLook | undefined;

  constructor(
    private readonly desk: Desk,
    private readonly logger: Logger,
    nudges: Counter<'result'>,
    private readonly pause: Pause = realTime,
  ) {
    this.#nudges = new Nudges(desk.client, logger, nudges);
  }

  /**
   * Nudges the workflows of our task queue that run with one of these ids, in the background. Another queue may be of
   * another environment, where the same ids are of others.
   *
   * @returns how many there are
   * @throws {Problem} `temporal-away`
   */
  async pass(ids: NamedIds): Promise<number> {
    if (ids.size === 0) return 0;
    const found = await this.#find(ids);
    for (const workflowId of found) this.#nudges.ask(workflowId);
    this.#lookAgain(ids, found);
    return found.length;
  }

  close(): void {
    this.#closing.abort();
    this.#nudges.close();
  }

  #find(ids: NamedIds): Promise<string[]> {
    const { client, taskQueue, accounts } = this.desk;
    const query = runningWith(ids, taskQueue, accounts);
    return ask(client, async () => {
      const found: string[] = [];
      for await (const { workflowId } of client.workflow.list({ query, pageSize: MAX_WORKFLOWS })) {
        found.push(workflowId);
        if (found.length === MAX_WORKFLOWS) break;
      }
      return found;
    });
  }

  /**
   * An application that is decided at once is told of before its workflow can be found by the id it has just got, and
   * without this the workflow would wait a whole poll. What is too much for one look is dropped: the polls come round.
   */
  #lookAgain(ids: NamedIds, found: readonly string[]): void {
    if (!this.#gathering) {
      this.#gathering = { ids: new Map(), found: new Set() };
      this.#later(this.#gathering).catch((error: unknown) => {
        if (this.#closing.signal.aborted) return;
        this.logger.warn({ kind: kindOf(error) }, 'hints could not be looked up again');
      });
    }
    addIds(this.#gathering.ids, ids, MAX_IDS);
    for (const workflowId of found) this.#gathering.found.add(workflowId);
  }

  async #later({ ids, found }: SecondLook): Promise<void> {
    const { signal } = this.#closing;
    await this.pause(GATHERING_MS, signal);
    this.#gathering = undefined;
    await this.pause(VISIBLE_AFTER_MS, signal);
    for (const workflowId of await this.#find(ids)) {
      if (!found.has(workflowId)) this.#nudges.ask(workflowId);
    }
  }
}

/** Nudges under way at once: each may wait out a read at the partner. */
const AT_ONCE = 16;

/** Workflows that a nudge is under way for, or waits its turn. What is too much is dropped: their polls come round. */
const MAX_PENDING = 1_000;

/**
 * Nudges workflows in the background. For one workflow there is never more than one at a time, for a second could meet
 * the read that the first has caused; whoever asks meanwhile gets one more, after it.
 */
export class Nudges {
  readonly #limit = pLimit(AT_ONCE);
  readonly #closing = new AbortController();
  /** By workflow id: whether someone has asked since its nudge began. */
  readonly #asked = new Map<string, boolean>();

  constructor(
    private readonly client: Client,
    private readonly logger: Logger,
    private readonly count: Counter<'result'>,
  ) {}

  ask(workflowId: string): void {
    const isPending = this.#asked.has(workflowId);
    if (!isPending && this.#asked.size >= MAX_PENDING) return;
    this.#asked.set(workflowId, true);
    if (!isPending) void this.#limit(() => this.#serve(workflowId));
  }

  /** Drops those that wait, and lets go of those under way. */
  close(): void {
    this.#closing.abort();
    this.#limit.clearQueue();
  }

  async #serve(workflowId: string): Promise<void> {
    while (this.#asked.get(workflowId) && !this.#closing.signal.aborted) {
      this.#asked.set(workflowId, false);
      await this.#nudge(workflowId);
    }
    this.#asked.delete(workflowId);
  }

  async #nudge(workflowId: string): Promise<void> {
    const { signal } = this.#closing;
    try {
      const isNudged = await nudge(this.client, workflowId, { signal });
      this.count.inc({ result: isNudged ? 'nudged' : 'nobody' });
    } catch (error) {
      if (signal.aborted) return;
      // The workflow, or its wait for a change, has ended meanwhile.
      const isGone = isNotFound(error);
      this.count.inc({ result: isGone ? 'nobody' : 'failed' });
      if (isGone) return;
      this.logger.warn({ kind: kindOf(error) }, 'a hint got lost: the poll will notice by itself');
    }
  }
}
